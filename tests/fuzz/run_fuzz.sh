#!/usr/bin/env bash
# tests/fuzz/run_fuzz.sh LAYER SECONDS: builds tests/fuzz/LAYER_fuzz.cpp with libFuzzer and runs it over the examples and
# the wrong models. A file that breaks it is kept in build/fuzz/LAYER_findings/.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
layer=$1 seconds=$2
source tools/setup.sh
configure fuzz || exit 70
build fuzz --target "saltus_${layer}_fuzz" || exit 70
seeds=build/fuzz/${layer}_seeds corpus=build/fuzz/${layer}_corpus findings=build/fuzz/${layer}_findings
rm -rf "$seeds"
mkdir -p "$corpus" "$findings"
for folder in examples tests/bad; do
  mkdir -p "$seeds/$folder"
  find "$folder" -name '*.toml' -size -64k -exec cp -t "$seeds/$folder" {} + 2>/dev/null || true
done
dictionary=()
[ -f "tests/fuzz/$layer.dict" ] && dictionary=("-dict=tests/fuzz/$layer.dict")
# A fixed seed, so that a failure seen once is seen again.
exec "build/fuzz/bin/saltus_${layer}_fuzz" -seed=1 "-max_total_time=$seconds" -max_len=16384 -timeout=10 \
  -rss_limit_mb=2048 -print_final_stats=1 -verbosity=0 "${dictionary[@]}" "-artifact_prefix=$findings/" \
  "$corpus" "$seeds"
