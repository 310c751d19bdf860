#!/usr/bin/env bash
# What takes too long for every day; ./test nightly.
#   ./test nightly              20,000 mutated files, 100 kills and 20 interrupts of each command in each way, ten minutes of every fuzz target, branches of eight models
#                               in 25 ways each, AUTO's demos (where auto-07p is installed), the Debian packages on a bare Debian 12 (as root)
#   ./test nightly FILES KILLS SECONDS    as many of each
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source tools/setup.sh
need_packages "${run_packages[@]}" "${test_packages[@]}" "${nightly_packages[@]}"
files=${1:-20000} kills=${2:-100} seconds=${3:-600}
configure release && build release --target saltus saltus_interpreted || exit 70
export SALTUS=$PWD/build/release/bin/saltus

failed=0
step() {
  echo "== $*"
  "$@" </dev/null || { echo "FAILED  $*"; failed=1; }
}
[ "$files" -eq 0 ] || step /usr/bin/python3 tests/nightly/mutated_files.py "$files"
[ "$kills" -eq 0 ] || step /usr/bin/python3 tests/nightly/kills.py "$kills"
if [ "$seconds" -gt 0 ]; then
  for target in model orbit branch diagram journal starts; do step tests/fuzz/run_fuzz.sh "$target" "$seconds"; done
fi
step env SALTUS_CHOICES=25 PYTHONPATH=tests/cli /usr/bin/python3 -m unittest branch_property_slow_test
step env SALTUS_MOMENTS=20 PYTHONPATH=tests/cli /usr/bin/python3 -m unittest interrupts_slow_test
step /usr/bin/python3 tests/nightly/auto_demos.py
step tests/nightly/package.sh
[ $failed -eq 0 ] && echo "all passed" || echo "FAILED"
exit $failed
