#!/bin/bash
# stats.sh - statistics: the formats, the longest lines and the zugzwangs
. "$(dirname "$0")/common.bash"
expect 0 "made" "$cltb" build KPvK KRvKB KQvKQ --dir t

# Output that scripts read does not change.
expect 0 "" "$cltb" stats KPvK --dir t --format tsv
[ "$(head -1 "$out")" = "material	stm	outcome	dtz	count" ] || fail "tsv: header $(head -1 "$out")"
[ "$(awk -F'\t' '$2 == "b" { n += $5 } END { print n }' "$out")" = 168024 ] || fail "tsv: not 168024 positions"
cp "$out" histogram
expect 0 "" "$cltb" stats KPvK --dir t --format tsv --recount --threads 3
cmp -s "$out" histogram || fail "other numbers if they are counted again"

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
grep -q '^longest loss with black to move: DTZ 20, as in 8/8/7k/8/7K/1P6/8/8 b - -$' "$out" || fail "text: longest"
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
for command in "stats --recount" verify; do
    # shellcheck disable=SC2086
    expect 1 "no tables KQvK.cltb, KRvK.cltb, KBvK.cltb, KNvK.cltb in 'part'; build them with: cltb build KPvK --dir" \
        "$cltb" $command KPvK --dir part
done
# Statistics that a build has put into the file are printed like counted ones, in all formats; stats --keep puts the
# same there.
for name in KPvK KRvKB KQvKQ KRvK KQvK; do
    cp t/$name.cltb built.cltb
    expect 0 "" "$cltb" stats $name --dir t
    cp "$out" counted
    expect 0 "" "$cltb" stats $name --dir t --keep --recount --threads 3
    cmp -s built.cltb t/$name.cltb || fail "$name: built with other statistics than those of stats --keep"
    for format in text json tsv syzygy; do
        [ ${#name} = 4 ] || [ $format = tsv ] || continue # counting takes seconds
        expect 0 "" "$cltb" stats $name --dir t --format $format
        cp "$out" kept
        expect 0 "" "$cltb" stats $name --dir t --format $format --recount
        cmp -s "$out" kept || fail "$name: --format $format is not what --recount says"
    done
    expect 0 "" "$cltb" stats $name --dir t
    cmp -s "$out" counted || fail "$name: other text after --keep"
    expect 0 "right" "$cltb" verify $name --dir t --sample 20000
done
# So do builds with planes packed in memory, and those of tables with pawns under a limit (planes on disk: see
# slow_streamed.sh and mpi.sh).
for limited in "KNNvK 7" "KQvKQ 9" "KPvK 48"; do
    read -r name memory <<<"$limited"
    rm -rf limited
    expect 0 "" "$cltb" build "$name" --dir limited:t --force --device cpu --threads 1 --memory "$memory"M
    [ -e "t/$name.cltb" ] || cp "limited/$name.cltb" t
    expect 0 "" "$cltb" stats "$name" --dir limited:t --keep --recount
    cmp -s "limited/$name.cltb" "t/$name.cltb" || fail "$name: other statistics with $memory MiB"
done
# A side that only loses where it is checkmated has no longest loss.
expect 0 "longest win with white to move: DTZ 1, as in " "$cltb" stats KNNvK --dir t
grep -qE '^    loss .* %$' "$out" && ! grep -q 'longest loss' "$out" || fail "text: checkmates: $(cat "$out")"
expect 0 "" "$cltb" info KNNvK --dir t
grep -qE '^    loss  *[0-9]+$' "$out" || fail "info: checkmates: $(cat "$out")"
# They need no futurebase: that of the file alone is enough.
mkdir -p alone
cp t/KPvK.cltb alone
expect 0 "mutual zugzwangs: 160" "$cltb" stats KPvK --dir alone
expect 1 "no tables KQvK.cltb" "$cltb" stats KPvK --dir alone --recount
expect 2 "belong to chess" "$cltb" stats dobutsu --keep
expect 2 "takes no value" "$cltb" stats KPvK --dir t --longest=3
finish
