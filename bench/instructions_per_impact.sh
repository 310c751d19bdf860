#!/bin/sh
# Instructions per impact of the bouncing ball in a batch of four, counted by callgrind: two runs of different length,
# so that start-up and compilation cancel. Usage: bench/instructions_per_impact.sh [BUILD_FOLDER]
set -eu
build=${1:-build/release_bench}
folder=$(mktemp -d)
trap 'rm -r "$folder"' EXIT

count() { # impacts per ball → "instructions impacts"
  valgrind --tool=callgrind --callgrind-out-file="$folder/out" --toggle-collect='saltus::flow_lanes*' \
    "$build/bin/bouncing_ball_bench" "$1" >"$folder/stdout" 2>"$folder/stderr"
  echo "$(sed -n 's/.*Collected : //p' "$folder/stderr") $(cut -d' ' -f1 "$folder/stdout")"
}

short=$(count 200)
long=$(count 700)
echo "$short $long" | awk '{ printf "bouncing ball, 4 lanes: %.0f instructions per impact (%d impacts; goal: at most 5000)\n",
                             ($3 - $1) / ($4 - $2), $4 - $2 }'
