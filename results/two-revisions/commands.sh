#!/bin/sh
# Made by shufflebench compare: the same by hand.

# The whole comparison:
#   shufflebench compare --repo ~/bench/shufflebench --base 1b59dda --head HEAD --case seed --rounds 10 --out ~/bench/result

set -eu
DIR=$(mktemp -d)

# base: 1b59ddaaf259
# git -C ~/bench/shufflebench worktree add --detach ~/bench/cache/shufflebench/compare/main-3d47f39dcd/1b59ddaaf259cac0-481764fa101f/tree 1b59ddaaf259cac014a71457f2a5bc8f9e87d313
# cd ~/bench/cache/shufflebench/compare/main-3d47f39dcd/1b59ddaaf259cac0-481764fa101f/tree && go build -buildvcs=false -ldflags '-X main.stampedRevision=1b59ddaaf259cac014a71457f2a5bc8f9e87d313' -o ~/bench/cache/shufflebench/compare/main-3d47f39dcd/1b59ddaaf259cac0-481764fa101f/program ./cmd/shufflebench

# head: HEAD 71dcb164290c
# git -C ~/bench/shufflebench worktree add --detach ~/bench/cache/shufflebench/compare/main-3d47f39dcd/71dcb164290c74aa-481764fa101f/tree 71dcb164290c74aa02406c7db300df2d9bdd3c93
# cd ~/bench/cache/shufflebench/compare/main-3d47f39dcd/71dcb164290c74aa-481764fa101f/tree && go build -buildvcs=false -ldflags '-X main.stampedRevision=71dcb164290c74aa02406c7db300df2d9bdd3c93' -o ~/bench/cache/shufflebench/compare/main-3d47f39dcd/71dcb164290c74aa-481764fa101f/program ./cmd/shufflebench

# 200p_1task, base
rm -rf "$DIR" && mkdir -p "$DIR/tmp"
TMPDIR="$DIR/tmp" ~/bench/cache/shufflebench/compare/main-3d47f39dcd/1b59ddaaf259cac0-481764fa101f/program write --input=~/bench/cache/shufflebench/seed-2883584-v1.parquet --output-dir="$DIR"/out --csv="$DIR"/rows.csv --iterations=1 --warmup=0 --validate=false --batch-size=32768 --concurrent-tasks=1 --max-buffer-bytes=1 --partitions=200

# 200p_1task, head
rm -rf "$DIR" && mkdir -p "$DIR/tmp"
TMPDIR="$DIR/tmp" ~/bench/cache/shufflebench/compare/main-3d47f39dcd/71dcb164290c74aa-481764fa101f/program write --input=~/bench/cache/shufflebench/seed-2883584-v1.parquet --output-dir="$DIR"/out --csv="$DIR"/rows.csv --iterations=1 --warmup=0 --validate=false --batch-size=32768 --concurrent-tasks=1 --max-buffer-bytes=1 --partitions=200

# 16000p_1task, base
rm -rf "$DIR" && mkdir -p "$DIR/tmp"
TMPDIR="$DIR/tmp" ~/bench/cache/shufflebench/compare/main-3d47f39dcd/1b59ddaaf259cac0-481764fa101f/program write --input=~/bench/cache/shufflebench/seed-2883584-v1.parquet --output-dir="$DIR"/out --csv="$DIR"/rows.csv --iterations=1 --warmup=0 --validate=false --batch-size=32768 --concurrent-tasks=1 --max-buffer-bytes=1 --partitions=16000

# 16000p_1task, head
rm -rf "$DIR" && mkdir -p "$DIR/tmp"
TMPDIR="$DIR/tmp" ~/bench/cache/shufflebench/compare/main-3d47f39dcd/71dcb164290c74aa-481764fa101f/program write --input=~/bench/cache/shufflebench/seed-2883584-v1.parquet --output-dir="$DIR"/out --csv="$DIR"/rows.csv --iterations=1 --warmup=0 --validate=false --batch-size=32768 --concurrent-tasks=1 --max-buffer-bytes=1 --partitions=16000

# 16000p_8tasks, base
rm -rf "$DIR" && mkdir -p "$DIR/tmp"
TMPDIR="$DIR/tmp" ~/bench/cache/shufflebench/compare/main-3d47f39dcd/1b59ddaaf259cac0-481764fa101f/program write --input=~/bench/cache/shufflebench/seed-2883584-v1.parquet --output-dir="$DIR"/out --csv="$DIR"/rows.csv --iterations=1 --warmup=0 --validate=false --batch-size=32768 --concurrent-tasks=8 --max-buffer-bytes=1 --partitions=16000

# 16000p_8tasks, head
rm -rf "$DIR" && mkdir -p "$DIR/tmp"
TMPDIR="$DIR/tmp" ~/bench/cache/shufflebench/compare/main-3d47f39dcd/71dcb164290c74aa-481764fa101f/program write --input=~/bench/cache/shufflebench/seed-2883584-v1.parquet --output-dir="$DIR"/out --csv="$DIR"/rows.csv --iterations=1 --warmup=0 --validate=false --batch-size=32768 --concurrent-tasks=8 --max-buffer-bytes=1 --partitions=16000
