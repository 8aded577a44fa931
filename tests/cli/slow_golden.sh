#!/bin/bash
# slow_golden.sh - every table of up to four men, and some of five (one with pawns, one with cursed wins), against all
# reference data
#
# Without these ($CLTB_GOLDEN, or SOURCE_DIR/../shared/golden), only the table with pawns is compared, with the data in
# tests/data. CLTB_TEST_LONG adds a Black pawn with five men and the statistics of all of them.
. "$(dirname "$0")/common.bash"
. "$(dirname "$0")/golden.bash"
data=$source_dir/tests/data

pawns=(KRPvKR) counted=(KBBvKN KBBBvK KQRvKR KRPvKR KQvKR KPvKP KNNvK)
[ -z "${CLTB_TEST_LONG-}" ] || pawns=(KRPvKR KNNvKP) counted=()

# The lines of positions.tsv that are not about KNNvKP, unless that is made.
check_made() {
    if [ -e t/KNNvKP.cltb ]; then cp "$1" positions.tsv; else grep -v '^KNNvKP' "$1" >positions.tsv; fi
    check_positions positions.tsv
}

expect 0 "" "$cltb" build "${pawns[@]}" --dir t --quiet
check_made "$data/positions-5.tsv"
expect 0 "right" "$cltb" verify "${pawns[@]}" --dir t --sample 5000

# Three identical pieces, where capturing the first leaves another order of the men than capturing the last: with the
# futurebase in the wrong order the first position was a win in 8.
expect 0 "" "$cltb" build KBBBvK KRRRvK --dir t --device cpu --quiet
expect 0 "win	6" "$cltb" probe --dir t --format tsv '8/8/8/3B4/8/2B1k3/8/3B1K2 w - - 0 1'
expect 0 "win	2" "$cltb" probe --dir t --format tsv '8/8/8/8/4R2R/7K/3R4/5k2 w - - 0 1'
[ -d "$golden" ] || expect 0 "right" "$cltb" verify KBBBvK --dir t --sample 20000 # else its statistics are compared
# Six men, whose samples are thinned: the file does not depend on the memory
expect 0 "" "$cltb" build KQQQQvK --memory 1G --device cpu --dir t --quiet
"$cltb" stats KQQQQvK --dir t --format syzygy | sed -n '/^#####/,$ { /./p }' >"$out"
block "$data/syzygy-stats-6.txt" KQQQQvK | sed '/^$/d' >expected
compare "statistics of KQQQQvK" expected
grep ' KQQQQvK.cltb$' "$source_dir/docs/tables-6.sha256" >sum
(cd t && sha256sum --check --quiet ../sum) || fail "KQQQQvK has another sum"
[ -d "$golden" ] || finish

# With the statistics that the build stores; golden.sh counts those of smaller tables again.
expect 0 "" "$cltb" build --men 4 --dir t --quiet
shared_tables t KBBvKN
expect 0 "" "$cltb" build KQRvKR --dir t --quiet
check_histograms "$golden/histograms-34.tsv"
for file in positions-34.tsv positions-ep.tsv positions-5.tsv; do
    check_made "$golden/$file"
done
mapfile -t counted < <(materials "$golden/histograms-34.tsv")
if [ -n "${CLTB_TEST_LONG-}" ]; then
    check_stored "$golden/syzygy-stats-345.txt" "${counted[@]}" KQRvKR
    check_counted "$golden/syzygy-stats-345.txt" "${counted[@]}" KQRvKR
    check_stored "$golden/syzygy-stats-345.txt" KBBvKN KBBBvK KRPvKR KNNvKP
else
    check_stored "$golden/syzygy-stats-345.txt" "${counted[@]}"
fi
finish
