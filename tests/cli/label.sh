#!/bin/bash
# label.sh - records of positions get the results of tables: forms of text, bullet's records, games, clocks, samples
. "$(dirname "$0")/common.bash"
shared_tables t KQvKR KQvK KRvK KPvK KBvK KNvK

# Every form of a result, and of none; what tables do not cover stays.
won='8/8/8/8/8/2k5/8/2K3Q1 w - - 0 1'
lost='8/8/8/8/8/2k5/8/2K3q1 w - - 0 1'
drawn='8/8/8/8/8/2k5/2P5/2K5 b - - 0 1'
while IFS=% read -r line wanted; do
    printf '%s\n' "$line" >>forms.txt
    printf '%s\n' "${wanted:-$line}" >>wanted.txt
done <<END
$won | 35 | 0.5%$won | 35 | 1.0
$won | 0.5 | 0%$won | 1.0 | 0
$won | 0 | 0%$won | 0 | 1
$won|1/2|7%$won|1|7
$lost | 12 | 1-0%$lost | 12 | 0-1
$lost | 12%$lost | 12 | 0.0
$drawn [1.0]%$drawn [0.5]
$drawn 0-1%$drawn 1/2-1/2
$drawn; 0-1%$drawn; 1/2-1/2
8/8/8/8/8/2k5/8/2K3Q1 b - - c9 "1/2-1/2"; id "1";%8/8/8/8/8/2k5/8/2K3Q1 b - - c9 "1-0"; id "1";
8/8/8/8/8/2k5/8/2K3Q1 w - - bm Qg4;%8/8/8/8/8/2k5/8/2K3Q1 w - - bm Qg4; c9 "1-0";
$won%$won | 1.0
8/8/8/8/8/2k5/8/2K3Q1 b%8/8/8/8/8/2k5/8/2K3Q1 b | 1.0

# $won | 0.5
rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1 | 0 | 1.0
4k3/8/8/8/8/8/8/4K2R w K - 0 1 | 0 | 0.5
8/8/8/8/8/2k5/8/2K3NN w - - 0 1 | 0 | 0.0
END
expect 0 "18 records: tables cover 13, 13 had another result; " "$cltb" label forms.txt --dir t
diff wanted.txt "$out" || fail "forms of results"
sed 's/$/\r/' forms.txt | "$cltb" label - --dir t --quiet | tr -d '\r' >"$out"
sed '1,13s/\(| 1.0\|| 0.0\|c9 "1-0";\)$/&/' wanted.txt | diff - "$out" || fail "lines that end with CR LF"
"$cltb" label wanted.txt --dir t --quiet | cmp - wanted.txt || fail "right results are changed"
printf '%s' "$won" | "$cltb" label - --dir t --quiet | grep -qxF "$won | 1.0" || fail "the last line has no end"

# The clock, and draws that do not count.
late='8/8/8/8/8/2k5/8/2K3Q1 w - - 99 80'
[ "$(echo "$late | 0.0" | "$cltb" label - --dir t --quiet)" = "$late | 0.5" ] || fail "the clock is not heeded"
[ "$(echo "$late | 0.0" | "$cltb" label - --dir t --quiet --clock fresh)" = "$late | 1.0" ] || fail "--clock fresh"
[ "$(echo "$late | 0.0" | "$cltb" label - --dir t --quiet --decided)" = "$late | 0.0" ] || fail "--decided"

# What cannot be read stays, and is named.
printf '%s | 0.5\n%s\n8/8/8/8/8/2k5/8/2K6 w - - 0 1 | 0.0\n' "$won" '8/8/8/8/8/8/1k6/1K6 w - - 0 1' >bad.txt
"$cltb" label bad.txt --dir t --quiet >"$out" 2>"$err"
[ $? = 1 ] && grep -q "line 3: FEN: rank 1 has more than 8 files" "$err" && grep -q "line 2: FEN: .*king" "$err" &&
    [ "$(wc -l <"$err")" = 2 ] || fail "lines with faults: $(cat "$err")"
sed '1s/0.5/1.0/' bad.txt | diff - "$out" || fail "lines with faults are changed"
yes '8/8 w' | head -n 20 | "$cltb" label - --dir t --quiet --batch 3 >"$out" 2>"$err"
grep -q '15 more records' "$err" && [ "$(wc -l <"$err")" = 6 ] || fail "20 faults: $(cat "$err")"
mkdir broken
cp t/KRvK.cltb broken/KQvK.cltb
expect 1 "line 1: broken/KQvK.cltb: holds the table KRvK" "$cltb" label forms.txt --dir broken --quiet
cmp forms.txt "$out" || fail "a broken table changes records"
expect 1 "cannot open none.txt" "$cltb" label none.txt --dir t
expect 2 "needs a file" "$cltb" label --dir t
expect 1 "no table KRvKR.cltb in 't'; build it with: cltb build KRvKR --dir t" \
    "$cltb" label --sample 3 KRvKR --dir t --output none.out
[ ! -e none.out ] || fail "there is an output without the table of a sample"
expect 2 "which table" "$cltb" label --sample 3 --dir t
expect 2 "records do not tell whose move" "$cltb" label x --games --format bullet

# Samples: both formats have the same positions, and their results are those of `cltb probe`; any number of threads and
# any batch give the same bytes.
"$cltb" label --sample 3000 KQvKR --dir t --quiet >sample.txt || fail "--sample"
"$cltb" label --sample 3000 KQvKR --dir t --quiet --format bullet --output sample.bin || fail "--sample of records"
[ "$("$cltb" label --sample 3 KQvKR --dir t --quiet --seed 1)" != "$(head -n 3 sample.txt)" ] || fail "--seed"
sed 's/ |.*//' sample.txt >plain.txt
[ "$(sort -u plain.txt | wc -l)" -gt 2990 ] || fail "the same positions again and again"
"$cltb" probe plain.txt --format tsv --dir t | awk -F'\t' '{
    split($1, field, " ")
    r = $2 == "draw" ? 0.5 : ($2 == "win") == (field[2] == "w") ? 1 : 0
    printf "%s | %.1f\n", $1, r }' | diff - sample.txt >differences || fail "samples: $(head differences)"
# Each outcome with either side to move is as frequent as in the table.
"$cltb" label --sample 20000 KQvKR --dir t --quiet --seed 7 | awk '
    FILENAME == "-" { drawn[$2, $2 == "w" ? $8 + 0 : 1 - $8]++; next }
    /to move$/ { side = substr($1, 1, 1) }
    side != "" && $1 ~ /^(win|draw|loss)$/ {
        count[side, $1 == "win" ? 1 : $1 == "draw" ? 0.5 : 0] = $2
        all += $2
    }
    END {
        for (kind in count) {
            kinds++
            expected = 20000 * count[kind] / all
            if ((drawn[kind] - expected) ^ 2 > 25 * expected + 25)
                print kind, drawn[kind], expected
        }
        if (kinds != 6)
            print kinds, "kinds"
    }' - <("$cltb" info KQvKR --dir t) >"$out"
[ ! -s "$out" ] || fail "--sample is not fair: $(cat "$out")"
for batch in 1 7 100000; do
    "$cltb" label plain.txt --dir t --quiet --threads 3 --batch $batch | cmp - sample.txt ||
        fail "--batch $batch"
done
cat >unpack.py <<'END'
import struct, sys
for white, line in zip(sys.stdin, struct.iter_unpack("<Q16shBBB3s", open(sys.argv[1], "rb").read())):
    men, kinds, score, result, ours, theirs, rest = line
    fen, *scores, stored = white.rstrip("\n").split(" | ")
    rows, side = fen.split()[:2]
    board = {}
    for rank, row in enumerate(rows.split("/")):
        file = 0
        for c in row:
            if c.isdigit():
                file += int(c)
            else:
                board[(7 - rank) * 8 + file ^ (56 if side == "b" else 0)] = c.swapcase() if side == "b" else c
                file += 1
    for i, square in enumerate(sorted(board)):
        code = kinds[i // 2] >> 4 * (i % 2) & 15
        assert men >> square & 1 and "PNBRQK??pnbrqk"[code] == board[square], white
    assert bin(men).count("1") == len(board) and board[ours] == "K" and board[theirs ^ 56] == "k", white
    assert result / 2 == (float(stored) if side == "w" else 1 - float(stored)), white
    assert score == sum(map(int, scores)) * (1 if side == "w" else -1), white
END
python3 unpack.py sample.bin <sample.txt || fail "records differ from text"
python3 -c 'import sys; b = bytearray(open("sample.bin", "rb").read()); b[26::32] = b"\1" * (len(b) // 32)
sys.stdout.buffer.write(b)' >draws.bin
expect 0 "3.00 k records: tables cover 3.00 k, " "$cltb" label --format bullet draws.bin --dir t --batch 100 \
    --threads 3 --output labelled.bin
cmp labelled.bin sample.bin || fail "records get other results"
ln -s draws.bin link.bin
expect 2 "link.bin is an input, too" "$cltb" label --format bullet draws.bin --dir t --output link.bin
[ -s draws.bin ] || fail "the input is gone"
head -c 70 draws.bin >cut.bin
expect 1 "cut.bin ends within a record of 32 bytes" "$cltb" label --format bullet cut.bin --dir t
head -c 64 sample.bin | cmp - "$out" || fail "the records before a cut one"
expect 1 "cltb label: . is a folder" "$cltb" label wanted.txt . --dir t --quiet
diff wanted.txt "$out" || fail "the lines of the file before one that cannot be read"
head -c 32 /dev/zero >zero.bin
expect 1 "record 1: White has no king" "$cltb" label --format bullet zero.bin --dir t --quiet

# Games are adjudicated at their first line in the tables; batches of one line do not tear them.
start='rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0'
many='4k3/pppp4/8/8/8/8/PPPP4/4K3 w - - 0'
cat >games.txt <<END
$start 1 | 0.0
$many 40 | 0.0
8/8/8/8/8/2k5/8/2K3Q1 w - - 0 50 | 0.0
8/8/8/8/8/1k4q1/8/2K5 b - - 0 51 | 0.5
4k3/8/8/8/8/8/8/4K2R w K - 0 52 | 0.0
$start 1 | 0.0
$start 2 | 0.0

$many 30 | 0.0
8/8/8/8/8/2k5/2P5/2K5 b - - 0 45 | 0.0
$many 20 | 0.0
8/8/8/8/8/2k5/8/2K3q1 w - - 0 51 | 1.0
END
sed -e '1,3s/0.0$/1.0/' -e '4s/0.5$/0.0/' -e '5s/0.0$/1.0/' -e '9,10s/0.0$/0.5/' -e '12s/1.0$/0.0/' games.txt \
    >wanted.txt
for batch in 1 4 100; do
    "$cltb" label games.txt --dir t --games --quiet --batch $batch | diff - wanted.txt ||
        fail "--games, --batch $batch"
done

# .binpack: two chains whose bits follow from the description in label_binpack.c. The first one has a double step,
# captures en passant, castles and promotes; the second one comes into the tables. Scores and results are White's in
# text, and of the side to move in records.
cat >pack.py <<'END'
import struct, sys
def position(men):  # square and half byte of each man, from a1 up
    halves = [code for square, code in men] + [0] * (32 - len(men))
    return struct.pack(">Q", sum(1 << square for square, code in men)) + bytes(
        halves[i] | halves[i + 1] << 4 for i in range(0, 32, 2))
def chain(men, move, score, result, ply, clock, later):
    bits = "".join(later).replace(" ", "")
    bits += "0" * (-len(bits) % 8)
    return position(men) + struct.pack(">HHHHH", move, score, result << 14 | ply, clock, len(later)) + bytes(
        int(bits[i:i + 8], 2) for i in range(0, len(bits), 8))
first = chain([(0, 13), (4, 10), (33, 0), (50, 1), (63, 15)], 50 << 8 | 34 << 2, 59, 1, 21, 0,  # a loss at -30; c5
              ["10 1 0 0000", "00 0 0011", "01 101 0 0000", "110 0 0000", "10 0 0000", "100 0 0000",
               "10 10 1 0100 0 0001", "00 0 0000"])
second = chain([(2, 10), (18, 11), (48, 0)], 2 << 8 | 1 << 2, 200, 2, 78, 3,
               ["100 0 0000", "1 10 1 0000 1 0010 0 0011", "010 0 0000"])
for chunk in sys.argv[1].split():
    body = {"1": first, "2": second, "12": first + second}[chunk]
    sys.stdout.buffer.write(b"BINP" + struct.pack("<I", len(body)) + body)
END
cat >wanted.txt <<'END'
7k/2p5/8/1P6/8/8/8/R3K3 b Q - 0 11 | 30 | 1.0
7k/8/8/1Pp5/8/8/8/R3K3 w Q c6 0 12 | 30 | 1.0
7k/8/2P5/8/8/8/8/R3K3 b Q - 0 12 | 32 | 1.0
8/6k1/2P5/8/8/8/8/R3K3 w Q - 1 13 | 32 | 1.0
8/6k1/2P5/8/8/8/8/2KR4 b - - 2 13 | 32 | 1.0
6k1/8/2P5/8/8/8/8/2KR4 w - - 3 14 | 32 | 1.0
6k1/2P5/8/8/8/8/8/2KR4 b - - 0 14 | 32 | 1.0
7k/2P5/8/8/8/8/8/2KR4 w - - 1 15 | 42 | 1.0
2R4k/8/8/8/8/8/8/2KR4 b - - 0 15 | 42 | 1.0
8/P7/8/8/8/2k5/8/2K5 w - - 3 40 | 100 | 1.0
8/P7/8/8/8/2k5/8/1K6 b - - 4 40 | 100 | 1.0
8/P7/8/8/8/3k4/8/1K6 w - - 5 41 | 500 | 1.0
R7/8/8/8/8/3k4/8/1K6 b - - 0 41 | 500 | 1.0
END
python3 pack.py "1 2" >two.binpack
python3 pack.py 12 | "$cltb" label --binpack - --dir t --quiet --batch 1 | diff wanted.txt - || fail "--binpack"
expect 0 "13 records: tables cover 4, 0 had" "$cltb" label --binpack two.binpack --dir t
diff wanted.txt "$out" || fail "two chunks"
"$cltb" label --binpack two.binpack --dir t --quiet --format bullet --output chains.bin || fail "--binpack to records"
python3 unpack.py chains.bin <wanted.txt || fail "records of chains"
while read -r size batch lines saying; do # the records before the damage
    head -c "$size" two.binpack >cut.binpack
    expect 1 "cut.binpack: $saying" "$cltb" label --binpack cut.binpack --dir t --batch "$batch"
    head -n "$lines" wanted.txt | diff - "$out" || fail "the $lines records before damage"
done <<'END'
4 100 0 a chunk does not begin
40 100 0 it ends within a chain
45 100 3 it ends within a chain
53 100 9 a chunk does not begin
95 1 11 it ends within a chain
95 100 11 it ends within a chain
END
python3 - <<'END'
import random
original = open("two.binpack", "rb").read()
random.seed(63)
for i in range(40):
    changed = bytearray(original)
    changed[random.randrange(8, len(changed))] ^= 1 << random.randrange(8)
    open("changed%d.binpack" % i, "wb").write(changed)
END
for i in {0..39}; do
    "$cltb" label --binpack changed$i.binpack --dir t --quiet >"$out" 2>"$err"
    [ $? -le 1 ] && [ "$(wc -l <"$err")" -le 1 ] || fail "a changed chain: $(cat "$err")"
done
finish
