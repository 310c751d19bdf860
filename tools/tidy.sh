#!/usr/bin/env bash
# tools/tidy.sh [FOLDER...]   clang-tidy over saltus/**/*.cpp (or the given folders), from the release build.
# A file that passed is looked at again only when it, a header it includes, or .clang-tidy has changed.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
build=build/release
passed=$build/tidy
[ -f $build/compile_commands.json ] || { echo "tools/tidy.sh: build first: cmake --preset release" >&2; exit 4; }
mkdir -p $passed
deps=$(mktemp)
trap 'rm -f "$deps"' EXIT
ninja -C $build -t deps >"$deps" 2>/dev/null

# Hash of everything the verdict on a file depends on: the file, the project's headers it includes, the list of checks.
fingerprint() {
  { awk -v source="$1" '/^[^ ]/ { on = index($0, "/" source ".o:") > 0 } on && /^    / { print $1 }' "$deps" |
      grep -F "$PWD/saltus/" || true
    printf '%s\n' "$PWD/$1" "$PWD/.clang-tidy"; } | sort -u | xargs sha256sum | sha256sum | cut -d' ' -f1
}

tidy() {
  local stamp
  stamp=$passed/$(tr / _ <<<"$1")
  if ! clang-tidy-19 -p $build --quiet --extra-arg=-Wno-unknown-warning-option "$1" >"$stamp.log" 2>/dev/null; then
    cat "$stamp.log"
    return 1
  fi
  echo "$2" >"$stamp.ok"
}
export -f tidy
export build passed

work=()
while IFS= read -r file; do
  # Only what this build compiles has a compile command.
  grep -qF "/$file\"" $build/compile_commands.json || continue
  print=$(fingerprint "$file")
  [ "$(cat "$passed/$(tr / _ <<<"$file").ok" 2>/dev/null)" = "$print" ] || work+=("$file" "$print")
done < <(find "${@:-saltus}" -name '*.cpp' | sort)
[ ${#work[@]} -eq 0 ] || printf '%s\0' "${work[@]}" | xargs -0 -n 2 -P 2 bash -c 'tidy "$@"' tidy
