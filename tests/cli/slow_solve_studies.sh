#!/bin/bash
# slow_solve_studies.sh - cltb solve: published studies, and that its memory limit is respected
. "$(dirname "$0")/common.bash"

# FEN, verdict, the only best move; docs/structures.md names the sources.
while IFS='|' read -r fen verdict move dtz; do
    expect 0 "$verdict, but only with $move. Proved." "$cltb" solve "$fen" --dir none
    [ -z "$dtz" ] || says ", DTZ $dtz"
done <<'studies'
8/8/1KP5/3r4/8/8/8/k7 w - - 0 1|White wins|c7|1
8/6p1/7k/8/1K6/8/1P6/8 w - - 0 1|White wins|Kc5|3
8/p4K2/P7/8/8/8/1k6/8 w - - 0 1|White wins|Ke6|9
8/5p2/1p6/1P2K2k/8/8/8/8 w - - 0 1|Draw|Kf5|
8/2p5/6K1/8/8/5k2/P7/8 w - - 0 1|White wins|Kf5|9
8/1pK5/8/8/8/8/k4P2/8 w - - 0 1|White wins|Kd6|5
8/2k5/p1P5/P1K5/8/8/8/8 w - - 0 1|White wins|Kd5|13
5k2/6p1/2p5/2P5/6P1/5K2/8/8 w - - 0 1|White wins|Ke4|13
studies

# Two pieces, and three promotions: more bounded slabs of one kind than are made at a time. Their captures lead to other
# bounded slabs, and with a table to slabs of tables. With a memory limit they are made one after the other.
knights='3nk3/PPP5/8/8/8/8/8/N3K3 w - - 0 1'
expect 0 "Not proved: White at least draws." "$cltb" solve "$knights" --effort 0 --dir none -v
head -n -1 "$out" >unlimited
expect 0 "Not proved: White at least draws." "$cltb" solve "$knights" --effort 0 --dir none --scratch . -v
head -n -1 "$out" | cmp -s - unlimited || fail "with and without --scratch: $(cat "$out" unlimited)"

# The rest takes minutes.
if [ -n "${CLTB_TEST_LONG:-}" ]; then
    # Ten men, and twelve, of which no man needs to be promoted for the draw
    expect 0 "White wins, but only with Ka2. Proved." \
        "$cltb" solve '7k/1p6/1P2p3/1P2P3/4P1p1/6P1/8/K7 w - - 0 1' --effort 1 --dir none
    expect 0 "Draw with Kb2. Proved; " \
        "$cltb" solve '8/1p5k/1P1p4/3p4/3Pp2p/2K1P2p/7P/8 w - - 0 1' --effort 0 --dir none

    # Bähr's rule of 1936: a win, and two exceptions
    expect 0 "White wins" "$cltb" solve '8/8/p4k2/P7/4KP2/8/8/8 w - - 0 1' --dir none
    expect 0 "Draw" "$cltb" solve '8/8/p7/P7/3k4/8/3KP3/8 w - - 0 1' --dir none
    expect 0 "Draw" "$cltb" solve '8/p2k4/P7/2KP4/8/8/8/8 w - - 0 1' --dir none

    # Pawn endings of games
    while IFS=$'\t' read -r fen verdict move effort _; do
        expect 0 ". Proved" "$cltb" solve "$fen" --effort "$effort" --dir none --format text
        expect 0 "" "$cltb" solve "$fen" --effort "$effort" --dir none --format tsv
        grep -q $'\t'"$verdict"$'\t' "$out" || fail "$fen: $(cat "$out"), not $verdict"
    done < <(tail -n +4 "$source_dir/tests/data/games.tsv")

    # Five men without any table, against values that Syzygy's generator computed: what is certain is right.
    certain=0
    while IFS=$'\t' read -r _ fen outcome dtz; do
        "$cltb" solve "$fen" --effort 0 --tables-men 2 --dir none --format tsv >"$out" </dev/null ||
            fail "$fen"
        IFS=$'\t' read -r _ found plies <"$out"
        case $found in
        *" to "*) ;;
        "$outcome")
            certain=$((certain + 1))
            [ -z "$plies" ] || [ "$plies" = "$dtz" ] || fail "$fen: $found $plies, not $dtz"
            ;;
        *) fail "$fen: $found, not $outcome" ;;
        esac
    done < <(grep '^KRPvKR' "$source_dir/tests/data/positions-5.tsv")
    [ "$certain" -ge 7 ] || fail "of few positions is the outcome certain: $certain"
fi

# The memory held stays below --memory, with arrays in a file or without.
held() { # MOST OPTIONS...
    local most=$1
    shift
    expect 0 '"peak_memory"' "$cltb" solve "$@" --memory "$most" --dir "${dir:-none}" --format json
    local peak
    peak=$(grep -o '"peak_memory": [0-9]*' "$out" | grep -o '[0-9]*$')
    [ "$peak" -le "$most" ] || fail "$* holds $peak bytes of $most"
}
held 262144000 '8/5p2/1p6/1P2K2k/8/8/8/8 w - - 0 1' --scratch .
held 262144000 '8/2k5/p1P5/P1K5/8/8/8/8 w - - 0 1' --scratch .
held 420000000 '8/2k5/p1P5/P1K5/8/8/8/8 w - - 0 1'
held 170000000 '8/2p5/3k4/1p1p1K2/8/1P1P4/2P5/8 w - - 0 1' --effort 0 --scratch .
if [ -n "${CLTB_TEST_TABLES-}" ]; then # of five men, more than fit when they are probed
    dir=$CLTB_TEST_TABLES held 524288000 '5K1k/8/5p2/4pPpP/8/5P2/8/8 w - - 0 1' --effort 1
fi
finish
