# Sourced by ./run and tools/test.sh: sees to it that the Debian packages of the project are there.
#   need_packages "${run_packages[@]}"
# Silent when nothing is missing; as root it installs what is, otherwise it says how and ends with 4.

run_packages=(
  cmake ninja-build g++ ccache llvm-19-dev libeigen3-dev libtomlplusplus-dev libtbb-dev libnetcdf-dev
  nlohmann-json3-dev libfmt-dev libcli11-dev libopenmpi-dev openmpi-bin gnuplot-nox fonts-dejavu-core python3 python3-numpy
)
test_packages=(
  libgtest-dev libgmock-dev librapidcheck-dev libbenchmark-dev libmpfr-dev clang-19 libclang-rt-19-dev
  clang-format-19 clang-tidy-19 valgrind python3-scipy python3-sympy python3-mpmath libboost-dev libsundials-dev
  netcdf-bin python3-xarray python3-netcdf4 pkg-config
)
nightly_packages=(debootstrap dpkg-dev file)

missing_packages() {
  local present
  # dpkg-query fails when it knows one of the packages not at all: that is an answer, not a failure.
  present=$({ dpkg-query -W -f '${db:Status-Status} ${Package}\n' "$@" 2>/dev/null || true; } | sed -n 's/^installed //p')
  local package
  for package in "$@"; do
    grep -qxF -- "$package" <<<"$present" || printf '%s\n' "$package"
  done
}

need_packages() {
  if ! command -v dpkg-query >/dev/null; then
    echo "this script installs nothing outside Debian; it needs: $*" >&2
    return 0
  fi
  local missing
  mapfile -t missing < <(missing_packages "$@")
  [ ${#missing[@]} -eq 0 ] && return 0
  if [ "$(id -u)" -ne 0 ]; then
    echo "these Debian packages are missing; install them and start again:" >&2
    echo "  sudo apt-get install --no-install-recommends ${missing[*]}" >&2
    exit 4
  fi
  echo "installing ${missing[*]}" >&2
  local log
  log=$(mktemp)
  if ! { DEBIAN_FRONTEND=noninteractive apt-get update -qq &&
         DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}"; } \
       >"$log" 2>&1 </dev/null; then
    tail -n 20 "$log" >&2
    rm -f "$log"
    echo "the packages could not be installed: ${missing[*]}" >&2
    exit 4
  fi
  rm -f "$log"
}

# configure PRESET: silent unless it fails.
configure() {
  local log cache=build/$1/CMakeCache.txt
  # A build folder that came with a copied tree belongs to the original.
  if [ -f "$cache" ] && ! grep -qxF "CMAKE_HOME_DIRECTORY:INTERNAL=$PWD" "$cache"; then rm -rf "build/$1"; fi
  log=$(mktemp)
  if cmake --preset "$1" >"$log" 2>&1 </dev/null; then rm -f "$log"; return 0; fi
  cat "$log" >&2
  rm -f "$log"
  echo "the preset '$1' could not be configured" >&2
  return 1
}

# build PRESET [--target T]: prints one line when there is work, and what the compiler said when it fails.
build() {
  local preset=$1 log
  shift
  log=$(mktemp)
  cmake --build --preset "$preset" "$@" 2>&1 </dev/null | tee "$log" |
    awk -v preset="$preset" '/^\[[1-9]/ && !said { print "building " preset " ..."; fflush(); said = 1 }' >&2
  if [ "${PIPESTATUS[0]}" -eq 0 ]; then rm -f "$log"; return 0; fi
  grep -v '^\[[0-9]*/[0-9]*\]' "$log" >&2
  rm -f "$log"
  echo "the build of '$preset' failed" >&2
  return 1
}
