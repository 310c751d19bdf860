#!/bin/sh
# Instructions per forcing period and motion of fig3a at rtol 1e-9, by callgrind, of the state alone by hand and by us; then with the
# whole tangent (42 equations): ours with
# 1 lane and in lanes (with atol 1e-11 and control of the tangent's error; 'as by hand': with atol 1e-9 and control of the state's
# alone), the hand-written lanes, Boost.odeint and CVODE. Each is the difference of a longer and a shorter run, so that
# start-up and compilation are left out. Usage: bench/instructions_per_period.sh [BUILD_FOLDER]
set -eu
bin=${1:-build/release_bench}/bin
counted() {
  valgrind --tool=callgrind --callgrind-out-file=/dev/null "$@" 2>&1 | sed -n 's/.*Collected : //p'
}
# row NAME MOTIONS SHORT LONG COMMAND, where PERIODS in the command is replaced
row() {
  name=$1 motions=$2 short=$3 long=$4
  shift 4
  few=$(counted $(echo "$@" | sed "s/PERIODS/$short/"))
  many=$(counted $(echo "$@" | sed "s/PERIODS/$long/"))
  echo "$many $few $motions $short $long" |
    awk -v name="$name" '{ printf "%-36s %10.0f\n", name, ($1 - $2) / ($3 * ($5 - $4)) }'
}
row "state alone, by hand, 4 lanes" 64 2 4 "$bin/flow_bench" by-hand 4 state PERIODS
row "state alone, saltus, 4 lanes" 64 2 4 "$bin/flow_bench" count 4 state PERIODS
row "hand-written DOP853, 4 lanes" 64 2 4 "$bin/sweep_bench" by-hand 4 PERIODS
row "saltus, 4 lanes, error as by hand" 64 2 4 "$bin/sweep_bench" count-state 4 PERIODS 6
row "saltus, 4 lanes" 64 2 4 "$bin/sweep_bench" count 4 PERIODS 6
row "saltus, 4 lanes, one column" 64 2 4 "$bin/sweep_bench" count 4 PERIODS 1
row "saltus, 1 lane" 64 2 3 "$bin/sweep_bench" count 1 PERIODS 6
row "Boost.odeint dopri5" 1 2 12 "$bin/odeint_peer" count PERIODS
row "CVODE Adams" 1 2 6 "$bin/cvode_map" count PERIODS
