#!/bin/bash
# probe.sh - probing: the three formats, bad positions, the half-move clock
. "$(dirname "$0")/common.bash"
shared_tables t KQvKR KQvK KRvK

philidor='1k6/1r6/2K5/Q7/8/8/8/8 w - - 0 1'
expect 0 "win, DTZ 15" "$cltb" probe --dir t "$philidor"
grep -q '^best line: 1\. .*(zeroing)$' "$out" || fail "no best line up to zeroing: $(tail -1 "$out")"
[ "$(grep -c '^    ' "$out")" = 24 ] || fail "not all 24 legal moves"
expect 0 "checkmate" "$cltb" probe --dir t '7k/6Q1/6K1/8/8/8/8/8 b - - 0 1'
expect 0 "stalemate" "$cltb" probe --dir t '7k/8/5KQ1/8/8/8/8/8 b - - 0 1'
expect 0 "draw" "$cltb" probe --dir t '7k/8/5K2/8/8/8/8/8 b - - 0 1'

# The clock: the outcome honours it, the distance does not change.
for clock in 0 85 86; do
    printf '1k6/1r6/2K5/Q7/8/8/8/8 w - - %s 60\n' $clock
done | "$cltb" probe --dir t --format tsv | cut -f2-3 >"$out"
printf 'win\t15\nwin\t15\ncursed-win\t15\n' | cmp -s - "$out" || fail "half-move clock: $(cat "$out")"

expect 0 "cursed win, DTZ 15 (90 + 15 > 100)" "$cltb" probe --dir t '1k6/1r6/2K5/Q7/8/8/8/8 w - - 90 1'

# Without the fields after the side to move.
for fields in 'w' 'w -' 'w - 0 1' 'w 0 1'; do
    expect 0 "win, DTZ 15" "$cltb" probe --dir t "1k6/1r6/2K5/Q7/8/8/8/8 $fields"
done

# Syzygy files: distances are rounded. --dir comes first; both may be the same kind.
syzygy=$source_dir/tests/data/syzygy
won='8/8/8/8/8/2k5/8/2K2R2 w - - 0 1'
expect 0 "win, DTZ 25 or 26" "$cltb" probe --syzygy "$syzygy" "$won"
grep -qx '    Rf4      f1f4   win, DTZ 25 or 26' "$out" || fail "--syzygy: moves: $(cat "$out")"
grep -q '^best line: 1\. .*#' "$out" || fail "--syzygy: no best line up to mate: $(tail -1 "$out")"
expect 0 "win, DTZ 25 or 26" "$cltb" probe --dir "$syzygy" "$won"
expect 0 "win, DTZ 25" "$cltb" probe --dir t --syzygy "$syzygy" "$won"
expect 0 "win	25-26" "$cltb" probe --syzygy "$syzygy" --format tsv "$won"
expect 0 "Dtz 25 26; Outcome" "$cltb" probe --syzygy "$syzygy" --epd "$won"
expect 0 '"dtz": 25, "dtz_max": 26,' "$cltb" probe --syzygy "$syzygy" --format json "$won"
expect 1 "no table KQvKR.cltb" "$cltb" probe --syzygy "$syzygy" "$philidor"
mkdir cut
cp "$syzygy"/K?vK.rtb? cut
head -c 4000 "$syzygy/KPvK.rtbw" >cut/KPvK.rtbw
expect 1 "cut/KPvK.rtbw is not a whole Syzygy table" "$cltb" probe --syzygy cut '4k3/8/8/8/8/8/4P3/4K3 w - - 0 1'

# Castling rights: only castling draws, and without the right it is a loss.
castling='8/8/8/8/8/8/1q6/k3K2R w K -'
expect 0 "draw" "$cltb" probe --dir t "$castling 0 1"
sed -n 3p "$out" | grep -qx '    O-O+     e1g1   draw' || fail "castling does not come first: $(cat "$out")"
sed -n 4p "$out" | grep -q '   loss, DTZ ' || fail "castling is not the only move that draws: $(cat "$out")"
expect 0 "loss, DTZ" "$cltb" probe --dir t "${castling/w K/w -}"
expect 0 "$castling	draw	" "$cltb" probe --dir t --format tsv "$castling"
expect 0 '"outcome": "draw", "dtz": null, ' "$cltb" probe --dir t --format json "$castling"
expect 0 "$castling Outcome \"draw\";" "$cltb" probe --dir t --epd "$castling"
chess960='8/8/8/8/8/8/1q6/k4KR1 w G - 0 1' # king and rook change places
expect 0 "draw" "$cltb" probe --dir t "$chess960"
sed -n 3p "$out" | grep -qx '    O-O+     f1g1   draw' || fail "Chess960: $(cat "$out")"
expect 0 '"uci": "f1g1"' "$cltb" probe --dir t --format json "${chess960/G/K}"
expect 1 "exact, not rounded" "$cltb" probe --syzygy "$syzygy" '4k3/8/8/8/8/8/8/4K2R w K - 0 1'
expect 1 "castling is still possible: tables hold no such positions" "$cltb" probe --dir t --metric dtm "$castling"

# The board.
expect 0 "" "$cltb" probe --dir t --board "$philidor"
sed -n 2,10p "$out" | cmp -s - <(cat <<'END'
  8  . k . . . . . .
  7  . r . . . . . .
  6  . . K . . . . .
  5  Q . . . . . . .
  4  . . . . . . . .
  3  . . . . . . . .
  2  . . . . . . . .
  1  . . . . . . . .   White to move
     a b c d e f g h
END
) || fail "the board: $(cat "$out")"

# tsv: a line for every line, in order, including errors.
printf '%s\nnonsense\n\n8/8/8/8/8/2k5/8/2K5 w - - 0 1\r\n4k3/8/8/8/8/8/4P3/4K3 w - - 0 1\n' "$philidor" |
    "$cltb" probe --dir t --format tsv >"$out" 2>"$err"
[ $? = 1 ] || fail "tsv with errors: exit status is not 1"
[ "$(wc -l <"$out") $(wc -l <"$err")" = "5 2" ] || fail "tsv: lines are not aligned: $(cat "$out")"
awk -F'\t' 'NF != 3 { exit 1 }' "$out" || fail "tsv: not three columns"
[ "$(cut -f2 "$out" | grep -c '^error: ')" = 2 ] || fail "tsv: not two errors"
sed -n 4p "$out" | grep -q "	draw	$" || fail "tsv: a draw's distance is not empty"

# Bad positions: one line each.
while IFS='|' read -r fen text; do
    expect 1 "$text" "$cltb" probe --dir t "$fen"
done <<'END'
8/8/8/8/8/8/8/8 w - - 0 1|no king
kk6/8/8/8/8/8/8/K7 w - - 0 1|more than one king
8/8/8/8/8/8/8/kK6 w - - 0 1|adjacent
7k/6Q1/6K1/8/8/8/8/8 w - - 0 1|in check
k7/8/8/8/NNNNNNN1/8/8/K7 w - - 0 1|9 men
k7/8/8/8/8/8/8/K6P w - - 0 1|pawn
4k3/8/8/8/8/8/8/3BK2R w K - 0 1|KRBvK.cltb
r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1|6 men, and castling is still possible
4k3/8/8/8/8/8/8/4K1R1 w H - 0 1|castling rights need White's king on b1 to g1 and a rook on h1
4k3/8/8/8/8/8/4K3/6R1 w G - 0 1|castling rights need White's king on b1 to g1 and a rook on g1
4k3/8/8/8/8/8/8/RR2K3 w AB - 0 1|castling rights: White has them with two rooks on one side of the king
4k3/8/8/8/8/8/8/4K1R1 w Kx - 0 1|castling rights are letters of KQkq, files of rooks or '-', not 'x'
k7/8/8/8/8/8/8/K6Q x - - 0 1|side to move
k7/8/8/8/8/8/8/K6Q w - e3 0 1|en passant
k7/8/8/8/8/8/8/K6Q w - - -1 1|negative
k7/8/8/8/8/8/8/K6Q w - - 0 1 more|after the last field
k7/8/8/8/8/8/8/K6Q9 w - - 0 1|rank 1
k7/8/8/8/8/8/K6Q w - - 0 1|ranks
k7/8/8/8/8/8/8/K5BN w - - 0 1|KBNvK.cltb
END
expect 1 "no table KQvK.cltb in 'nowhere'; build it with: cltb build KQvK --dir nowhere" \
    "$cltb" probe --dir nowhere 'k7/8/8/8/8/8/8/K1Q5 b - - 0 1'
expect 1 "no tables KQvKR.cltb, KRvK.cltb, KQvK.cltb in 'a b:t2'; build them with: cltb build KQvKR --dir 'a b'" \
    "$cltb" probe --dir 'a b:t2' "$philidor"
expect 1 "and 102 more" "$cltb" probe --dir nowhere '2k5/5ppp/8/8/8/8/8/2KR4 w'
# shellcheck disable=SC2086 # words
expect 2 "a FEN goes in quotes: '1k6/1r6/2K5/Q7/8/8/8/8 w ...'" "$cltb" probe --dir t $philidor
expect 2 "--epd" "$cltb" probe --epd --format json "$philidor"
expect 2 "--board" "$cltb" probe --board --format tsv "$philidor"
expect 2 "--epd" "$cltb" probe --epd --game dobutsu
long=$(head -c 100000 /dev/zero | tr '\0' 8)
expect 1 "longer than" "$cltb" probe --dir t "$long"
head -c 3000 /dev/urandom | "$cltb" probe --dir t --format tsv >"$out" 2>"$err"
[ $? -le 1 ] || fail "random bytes: exit status"

# Folders one after another.
expect 0 "win" "$cltb" probe --dir nowhere:t "$philidor"
CLTB_PATH=nowhere:t expect 0 "win" "$cltb" probe "$philidor"

expect 1 '"error"' "$cltb" probe --dir t --format json "$philidor" 'a"\	b' '8/8/8/8/8/2k5/8/2K5 w - - 0 1'
if command -v python3 >/dev/null; then
    python3 - "$out" <<'END' || fail "json"
import json, sys
answers = json.load(open(sys.argv[1]))
assert len(answers) == 3
assert answers[0]["outcome"] == "win" and answers[0]["dtz"] == 15 and len(answers[0]["moves"]) == 24
assert all((move["mate"], move["zeroing"]) == (False, False) for move in answers[0]["moves"])
assert (answers[0]["checkmate"], answers[0]["stalemate"]) == (False, False)
assert len(answers[0]["line"]) == 15 and answers[0]["line"][0] in [move["uci"] for move in answers[0]["moves"][:2]]
assert answers[1]["fen"] == 'a"\\\tb' and "error" in answers[1]
assert answers[2]["outcome"] == "draw" and answers[2]["dtz"] is None and answers[2]["line"] == []
END
fi

# If tables are missing, what is known is printed: the value, the moves that need none of them, and a sentence.
mkdir one
cp t/KQvKR.cltb one
expect 0 "win, DTZ 15" "$cltb" probe --dir one "$philidor"
[ "$(grep -c ' ?$' "$out")" = 21 ] && grep -q "Qd8+ .* win, DTZ 17$" "$out" || fail "unknown moves: $(cat "$out")"
grep -qxF "?: no tables KRvK.cltb, KQvK.cltb in 'one'; build them with: cltb build KQvKR --dir one" "$out" ||
    fail "missing tables: $(cat "$out")"
grep -q "best line" "$out" && fail "a best line from an unknown move"
expect 0 "win	15" "$cltb" probe --dir one --format tsv "$philidor"
expect 0 '"uci": "a5a1", "san": "Qa1", "outcome": null, "dtz": null' "$cltb" probe --dir one --format json "$philidor"
grep -q '"line": \[\], "missing": "no tables KRvK.cltb, KQvK.cltb in ' "$out" || fail "json: $(cat "$out")"
# The best move is known, but not what follows.
cp t/KQvK.cltb one
expect 0 "best line: 1... Rb8+ ?" "$cltb" probe --dir one '2r5/8/8/1K6/6k1/8/1Q6/8 b'
grep -qF "?: no table KRvK.cltb in 'one'; build it with: cltb build KRvK --dir one" "$out" ||
    fail "the end of a line is not explained: $(cat "$out")"

# Checkmate, stalemate and moves that mate.
mate='7k/8/5KQ1/8/8/8/8/8 w'
expect 0 "" "$cltb" probe --dir t --format json "$mate" '7k/6Q1/6K1/8/8/8/8/8 b' '7k/8/5KQ1/8/8/8/8/8 b'
[ "$(grep -o '"san": "[^"]*#"\|"mate": true' "$out" | wc -l)" = 2 ] || fail "json: mating moves: $(cat "$out")"
[ "$(sed -n 2p "$out" | grep -c '"checkmate": true, "stalemate": false')" = 1 ] || fail "json: checkmate"
[ "$(sed -n 3p "$out" | grep -c '"checkmate": false, "stalemate": true')" = 1 ] || fail "json: stalemate"

# Colours are for terminals that may have them.
unset NO_COLOR
escape=$'\x1b'
colourful=("$cltb" probe --dir t "$philidor" "${philidor/ 0 1/ 90 99}")
expect 0 "cursed win" env TERM=xterm "${colourful[@]}"
grep -q "$escape" "$out" && fail "colours in a file"
if command -v python3 >/dev/null; then
    for none in NO_COLOR= XYZ=1; do
        at_terminal 0 -- "$(command -v env)" $none "${colourful[@]}"
        says "$escape[32mwin$escape[0m, DTZ 15"
        says "$escape[33mcursed win$escape[0m, DTZ 15 (90 + 15 > 100)"
        says " $escape[31mloss$escape[0m, DTZ "
        grep -q ' draw' "$out" || fail "draws have a colour"
    done
    for plain in NO_COLOR=1 TERM=dumb "-u TERM"; do
        # shellcheck disable=SC2086 # words
        at_terminal 0 -- "$(command -v env)" $plain "${colourful[@]}"
        says "cursed win, DTZ 15 (90 + 15 > 100)"
        grep -q "$escape" "$out" && fail "$plain: colours"
    done
fi
finish
