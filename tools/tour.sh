#!/usr/bin/env bash
# A tour of what Saltus does, in under two minutes: ./run without arguments. Needs `saltus` on the PATH (./run puts it there).
# Figures and points are left in the folder tour/ where it was started.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
tour=$PWD/tour
mkdir -p "$tour"
cd "$root"
barrier=examples/triple_pendulum_barrier.toml
torque=examples/triple_pendulum_torque.toml
number=0

# says "what is done" COMMAND...: one line for the step and one for the command.
says() {
  number=$((number + 1))
  local words
  words=$(printf '%s ' "${@:2}")
  printf '\n%d. %s\n   $ %s\n' "$number" "$1" "${words//"$tour"/tour}"
}
# step "what is done" COMMAND...: says it and does it; what it prints is indented.
step() {
  says "$@"
  "${@:2}" 2>&1 | sed 's/^/   /'
}
# row "what is done" "published row" "where" COMMAND...: exponents and verdict beside the published ones.
row() {
  says "$1" "${@:4}"
  local text
  text=$("${@:4}")
  printf '   here      %s  %s\n' "$(sed -n 3p <<<"$text" | tr -s ' ' | sed 's/^ / /')" \
    "$(head -1 <<<"$text" | sed 's/^motion *//; s/:.*//')"
  printf '   published  %s\n   (%s)\n' "$2" "$3"
}

step "Check a model: a pendulum of three rods that strikes a barrier." saltus check "$barrier" --case fig3a --quiet
echo "   it is right"
step "Simulate two periods of its attractor and draw them: tour/pendulum.svg." \
  saltus simulate "$barrier" --case fig3a --transient 200 --periods 2 --plot "$tour/pendulum.svg" --plot-kind configuration

# One row of each paper's table, each a step.
row "What kind of motion is it? Lyapunov exponents in bits, the last zero is time's; convergence in tour/exponents.svg." \
  "-0.16 -0.18 -0.18 -0.95 -1.41 -2.51 0  periodic" "Awrejcewicz & Kudra 2005, Nonlinear Analysis 63, Table 1, Fig. 3a" \
  saltus lyapunov "$barrier" --case fig3a --periods 300 --transient 300 --base 2 --plot "$tour/exponents.svg"
row "The same for a pendulum turned by a constant torque." \
  "0.00 -0.02 -0.02 -0.22 -0.47 -8.44  periodic" \
  "Awrejcewicz & Kudra, Bifurcation and Chaos of Multi-body Dynamical Systems, Table 1, second row" \
  saltus lyapunov "$torque" --case q1_159 --time 2000 --transient 500 --base 2
says "A periodic motion with clearances: its multipliers, in the unit circle in tour/clearance.svg." \
  saltus orbit examples/clearance_pair.toml --case eta0772 --plot "$tour/clearance.svg"
saltus orbit examples/clearance_pair.toml --case eta0772 --plot "$tour/clearance.svg" |
  LC_ALL=C awk '/^stable/ { verdict = $2 ~ /^yes/ ? "stable" : "unstable" }
                { for (k = 2; k < NF; ++k) if ($k == "+") row = row sprintf("%.4f ± %.4fi  ", $(k - 1), $(k + 1)) }
                END { print "   here       " row verdict }'
echo "   published  -0.0527 ± 0.9939i  0.0266 ± 0.4267i  stable"
echo "   (Kranjčević, Stegić & Vranković, eq. 30, by ten finite elements in time, whose error is 2e-4)"

# Further results, each with its figure.
step "Mathieu's equation with a stop: how elastic may the stop be? The chart of Leine 2012, Fig. 6: tour/mathieu_stop.png." \
  saltus hill examples/mathieu_stop.toml --chart --plot "$tour/mathieu_stop.png"
step "The Poincaré section of a quasi-periodic motion: tour/section.png." \
  saltus section "$barrier" --case fig4ab --periods 1000 --transient 300 --plot "$tour/section.png" --x x_tip --y y_tip \
  --color "psi3'"
step "Which attractors are there? Twelve starts." \
  saltus lyapunov "$barrier" --case fig3a --periods 200 --transient 200 --starts 12 --base 2 --quiet --out "$tour/attractors.txt"
sed -n '1p; /^attractor\|^motion/p' "$tour/attractors.txt" | sed 's/, for instance.*//; s/: the section.*//; s/^/   /'

printf '\nDone. In tour/: %s\n' "$(cd "$tour" && ls -- *.svg *.png *.txt | tr '\n' ' ')"
