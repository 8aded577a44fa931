#!/bin/bash
# slow_restricted_tables.sh - an endgame without restrictions gives the full table, with pawns of both colours: mirror
# images, en passant
. "$(dirname "$0")/common.bash"
expect 0 "" "$cltb" build KPvKP --dir t --quiet
expect 0 "" "$cltb" build 'K P v K P' --dir t --output pawns.cltb --quiet
cmp <("$cltb" stats t/pawns.cltb --format tsv | cut -f 2-) <("$cltb" stats KPvKP --dir t --format tsv | cut -f 2-) ||
    fail "counts differ"
awk -F'\t' '$1 == "KPvKP" { print $2 }' \
    "$source_dir"/tests/data/positions-ep.tsv "$source_dir"/tests/data/positions.tsv >fens
[ "$(wc -l <fens)" -ge 200 ] || fail "few positions: $(wc -l <fens)"
# Among equally good moves the best line of a full table prefers some, which that of a restricted one does not.
same='s/, leaves$//; s/, "kind": "[a-z]*"//g; s/"line": \[[^]]+\]/line/; s/^best line: .*/line/'
for format in tsv text json; do
    "$cltb" probe --dir t --format $format <fens | sed -E "$same" >full || fail "probe KPvKP"
    "$cltb" probe --table t/pawns.cltb --format $format <fens | sed -E "$same" >own
    cmp own full || fail "answers differ as $format"
done
expect 0 "entries right" "$cltb" verify t/pawns.cltb --sample 100000
finish
