#!/usr/bin/env bash
# A tour of what Saltus does, in under two minutes: ./run without arguments. Needs `saltus` on the PATH (./run puts it there).
# Figures and points are left in the folder tour/ where it was started.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
where=$PWD
mkdir -p tour
barrier=examples/triple_pendulum_barrier.toml
torque=examples/triple_pendulum_torque.toml
number=0

# step "what is done" COMMAND...: says it, shows the command, does it from the project's folder.
step() {
  number=$((number + 1))
  printf '\n%d. %s\n   $ %s\n' "$number" "$1" "$(printf '%s ' "${@:2}")"
  (cd "$root" && "${@:2}")
}
# has COMMAND: whether this version of saltus has it.
has() { saltus "$1" --help >/dev/null 2>&1; }

step "Check a model: is it right, and what is it?" saltus check "$barrier" --case fig3a --quiet
echo "   the model is right"

if has simulate; then
  step "Simulate it for 20 periods and draw it." \
    saltus simulate "$barrier" --case fig3a --periods 20 --plot "$where/tour/pendulum.svg" --plot-kind configuration
fi

step "What kind of motion is it? Exponents in bits per unit time." \
  saltus lyapunov "$barrier" --case fig3a --periods 300 --transient 300 --base 2
echo "   published  -0.16 -0.18 -0.18 -0.95 -1.41 -2.51, periodic"
echo "   (Awrejcewicz & Kudra 2005, Nonlinear Analysis 63, Table 1, Fig. 3a)"

step "The same for a pendulum turned by a constant torque." \
  saltus lyapunov "$torque" --case q1_159 --time 2000 --transient 500 --base 2
echo "   published  0.00 -0.02 -0.02 -0.22 -0.47 -8.44, periodic"
echo "   (Awrejcewicz & Kudra, Bifurcation and Chaos of Multi-body Dynamical Systems, Table 1, second row)"

step "Which attractors are there? 16 random starts." \
  saltus lyapunov "$barrier" --case fig3a --periods 100 --transient 300 --starts 16 --base 2

step "The Poincaré section of a quasi-periodic motion, as CSV." \
  saltus section "$barrier" --case fig4ab --periods 1000 --transient 500 --out "$where/tour/section.csv"

if has hill; then
  step "Mathieu's equation with a stop: how elastic may the stop be? The chart of Leine 2012, Fig. 6." \
    saltus hill examples/mathieu_stop.toml --chart --plot "$where/tour/mathieu_stop.png"
fi

printf '\nDone. Look into tour/:\n'
ls "$where/tour" | sed 's/^/   /'
