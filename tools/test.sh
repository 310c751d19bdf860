#!/usr/bin/env bash
# Everything CI checks: both presets with their tests, the plain one, layers, format, clang-tidy, README and docs.
#   ./test              all of it
#   ./test NAME         only CTest entries that match NAME, in both presets
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source tools/setup.sh
need_packages "${run_packages[@]}" "${test_packages[@]}"

summary=()
failed=0
step() {
  local name=$1 start=$SECONDS
  shift
  if "$@" </dev/null; then
    summary+=("passed  $name  ($((SECONDS - start)) s)")
  else
    summary+=("FAILED  $name  ($((SECONDS - start)) s)")
    failed=1
    return 1
  fi
}

only=()
[ $# -eq 0 ] || only=(-R "$1")
build_afresh() { configure "$1" && build "$1"; }
step "build dev" build_afresh dev && step "tests dev (fast, sanitizers)" ctest --preset dev "${only[@]}"
step "build release" build_afresh release && step "tests release (all)" ctest --preset release "${only[@]}"
[ $# -gt 0 ] || { step "build plain" build_afresh plain && step "tests plain" ctest --preset plain; }
[ $# -gt 0 ] || step "clang-tidy" tools/tidy.sh

echo
printf '%s\n' "${summary[@]}"
[ $failed -eq 0 ] && echo "all passed" || echo "FAILED"
exit $failed
