#!/bin/bash
# solve.sh - cltb solve: studies, formats, use of tables, plans, and what is refused
. "$(dirname "$0")/common.bash"

# A study: Reti 1921. White draws by one move.
reti='7K/8/k1P5/7p/8/8/8/8 w - - 0 1'
expect 0 "Draw, but only with Kg7. Proved." "$cltb" solve "$reti"
[ "$(head -c 4 "$out")" = Draw ] || fail "the sentence does not come first: $(cat "$out")"
says "    Kh7      h8h7   loss, DTZ 2"
grep -q "effort\|structures\|memory" "$out" && fail "details without -v: $(cat "$out")"
expect 0 " s, at most " "$cltb" solve "$reti" -v
says "of memory; structures "
[ "$(grep -o "memory" "$out" | wc -l)" = 1 ] || fail "two figures of memory: $(cat "$out")"
expect 0 "" "$cltb" solve "$reti" --format json
if command -v python3 >/dev/null; then
    python3 -c '
import json, sys
answer = json.load(open(sys.argv[1]))
assert answer["outcome"] == "draw" and answer["dtz"] is None and answer["proved"] and answer["only_move"]
assert [m["uci"] for m in answer["moves"] if m["outcome"] == "draw"] == ["h8g7"]
' "$out" || fail "json: $(cat "$out")"
fi

# Too little effort: the structures that the verdict rests on are named, and only these are solved with more.
expect 0 "Not proved: Black at least draws." "$cltb" solve "$reti" --effort 0
says "    Kg7      h8g7   between a loss and a draw"
says "-v says what it depends on"
expect 0 "White draws if White wins what comes of Black's " "$cltb" solve "$reti" --effort 0 --verbose
says "Black wins if Black wins what comes of Black's "
says "with pawns c6"
grep -q "Proved" "$out" && fail "an interval is proved: $(cat "$out")"
expect 0 '"rests_on"' "$cltb" solve "$reti" --effort 0 --format json
says '"structure": "KPvKQ with pawns c6"'

# More men than a table can have, one of them promoted
expect 0 "Not proved" "$cltb" solve '8/p6P/p6k/p7/P7/P7/P7/K7 w - - 0 1' --effort 0 -v
says "White wins what comes of White's queen on h8, KQPPPvKPPP with pawns a2 a3 a4 a5 a6 a7"

# Underpromotion, and a line down to mate: Saavedra.
expect 0 "White wins with c8=R and 2 other moves. Proved." "$cltb" solve '8/2P5/8/8/3r4/8/2K5/k7 w - - 0 1'
says "best line: 1. c8=R"
grep -q '^best line: .*#$' "$out" || fail "the line does not end in mate: $(cat "$out")"

# A locked position of six men is decided without any promoted man; with too little effort the value is an interval.
expect 0 "White wins" "$cltb" solve '8/8/8/p2k4/P2P4/3K4/8/8 w - - 0 1' --effort 2
expect 0 "" "$cltb" solve "$reti" --effort 0 --format tsv
grep -q $'\tloss to draw\t$' "$out" || fail "tsv of an interval: $(cat "$out")"

# Pawn endings of games, those with the least work; slow_solve_studies.sh has the others.
games=0
while IFS=$'\t' read -r fen verdict move effort _; do
    expect 0 "${verdict/draw/Draw} with $move" \
        "$cltb" solve "$fen" --effort "$effort" --dir none
    says ". Proved"
    games=$((games + 1))
done < <(sed -n 2,3p "$source_dir/tests/data/games.tsv")
[ "$games" = 2 ] || fail "$games games"

# Tables are used if there are any, and give the same result.
expect 0 "" "$cltb" build KPvK --dir t --device cpu --quiet
for fen in '8/8/4k3/8/8/4K3/4P3/8 w - - 0 1' '8/8/8/1p6/8/k1P5/8/1K6 w - - 0 1' '4k3/8/8/8/8/8/4P3/4K3 b - - 0 1'; do
    expect 0 "" "$cltb" solve "$fen" --dir t --format tsv
    cp "$out" with
    expect 0 "" "$cltb" solve "$fen" --tables-men 2 --format tsv
    cmp -s with "$out" || fail "$fen: $(cat with) with tables, $(cat "$out") without"
done
expect 0 "in tables" "$cltb" solve '8/8/8/1p6/8/k1P5/8/1K6 w - - 0 1' --dir t --dry-run -v

# A table whose promotions have no tables gives outcomes.
expect 0 "White wins with any move. Proved." "$cltb" solve '8/8/8/8/8/2k5/2P1P3/2K5 w - - 0 1' --dir t

# A position that a table has is looked up, and the table is named; so is one that takes over in a line.
expect 0 "" "$cltb" build KQvK --dir t --device cpu --quiet
expect 0 "White wins with Kb6 and 1 other move. From table KPvK (t/KPvK.cltb)." \
    "$cltb" solve '2k5/8/2K5/2P5/8/8/8/8 w - - 0 1' --dir t
grep -q '^best line: 1. Kb6 .*, then table KQvK takes over (DTZ .*#$' "$out" || fail "no line to mate: $(cat "$out")"
expect 0 ", then table KPvK takes over (DTZ " "$cltb" solve '8/8/8/8/p7/1K6/4P3/7k w - - 0 1' --dir t
expect 0 "Draw: White is stalemated." "$cltb" solve '8/8/8/8/8/1k6/1p6/1K6 w - - 0 1' --dir none

# The right to capture en passant counts: without it White would be lost.
expect 0 "" "$cltb" solve '8/8/8/8/1pP5/8/8/K1k5 b - c3 0 1'
says "bxc3"

# Plans: few lines, the first effort that is too large is the last, and sizes have units that people read.
lasker='8/k7/3p4/p2P1p2/P2P1P2/8/8/K7 w - - 0 1'
expect 0 "effort 0, no promotions: structures 2007," "$cltb" solve "$lasker" --dry-run --effort 0 -v
says "KPPPPvKPPP"
[ -e tables ] && fail "a plan writes files"
expect 0 "too much for 31.5 MB of memory: --memory " \
    "$cltb" solve "$lasker" --dry-run --effort 0 --memory 30M --dir none
says "M, or --keep"
says "--keep 'white pawns d5 a4 d4 f4': structures 640,"
expect 0 "effort 0, no promotions: more than 2000 structures can be reached from this position" \
    "$cltb" solve "$lasker" --dry-run --budget 2000 --dir none
says "; --budget and --memory allow more"
says "--keep 'white pawns d5 a4 d4 f4': structures 640,"
for fen in "$lasker" '8/pppppppp/4k3/8/8/4K3/PPPPPPPP/8 w - - 0 1' '2q1k3/ppp5/8/8/8/8/5PPP/3QK3 w - - 0 1'; do
    expect 0 "effort 0, no promotions: " "$cltb" solve "$fen" --dry-run --memory 300M --dir none
    says "if that does not fit"
    [ "$(wc -l <"$out")" -lt 24 ] || fail "$fen: $(wc -l <"$out") lines of a plan"
    grep -q '[0-9]\{6,\}M' "$out" && fail "$fen: a size that nobody reads: $(cat "$out")"
done
expect 0 "21.0 MB of memory allow no more" "$cltb" solve '8/5ppp/4k3/8/8/4K3/PPP5/8 w - - 0 1' --memory 20M --dir none

# The graph as a drawing
expect 0 'm5 -> m1 [style=dashed]' "$cltb" solve '8/8/4k3/8/8/4K3/4P3/8 w - - 0 1' --dot --dir none
says 'label="KPvK\n6 solved"'
if command -v dot >/dev/null; then
    dot -Tsvg "$out" >graph.svg || fail "Graphviz does not read --dot"
fi

# Tables that are missing are built first, with --tables-men.
ram='8/8/2k5/p7/P7/2K5/8/8 w - - 0 1'
expect 0 "to be built in new: KPvK" "$cltb" solve "$ram" --dir new --tables-men 3 --dry-run
[ -e new ] && fail "a plan builds tables"
expect 0 "structures 1, positions 8.19 k" "$cltb" solve "$ram" --dir new --tables-men 3 --effort 0 -v
[ -e new/KPvK.cltb ] || fail "KPvK has not been built"

# All positions that can be reached from one, in a file, which other commands read.
expect 0 "" "$cltb" solve "$ram" --dir new --tables-men 3 --output ram.cltb --format tsv
[ "$(cut -f 2- "$out")" = "$("$cltb" solve "$ram" --tables-men 2 --format tsv | cut -f 2-)" ] || fail "$(cat "$out")"
expect 0 "all that can come of $ram" "$cltb" info ram.cltb
says "tables that it leads to: KPvK"
expect 0 '"structures": 1' "$cltb" info ram.cltb --format json
expect 0 "positions right, checksums right" "$cltb" verify ram.cltb --dir new
expect 0 "0 positions are not decided" "$cltb" stats ram.cltb --dir new
expect 0 "ram.cltb	w	win" "$cltb" stats ram.cltb --format tsv
for fen in "$ram" '8/8/8/p1k5/P7/8/8/2K5 b - - 0 1' '8/8/8/8/P7/8/1k6/3K4 w - - 0 1'; do
    expect 0 "" "$cltb" solve "$fen" --tables-men 2 --format tsv
    cp "$out" solved
    expect 0 "" "$cltb" probe --table ram.cltb --dir new --format tsv "$fen"
    cmp -s solved "$out" || fail "$fen: $(cat solved), in the file $(cat "$out")"
done
expect 0 "Draw with any move. Proved." "$cltb" probe --table ram.cltb --dir new '8/8/8/k7/P7/8/8/2K5 w - - 0 1' \
    '8/8/8/p7/Pk6/8/3K4/8 b - - 0 1'
expect 0 '"only_move"' "$cltb" probe --table ram.cltb --dir new --format json "$ram"
echo "best 2" | "$cltb" explore --table ram.cltb --dir new "$ram" >"$out" || fail "explore: $(cat "$out")"
expect 1 "cannot be reached from $ram" "$cltb" probe --table ram.cltb --dir new '8/8/2k5/8/p7/P1K5/8/8 w - - 0 1'
expect 1 "KPvK" "$cltb" verify ram.cltb --dir none
expect 2 "nothing to write" "$cltb" solve '8/8/8/8/P7/8/1k6/3K4 w - - 0 1' --dir new --tables-men 3 --output none.cltb
expect 1 "nowhere/ram.cltb" "$cltb" solve "$ram" --effort 0 --output nowhere/ram.cltb
[ -e none.cltb ] && fail "a file without structures"
cp new/KPvK.cltb taken.cltb
expect 1 "taken.cltb exists, but not for this position" "$cltb" solve "$ram" --dir none --output taken.cltb
grep -q win "$out" && fail "solved before the file is looked at: $(cat "$out")"
cmp -s new/KPvK.cltb taken.cltb || fail "a table is overwritten"
expect 0 "Draw" "$cltb" solve "${ram/0 1/7 20}" --dir new --tables-men 3 --output ram.cltb
head -c $(($(stat -c %s ram.cltb) / 2)) ram.cltb >cut.cltb
for command in info verify stats; do
    expect 1 "cut.cltb" "$cltb" $command cut.cltb
done
# With bounds it says what is proved.
expect 0 "Not proved" "$cltb" solve '8/8/8/p2k4/P2P4/3K4/8/8 w - - 0 1' --effort 0 --tables-men 2 --output bounds.cltb
expect 0 "Not proved: White at least draws." "$cltb" probe --table bounds.cltb '8/8/8/p2k4/P2P4/3K4/8/8 w - - 0 1'
expect 0 "a sample of 3000 positions right" "$cltb" verify bounds.cltb --sample 3000
expect 0 "not decided: between a draw and a win" "$cltb" explore --table bounds.cltb '8/8/8/p2k4/P2P4/3K4/8/8 w - - 0 1'

# What a search decides goes to a file as a proof.
study='8/8/2k5/p1P4p/PpK4P/8/8/8 w - - 0 1'
for again in 1 2; do # the second one replaces the first
    expect 0 "Draw, but only with Kd4. Proved." "$cltb" solve "$study" --dir none --output proof.cltb
done
expect 0 "a proof of $study" "$cltb" info proof.cltb
says "tables that it needs: none"
expect 0 '"claims": ' "$cltb" info proof.cltb --format json
expect 0 "claims right (for White: draw), checksums right" "$cltb" verify proof.cltb --dir none
expect 2 "only \`cltb verify\` and \`cltb info\` read it" "$cltb" probe --table proof.cltb "$study"
expect 2 "proof.cltb is a proof" "$cltb" stats proof.cltb
expect 1 "proof.cltb exists, but not for this position" "$cltb" solve "$ram" --dir none --output proof.cltb
head -c $(($(stat -c %s proof.cltb) / 2)) proof.cltb >cut.cltb
expect 1 "cut.cltb" "$cltb" verify cut.cltb

# After a kill the same command resumes.
game='8/8/p4k2/P2p3p/3P1K1P/8/8/8 w - - 0 1'
"$cltb" solve "$game" --effort 0 --dir none --scratch work >"$out" 2>&1 & # makes the folder
while kill -0 $! 2>/dev/null && [ "$(cat work/*.work 2>/dev/null | wc -c)" -lt 400000 ]; do sleep 0.02; done
kill -9 $! 2>/dev/null
wait 2>/dev/null
[ -n "$(ls work)" ] || fail "nothing is left by a killed run"
expect 0 "resumed: an earlier run had solved" \
    "$cltb" solve "$game" --effort 0 --dir none --scratch work --output resumed.cltb
[ -z "$(ls work)" ] || fail "left behind: $(ls work)"
expect 0 "a sample of 20000 positions right" "$cltb" verify resumed.cltb --sample 20000

# --output is locked from the beginning, and what somebody else puts there meanwhile is kept. The command examines it
# before it makes its work file, and again after printing the answer: to a pipe, which is full until we read from it.
mkfifo answer
expect 0 "" "$cltb" solve "$reti" --effort 0 --dir none --output reti.cltb
for existing in no yes; do
    [ $existing = no ] || cp reti.cltb meanwhile.cltb
    rm -f work/*
    exec 3<>answer 4<answer
    dd if=/dev/zero of=answer bs=4096 oflag=nonblock 2>/dev/null
    "$cltb" solve "$reti" --effort 0 --dir none --scratch work --output meanwhile.cltb \
        >answer 2>meanwhile.err 3>&- 4<&- &
    while kill -0 $! 2>/dev/null && [ -z "$(ls work)" ]; do sleep 0.02; done
    expect 1 "another cltb uses meanwhile.cltb.part" "$cltb" solve "$ram" --dir new --output meanwhile.cltb
    cp taken.cltb meanwhile.cltb
    exec 3>&-
    cat <&4 >"$out"
    exec 4<&-
    wait $! && status=0 || status=$?
    [ "$status" = 1 ] && [ "$(wc -l <meanwhile.err)" = 1 ] ||
        fail "status $status after a file has appeared: $(cat meanwhile.err)"
    grep -q "meanwhile.cltb has been made or changed by somebody else" meanwhile.err || fail "$(cat meanwhile.err)"
    cmp -s taken.cltb meanwhile.cltb && [ ! -e meanwhile.cltb.part ] || fail "what has appeared is lost"
    rm meanwhile.cltb
done
expect 0 "resumed" "$cltb" solve "$reti" --effort 0 --dir none --scratch work --output meanwhile.cltb
cmp -s reti.cltb meanwhile.cltb || fail "another file after that"

# If the outcome is not decided, the work stays, and a run with more effort goes on from there.
expect 0 "Not proved" "$cltb" solve "$reti" --effort 0 --dir none --scratch work
grep -q "work/cltb-solve-.*.work keeps what is solved; the same command with more --effort continues" "$err" ||
    fail "nothing is said of the work: $(cat "$err")"
expect 0 "resumed: an earlier run had solved" "$cltb" solve "$reti" --dir none --scratch work
says "Draw, but only with Kg7. Proved."
[ -z "$(ls work)" ] || fail "left behind: $(ls work)"

# The same after Ctrl-C, without the last batch.
"$cltb" solve "$game" --effort 0 --dir none --scratch work >"$out" 2>&1 &
while kill -0 $! 2>/dev/null && [ -z "$(ls work)" ]; do sleep 0.02; done
kill -TERM $! 2>/dev/null
wait $! && status=0 || status=$?
[ "$status" = 130 ] || fail "status $status after a signal: $(cat "$out")"
says "cltb solve: interrupted; work/cltb-solve-"
says ".work keeps what is solved: run the same command again to resume"

# Ctrl-C is answered wherever it comes, here in the making of graphs, in batches and in rounds, and what is known is
# said. Seconds of the processor, not of the clock, are counted: others may use it, too.
for seconds in 0.1 0.5 1.5 4; do
    rm -f work/*
    "${interruptible[@]}" "$cltb" solve '8/5ppp/4k3/8/8/4K3/PPP5/8 w - - 0 1' --dir none --threads 1 >"$out" 2>"$err" &
    sleep "$seconds"
    before=$(awk '{ print $14 + $15 }' /proc/$!/stat 2>/dev/null || echo 0)
    kill -INT $!
    after=$before
    while kill -0 $! 2>/dev/null; do
        after=$(awk '{ print $14 + $15 }' /proc/$!/stat 2>/dev/null || echo "$after")
        sleep 0.05
    done
    wait $! && status=0 || status=$?
    [ "$status" = 130 ] || fail "status $status after Ctrl-C: $(cat "$err")"
    grep -q "interrupted" "$err" || fail "after Ctrl-C: $(cat "$err")"
    ! grep -q "so far: [^b]" "$err" || fail "an outcome is claimed after Ctrl-C: $(cat "$err")" # not "between"
    [ $((after - before)) -le $((2 * $(getconf CLK_TCK))) ] || fail "$((after - before)) ticks of work after Ctrl-C"
done

# A file that cannot be completed takes nothing away: the answer has been printed, and the work is kept.
rm -f work/*
schlage='8/p4K2/P7/8/8/8/1k6/8 w - - 0 1' # 543 kB, and 136 kB of work
(ulimit -f 300 && "$cltb" solve "$schlage" --dir none --scratch work --output large.cltb --format tsv >"$out" 2>&1)
says "$schlage"$'\twin\t9'
says "large.cltb.part: "
says ".work keeps what is solved: run the same command again to resume"
[ -e large.cltb ] || [ -e large.cltb.part ] && fail "an incomplete file"
expect 0 "resumed: an earlier run had solved 17 structures" \
    "$cltb" solve "$schlage" --dir none --scratch work --output large.cltb
[ -z "$(ls work)" ] || fail "left behind: $(ls work)"

# Men that are kept to squares: what is proved is true of chess, and what rests on the restriction is named.
expect 0 "White wins with Kd1 and " "$cltb" solve '8/8/8/8/8/2k5/8/2K3R1 w - - 0 1' --keep 'Rook g' --dir none
says "are not decided."
says "    Kd1      c1d1   win, DTZ 3 to 51"
says "    Rh1      g1h1   between a draw and a win"
expect 0 "Not proved: White at least" "$cltb" solve '8/8/8/8/8/2k5/8/2K3R1 w - - 0 1' --keep 'rook g1-h2' --dir none -v
says "White wins if White wins when White's rook leaves for d1, KRvK, among others"
grep -q Proved "$out" && fail "an assumption is proved: $(cat "$out")"
fen='8/8/8/p2k4/P2P4/3K4/8/8 w - - 0 1'
expect 0 "Not proved: White may win, draw or lose." "$cltb" solve "$fen" --keep 'white K c3-e5' --effort 0 --dir none -v
says "White wins if White wins when White's king leaves for "
expect 0 '"leaves": true' "$cltb" solve "$fen" --keep 'white king c3-e5' --effort 0 --dir none --format json
expect 0 "Not proved" "$cltb" solve "$fen" --keep 'black king b6-e5; WHITE PAWNS a4 d4+' --effort 0 --dir none
expect 0 "effort 0, no promotions: structures " \
    "$cltb" solve "$fen" --keep 'white pawns a4,d4; black pawn a5' --dry-run --dir none
[ "$(grep -c '^effort' "$out")" -le 2 ] || fail "efforts that change nothing: $(cat "$out")"
expect 1 "the man on d3 stands outside the squares it is kept to" "$cltb" solve "$fen" --keep 'white king a1'
expect 2 "'pawn a4': white or black?" "$cltb" solve "$fen" --keep 'pawn a4'
expect 2 "'queen a4': the position has no such man" "$cltb" solve "$fen" --keep 'queen a4'
expect 2 "these men are kept to squares already" "$cltb" solve "$fen" --keep 'black pawn a5;black pawn a4'
expect 2 "does not begin with a man" "$cltb" solve "$fen" --keep 'black pawn a5;'
expect 2 "is not a set of squares" "$cltb" solve "$fen" --keep 'black pawn x'
expect 2 "not with --keep" "$cltb" solve "$fen" --keep 'black pawn a5' --output kept.cltb

# Men who are shut in behind locked pawns are found without --keep: no pawn counts as lost.
expect 0 "Draw with any move. Proved." \
    "$cltb" solve 'k7/1p1p1p1p/pPpPpPpP/P1P1P1P1/8/8/8/K1B5 w - - 0 1' --dir none -v
says "; structures 1, positions "
expect 0 "Draw with any move. Proved." \
    "$cltb" solve '6k1/1p1p1p1p/pPpPpPpP/P1P1P1P1/8/8/8/K3R3 b - - 0 1' --dir none
# A pawn may take the rook and unlock the others: what is not known stays open.
expect 0 "Not proved: Black at least draws." \
    "$cltb" solve 'k7/1p1p1p1p/pPpPpPpP/PRP1P1P1/8/8/8/K7 b - - 0 1' --memory 200M --dir none
says "    Kb8      a8b8   draw"
says "more effort: more than "
# A knight gets through, and a king: pawns are lost, and the position is too large, which a search decides, or solved
# with all that comes of it.
expect 1 "of memory allow no more" \
    "$cltb" solve 'k7/1p1p1p1p/pPpPpPpP/P1P1P1P1/8/8/8/K1N5 w - - 0 1' --memory 200M --dir none --effort 1
expect 0 "White wins with Ne2 and 1 other move. Proved" \
    "$cltb" solve 'k7/1p1p1p1p/pPpPpPpP/P1P1P1P1/8/8/8/K1N5 w - - 0 1' --memory 200M --dir none
says "best line: 1. Ne2 "
expect 0 "Draw with any move. Proved." "$cltb" solve '8/8/1p1k4/1P6/1K6/8/8/8 w - - 0 1' --dir none -v
says "; structures 17,"
grep -q "; structures 1," "$out" && fail "a king that gets through is shut in: $(cat "$out")"

# Castling rights, from tables
expect 0 "" "$cltb" build KRvKR --dir castling --device cpu --quiet
castling='8/3k4/8/8/8/8/1r6/R3K3 w Q - 0 1'
expect 0 "White wins, but only with O-O-O+. Proved." "$cltb" solve "$castling" --dir castling
says "best line: 1. O-O-O+, then table KRvKR takes over (DTZ 2): 1... "
[ "$(grep -c '^    .*  draw$' "$out")" = 10 ] || fail "castling rights: $(cat "$out")"
expect 0 "$castling	win	3" "$cltb" solve "$castling" --dir castling --format tsv
expect 0 '"outcome": "win", "dtz": 3, "only_move": true' "$cltb" solve "$castling" --dir castling --format json

# Refused
expect 0 "White wins, but only with O-O-O+. Proved." "$cltb" solve '8/3k4/8/8/8/8/1r6/R4K2 w Q - 0 1' --dir castling
expect 1 "KRvKR.cltb" "$cltb" solve "$castling" --dir none
expect 1 "castling is still possible" "$cltb" solve "$castling" --dir none --dry-run
expect 1 "castling is still possible" "$cltb" solve "$castling" --dir none --output none.cltb
expect 1 "there may be 7 kings and pieces, not 9" "$cltb" solve '4k3/8/8/8/8/8/8/RNBQKBNR w - - 0 1'
expect 1 "" "$cltb" solve '4k3/8/8/8/8/8/8/4K3'
expect 1 "" "$cltb" solve '4k3/4R3/8/8/8/8/8/4K3 w - - 0 1'
expect 0 "Not proved: White may win, draw or lose." \
    "$cltb" solve '8/5ppp/4k3/8/8/4K3/PPP5/8 w - - 0 1' --budget 1000
says "more effort: more than 1000 structures"
expect 1 "are allowed (--dry-run says what would help)" \
    "$cltb" solve '8/k7/3p4/p2P1p2/P2P1P2/8/8/K7 w - - 0 1' --memory 12M --effort 0
# What a search has found stays if the rest is too much work, be it nothing.
expect 0 "Not proved: White may win, draw or lose." \
    "$cltb" solve '2b1k3/5p2/p2Pp3/P1N1P3/5K2/8/8/8 w - - 0 1' --memory 200M --dir none
says "more effort: more than "
expect 0 "Not proved: White at least draws." "$cltb" solve '8/k7/3p4/p2P1p2/P2P1P2/8/8/K7 w - - 0 1' --memory 12M
says "    Ka2      a1a2   draw"
says "more effort: 2007 structures need"
# It also continues in the next run, and its file is removed when the outcome is known.
for resumed in "more effort: " "resumed: the search continued where an earlier run had stopped"; do
    expect 0 "Not proved: White may win, draw or lose." \
        "$cltb" solve '8/5ppp/4k3/8/8/4K3/PPP5/8 w - - 0 1' --budget 1000 --dir none --scratch search
    says "$resumed"
    says ".search keeps the search: the same command continues it"
done
[ "$(ls search | wc -l)" = 1 ] || fail "files of a search: $(ls search)"
rm search/*
"$cltb" solve '8/k7/3p4/p2P1p2/P2P1P2/8/8/K7 w - - 0 1' --dir none --memory 12M --scratch search >"$out" 2>&1
says ".search keeps the search"
expect 0 "White wins, but only with Kb1. Proved." \
    "$cltb" solve '8/k7/3p4/p2P1p2/P2P1P2/8/8/K7 w - - 0 1' --dir none --scratch search
says "resumed: the search continued"
[ -z "$(ls search)" ] || fail "left behind: $(ls search)"
# Every move, on request
expect 0 "White wins, but only with Kb1. Proved." \
    "$cltb" solve '8/k7/3p4/p2P1p2/P2P1P2/8/8/K7 w - - 0 1' --dir none --all-moves -v
says "search: structures of kings and pawns "
if (ulimit -v 600000 && "$cltb" --version) >/dev/null 2>&1; then # not under AddressSanitizer
    (
        ulimit -v 600000 # kB: enough without a promoted man, too little with one
        expect 1 "out of memory" "$cltb" solve '6K1/8/pp5p/8/7k/3PP3/8/8 w - - 0 1' --dir none --threads 2
        says "; effort 0 found: between a loss and a win"
        exit "$failures"
    ) || fail "ulimit -v"
fi
expect 2 "a FEN is missing" "$cltb" solve
for file in file ./file file.raw; do
    expect 2 "ends in .cltb" "$cltb" solve 8/8/8/8 --output $file
done
expect 2 "not with --dry-run" "$cltb" solve 8/8/8/8 --output file.cltb --dot
expect 2 "one FEN at a time" "$cltb" solve 8/8/8/8 w - -
finish
