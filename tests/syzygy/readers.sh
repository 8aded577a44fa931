#!/bin/bash
# readers.sh - our Syzygy files, read by libfathom and by Stockfish
#
# libfathom is asked by $SYZYGY_FATHOM (fathom.c). Skipped if neither is there.
. "$(dirname "$0")/../cli/common.bash"
. "$(dirname "$0")/syzygy.bash"
need_export
stockfish=$(PATH=$PATH:/usr/games command -v stockfish)
[ -n "${SYZYGY_FATHOM-}$stockfish" ] || skip "no libfathom, no stockfish"

judged_tables s

# ---- libfathom ----

if [ -n "${SYZYGY_FATHOM-}" ]; then
    expect 0 "0 differ" "$SYZYGY_FATHOM" --dtz 10 s t KQvK KRvK KPvK
    expect 0 "0 differ" "$SYZYGY_FATHOM" --dtz 10 --sample 20000 s t KQvKR KRvKP KPvKP
    says "KPvKP: "
    if [ -z "${CLTB_TEST_SYZYGY-}" ]; then
        # Files of what a position leads to need not be exact.
        exact=(KPvK KNvKP)
        expect 0 "" "$cltb" export --format syzygy "${exact[@]}" --dir t --to exact --exact
        expect 0 "0 differ" "$SYZYGY_FATHOM" --exact --dtz 10 --sample 20000 exact:s t "${exact[@]}"
    fi
else
    echo "no libfathom: left out"
fi

# ---- Stockfish plays and judges positions ----
#
# For each position of tests/data (some of KBNvK, KQvKR and others, and en passant ones) Stockfish must know the outcome
# and the DTZ (one less if the file stores moves), probe as many times as there are moves, and play a move that keeps
# the outcome according to our own tables.
[ -n "$stockfish" ] || {
    echo "no stockfish: left out"
    finish
}
awk -F '\t' '$1 ~ /^(KBNvK|KQvKR|KPvKP|KRvKP)$/ && NR % 2' "$source_dir/tests/data/positions.tsv" >positions
awk -F '\t' 'NR % 24 == 2' "$source_dir/tests/data/positions-ep.tsv" >>positions

coproc ENGINE { exec "$stockfish" 2>&1; }
engine_in=${ENGINE[1]} engine_out=${ENGINE[0]}

ask() { # LAST COMMAND...: what the engine says up to a line that begins with LAST
    local last=$1 line
    shift
    printf '%s\n' "$@" >&"$engine_in"
    while IFS= read -r -t 60 -u "$engine_out" line; do
        printf '%s\n' "$line"
        [[ $line != "$last"* ]] || return 0
    done
    return 1
}

ask readyok "setoption name SyzygyPath value $tmp/s" "setoption name Hash value 1" isready >said
grep -q 'Found [1-9][0-9]* tablebases' said || fail "Stockfish finds no files: $(cat said)"

# After it stands how it was found, or "(Failed)". Versions write "CursedWin" or "Cursed win".
declare -A wdl=([win]=win [cursed-win]=cursedwin [draw]=draw [blessed-loss]=blessedloss [loss]=loss)
judged=0
while IFS=$'\t' read -r _ fen outcome dtz; do
    "$cltb" probe --dir t --format json "$fen" >values
    moves=$(grep -o '"uci"' values | wc -l)
    [ "$moves" -gt 0 ] || continue
    ask "Tablebases DTZ" "position fen $fen" d >said || fail "$fen: no answer: $(tail -n 3 said)"
    known=$(sed -n 's/^Tablebases WDL: *\([A-Za-z ]*\) ([^F].*/\L\1/p' said | tr -d ' ')
    theirs=$(sed -n 's/^Tablebases DTZ: *-*\([0-9]*\) ([^F].*/\1/p' said)
    [ "$known" = "${wdl[$outcome]}" ] || fail "$fen is $outcome; Stockfish says '$known'"
    [ "$theirs" = "${dtz:-0}" ] || [ "$((theirs + 1))" = "${dtz:-0}" ] || fail "$fen: DTZ $dtz, Stockfish: '$theirs'"
    ask bestmove "go depth 1" >said || fail "$fen: no move: $(tail -n 3 said)"
    hits=$(sed -n 's/.* tbhits \([0-9]*\).*/\1/p' said | tail -n 1)
    [ "${hits:-0}" -ge "$moves" ] || fail "$fen: ${hits:-no} hits for $moves moves"
    move=$(sed -n 's/^bestmove \([^ ]*\).*/\1/p' said)
    grep -o "{\"uci\": \"$move\"[^}]*" values | grep -q "\"outcome\": \"$outcome\"" ||
        fail "$fen is $outcome, and Stockfish plays $move"
    judged=$((judged + 1))
done <positions
echo quit >&"$engine_in"
echo "$judged positions"
[ "$judged" -ge 50 ] || fail "only $judged positions"
finish
