#!/usr/bin/env bash
# tools/format.sh           formats every C++ file of the project
# tools/format.sh --check   names the files that are not formatted and fails
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
folders=()
for folder in saltus tests bench; do [ -d "$folder" ] && folders+=("$folder"); done
mapfile -d '' files < <(find "${folders[@]}" \( -name '*.cpp' -o -name '*.hpp' \) -print0 | sort -z)
[ ${#files[@]} -gt 0 ] || exit 0
if [ "${1-}" != --check ]; then exec clang-format-19 -i "${files[@]}"; fi
mapfile -t wrong < <(printf '%s\0' "${files[@]}" | xargs -0 -n 1 -P 2 sh -c \
  'clang-format-19 --dry-run -Werror "$1" >/dev/null 2>&1 || echo "  $1"' check | sort)
[ ${#wrong[@]} -eq 0 ] && exit 0
echo "not formatted; run tools/format.sh:"
printf '%s\n' "${wrong[@]}"
exit 1
