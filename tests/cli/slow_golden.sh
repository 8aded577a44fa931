#!/bin/bash
# slow_golden.sh - every table without pawns of up to four men, and two of five (one with cursed wins), against all reference data
#
# Skipped where the data is not at hand: $CLTB_GOLDEN, or SOURCE_DIR/../shared/golden.
# shellcheck source=tests/cli/common.bash
. "$(dirname "$0")/common.bash"
# shellcheck source=tests/cli/golden.bash
. "$(dirname "$0")/golden.bash"
[ -d "$golden" ] || exit 77

expect 0 "" "$cltb" build --men 4 --pawnless --dir t --quiet
expect 0 "" "$cltb" build KBBvKN KQRvKR --dir t --quiet
check_histograms "$golden/histograms-34.tsv"
check_positions "$golden/positions-34.tsv"
check_positions "$golden/positions-5.tsv"
# shellcheck disable=SC2046 # names are words
check_statistics "$golden/syzygy-stats-345.txt" $(without_pawns "$golden/histograms-34.tsv" | cut -f1 | uniq) KBBvKN KQRvKR
expect 0 "right" "$cltb" verify KBBvKN KQRvKR --dir t --sample 100000
finish
