#!/bin/bash
# mates.sh - tables of distances to mate and to conversion: against published longest ones, the rules, and tables of DTZ
. "$(dirname "$0")/common.bash"
data=$source_dir/tests/data
# All tables of four men are made only with CLTB_TEST_LONG.
tables=(KQvKR KRvKN KBNvK KRvKR KQvKQ)
pawns=(KPvK KRvKP)
verified=(KQvK KRvK KQvKR KPvK) # mates_check looks at the others
[ -z "${CLTB_TEST_SANITIZED-}" ] || tables=(KQvKR KRvKN) pawns=(KPvK)
[ -z "${CLTB_TEST_LONG-}" ] || tables=(--men 4 --pawnless)
[ -z "${CLTB_TEST_LONG-}" ] || pawns=(KQvKP KRvKP KBvKP KNvKP KQPvK KRPvK KBPvK KNPvK KPPvK KPvKP)
[ -z "${CLTB_TEST_LONG-}" ] || verified=("${verified[@]}" "${pawns[@]}")

# few TABLE: options of `cltb verify`; of four men a sample, but in long runs
few() { [ -n "${CLTB_TEST_LONG-}" ] || [ ${#1} -le 4 ] || echo --sample 300000; }

for options in "--metric dtm --both-sides --dir m" "--dir t"; do
    # shellcheck disable=SC2086 # options are words
    expect 0 "" "$cltb" build "${tables[@]}" $options --quiet --device cpu
    # shellcheck disable=SC2086
    expect 0 "" "$cltb" build "${pawns[@]}" $options --quiet --device cpu
done
[ "$(find m -name '*.dtm.cltb' | wc -l)" = "$(find t -name '*.cltb' | wc -l)" ] || fail "other files than of DTZ"
expect_clean m

# Both metrics in one build: each table waits for those of its own metric.
expect 0 "" "$cltb" build KQvKR KQvKR.dtm --dir both --quiet --device cpu
cp -r m one # and reduced to the distances of one side
expect 0 "reduced to the distances of one side" "$cltb" build KQvKR.dtm --dir one --device cpu
for table in KQvKR.cltb KQvKR.dtm.cltb; do
    cmp both/$table "$(find one t -name $table)" || fail "$table has other bytes in a build of both metrics"
done
cmp both/KRvK.dtm.cltb one/KRvK.dtm.cltb || fail "a futurebase is not reduced as if it had been asked for"

# ---- the distances of one side: smaller files, the same values, made again with both where others need them ----

[ "$(stat -c %s one/KQvKR.dtm.cltb)" -lt $(($(stat -c %s m/KQvKR.dtm.cltb) * 6 / 10)) ] || fail "little is saved"
expect 0 "0 tables made, 1 already present" "$cltb" build KQvKR.dtm --dir one
grep -q "reduced" "$out" && fail "a table is reduced twice"
expect 0 "" "$cltb" build KPvK.dtm --dir one --quiet --device cpu
expect 0 "positions right" "$cltb" verify KPvK.dtm --dir one
for table in KRvK KPvK; do
    "$cltb" stats $table.dtm --dir one --format json >counted
    "$cltb" stats $table.dtm --dir m --format json | cmp - counted || fail "$table: other distances with one side's"
done
rm one/KRvKN.dtm.cltb
expect 1 "KNvK.dtm and others, which --one does not make" "$cltb" build KRvKN.dtm --one --dir one
expect 0 "it has the distances of one side to move, and those of both are needed" \
    "$cltb" build KRvKN.dtm --dry-run --dir one
expect 0 "it has the distances of one side to move, and those of both are needed" \
    "$cltb" build KRvKN.dtm --dir one --device cpu --events json
grep -q '"event": *"reduced", *"table": *"KRvK.dtm"' "$out" || fail "no event tells that KRvK.dtm is reduced"
cmp both/KRvK.dtm.cltb one/KRvK.dtm.cltb || fail "a futurebase has other bytes after others were made from it"
cp m/KRvKN.dtm.cltb both
expect 0 "" "$cltb" build KRvKN.dtm --dir both --quiet --device cpu
cmp both/KRvKN.dtm.cltb one/KRvKN.dtm.cltb || fail "KRvKN.dtm: reduced, it has other bytes than made anew"
expect_clean one

# ---- every position, from the rules ----

for table in "${verified[@]}"; do
    [ -e m/$table.dtm.cltb ] || continue
    # shellcheck disable=SC2046 # words
    expect 0 "positions right" "$cltb" verify $table.dtm --dir m $(few $table)
done

# ---- with as little memory as it asks for, and from the work file of a run that was killed: the same bytes ----

small=${pawns[-1]}.dtm
expect 1 "$small with the distances of both sides needs about" "$cltb" build $small --dir limited:m --force --memory 1M
least=$(sed 's/.*needs about \([0-9]*\)\.[0-9].* MB of memory.*/\1/' "$err")
"$cltb" build $small --dir killed:m --force --quiet --device cpu >/dev/null 2>&1 &
job=$!
until [ "$(stat -c %s killed/$small.cltb.work 2>/dev/null || echo 0)" -gt 1000 ] || ! kill -0 $job 2>/dev/null; do
    sleep 0.01
done
kill -9 $job 2>/dev/null
wait $job 2>/dev/null
for folder in limited killed; do
    expect 0 "" "$cltb" build $small --dir $folder:m --force --both-sides --memory $((least + 1))M --quiet --device cpu
    cmp $folder/$small.cltb m/$small.cltb || fail "$small in $folder has other bytes"
    expect_clean $folder
done

# ---- statistics: what the head of the file says; the longest mates are so long; kept in the file ----

for table in KQvK KRvKN; do
    expect 0 "longest win with white to move: mate in " "$cltb" stats $table.dtm --dir m
    expect 0 "" "$cltb" stats $table.dtm --dir m --format tsv
    [ "$(head -1 "$out")" = "material	stm	outcome	dtm	count" ] || fail "tsv: header $(head -1 "$out")"
    awk -F '\t' 'FNR > 1 { n[$2 "\t" $3] += $5; m[$2 "\t" $3] = $4 } END { for (k in n) print k "\t" n[k] "\t" m[k] }' \
        "$out" | sort >counted
    "$cltb" info m/$table.dtm.cltb --format json | python3 -c '
import json, sys
info = json.load(sys.stdin)
for side in "white", "black":
    for outcome, of in info[side]["outcomes"].items():
        if of["positions"]:
            print(side[0], outcome, of["positions"], of.get("longest", ""), sep="\t")' | sort | cmp - counted ||
        fail "$table: the head has other figures than the statistics"
    expect 0 "" "$cltb" stats $table.dtm --dir m --format tsv --longest
    sed 1d "$out" | cut -f5 | "$cltb" probe --metric dtm --dir m --format tsv | cut -f2,3 >probed
    sed 1d "$out" | cut -f3,4 | cmp - probed || fail "$table: the longest are not so long"
    expect 0 '"metric": "dtm"' "$cltb" stats $table.dtm --dir m --format json
    cp "$out" counted
    expect 0 "" "$cltb" stats $table.dtm --dir m --keep
    expect 0 "" "$cltb" stats m/$table.dtm.cltb --dir m --format json
    cmp "$out" counted || fail "$table: other statistics than those kept"
done
expect 2 "for distances to zeroing" "$cltb" stats KQvKR.dtm --dir m --format syzygy
expect 1 "no tables KBBvKN.dtm.cltb, KBvKN.dtm.cltb" "$cltb" stats KBBvKN.dtm --dir t

# ---- published longest mates ----

# "material fen plies", with the side to move named first; the standard name has it first or last.
awk -F '\t' 'FNR > 2 {
    split(substr($1, 2), side, "K")
    print "K" side[1] "vK" side[2] "\tK" side[2] "vK" side[1] "\t" $0
}' "$data/longest-mates.tsv" | while IFS=$'\t' read -r as_named flipped name fen plies; do
    for table in "$as_named" "$flipped"; do
        [ -e "m/$table.dtm.cltb" ] || continue
        expect 0 "	win	$plies" "$cltb" probe --metric dtm --format tsv --dir m "$fen"
        side=white
        [ "$table" = "$as_named" ] || side=black
        "$cltb" info "m/$table.dtm.cltb" --format json | python3 -c '
import json, sys
info = json.load(sys.stdin)
side = "white" if info["symmetric"] else sys.argv[1]
found = info[side]["outcomes"]["win"]["longest"]
sys.exit(found != int(sys.argv[2]))' $side "$plies" || fail "$name: another longest mate than $plies"
        echo "$name" >>compared
        break
    done
    [ "$failures" = 0 ] || touch failed
done
[ ! -e failed ] || failures=1
[ "$(wc -l <compared)" -ge 5 ] || fail "few longest mates were compared"

# ---- against DTZ: the same outcomes without the 50-move rule, and no mate before the zeroing move ----

awk -F '\t' 'FNR > 1 { print $2 }' "$data/positions.tsv" "$data/positions-ep.tsv" >fens
"$cltb" probe --format tsv --dir t - <fens >by_dtz 2>/dev/null
"$cltb" probe --format tsv --metric dtm --dir m - <fens >by_dtm 2>/dev/null
paste by_dtz by_dtm | awk -F '\t' '
    $2 ~ /error/ && $5 ~ /error/ { next }
    { n++; sub(/cursed |blessed /, "", $2) }
    $2 != $5 || ($2 != "draw" && $6 < $3) { print "FAILED: " $0; bad = 1 }
    END { exit bad || n < 40 }' || fail "distances to mate and to zeroing disagree"

# ---- the same position by position, and games to mate ----

# In long runs every position, otherwise every 50th, but every one of three men.
mapfile -t built < <(cd m && printf '%s\n' *.dtm.cltb | sed 's/\.dtm\.cltb$//')
for table in "${built[@]}"; do
    every=50
    [ -z "${CLTB_TEST_LONG-}" ] && [ ${#table} -gt 4 ] || every=1
    expect 0 " 0 differ" "$MATES_CHECK" --every $every --games 50 m:t "$table"
done

# ---- a line of best moves lowers the distance by one with each ply ----

fen="8/8/8/8/2r5/8/2k5/K6Q w - - 0 1"
expect 0 "win, mate in 35 (69 plies), DTZ " "$cltb" probe --metric dtm --dir m:t "$fen"
says "#"
expect 0 "win, mate in 35 (69 plies), DTZ " "$cltb" probe --dir m:t "$fen"
expect 0 '"dtm": 69' "$cltb" probe --dir m:t --format json "$fen"
expect 0 '"dtm": 69' "$cltb" probe --metric dtm --dir m --format json "$fen"
python3 -c '
import json, sys
line = json.load(open(sys.argv[1]))[0]["line"]
sys.exit(len(line) != 69)' "$out" || fail "the best line does not have 69 plies"

# ---- EPD: both distances, and the standard's dm for wins, in its place among the operations ----

expect 0 "${fen% 0 1} Dtm 69; Dtz 59; Outcome \"win\"; bm Qg1; dm 35; id \"x\";" \
    "$cltb" probe --epd --dir m:t "${fen% 0 1} bm Qg1; dm 7; id \"x\"; Dtm 1;"
expect 0 "${fen% 0 1} Dtm 69; Outcome \"win\"; dm 35;" "$cltb" probe --epd --metric dtm --dir m "$fen"
lost="r7/8/8/8/8/5k2/8/1KQ5 b - -"
expect 0 "$lost Dtm 70; Dtz " "$cltb" probe --epd --dir m:t "$lost"
grep -q ' dm ' "$out" && fail "EPD: a loss has moves to mate"
expect 0 "8/8/8/8/8/2k5/8/K6n w - - Outcome \"draw\";" "$cltb" probe --epd --dir m:t "8/8/8/8/8/2k5/8/K6n w - -"

# What cannot be read is told, in one line after what is known; only missing tables are passed over. An operation of an
# earlier run stays if the table that gave it is missing or damaged; a draw has neither Dtm nor dm.
mkdir broken
cp m/KQvKR.dtm.cltb broken
truncate -s -1 broken/KQvKR.dtm.cltb
for format in text json; do
    expect 1 "broken/KQvKR.dtm.cltb" "$cltb" probe --dir t:broken --format $format "$fen"
    grep -q 'win.*59' "$out" || fail "$format: nothing known beside a damaged table: $(cat "$out")"
done
grep -q '"error": ".*broken/KQvKR.dtm.cltb' "$out" || fail "json: no error: $(cat "$out")"
expect 1 "broken/KQvKR.dtm.cltb" "$cltb" probe --dir t:broken --format text --metric dtm "$fen"
expect 0 "	win	59" "$cltb" probe --dir t:broken --format tsv "$fen"
printf '%s\n' "" | "$cltb" explore "$fen" --dir t:broken >"$out" 2>"$err"
says "?: broken/KQvKR.dtm.cltb"
expect 1 "${fen% 0 1} Dtz 59; Outcome \"win\"; Dtm 69; bm Qg1; dm 35;" \
    "$cltb" probe --epd --dir t:broken "${fen% 0 1} Dtm 69; bm Qg1; dm 35;"
expect 0 "${fen% 0 1} Dtz 59; Outcome \"win\"; Dtc 59; Dtm 69; dm 35;" \
    "$cltb" probe --epd --dir t "${fen% 0 1} Dtc 59; Dtm 69; Dtz 1; Outcome \"loss\"; dm 35;"
expect 0 "${fen% 0 1} Dtm 69; Outcome \"win\"; Dtz 59; dm 35;" \
    "$cltb" probe --epd --metric dtm --dir m "${fen% 0 1} Dtz 59; Dtm 1; dm 7;"
expect 0 "8/8/8/8/8/2k5/8/K6n w - - Outcome \"draw\"; id \"x\";" \
    "$cltb" probe --epd --dir m:t "8/8/8/8/8/2k5/8/K6n w - - Dtm 4; dm 2; id \"x\";"

# ---- stepping to mate ----

printf '%s\n' line 'best 69' | "$cltb" explore "$fen" --dir m:t --metric dtm >"$out" 2>"$err"
says "win, mate in 35 (69 plies), DTZ "
says "checkmate"
[ "$(grep -c '^best line: .*#$' "$out")" = 1 ] || fail "explore: no line to mate: $(cat "$out")"
"$cltb" explore "$fen" --dir m:t </dev/null >"$out" 2>"$err"
says ", mate in 35 (69 plies)"
expect 2 "restricted tables have distances to zeroing" "$cltb" explore "$fen" --table r.cltb --metric dtm

# ---- distances to conversion ----

conversions=(KQvKR KRvKN KRvKB KPvK)
checked=(KQvK KRvK KQvKR KPvK)
[ -z "${CLTB_TEST_SANITIZED-}" ] || conversions=(KQvKR KPvK) checked=(KQvK KPvK)
[ -z "${CLTB_TEST_LONG-}" ] || conversions=(--men 4) checked=(KQvKR KRvKN KRvKB KQvKP KRvKP KBvKP KNvKP KQPvK KPvKP)
expect 0 "" "$cltb" build "${conversions[@]}" --metric dtc --dir c --quiet --device cpu
expect 0 "" "$cltb" build "${checked[@]}" --metric dtc --both-sides --dir both-c --quiet --device cpu
expect_clean c
for table in "${checked[@]}"; do
    # shellcheck disable=SC2046 # words
    expect 0 "positions right" "$cltb" verify $table.dtc --dir c $(few $table) # the other side's distances by search
    expect 0 "" "$cltb" stats $table.dtc --dir c --format tsv --keep
    "$cltb" stats $table.dtc --dir both-c --format tsv | cmp - "$out" ||
        fail "$table.dtc: other distances with one side's"
done
# Thompson's longest conversions, in moves: in these endgames nobody gains by letting the loser convert.
while read -r table moves; do
    [ -e c/$table.dtc.cltb ] || continue
    expect 0 "longest win with white to move: conversion in $moves (" "$cltb" stats $table.dtc --dir c
done <<'END'
KQvKR 31
KRvKN 27
KRvKB 18
END
expect 0 '"metric": "dtc"' "$cltb" stats KQvKR.dtc --dir c --format json
expect 0 "win, mate in 35 (69 plies), conversion in 30 (59 plies), DTZ 59" "$cltb" probe --dir c:m:t "$fen"
expect 0 "win, mate in 35 (69 plies), conversion in 30 (59 plies), DTZ 59" "$cltb" probe --metric dtc --dir c:m:t "$fen"
says "Qxh5 (conversion)"
expect 0 "${fen% 0 1} Dtc 59; Dtm 69; Dtz 59; Outcome \"win\"; dm 35;" "$cltb" probe --epd --dir c:m:t "$fen"
expect 0 "	win	59" "$cltb" probe --metric dtc --dir c --format tsv "$fen"
expect 0 '"dtc": 59' "$cltb" probe --metric dtc --dir c --format json "$fen"
printf '%s\n' line 'best 59' | "$cltb" explore "$fen" --dir c:m --metric dtc >"$out" 2>"$err"
says "win, mate in 35 (69 plies), conversion in 30 (59 plies)"
# The winner's own conversion ends the count, whatever follows; the loser's does not: the king must take the pawn.
expect 0 "	win	1" "$cltb" probe --metric dtc --dir c --format tsv "8/8/8/8/2k5/8/8/rQK5 w"
# Whatever zeroes first, mate comes last.
"$cltb" probe --format tsv --metric dtc --dir c - <fens >by_dtc 2>/dev/null
paste by_dtc by_dtm by_dtz | awk -F '\t' '
    $2 ~ /error/ || $5 ~ /error/ || $8 ~ /error/ { next }
    { n++; sub(/cursed |blessed /, "", $8) }
    $2 != $5 || $2 != $8 || ($2 != "draw" && ($3 > $6 || $3 < $9)) { print "FAILED: " $0; bad = 1 }
    END { exit bad || n < 10 }' || fail "distances to conversion are not between those to zeroing and to mate"
expect 1 "no table KQvKR.dtc.cltb" "$cltb" probe --metric dtc --dir t "$fen"
expect 2 "Syzygy files have distances to zeroing" "$cltb" export KQvKR.dtc --dir t --to s
expect 2 "restricted tables have distances to zeroing" "$cltb" explore "$fen" --table r.cltb --metric dtc

# ---- what is not there ----

expect 2 "Syzygy files have distances to zeroing" "$cltb" export KQvKR.dtm --dir t --to s
expect 2 "Syzygy files have distances to zeroing" "$cltb" import KQvKR.dtm --syzygy t --to s
expect 2 "Syzygy files have distances to zeroing" "$cltb" verify KQvKR.dtm --dir m --against t
expect 2 "without --men, --format raw, --both-sides, --best and --metric" \
    "$cltb" build 'K P[a2] v K' --metric dtm --dir m --output r.cltb
expect 2 "dobutsu is built alone" "$cltb" build dobutsu --metric dtm --dir m
expect 1 "no table KQvKR.dtm.cltb" "$cltb" probe --metric dtm --dir t "$fen"
expect 2 "--metric" "$cltb" build KQvK --metric dtx --dir m
finish
