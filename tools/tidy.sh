#!/usr/bin/env bash
# tools/tidy.sh [LAYER...]   clang-tidy over the sources of the program (or of the given layers), from the release build.
# It reads what the compiler read: several files at once, so that Eigen and the standard library are looked at once.
# What passed is looked at again only when one of its files, a header they include, or .clang-tidy has changed.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
build=build/release
passed=$build/tidy
[ -f $build/compile_commands.json ] || { echo "tools/tidy.sh: build first: cmake --preset release" >&2; exit 4; }
mkdir -p $passed
deps=$(mktemp)
trap 'rm -f "$deps"' EXIT
ninja -C $build -t deps >"$deps" 2>/dev/null

# OBJECT<TAB>SOURCE of every translation unit of the program, tests and benchmarks left out.
units() {
  python3 - "$build" "$@" <<'PYTHON'
import json, re, sys
layers = sys.argv[2:]
for entry in json.load(open(sys.argv[1] + "/compile_commands.json")):
    output = re.search(r" -o (.+) -c ", entry["command"])[1]
    target = re.match(r"CMakeFiles/(saltus(?:_(\w+))?)\.dir/", output)
    if not target or target[1].endswith(("_tests", "_bench")):
        continue
    if not layers or (target[2] or "cli") in layers:
        print(output, entry["file"], sep="\t")
PYTHON
}

# Hash of everything the verdict on a unit depends on: the project's files it is made of, the list of checks.
fingerprint() {
  { awk -v object="$1:" '/^[^ ]/ { on = $1 == object } on && /^    / { print $1 }' "$deps" | grep -F "/saltus/" || true
    printf '%s\n' "$2" "$PWD/.clang-tidy"; } | sort -u | (cd $build && xargs sha256sum) | sha256sum | cut -d' ' -f1
}

tidy() {
  local stamp
  stamp=$passed/$(tr / _ <<<"$1")
  if ! clang-tidy-19 -p $build --quiet --extra-arg=-Wno-unknown-warning-option "$2" >"$stamp.log" 2>"$stamp.errors"; then
    cat "$stamp.log"
    grep "error:" "$stamp.errors" || true
    return 1
  fi
  echo "$3" >"$stamp.ok"
}
export -f tidy
export build passed

work=()
while IFS=$'\t' read -r object source; do
  print=$(fingerprint "$object" "$source")
  [ "$(cat "$passed/$(tr / _ <<<"$object").ok" 2>/dev/null)" = "$print" ] || work+=("$object" "$source" "$print")
done < <(units "$@")
[ ${#work[@]} -eq 0 ] || printf '%s\0' "${work[@]}" | xargs -0 -n 3 -P 2 bash -c 'tidy "$@"' tidy
