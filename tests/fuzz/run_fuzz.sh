#!/usr/bin/env bash
# tests/fuzz/run_fuzz.sh NAME SECONDS: builds tests/fuzz/NAME_fuzz.cpp with libFuzzer and runs it over its seeds:
#   model                           the examples and the wrong models
#   the others                      tests/fuzz/corpus/NAME, which tests/fuzz/make_corpus.sh has made, nearly all with the program itself
# A file that breaks it is kept in build/fuzz/NAME_findings/.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
name=$1 seconds=$2
source tools/setup.sh
configure fuzz || exit 70
build fuzz --target "saltus_${name}_fuzz" || exit 70
seeds=build/fuzz/${name}_seeds corpus=build/fuzz/${name}_corpus findings=build/fuzz/${name}_findings
rm -rf "$seeds"
mkdir -p "$seeds" "$corpus" "$findings"
if [ "$name" = model ]; then
  for folder in examples tests/bad; do
    mkdir -p "$seeds/$folder"
    find "$folder" -name '*.toml' -size -64k -exec cp -t "$seeds/$folder" {} + 2>/dev/null || true
  done
elif [ -d "tests/fuzz/corpus/$name" ]; then
  cp -t "$seeds" tests/fuzz/corpus/"$name"/*
fi
dictionary=()
[ -f "tests/fuzz/$name.dict" ] && dictionary=("-dict=tests/fuzz/$name.dict")
# A fixed seed, so that a failure seen once is seen again. A NetCDF file is given up in its own process after 20 s, or where it asks for too much memory: neither is a failure.
exec "build/fuzz/bin/saltus_${name}_fuzz" -seed=1 "-max_total_time=$seconds" -max_len=65536 -timeout=30 \
  -rss_limit_mb=2048 -malloc_limit_mb=0 -print_final_stats=1 -verbosity=0 "${dictionary[@]}" "-artifact_prefix=$findings/" \
  "$corpus" "$seeds"
