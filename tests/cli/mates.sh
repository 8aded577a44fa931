#!/bin/bash
# mates.sh - tables of distances to mate: against published longest mates, the rules, and tables of DTZ
. "$(dirname "$0")/common.bash"
data=$source_dir/tests/data
tables=(--men 4 --pawnless)
[ -z "${CLTB_TEST_SANITIZED-}" ] || tables=(KQvKR KRvKN)

expect 0 "" "$cltb" build "${tables[@]}" --metric dtm --dir m --quiet --device cpu
expect 0 "" "$cltb" build "${tables[@]}" --dir t --quiet --device cpu
[ "$(find m -name '*.dtm.cltb' | wc -l)" = "$(find t -name '*.cltb' | wc -l)" ] || fail "other files than of DTZ"
expect_clean m

# ---- every position, from the rules ----

for table in KQvK KRvK KQvKR KRvKN KBNvK KRvKR; do
    [ -e m/$table.dtm.cltb ] || continue
    expect 0 "positions right" "$cltb" verify $table.dtm --dir m
done

# ---- published longest mates ----

# "material fen plies", the side to move named first; the standard name has it first or last.
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
[ "$(wc -l <compared)" -ge 4 ] || fail "few longest mates were compared"

# ---- against DTZ: the same outcomes without the 50-move rule, and no mate before the zeroing move ----

awk -F '\t' 'FNR > 1 { print $2 }' "$data/positions.tsv" | grep -vi '^[^ ]*p' >fens
"$cltb" probe --format tsv --dir t - <fens >by_dtz 2>/dev/null
"$cltb" probe --format tsv --metric dtm --dir m - <fens >by_dtm 2>/dev/null
paste by_dtz by_dtm | awk -F '\t' '
    $2 ~ /error/ && $5 ~ /error/ { next }
    { n++; sub(/cursed |blessed /, "", $2) }
    $2 != $5 || ($2 != "draw" && $6 < $3) { print "FAILED: " $0; bad = 1 }
    END { exit bad || n < 40 }' || fail "distances to mate and to zeroing disagree"

# ---- a line of best moves lowers the distance by one with each ply ----

fen="8/8/8/8/2r5/8/2k5/K6Q w - - 0 1"
expect 0 "win, mate in 35 (69 plies), dtz " "$cltb" probe --metric dtm --dir m:t "$fen"
says "#"
expect 0 "win, mate in 35 (69 plies), dtz " "$cltb" probe --dir m:t "$fen"
expect 0 '"dtm": 69' "$cltb" probe --dir m:t --format json "$fen"
expect 0 '"dtm": 69' "$cltb" probe --metric dtm --dir m --format json "$fen"
python3 -c '
import json, sys
line = json.load(open(sys.argv[1]))[0]["line"]
sys.exit(len(line) != 69)' "$out" || fail "the best line does not have 69 plies"

# ---- what is not there ----

expect 1 "no table KQvKR.dtm.cltb" "$cltb" probe --metric dtm --dir t "$fen"
expect 2 "only without pawns" "$cltb" build KPvK --metric dtm --dir m
expect 2 "distance to zeroing only" "$cltb" stats KQvK.dtm --dir m
expect 2 "--metric" "$cltb" build KQvK --metric dtx --dir m
finish
