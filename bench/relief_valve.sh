#!/bin/sh
# The published benchmark of MPGOS: maxima of the relief valve's opening for 30,720 flows q = 0.2 ... 10, each from the initial
# state, 1,024 returns thrown away and 32 recorded, tolerance 1e-10.
# Usage: bench/relief_valve.sh [COUNT]     COUNT flows of the same range (default 480, a 64th); 30720: all of it
set -eu
saltus=${SALTUS:-build/release/bin/saltus}
count=${1:-480}
folder=$(mktemp -d)
trap 'rm -r "$folder"' EXIT
/usr/bin/python3 - "$saltus" "$folder/valve.nc" "$count" <<'PYTHON'
import resource, subprocess, sys, time
saltus, out, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
begin = time.time()
subprocess.run([saltus, "diagram", "examples/relief_valve.toml", "--vary", f"q=0.2:10:{count}", "--direction", "fresh", "--observe",
                "y1", "--transient", "1024", "--returns", "32", "--rtol", "1e-10", "--atol", "1e-10", "--out", out, "--quiet"], check=True)
wall = time.time() - begin
usage = resource.getrusage(resource.RUSAGE_CHILDREN)
processor = usage.ru_utime + usage.ru_stime
returns = count * (1024 + 32)
print(f"{count} flows, {returns} returns: {wall:.1f} s, {processor:.1f} s of processors, "
      f"{1e6 * processor / returns:.1f} us per return; all 30720 flows: {30720 / count * processor:.0f} s of one processor")
PYTHON
