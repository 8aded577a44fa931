#!/bin/bash
# slow_memory.sh - Syzygy files of five men: in 1 GB without a limit, within --memory, and the same bytes
. "$(dirname "$0")/../cli/common.bash"

# export_in BYTES FOLDER NAME OPTION...: the peak of memory must stay within BYTES.
export_in() {
    local most=$1 folder=$2 peak
    shift 2
    expect 0 "1 table made" "$cltb" export "$@" --only --dir t --to "$folder" --device cpu --threads 2 --force
    peak=$(sed -n 's/.*peak memory \([0-9.]* [kMG]B\)$/\1/p' "$out" | sed 's/ kB/e3/; s/ MB/e6/; s/ GB/e9/')
    echo "$*: peak $peak bytes"
    awk -v peak="$peak" -v most="$most" 'BEGIN { exit !(peak > 0 && peak <= most) }' || fail "$*: took $peak bytes"
}

expect 0 "" "$cltb" build KQRvKR KRPvKR KBNvKN --dir t --device cpu --quiet --solve-only
for name in KQRvKR KRPvKR KBNvKN; do
    export_in 1000000000 whole $name
done
export_in 471859200 less KQRvKR --memory 450M
export_in 367001600 less KRPvKR --memory 350M
for file in less/*; do
    cmp "$file" "whole/${file#less/}" || fail "$file: other bytes with little memory"
done
finish
