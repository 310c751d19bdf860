#!/bin/sh
# Builds the release with its benchmarks and prints all tables. Ratios within one run mean something on a busy machine,
# single times do not. Usage: bench/run.sh [--peers], from anywhere; --peers also runs the other libraries (minutes).
set -eu
cd "$(dirname "$0")/.."
build=build/release_bench
cmake -S . -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DBUILD_TESTING=OFF -DSALTUS_BENCH=ON >"$build.log" 2>&1 ||
  { cat "$build.log"; exit 1; }
programs="kernel_bench flow_bench bouncing_ball_bench spectrum_bench clearance_bench sweep_bench"
[ "${1:-}" = --peers ] && programs="$programs baseline_main odeint_peer sundials_peer cvode_spectrum cvode_map"
# shellcheck disable=SC2086
cmake --build "$build" --target $programs >"$build.log" 2>&1 || { cat "$build.log"; exit 1; }

"$build/bin/kernel_bench"
echo
"$build/bin/flow_bench"
echo
"$build/bin/spectrum_bench"
echo
"$build/bin/clearance_bench"
echo
"$build/bin/sweep_bench"
echo
if command -v valgrind >/dev/null; then bench/instructions_per_impact.sh "$build"; else
  echo "instructions per impact: valgrind is missing"
fi
[ "${1:-}" = --peers ] || exit 0
for program in baseline_main odeint_peer sundials_peer cvode_spectrum cvode_map; do
  [ -x "$build/bin/$program" ] && echo && "$build/bin/$program"
done
