#!/bin/bash
# explore.sh - stepping through best play: every command, positions that no table covers, ends of games, bad input, a
# terminal
. "$(dirname "$0")/common.bash"
shared_tables t KQvKR KQvK KRvK
philidor='1k6/1r6/2K5/Q7/8/8/8/8 w - - 0 1'

# explore STATUS FAULTS FEN LINE...: FAULTS of the lines must fail, with a line each
explore() {
    local status=$1 faults=$2 fen=$3
    shift 3
    printf '%s\n' "$@" | "$cltb" explore "$fen" --dir t >"$out" 2>"$err"
    local got=$?
    [ "$got" = "$status" ] || fail "$* : exit status $got, not $status: $(head -c 300 "$err")"
    [ "$(wc -l <"$err")" = "$faults" ] || fail "$* : not $faults lines on standard error: $(cat "$err")"
    grep -qv '^cltb explore: ' "$err" && fail "$* : $(cat "$err")"
}

# The whole screen; its ranking is that of probe.
explore 0 0 "$philidor"
head -n 14 "$out" | cmp -s - <(echo '`help` lists the commands.'
    "$cltb" probe --dir t --board "$philidor" | sed -n 2,10p # probe.sh has the board
    cat <<'END'
win, DTZ 15
     1  Qd5     win, DTZ 15
     2  Qe5+    win, DTZ 15
     3  Qd8+    win, DTZ 17
END
) || fail "the first screen: $(cat "$out")"
[ "$(tail -n 1 "$out")" = "        and 14 more (see: moves)" ] || fail "the list: $(tail -n 1 "$out")"
explore 0 0 "$philidor" moves
tail -n 24 "$out" | awk '{ print $2, $3, $5 }' >list # move, outcome, distance
"$cltb" probe "$philidor" --dir t | awk '/^    / { print $1, $3, $5 }' | cmp - list || fail "moves: $(cat list)"
line=$("$cltb" probe "$philidor" --dir t | tail -n 1 | sed 's/ (zeroing)//')
explore 0 0 "$philidor" line fen
says "$line"
[ "$(tail -n 1 "$out")" = "$philidor" ] || fail "line: the position has changed"
explore 0 0 "$philidor" 'best 15' fen
says "best:${line#best line:}"

explore 0 0 "$philidor" flip
[ "$(grep -c '^  1 .* White to move$' "$out")" = 2 ] || fail "the side to move on a flipped board: $(cat "$out")"

# The commands and what they print; after '=': the last line.
qd5='1k6/1r6/2K5/3Q4/8/8/8/8 b - - 1 1'
qe5='1k6/1r6/2K5/4Q3/8/8/8/8 b - - 1 1' # as good, and the search likes it better
while IFS='|' read -r fen lines text; do
    mapfile -t command < <(tr ';' '\n' <<<"$lines")
    explore 0 0 "${fen/philidor/$philidor}" "${command[@]}"
    case $text in
    =*) [ "$(tail -n 1 "$out")" = "${text#=}" ] || fail "$lines: $(tail -n 1 "$out")" ;;
    *) says "$text" ;;
    esac
done <<END
philidor|Qd5;fen|=$qd5
philidor|a5d5;fen|=$qd5
philidor|1;fen|=$qd5
philidor|  BEST ;# a remark;;fen|=$qe5
philidor|Qd5|loss, DTZ 14; half-move clock 1
philidor|best 3;back 2;fen|=$qe5
philidor|best 3;back;back;back;fen|=$philidor
philidor|flip|  1  . . . . . . . .
philidor|flip|     h g f e d c b a
philidor|flip|  8  . . . . . . k .
philidor|Qa8+;line|=best line: 1... Kxa8 (zeroing)
philidor|Qb5;line|draw: there is no best line
philidor|quit;frob|win, DTZ 15
philidor|EXIT;frob|win, DTZ 15
1k6/1r6/2K5/Q7/8/8/8/8 w - - 90 60|fen|cursed win, DTZ 15; half-move clock 90
1k6/8/1K6/8/8/8/8/7Q w - - 0 1|best|=checkmate; half-move clock 1
1k6/8/1K6/8/8/8/8/7Q w - - 0 1|best 9|best: 1. Qb7#
8/8/8/8/8/1K6/7Q/k7 w - - 0 1|Qc2|=stalemate; half-move clock 1
END

# A command that fails changes nothing.
while IFS='|' read -r line text; do
    explore 1 1 "$philidor" Qd5 "$line" fen
    says "$text"
    [ "$(tail -n 1 "$out")" = "$qd5" ] || fail "$line: the position has changed: $(tail -n 1 "$out")"
done <<'END'
frob|'frob' is neither a command nor a move
Qd5 Kc8|'Qd5' is not a command
Qd6|"Qd6" is not legal
a1a9|"a1a9" is not
Kb1x|is not a move in SAN
0|there is no move 0
99|there is no move 99
18446744073709551617|is not a move in SAN
back 2|moves made so far: 1
back x|'back' takes a number of moves, not 'x'
best 0|'best' takes a number of moves, not '0'
fen 1|'fen' takes no argument
END
explore 1 1 '1k6/8/1K6/8/8/8/8/7Q w - - 0 1' Qh8# best
says "the game is over"
explore 0 0 "$philidor" help
for word in best back moves line flip fen help quit; do
    grep -q "^    $word " "$out" || fail "help: nothing of $word"
done

# If no table covers the position, moves can be made, up to one that a table covers.
explore 1 2 '1k6/1r6/2K5/Q7/8/8/8/6n1 w - - 0 1' line best 1 fen
says "no values; half-move clock 1: no tables KRNvKQ.cltb, KQvKN.cltb, "
says "the best move is not known: no tables KRNvKQ.cltb"
explore 0 0 '1k6/1r6/2K4n/Q7/7Q/8/8/8 w - - 0 1' Qxh6 Rb1
says "no values: "
explore 0 0 '1k6/1r6/2K5/Q7/7n/8/8/7R w - - 0 1' Rxh4 Kc8 Rh1
says "half-move clock 2"
explore 0 0 'r3k3/8/8/8/8/8/8/4K3 b q - 0 1' O-O-O
says "win, DTZ "
says "White to move"
says "loss, DTZ "
explore 0 0 '8/8/8/8/8/8/8/K1k5 w - - 0 1' line
says "draw: there is no best line"

# If the best move is known in any case, other moves may be unknown.
shared_tables t KPvK KBvK
explore 0 0 '8/1P6/8/8/8/8/8/K1k5 w - - 0 1' line
says "     1  b8=Q    win, DTZ 1"
says "     5  b8=N    ?"
says "?: no table KNvK.cltb in 't'"
says "best line: 1. b8=Q"

# If pawn moves decide a win and their tables are missing, neither its distance nor a best move is known.
mkdir pawn
cp t/KPvK.cltb pawn
printf '%s\n' line best 'best 2' Kb1 fen 'back 1' line |
    "$cltb" explore '8/1P6/8/8/8/8/8/K1k5 w - - 0 1' --dir pawn >"$out" 2>"$err"
[ $? = 1 ] || fail "without KQvK: exit status"
grep -q 'the best move is not known: no tables KQvK.cltb' "$err" || fail "without KQvK: $(cat "$err")"
says "no values: no tables KQvK.cltb"
says "     2  b8=Q"

# A restricted table: moves that leave it, moves that its rules discard, and where it ends.
expect 0 "" "$cltb" build 'K P[e6+] v K' --dir t --output e.cltb --quiet --prune 'white discard P=[RBN]'
cp t/e.cltb pawn
# restricted FAULTS TABLE FEN LINE...
restricted() {
    printf '%s\n' "${@:4}" | "$cltb" explore --table "$2" --dir "${2%/*}" "$3" >"$out" 2>"$err"
    [ $? = $(($1 > 0)) ] && [ "$(wc -l <"$err")" = "$1" ] || fail "$2: ${*:4}: $(cat "$err")"
}
fen='8/4P3/8/8/8/2k5/8/K7 w - - 0 1'
restricted 1 t/e.cltb "$fen" moves line best 'best 1' 'back 1' 'e8=Q' back best fen
says "win, DTZ 1"
says "     1  e8=Q    win, DTZ 1, leaves"
says "     4  e8=R    discarded (P=[RBN])"
says "best line: 1. e8=Q (zeroing, leaves)"
says "no values: the position is outside the set of t/e.cltb: K P[e6+] v K"
restricted 1 pawn/e.cltb "$fen" line
says "win, DTZ 1"
says "     3  e8=Q    ?, leaves"
says "the best move is not known: White's move e8=Q leaves the endgame, and no prune rule or futurebase covers it"
expect 1 "t/KQvK.cltb is a full table, of KQvK" "$cltb" explore --table t/KQvK.cltb "$philidor"
expect 1 "nowhere.cltb" "$cltb" explore --table nowhere.cltb "$philidor"

# Only discarded moves, and a stalemate that a rule makes a loss.
expect 0 "" "$cltb" build 'K[a1] v K P[b3]' --dir t --output shut.cltb --quiet \
    --prune 'white discard *; black discard *; white discard stalemate'
restricted 1 t/shut.cltb '8/8/8/8/8/1p6/8/K3k3 w - - 0 1' best
says "loss, DTZ 0 (every move is discarded)"
says "there is no best one"
restricted 0 t/shut.cltb '8/8/8/8/8/1p6/2k5/K7 w - - 0 1' line
says "stalemate, loss, DTZ 0"

# A damaged table, bad calls, hostile input.
mkdir bad
head -c 3000 /dev/urandom >bad/KQvKR.cltb
expect 1 "bad/KQvKR.cltb" "$cltb" explore "$philidor" --dir bad
expect 1 "FEN" "$cltb" explore 8/8/8
expect 2 "a FEN, in quotes" "$cltb" explore
expect 2 "a FEN, in quotes" "$cltb" explore 8/8/8/8/8/8/8/K1k5 w
expect 2 "unknown option" "$cltb" explore --frob
head -c 100000 /dev/zero | tr '\0' Q | "$cltb" explore "$philidor" --dir t >"$out" 2>"$err"
[ $? = 1 ] && [ "$(wc -l <"$err")" = 1 ] && [ "$(wc -c <"$err")" -lt 1000 ] || fail "a long line: $(head -c 300 "$err")"
head -c 3000 /dev/urandom | "$cltb" explore "$philidor" --dir t >"$out" 2>"$err"
[ $? -le 1 ] || fail "random bytes: exit status"

# At a terminal.
session=("$cltb" explore "$philidor" --dir t)
at_terminal 0 'Qd5\n' 'frob\n' '\x04' -- "${session[@]}"
says "1 White> "
says "1 Black> "
says "neither a command"
at_terminal 130 'Qd\x03' -- "${session[@]}"
if ldd "$cltb" | grep -q libedit; then
    at_terminal 0 'qd5\t\n' 'fe\t\n' '\x04' -- "${session[@]}"
    says "$qd5"
fi
finish
