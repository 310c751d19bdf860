# Sourced by ./run and tools/test.sh: sees to it that the Debian packages of the project are there.
#   need_packages "${run_packages[@]}"
# Silent when nothing is missing; as root it installs what is, otherwise it says how and ends with 4.

run_packages=(
  cmake ninja-build g++ ccache llvm-19-dev libeigen3-dev libtomlplusplus-dev libtbb-dev libnetcdf-dev
  nlohmann-json3-dev libfmt-dev libcli11-dev gnuplot-nox fonts-dejavu-core python3 python3-numpy
)
test_packages=(
  libgtest-dev libgmock-dev librapidcheck-dev libbenchmark-dev libmpfr-dev clang-19 libclang-rt-19-dev
  clang-format-19 clang-tidy-19 valgrind python3-scipy python3-sympy python3-mpmath libboost-dev libsundials-dev
  netcdf-bin
)

missing_packages() {
  local present
  present=$(dpkg-query -W -f '${db:Status-Status} ${Package}\n' "$@" 2>/dev/null | sed -n 's/^installed //p')
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

# build PRESET [--target T]: configures and builds; prints one line when there is work and everything when it fails.
build() {
  local preset=$1 log status=0
  shift
  log=$(mktemp)
  if ! cmake --preset "$preset" >"$log" 2>&1 </dev/null; then
    status=1
  elif ! ninja -C "build/$preset" -n "${@:2}" 2>/dev/null | grep -q 'no work to do'; then
    echo "building $preset ..." >&2
    cmake --build --preset "$preset" "$@" >"$log" 2>&1 </dev/null || status=1
  fi
  [ $status -eq 0 ] || { grep -v '^\[[0-9]*/[0-9]*\]' "$log" >&2; echo "the build of '$preset' failed" >&2; }
  rm -f "$log"
  return $status
}
