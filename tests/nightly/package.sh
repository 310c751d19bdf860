#!/usr/bin/env bash
# tests/nightly/package.sh    the Debian packages on a bare Debian 12: cpack makes them, debootstrap a clean root, apt installs them there,
#                             and the program and a program that links the library run in it. Root only; part of ./test nightly.
# The packages of Debian come from where those of this machine come from.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
build=$PWD/build/release
work=$(mktemp -d /var/tmp/saltus-package.XXXXXX)
trap 'umount -q "$work/root/proc" || true; rm -rf --one-file-system "$work"' EXIT

cmake --build "$build" --target saltus saltus_mpi saltus_library >/dev/null
(cd "$build" && cpack -G DEB -B "$work" >"$work/cpack.log" 2>&1) || { cat "$work/cpack.log"; exit 1; }
ls -1s --block-size=K "$work"/*.deb | sed "s|$work/||"
if [ "$(id -u)" -ne 0 ]; then
  echo "no root: the packages are made, but not installed" >&2
  exit 1
fi

sources=$(apt-get indextargets --format '$(REPO_URI) $(CODENAME) $(COMPONENT)' 'Created-By: Packages' | grep ' bookworm.* main$' | sort -u)
mirror=$(awk '$2 == "bookworm" { print $1; exit }' <<<"$sources")
debootstrap --variant=minbase bookworm "$work/root" "$mirror" >"$work/debootstrap.log" 2>&1 || { tail "$work/debootstrap.log"; exit 1; }
awk '{ print "deb [trusted=yes]", $1, $2, $3 }' <<<"$sources" >"$work/root/etc/apt/sources.list"
mount -t proc proc "$work/root/proc"
inside() { chroot "$work/root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive "$@"; }
install() { inside apt-get install -y -qq --no-install-recommends "$@" >"$work/apt.log" 2>&1 || { tail -n 20 "$work/apt.log"; exit 1; }; }
expect() { grep -qF -- "$1" <<<"$2" || { printf 'expected %s in\n%s\n' "$1" "$2"; exit 1; }; }

inside apt-get update -qq
cp "$work"/*.deb "$work/root/root/"
install $(cd "$work/root" && ls root/saltus_*.deb | sed 's|^|/|')
examples=/usr/share/saltus/examples
expect "closed   floor" "$(inside saltus simulate $examples/bouncing_ball.toml --time 5)"
expect "periodic" "$(inside saltus lyapunov $examples/vibrating_table.toml --case period1 --periods 200 --transient 50)"
inside saltus simulate $examples/bouncing_ball.toml --time 1 --samples 10 --quiet --out /root/ball.nc
expect "\"complete\": true" "$(inside saltus map $examples/impact_oscillator.toml --vary omega=2:3:4 --vary e=0.5:0.9:4 --periods 50 --transient 50 --json)"

install g++ pkg-config $(cd "$work/root" && ls root/saltus-dev_*.deb | sed 's|^|/|')
cp tests/install/outside/spectrum.cpp "$work/root/root/"
inside sh -c 'cd /root && g++ -std=c++20 spectrum.cpp -o spectrum $(pkg-config --cflags --libs saltus)'
expect "-0.500000" "$(inside /root/spectrum)"

install $(cd "$work/root" && ls root/saltus-mpi_*.deb | sed 's|^|/|')
expect "\"complete\": true" "$(inside mpirun --allow-run-as-root --oversubscribe -n 2 saltus map $examples/impact_oscillator.toml \
  --vary omega=2:3:4 --vary e=0.5:0.9:4 --periods 50 --transient 50 --json)"
echo "the packages install and run on a bare Debian 12"
