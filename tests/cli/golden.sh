#!/bin/bash
# golden.sh - tables of up to four men against the part of the reference data that is in tests/data
# shellcheck source=tests/cli/common.bash
. "$(dirname "$0")/common.bash"
# shellcheck source=tests/cli/golden.bash
. "$(dirname "$0")/golden.bash"
data=$source_dir/tests/data

expect 0 "" "$cltb" build --men 4 --pawnless --dir t --quiet
check_histograms "$data/histograms.tsv"
check_positions "$data/positions.tsv"
# shellcheck disable=SC2046 # names are words
check_statistics "$data/syzygy-stats.txt" $(awk '/^##########/ { print $2 }' "$data/syzygy-stats.txt")
finish
