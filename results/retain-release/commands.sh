#!/bin/sh
# Made by shufflebench compare: the same by hand.

# The whole comparison:
#   shufflebench compare --case seed --rounds 10 --base-args '--engine=ranges --spill-metadata=retain' --head-args '--engine=ranges --spill-metadata=release' --out rr

set -eu
DIR=$(mktemp -d)

# base: --engine=ranges --spill-metadata=retain

# head: --engine=ranges --spill-metadata=release

# 200p_1task, base
rm -rf "$DIR" && mkdir -p "$DIR/tmp"
TMPDIR="$DIR/tmp" ~/bench/sb write --input=~/bench/cache/shufflebench/seed-2883584-v1.parquet --output-dir="$DIR"/out --csv="$DIR"/rows.csv --iterations=1 --warmup=0 --validate=false --batch-size=32768 --concurrent-tasks=1 --max-buffer-bytes=1 --partitions=200 --engine=ranges --spill-metadata=retain

# 200p_1task, head
rm -rf "$DIR" && mkdir -p "$DIR/tmp"
TMPDIR="$DIR/tmp" ~/bench/sb write --input=~/bench/cache/shufflebench/seed-2883584-v1.parquet --output-dir="$DIR"/out --csv="$DIR"/rows.csv --iterations=1 --warmup=0 --validate=false --batch-size=32768 --concurrent-tasks=1 --max-buffer-bytes=1 --partitions=200 --engine=ranges --spill-metadata=release

# 16000p_1task, base
rm -rf "$DIR" && mkdir -p "$DIR/tmp"
TMPDIR="$DIR/tmp" ~/bench/sb write --input=~/bench/cache/shufflebench/seed-2883584-v1.parquet --output-dir="$DIR"/out --csv="$DIR"/rows.csv --iterations=1 --warmup=0 --validate=false --batch-size=32768 --concurrent-tasks=1 --max-buffer-bytes=1 --partitions=16000 --engine=ranges --spill-metadata=retain

# 16000p_1task, head
rm -rf "$DIR" && mkdir -p "$DIR/tmp"
TMPDIR="$DIR/tmp" ~/bench/sb write --input=~/bench/cache/shufflebench/seed-2883584-v1.parquet --output-dir="$DIR"/out --csv="$DIR"/rows.csv --iterations=1 --warmup=0 --validate=false --batch-size=32768 --concurrent-tasks=1 --max-buffer-bytes=1 --partitions=16000 --engine=ranges --spill-metadata=release

# 16000p_8tasks, base
rm -rf "$DIR" && mkdir -p "$DIR/tmp"
TMPDIR="$DIR/tmp" ~/bench/sb write --input=~/bench/cache/shufflebench/seed-2883584-v1.parquet --output-dir="$DIR"/out --csv="$DIR"/rows.csv --iterations=1 --warmup=0 --validate=false --batch-size=32768 --concurrent-tasks=8 --max-buffer-bytes=1 --partitions=16000 --engine=ranges --spill-metadata=retain

# 16000p_8tasks, head
rm -rf "$DIR" && mkdir -p "$DIR/tmp"
TMPDIR="$DIR/tmp" ~/bench/sb write --input=~/bench/cache/shufflebench/seed-2883584-v1.parquet --output-dir="$DIR"/out --csv="$DIR"/rows.csv --iterations=1 --warmup=0 --validate=false --batch-size=32768 --concurrent-tasks=8 --max-buffer-bytes=1 --partitions=16000 --engine=ranges --spill-metadata=release
