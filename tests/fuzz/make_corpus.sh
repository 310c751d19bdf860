#!/usr/bin/env bash
# tests/fuzz/make_corpus.sh: small files of every kind that is read, as the program itself writes them.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
saltus=${SALTUS:-build/release/bin/saltus} to=tests/fuzz/corpus table=examples/vibrating_table.toml
mkdir -p $to/orbit $to/branch $to/diagram $to/starts $to/journal
$saltus orbit $table --case period1 --samples 2 --quiet --out $to/orbit/period1.json
$saltus orbit $table --case period2 --period 2 --starts 4 --spread 0.3 --samples 2 --quiet --out $to/orbit/several.json || true
$saltus continue $table --case period1 --set A=1.0 --vary A=0.95:1.1 --quiet --out $to/branch/doubling.json
$saltus continue $table --case period1 --set A=1.0 --vary A=0.95:1.1 --quiet --out $to/diagram/branch.nc
$saltus diagram $table --case period1 --set A=1 --vary A=0.9:1.2:3 --periods 4 --quiet --out $to/diagram/diagram.nc
$saltus section $table --case period1 --periods 3 --quiet --out $to/starts/section.csv
printf "z,z'\n2,0\n2.5,1\n" >$to/starts/two.csv
# Journals of the computation that journal_fuzz.cpp resumes: whole, cut short, and of a piece that it does not have.
python3 - $to/journal <<'PYTHON'
import hashlib, struct, sys
from pathlib import Path

def journal(records):
    text = b"program=saltus\nmodel=a\n"
    header = b"saltus journal 2\n%016x\n" % len(text) + text
    data, last = header, hashlib.sha256(header).digest()
    for key, values in records:
        body = struct.pack(f"<{len(values)}d", *values)
        last = hashlib.sha256(last + struct.pack("<QQ", key, len(values)) + body).digest()
        data += struct.pack("<QQQ", 0x5A1705D04EC04D00, key, len(values)) + last + body
    return data

to = Path(sys.argv[1])
whole = journal([(0, [1.0, 2.0]), (7, []), (3, [0.5, -1.0, 1e300])])
(to / "whole.journal").write_bytes(whole)
(to / "cut.journal").write_bytes(whole[:-5])
(to / "foreign.journal").write_bytes(journal([(0, [1.0]), (5000, [2.0])]))
PYTHON
