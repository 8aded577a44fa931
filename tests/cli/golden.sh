#!/bin/bash
# golden.sh - tables of up to four men against the part of the reference data that is in tests/data
#
# Positions are compared with the whole of the reference data, if that is available. Under AddressSanitizer only some
# tables are made.
. "$(dirname "$0")/common.bash"
. "$(dirname "$0")/golden.bash"
data=$source_dir/tests/data
tables=(--men 4)
[ -z "${CLTB_TEST_SANITIZED-}" ] || tables=(KRvKP KNNvK)

expect 0 "" "$cltb" build "${tables[@]}" --dir t --quiet
for file in t/*.cltb; do
    basename "$file" .cltb
done >names
[ "$(wc -l <names)" -ge 8 ] || fail "few tables: $(paste -sd ' ' names)"

# Puts the lines of a file that are about tables in t, and its first line, into $part.
part_of() {
    mkdir -p part
    part=part/${1##*/}
    awk -F '\t' 'NR == FNR { made[$1] = 1; next } FNR == 1 || $1 in made' names "$1" >"$part"
}

part_of "$data/histograms.tsv"
check_histograms "$part"
for file in "$data"/positions.tsv "$data"/positions-ep.tsv "$golden"/positions-34.tsv "$golden"/positions-ep.tsv; do
    [ -e "$file" ] || continue
    part_of "$file"
    check_positions "$part"
done
mapfile -t wanted < <(awk '/^##########/ { print $2 }' "$data/syzygy-stats.txt" | grep -xFf names)
check_stored "$data/syzygy-stats.txt" "${wanted[@]}"
# Counting by probing takes a second for three million positions: a few tables, or all in long runs
mapfile -t few < <(printf '%s\n' "${wanted[@]}" | grep -xE 'K[QR]vK|KPvK|KNNvK|KBvKN')
[ -z "${CLTB_TEST_LONG-}" ] || few=("${wanted[@]}")
check_counted "$data/syzygy-stats.txt" "${few[@]}"
finish
