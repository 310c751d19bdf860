#!/usr/bin/env bash
# Draws the figures of the gallery with full settings: ./run gallery [PAGE ...]. Needs `saltus` on the PATH (./run puts it there).
# The commands are those of the blocks in docs/gallery/*.md that a comment `not run: full settings` stands above; they run from
# the project's folder and write into docs/figures/.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
pages=("$@")
[ ${#pages[@]} -gt 0 ] || mapfile -t pages < <(cd docs/gallery && ls -- *.md | sed 's/\.md$//' | grep -vx index)
for page in "${pages[@]}"; do
  file=docs/gallery/${page%.md}.md
  [ -f "$file" ] || { echo "no page $file; there are: $(cd docs/gallery && ls -- *.md | tr '\n' ' ')" >&2; exit 2; }
  # A line "$ command" of a marked block, with the lines that a backslash continues it by.
  commands=$(awk '/^<!-- not run: full settings/ { marked = 1 }
                  /^```/ { inside = marked && !inside; if (!inside) marked = 0; next }
                  inside && (/^\$ / || continued) { sub(/^\$ /, ""); print; continued = /\\$/ }' "$file")
  [ -n "$commands" ] || continue
  echo "$page"
  echo "$commands" | sed 's/^/   /'
  bash -euc "$commands"
done
