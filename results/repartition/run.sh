#!/usr/bin/env bash
# Runs every case of docs/design/repartition.md and appends its rows to rows.csv
# beside this script. The first argument is the program, the second a directory
# for fixtures, the third how many runs a take.
set -eu
program=$1 fixtures=$2 runs=${3:-5}
rows=$(cd "$(dirname "$0")" && pwd)/rows.csv
[ -f "$fixtures/lineitem.parquet" ] || "$program" fixture --preset lineitem --rows 300_000 --out "$fixtures/lineitem.parquet"
[ -f "$fixtures/seed.parquet" ] || "$program" fixture --preset seed --rows 1_000_000 --out "$fixtures/seed.parquet"
each() { "$program" repartition --iterations "$runs" --csv "$rows" "$@"; }
for input in lineitem seed; do
  for batch in 1024 8192; do
    for partitions in 300 64 32 16 8; do
      each --input "$fixtures/$input.parquet" --take both --partitions "$partitions" --batch-size "$batch"
    done
    each --input "$fixtures/$input.parquet" --take both --partitions 64 --batch-size "$batch" --slow-partition 3 --lag 20
    each --input "$fixtures/$input.parquet" --partitions 64 --batch-size "$batch" --slow-partition 3 --lag 20 --copy-out 4
  done
done
