#!/bin/bash
# golden.sh - tables of up to four men against the part of the reference data that is in tests/data
#
# Positions are compared with all there are, where the whole of it is at hand.
# shellcheck source=tests/cli/common.bash
. "$(dirname "$0")/common.bash"
# shellcheck source=tests/cli/golden.bash
. "$(dirname "$0")/golden.bash"
data=$source_dir/tests/data

expect 0 "" "$cltb" build --men 4 --dir t --quiet
check_histograms "$data/histograms.tsv"
for file in positions.tsv positions-ep.tsv; do
    check_positions "$data/$file"
done
for file in positions-34.tsv positions-ep.tsv; do
    [ ! -e "$golden/$file" ] || check_positions "$golden/$file"
done
# shellcheck disable=SC2046 # names are words
check_statistics "$data/syzygy-stats.txt" $(awk '/^##########/ { print $2 }' "$data/syzygy-stats.txt")
finish
