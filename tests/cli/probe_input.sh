#!/bin/bash
# probe_input.sh - the input of `cltb probe`: EPD and other lines, a terminal, '-'; and the EPD that it writes
# shellcheck source=tests/cli/common.bash
. "$(dirname "$0")/common.bash"
shared_tables t KQvKR KQvK KRvK

philidor='1k6/1r6/2K5/Q7/8/8/8/8'
printf '%s' "$(printf '\xef\xbb\xbf')" >in
cat >>in <<END
# endgames of Philidor

$philidor w - - bm Qd5 Qe5+; id "1777; first";
  # a comment after blanks
$philidor w - - 90 7; my "comment"
$philidor w - - c0 "old"; hmvc 86; Dtz 3; Outcome "draw";
8/8/8/8/8/2k5/8/2K5 b
nonsense
7k/6Q1/6K1/8/8/8/8/8 b - - 0 1;
END

# Four formats: all positions, one fault, and a line each in tsv and EPD.
"$cltb" probe --dir t <in >"$out" 2>"$err"
[ $? = 1 ] && [ "$(wc -l <"$err")" = 1 ] || fail "text: $(cat "$err")"
[ "$(grep -c "^[a-z ]*win, DTZ 15\|^draw\|^loss, DTZ 0" "$out")" = 5 ] || fail "text: $(cat "$out")"
"$cltb" probe --dir t --format tsv <in 2>/dev/null | cut -f2- | tr '\t\n' ' |' >"$out"
grep -qxF " | |win 15| |cursed-win 15|cursed-win 15|draw |error: FEN: 'o' in rank 8 is not a piece letter \
(KQRBNPkqrbnp) |loss 0|" "$out" || fail "tsv: $(cat "$out")"
"$cltb" probe --dir t --format json <in 2>/dev/null >"$out"
[ "$(grep -c '"fen"' "$out")" = 6 ] || fail "json: $(cat "$out")"

cat >epd <<END
# endgames of Philidor

$philidor w - - Dtz 15; Outcome "win"; bm Qd5 Qe5+; id "1777; first";
  # a comment after blanks
$philidor w - - Dtz 15; Outcome "cursed-win"; c0 "my \"comment\""; fmvn 7; hmvc 90;
$philidor w - - Dtz 15; Outcome "cursed-win"; c0 "old"; hmvc 86;
8/8/8/8/8/2k5/8/2K5 b - - Outcome "draw";
nonsense
7k/6Q1/6K1/8/8/8/8/8 b - - Dtz 0; Outcome "loss";
END
"$cltb" probe --dir t --epd <in >"$out" 2>"$err"
[ $? = 1 ] && [ "$(wc -l <"$err")" = 1 ] && cmp -s "$out" epd || fail "EPD: $(diff "$out" epd)"
# The output reads back as the same; '-' is standard input.
"$cltb" probe --dir t --epd - <epd >"$out" 2>/dev/null
cmp -s "$out" epd || fail "EPD of EPD: $(diff "$out" epd)"
# Files: an argument may name one, in all formats; its lines may end with CR alone.
"$cltb" probe --dir t --epd in >"$out" 2>"$err"
[ $? = 1 ] && cmp -s "$out" epd || fail "--epd FILE: $(diff "$out" epd)"
tr '\n' '\r' <in >'a file with CR'
"$cltb" probe --dir t --epd 'a file with CR' >"$out" 2>"$err"
[ $? = 1 ] && cmp -s "$out" epd || fail "lines that end with CR: $(diff "$out" epd)"
expect 0 "$philidor w	win	15" "$cltb" probe --dir t --format tsv "$philidor w" <(echo "$philidor w - -")
[ "$(wc -l <"$out")" = 2 ] || fail "a position and a file: $(cat "$out")"
expect 1 "'no.epd': FEN: 'o' in rank 8 is not a piece letter (KQRBNPkqrbnp), and there is no such file" \
    "$cltb" probe --dir t --epd no.epd

# Strings come back byte for byte, and one operation needs no semicolon.
while IFS='|' read -r operations wanted; do
    echo "$philidor w - - $operations" >line
    expect 0 "$philidor w - - Dtz 15; Outcome \"win\"; $wanted" "$cltb" probe --dir t --epd line
    "$cltb" probe --dir t --epd "$out" | cmp -s - "$out" || fail "$operations: EPD of EPD: $(cat "$out")"
done <<'END'
c1 "x"; id "a";|c1 "x"; id "a";
c3 "x; y";|c3 "x; y";
c8 "x"|c8 "x";
0 1 bm a5d5|bm a5d5;
bm Qd5|bm Qd5;
id "say \"hi; there\"; again"; v1 2;|id "say \"hi; there\"; again"; v1 2;
id "C:\"; c9 'x';|id "C:\"; c9 'x';
id "C:\\"; c9 "y";|id "C:\\"; c9 "y";
id "ä; ½" "";|id "ä; ½" "";
0 1; say "hi; \ there"|c0 "say \"hi; \\ there\"";
END

# The number of men is the reason that counts, and nobody is told to build for weeks.
expect 1 "KQRBvKRB.cltb" "$cltb" probe --dir t "8/8/2k5/1rb5/8/8/QRB5/2K5 w - - 0 1"
grep -q '; 7 men take days to build: cltb build KQRBvKRB -n estimates' "$err" || fail "seven men: $(cat "$err")"
start=rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR
expect 1 "32 men: tables hold at most" "$cltb" probe --dir t "$start w - - 0 1"
expect 1 "32 men, and castling is still possible" "$cltb" probe --dir t "$start w KQkq - 0 1"
expect 0 "$philidor w - - Dtz 15; Outcome" "$cltb" probe --dir t --epd "$philidor w"
printf '%s w\n' "$philidor" | "$cltb" probe --dir t --format tsv "$philidor w - -" - | cut -f1 >"$out"
printf '%s w - -\n%s w\n' "$philidor" "$philidor" | cmp -s - "$out" || fail "an argument and '-': $(cat "$out")"
printf '' | "$cltb" probe --dir t >"$out" 2>"$err"
[ $? = 0 ] && [ ! -s "$out" ] && [ ! -s "$err" ] || fail "nothing to read: $(cat "$out" "$err")"

# Of a line that is longer than any position only a sentence remains, and the next line is answered.
{ head -c 3000000 /dev/zero | tr '\0' 8 && printf '\n%s w\n' "$philidor"; } |
    "$cltb" probe --dir t --format tsv >"$out" 2>"$err"
[ "$(wc -l <"$out")" = 2 ] && [ "$(wc -l <"$err")" = 1 ] && [ "$(stat -c %s "$out")" -lt 1000 ] ||
    fail "a long line: $(head -c 300 "$out") $(head -c 300 "$err")"
says "a line of more than a million bytes"
tail -n 1 "$out" | grep -q "^$philidor w	[a-z]" || fail "after a long line: $(head -c 300 "$out")"

# At a terminal it says what it is waiting for.
if command -v python3 >/dev/null; then
    python3 - "$cltb" <<'END' || fail "at a terminal"
import os, pty, sys

pid, fd = pty.fork()
if pid == 0:
    os.execv(sys.argv[1], [sys.argv[1], "probe", "--dir", "t"])
seen = b""
while b"up to Ctrl-D" not in seen:
    seen += os.read(fd, 4096)
os.write(fd, b"8/8/8/8/8/2k5/8/2K5 b\n\x04")
try:
    while data := os.read(fd, 4096):
        seen += data
except OSError:
    pass
assert os.WEXITSTATUS(os.waitpid(pid, 0)[1]) == 0 and b"draw" in seen, seen
END
fi
finish
