#!/usr/bin/env bash
# tests/fuzz/make_corpus.sh: small files of every kind that is read, as the program itself writes them.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
saltus=${SALTUS:-build/release/bin/saltus} to=tests/fuzz/corpus table=examples/vibrating_table.toml
mkdir -p $to/orbit $to/branch $to/diagram $to/starts
$saltus orbit $table --case period1 --samples 2 --quiet --out $to/orbit/period1.json
$saltus orbit $table --case period2 --period 2 --starts 4 --spread 0.3 --samples 2 --quiet --out $to/orbit/several.json || true
$saltus continue $table --case period1 --set A=1.0 --vary A=0.95:1.1 --quiet --out $to/branch/doubling.json
$saltus continue $table --case period1 --set A=1.0 --vary A=0.95:1.1 --quiet --out $to/diagram/branch.nc
$saltus diagram $table --case period1 --set A=1 --vary A=0.9:1.2:3 --periods 4 --quiet --out $to/diagram/diagram.nc
$saltus section $table --case period1 --periods 3 --quiet --out $to/starts/section.csv
printf "z,z'\n2,0\n2.5,1\n" >$to/starts/two.csv
