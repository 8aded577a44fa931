#!/bin/bash
# stats.sh - statistics: the formats, the longest lines and the zugzwangs
. "$(dirname "$0")/common.bash"
expect 0 "made" "$cltb" build KPvK KRvKB KQvKQ --dir t

# Output that scripts read does not change.
expect 0 "" "$cltb" stats KPvK --dir t --format tsv
[ "$(head -1 "$out")" = "material	stm	outcome	dtz	count" ] || fail "tsv: header $(head -1 "$out")"
[ "$(awk -F'\t' '$2 == "b" { n += $5 } END { print n }' "$out")" = 168024 ] || fail "tsv: not 168024 positions"
cp "$out" histogram
expect 0 "" "$cltb" stats KPvK --dir t --format tsv --threads 3
cmp -s "$out" histogram || fail "other threads, other numbers"

# The longest lines.
expect 0 "" "$cltb" stats KPvK --dir t --format tsv --longest
printf 'material\tstm\toutcome\tdtz\tfen\nKPvK\tw\twin\t19\tX\nKPvK\tb\tloss\t20\t8/8/7k/8/7K/1P6/8/8 b - -\n' >expected
sed 's/19	.*/19	X/' "$out" | cmp -s - expected || fail "longest: $(cat "$out")"
sed 1d "$out" | cut -f5 | "$cltb" probe --dir t --format tsv | cut -f2,3 >probed
sed 1d "$out" | cut -f3,4 | cmp -s - probed || fail "longest: probing says $(cat probed)"

# Zugzwangs: 80 in KPvK, whoever is to move does worse.
expect 0 "" "$cltb" stats KPvK --dir t --format tsv --zugzwangs
[ "$(wc -l <"$out")" = 81 ] || fail "zugzwangs: $(wc -l <"$out") lines"
sed 1d "$out" | cut -f4 | "$cltb" probe --dir t --format tsv | cut -f2 | uniq -c | awk '{ print $1, $2 }' >probed
[ "$(cat probed)" = "80 draw" ] || fail "zugzwangs, White to move: $(cat probed)"
sed 1d "$out" | cut -f4 | sed 's/ w / b /' | "$cltb" probe --dir t --format tsv | cut -f2 | uniq -c |
    awk '{ print $1, $2 }' >probed
[ "$(cat probed)" = "80 loss" ] || fail "zugzwangs, Black to move: $(cat probed)"

# Text: a few of them, or all.
expect 0 "mutual zugzwangs: 160; up to symmetry 80" "$cltb" stats KPvK --dir t
[ "$(grep -c '^        ' "$out")" = 3 ] || fail "text: not three examples"
grep -q '^longest loss with black to move: 20 plies, as in 8/8/7k/8/7K/1P6/8/8 b - -$' "$out" || fail "text: longest"
expect 0 "" "$cltb" stats KPvK --dir t --zugzwangs
[ "$(grep -c '^        ' "$out")" = 80 ] || fail "text: not all 80"
expect 0 "White to move: draw, Black to move: loss: 40; up to symmetry 5" "$cltb" stats KRvKB --dir t

# json.
expect 0 '"classes": 80' "$cltb" stats KPvK --dir t --format json
grep -q '"fens"' "$out" && fail "json: positions without --zugzwangs"
expect 0 '"winner": "white", "cursed": false, "plies": 20' "$cltb" stats KPvK --dir t --format json --zugzwangs
grep -qF '{"to_move": "black", "outcome": "loss", "dtz": 20, "fen": "8/8/7k/8/7K/1P6/8/8 b - -"}' "$out" ||
    fail "json: longest"
[ "$(grep -o ' w - -"' "$out" | wc -l)" -ge 80 ] || fail "json: not all zugzwangs"
if command -v python3 >/dev/null; then
    python3 -m json.tool "$out" >/dev/null || fail "json: not well-formed"
fi

# The same men on both sides: Black's figures are White's.
expect 0 "" "$cltb" stats KQvKQ --dir t --format tsv
grep '	w	' "$out" | cut -f3- >white
grep '	b	' "$out" | cut -f3- | cmp -s - white || fail "KQvKQ: sides differ"

# All missing futurebases are named.
mkdir -p part
cp t/KPvK.cltb part
for command in stats verify; do
    expect 1 "no tables KQvK.cltb, KRvK.cltb, KBvK.cltb, KNvK.cltb in 'part'; build them with: cltb build KPvK --dir" \
        "$cltb" "$command" KPvK --dir part
done
# Statistics kept in the file are printed like counted ones, in all formats, also with --recount and for other threads.
for name in KPvK KRvKB KQvKQ; do
    expect 0 "" "$cltb" stats $name --dir t --keep
    cp "$out" counted
    for format in text json tsv syzygy; do
        expect 0 "" "$cltb" stats $name --dir t --format $format
        cp "$out" kept
        expect 0 "" "$cltb" stats $name --dir t --format $format --recount
        cmp -s "$out" kept || fail "$name: --format $format is not what --recount says"
    done
    expect 0 "" "$cltb" stats $name --dir t
    cmp -s "$out" counted || fail "$name: other text after --keep"
    expect 0 "right" "$cltb" verify $name --dir t
done
# A build keeps the same.
expect 0 "made" "$cltb" build KPvK KRvKB KQvKQ --statistics --dir built
for name in KPvK KRvKB KQvKQ; do
    cmp -s built/$name.cltb t/$name.cltb || fail "$name: built with other statistics than those of stats --keep"
done
for name in KRvK KQvK; do
    expect 0 "" "$cltb" stats $name --dir built
    cp "$out" kept
    expect 0 "" "$cltb" stats $name --dir built --recount
    cmp -s "$out" kept || fail "$name: built with other statistics than --recount gives"
done
expect 2 "belongs to files" "$cltb" build KQvK --statistics --metric dtm
# Where that would take probing, it is an error before any work.
expect 2 "its planes on disk (see --memory), where it cannot be counted" \
    "$cltb" build KQQQQvK --statistics --memory 2G --dir none --device cpu
expect 0 "" "$cltb" plan KQQQQvK --statistics --memory 100G --dir none --device cpu --format tsv
mkdir begun
: >begun/KQQQvKP.cltb.work
expect 2 "KQQQvKP would be solved from where an earlier run was stopped" \
    "$cltb" build KQQQvKP --statistics --memory 100G --dir begun --device cpu
[ ! -e none ] && [ "$(ls begun)" = KQQQvKP.cltb.work ] || fail "a build that is refused leaves files"
cp t/KPvK.cltb once
expect 0 "" "$cltb" stats KPvK --dir t --keep --recount --threads 3
cmp -s t/KPvK.cltb once || fail "--keep twice: other bytes"
# They need no futurebase: that of the file alone is enough.
mkdir -p alone
cp t/KPvK.cltb alone
expect 0 "mutual zugzwangs: 160" "$cltb" stats KPvK --dir alone
expect 1 "no tables KQvK.cltb" "$cltb" stats KPvK --dir alone --recount
expect 2 "belong to chess" "$cltb" stats dobutsu --keep
expect 2 "takes no value" "$cltb" stats KPvK --dir t --longest=3
finish
