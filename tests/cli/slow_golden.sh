#!/bin/bash
# slow_golden.sh - every table of up to four men, and four of five (two with pawns, one with cursed wins), against all reference data
#
# Where that is not at hand ($CLTB_GOLDEN, or SOURCE_DIR/../shared/golden), only the two with pawns are compared, with what
# tests/data has.
# shellcheck source=tests/cli/common.bash
. "$(dirname "$0")/common.bash"
# shellcheck source=tests/cli/golden.bash
. "$(dirname "$0")/golden.bash"
data=$source_dir/tests/data

expect 0 "" "$cltb" build KRPvKR KNNvKP --dir t --quiet
check_positions "$data/positions-5.tsv"
expect 0 "right" "$cltb" verify KRPvKR KNNvKP --dir t --sample 20000
[ -d "$golden" ] || finish

expect 0 "" "$cltb" build --men 4 --dir t --quiet
expect 0 "" "$cltb" build KBBvKN KQRvKR --dir t --quiet
check_histograms "$golden/histograms-34.tsv"
for file in positions-34.tsv positions-ep.tsv positions-5.tsv; do
    check_positions "$golden/$file"
done
# shellcheck disable=SC2046 # names are words
check_statistics "$golden/syzygy-stats-345.txt" $(materials "$golden/histograms-34.tsv") KBBvKN KQRvKR KRPvKR KNNvKP
expect 0 "right" "$cltb" verify KBBvKN KQRvKR --dir t --sample 20000
finish
