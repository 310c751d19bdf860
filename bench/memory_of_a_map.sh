#!/bin/sh
# Peak memory of maps of different size, to show that it does not grow with the number of points.
# Usage: bench/memory_of_a_map.sh [SIDE ...]   default: 100 316 2000 (10⁴, 10⁵, 4·10⁶ points)
set -eu
saltus=${SALTUS:-build/release/bin/saltus}
folder=$(mktemp -d)
trap 'rm -r "$folder"' EXIT
cat >"$folder/oscillator.toml" <<'MODEL'
[parameters]
k = 1
c = 0.1
[mechanics]
coordinates = ["x"]
mass  = [["1"]]
force = ["cos(t) - k*x - c*x'"]
[forcing]
period = "2*pi"
MODEL
[ $# -gt 0 ] || set -- 100 316 2000
for side in "$@"; do
  /usr/bin/python3 - "$saltus" "$folder" "$side" <<'PYTHON'
import resource, subprocess, sys, time
saltus, folder, side = sys.argv[1:]
out = f"{folder}/map_{side}.nc"
begin = time.time()
subprocess.run([saltus, "map", f"{folder}/oscillator.toml", "--vary", f"k=1:2:{side}", "--vary", f"c=0.1:1:{side}", "--periods",
                "1", "--rtol", "1e-4", "--measure", "impacts", "--out", out, "--quiet"], check=True)
peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
print(f"{int(side)**2:9d} points: {time.time() - begin:7.1f} s, peak memory {peak:.0f} MB")
PYTHON
done
