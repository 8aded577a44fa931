#!/bin/bash
# probe.sh - probing: the three formats, bad positions, the half-move clock
. "$(dirname "$0")/common.bash"
expect 0 "made" "$cltb" build KQvKR --dir t

philidor='1k6/1r6/2K5/Q7/8/8/8/8 w - - 0 1'
expect 0 "win, dtz 15" "$cltb" probe --dir t "$philidor"
grep -q '^best line: 1\. .*#' "$out" || fail "no best line up to mate: $(tail -1 "$out")"
[ "$(grep -c '^    ' "$out")" = 24 ] || fail "not all 24 legal moves"
expect 0 "checkmate" "$cltb" probe --dir t '7k/6Q1/6K1/8/8/8/8/8 b - - 0 1'
expect 0 "stalemate" "$cltb" probe --dir t '7k/8/5KQ1/8/8/8/8/8 b - - 0 1'
expect 0 "draw" "$cltb" probe --dir t '7k/8/5K2/8/8/8/8/8 b - - 0 1'

# The clock: the outcome honours it, the distance does not change.
for clock in 0 85 86; do
    printf '1k6/1r6/2K5/Q7/8/8/8/8 w - - %s 60\n' $clock
done | "$cltb" probe --dir t --format tsv | cut -f2-3 >"$out"
printf 'win\t15\nwin\t15\ncursed-win\t15\n' | cmp -s - "$out" || fail "half-move clock: $(cat "$out")"

# tsv: a line for every line, in order, errors among them.
printf '%s\nnonsense\n\n8/8/8/8/8/2k5/8/2K5 w - - 0 1\r\n4k3/8/8/8/8/8/4P3/4K3 w - - 0 1\n' "$philidor" |
    "$cltb" probe --dir t --format tsv >"$out" 2>"$err"
[ $? = 1 ] || fail "tsv with errors: exit status is not 1"
[ "$(wc -l <"$out") $(wc -l <"$err")" = "5 3" ] || fail "tsv: lines are not aligned: $(cat "$out")"
awk -F'\t' 'NF != 3 { exit 1 }' "$out" || fail "tsv: not three columns"
[ "$(cut -f2 "$out" | grep -c '^error: ')" = 3 ] || fail "tsv: not three errors"
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
4k3/8/8/8/8/8/8/4K2R w K - 0 1|castling
k7/8/8/8/8/8/8/K6Q x - - 0 1|side to move
k7/8/8/8/8/8/8/K6Q w - e3 0 1|en passant
k7/8/8/8/8/8/8/K6Q w - - -1 1|negative
k7/8/8/8/8/8/8/K6Q w - - 0 1 more|after the last field
k7/8/8/8/8/8/8/K6Q9 w - - 0 1|rank 1
k7/8/8/8/8/8/K6Q w - - 0 1|ranks
k7/8/8/8/8/8/8/K5BN w - - 0 1|KBNvK.cltb
END
expect 1 "no table KQvK.cltb in 'nowhere'" "$cltb" probe --dir nowhere 'k7/8/8/8/8/8/8/K1Q5 b - - 0 1'
long=$(head -c 100000 /dev/zero | tr '\0' 8)
expect 1 "longer than" "$cltb" probe --dir t "$long"
head -c 3000 /dev/urandom | "$cltb" probe --dir t --format tsv >"$out" 2>"$err"
[ $? -le 1 ] || fail "random bytes: exit status"

# Folders behind each other.
expect 0 "win" "$cltb" probe --dir nowhere:t "$philidor"
CLTB_PATH=nowhere:t expect 0 "win" "$cltb" probe "$philidor"

expect 1 '"error"' "$cltb" probe --dir t --format json "$philidor" 'a"\	b' '8/8/8/8/8/2k5/8/2K5 w - - 0 1'
if command -v python3 >/dev/null; then
    python3 - "$out" <<'END' || fail "json"
import json, sys
answers = json.load(open(sys.argv[1]))
assert len(answers) == 3
assert answers[0]["outcome"] == "win" and answers[0]["dtz"] == 15 and len(answers[0]["moves"]) == 24
assert len(answers[0]["line"]) == 15 and answers[0]["line"][0] == answers[0]["moves"][0]["uci"]
assert answers[1]["fen"] == 'a"\\\tb' and "error" in answers[1]
assert answers[2]["outcome"] == "draw" and answers[2]["dtz"] is None and answers[2]["line"] == []
END
fi
finish
