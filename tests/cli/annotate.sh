#!/bin/bash
# annotate.sh - games in PGN: which moves are marked, that everything else is unchanged, and games that cannot be
# followed
. "$(dirname "$0")/common.bash"
shared_tables t KQvKR KQvK KRvK

# annotated FEN MOVES WANTED: the moves of a game as they come out
annotated() {
    printf '[FEN "%s"]\n\n%s\n' "$1" "$2" >game.pgn
    "$cltb" annotate game.pgn --dir t >"$out" 2>"$err" || fail "$2: $(cat "$err")"
    [ "$(sed 1,2d "$out")" = "$3" ] || fail "$2 becomes $(sed 1,2d "$out")"
}
philidor='1k6/1r6/2K5/Q7/8/8/8/8 w - - 0 1'
annotated "$philidor" '1. Qd5 *' '1. Qd5 {tables: win, DTZ 15 before this move} *'
annotated "$philidor" '1. Qa8+ *' '1. Qa8+ $4 {win, DTZ 15, with Qd5; now loss, DTZ 2} *'
annotated "$philidor" '1.Qa8+! $1 {what} Kxa8 ; rest
*' '1.Qa8+! $1 $4 {win, DTZ 15, with Qd5; now loss, DTZ 2} {what} Kxa8 ; rest
*'
annotated "$philidor" '1. Qd5 (1. Qa8+ Kxa8) (1. Qd8+ Ka7) *' \
    '1. Qd5 {tables: win, DTZ 15 before this move} (1. Qa8+ $4 {win, DTZ 15, with Qd5; now loss, DTZ 2} Kxa8) '\
'(1. Qd8+ Ka7) *'
# Castling rights: only castling draws.
annotated '8/8/8/8/8/8/1q6/k3K2R w K - 0 1' '1. Rg1 *' '1. Rg1 $4 {draw, with O-O+; now loss, DTZ 42} *'
# Only the clock makes the difference: 15 plies after 85 are in time, 17 are too late.
annotated '1k6/1r6/2K5/Q7/8/8/8/8 w - - 85 60' '60. Qd8+ *' \
    '60. Qd8+ $4 {win, DTZ 15, with Qd5; now cursed win, DTZ 17} *'
annotated '1k6/1r6/2K5/Q7/8/8/8/8 w - - 90 60' '60. Qb5 *' '60. Qb5 $6 {cursed win, DTZ 15, with Qd5; now draw} *'

# Nothing else changes: comments, escapes, blanks, line ends, several games, castling, en passant, promotion.
{
    printf '\357\273\277[Event "a \\"b\\" \\\\"]\r\n\r\n1.e4 (1. d4 d5 (1... Nf6)) e5 2. Nf3 { 1. xx ( }\r\n'
    printf '%% escape )\r\nNc6 3. Bb5 Nf6 ; line )\n4. 0-0 Nxe4 5 d4 Be7 6. dxe5 d5 7. exd6 <future> $3 O-O\n'
    printf '8. dxe7 Nd6 9. exd8=Q *\n\n1. d4 d5 2. Nf3 1/2-1/2\n1. g3 1-0 1. b3 0-1\n'
} >all.pgn
expect 0 "4 games: tables cover 0 moves, of which 0 changed the outcome" "$cltb" annotate all.pgn --dir t
cmp all.pgn "$out" || fail "games that no table covers were changed"
"$cltb" annotate - --dir t <all.pgn 2>"$err" | cmp - all.pgn || fail "standard input is copied otherwise"

# A move whose table is missing says nothing: Black takes the queen, which needs KRvK.
mkdir one
cp t/KQvKR.cltb t/KQvK.cltb one
printf '[FEN "%s"]\n\n1. Qb6 *\n' "$philidor" >unknown.pgn
expect 0 "1 game: tables cover 0 moves, of which 0 changed the outcome" "$cltb" annotate unknown.pgn --dir one
cmp unknown.pgn "$out" || fail "a move of unknown value is marked"

# Games that cannot be followed: one line, and the next game is read.
while IFS='|' read -r moves text; do
    printf '[Event "1"]\n\n%s *\n\n[Event "2"]\n[FEN "%s"]\n1. Qa8+ *\n' "$moves" "$philidor" >bad.pgn
    "$cltb" annotate bad.pgn --dir t >"$out" 2>"$err"
    [ $? = 1 ] && grep -qF "bad.pgn, line $text" "$err" && [ "$(wc -l <"$err")" = 2 ] || fail "$moves: $(cat "$err")"
    grep -q '1. Qa8+ \$4 {' "$out" || fail "$moves: the next game is not annotated"
    sed 's/ \$4 {[^}]*}//' "$out" | cmp - bad.pgn || fail "$moves: the game is not copied"
done <<'END'
1. e4 e5 2. Ke3|3: "Ke3" is not legal
1. e4 xyzzy|3:
1. e4 )|3: there is a ) without its (
(1. e4)|3: a variation stands before the first move
1. e4 e5 % no|3: "no" is not a move
1. e4 f5 2. Qh5+ --|3: a null move in check
[FEN "8/8/8 w - - 0 1"]|3: FEN:
[Event text]|3: a tag is a name and a text in quotes
[Event "text]|3: the text of a tag does not end
[Event "text" x]|3: a tag does not end with ]
END
# After a fault the rest of the game stays unmarked, up to the next game; a line in a comment does not begin one.
cat >lost.pgn <<END
[FEN "$philidor"]
1. Qd5 Kd5 {
[FEN "$philidor"]
1. Qa8+ } 2. Qa8+ (2. Qa8+ { ( } ) 1-0

[FEN "$philidor"]
1. Qa8+ *
END
"$cltb" annotate lost.pgn --dir t >"$out" 2>"$err"
[ $? = 1 ] && [ "$(wc -l <"$err")" = 2 ] && grep -qF 'lost.pgn, line 2: "Kd5" is not legal' "$err" ||
    fail "lost: $(cat "$err")"
mark='$4 {win, DTZ 15, with Qd5; now loss, DTZ 2}'
tables='{tables: win, DTZ 15 before this move}'
sed -e "2s/Qd5/& $tables/" -e "7s/Qa8+/& $mark/" lost.pgn | diff - "$out" >changes || fail "lost: $(cat changes)"

# A fault in a variation costs only that variation; results in variations end nothing; null moves; a NAG ends at the
# first character that is no digit.
followed() { # MOVES STATUS WANTED
    printf '[FEN "%s"]\n\n%s\n' "$philidor" "$1" >game.pgn
    "$cltb" annotate game.pgn --dir t >"$out" 2>"$err"
    [ $? = "$2" ] && [ "$(sed 1,2d "$out")" = "$3" ] || fail "$1 becomes $(sed 1,2d "$out"), $(cat "$err")"
}
followed '1. Qd5 (1. Kd5 Kxx (1... Kc8 2. Qa8+) ) (1. Qa8+ 0-1) *' 1 \
    "1. Qd5 $tables (1. Kd5 Kxx (1... Kc8 2. Qa8+) ) (1. Qa8+ $mark 0-1) *"
followed '1. Qd5 (1. Ke8) (1. Qa8+) *' 1 "1. Qd5 $tables (1. Ke8) (1. Qa8+ $mark) *"
followed '1. Qd5 ) (1. Qa8+) *' 1 "1. Qd5 $tables ) (1. Qa8+ $mark) *"
followed '1. Qd5 $1(1. Qa8+$6Kxa8) *' 0 "1. Qd5 \$1 $tables(1. Qa8+\$6 ${mark}Kxa8) *"
followed '1. Qd5 (1. -- Kc8 2. Qa8+ Rb8) (1. Qa8+) 1/2' 0 \
    "1. Qd5 $tables (1. -- Kc8 2. Qa8+ Rb8) (1. Qa8+ $mark) 1/2"

# Variants by tag, anywhere among the tags: no marks, and a line that says why.
while IFS='|' read -r variant marked; do
    printf '[FEN "%s"]\n[variant "%s"]\n\n1. Qa8+ *\n' "$philidor" "$variant" >variant.pgn
    "$cltb" annotate variant.pgn --dir t >"$out" 2>"$err" || fail "variant $variant: exit status"
    [ "$(grep -cF "$mark" "$out") $(grep -c 'line 2: the variant ".*" is not chess' "$err")" = "$marked" ] ||
        fail "variant $variant: $(cat "$out" "$err")"
done <<'END'
|1 0
?|1 0
Standard|1 0
From Position|1 0
normal|1 0
Chess960|1 0
chess 960|1 0
Fischerandom|1 0
Fischer Random|1 0
wild/5|1 0
Atomic|0 1
King of the Hill|0 1
Three-check|0 1
Antichess|0 1
suicide|0 1
crazyhouse|0 1
Horde|0 1
Racing Kings|0 1
chess2|0 1
xiangqi|0 1
END
printf '[Variant "Chess960"]\n[FEN "rk5r/p6p/8/8/8/8/P6P/RK5R w KQkq - 0 1"]\n\n1. O-O O-O-O *\n' >960.pgn
expect 0 "" "$cltb" annotate 960.pgn --dir t
cmp -s 960.pgn "$out" || fail "Chess960: $(cat "$out")"
sed 's/ \*/ 2. Kg2 Rd1 3. Rfxd1 Kb1 */' 960.pgn >castled.pgn
"$cltb" annotate castled.pgn --dir t >"$out" 2>"$err"
grep -q 'castled.pgn, line 4: "Kb1" is not legal' "$err" || fail "a game of Chess960: $(cat "$err")"

# Rights that the men cannot have do not matter.
printf '[FEN "1k6/1r6/2K5/Q7/8/8/8/8 w KQkq e6 0 1"]\n1. Qa8+ *\n' >stale.pgn
expect 0 "1. Qa8+ $mark *" "$cltb" annotate stale.pgn --dir t

# NAGs stand before comments. Annotating again changes nothing, also if other programs have broken the lines.
cat >twice.pgn <<END
[FEN "$philidor"]
1. Qa8+ \$6 \$14 {a comment} (1. Qd5!) Kxa8 2. Kd5 Rb6 \$1 *
END
"$cltb" annotate twice.pgn --dir t >once 2>"$err" || fail "twice: $(cat "$err")"
grep -qF "1. Qa8+ \$6 \$14 $mark {a comment} (1. Qd5!) Kxa8" once || fail "NAGs and comments: $(cat once)"
"$cltb" annotate once --dir t 2>"$err" | diff once - >changes || fail "annotated twice: $(cat changes)"
sed 's/ with /\nwith\n/' once | "$cltb" annotate - --dir t 2>"$err" | diff once - >changes ||
    fail "broken lines of marks: $(cat changes)"
old='s/, with Qd5; now loss, DTZ 2/ with Qd5, now draw/; s/win, DTZ 15/win in 15/'
sed "$old" once | "$cltb" annotate - --dir t 2>"$err" | diff once - >changes ||
    fail "marks of other values are not replaced: $(cat changes)"

printf '1. e4 {never\n\nends' >unended.pgn
"$cltb" annotate unended.pgn --dir t >"$out" 2>"$err"
[ $? = 1 ] && grep -q 'unended.pgn, line 1: a comment does not end' "$err" || fail "unended: $(cat "$err")"
printf '1. e4 %s *' "$(printf '(1. d4 %.0s' $(seq 70))" >deep.pgn
"$cltb" annotate deep.pgn --dir t >"$out" 2>"$err"
grep -q 'more than 63 variations in each other' "$err" || fail "deep variations: $(cat "$err")"
printf '1. %s *' "$(head -c 3000 /dev/zero | tr '\0' e)" >long.pgn
"$cltb" annotate long.pgn --dir t >"$out" 2>"$err"
grep -q 'line 1: a word is too long' "$err" || fail "long words: $(cat "$err")"

printf '\377\376[\0E\0v\0' >utf16.pgn
expect 1 "utf16.pgn is in UTF-16: save it as UTF-8" "$cltb" annotate utf16.pgn --dir t
expect 1 "cannot open none.pgn: " "$cltb" annotate none.pgn --dir t
expect 2 "needs a PGN file" "$cltb" annotate --dir t
finish
