#!/bin/sh
# Instructions per impact of the bouncing ball in a batch of four, counted by callgrind inside the loop over steps, so that
# start-up and compilation are left out. Usage: bench/instructions_per_impact.sh [BUILD_FOLDER]
set -eu
build=${1:-build/release_bench}
folder=$(mktemp -d)
trap 'rm -r "$folder"' EXIT
valgrind --tool=callgrind --callgrind-out-file="$folder/out" --toggle-collect='saltus::LaneFlow::run*' \
  "$build/bin/bouncing_ball_bench" 200 >"$folder/stdout" 2>"$folder/stderr"
echo "$(sed -n 's/.*Collected : //p' "$folder/stderr") $(cut -d' ' -f1 "$folder/stdout")" |
  awk '{ printf "bouncing ball, 4 lanes: %.0f instructions per impact (%d impacts; goal: at most 5000)\n", $1 / $2, $2 }'
