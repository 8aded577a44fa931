#!/bin/bash
# slow_dobutsu.sh - the complete database of dobutsu shogi: built on every backend, and compared with all published data
. "$(dirname "$0")/common.bash"
data=$source_dir/tests/data/dobutsu
start=S/gle/-c-/-C-/ELG/-

expect 0 "1 table made" "$cltb" build dobutsu --dir t --device cpu
expect 0 "already present" "$cltb" build dobutsu --dir t
expect 0 "109213029 values kept" "$cltb" info t/dobutsu.cltb

# The counts of all values, and of the positions that can be reached from the start.
"$cltb" stats dobutsu --dir t --format tsv >counts.tsv || fail "no counts"
grep -vE '^# table' "$data/dobutsu-histogram.tsv" | diff counts.tsv - >&2 || fail "other counts"
"$cltb" stats dobutsu --dir t --reachable --format tsv >reachable.tsv || fail "nothing reachable"
diff reachable.tsv "$data/dobutsu-reachable-values.tsv" >&2 || fail "other values of reachable positions"

# Every position with its value.
awk -F '\t' 'NR > 1 && $4 != "-" { print $4 }' "$data/dobutsu-positions.tsv" >positions
awk -F '\t' 'NR > 1 && $4 != "-" { print $4 "\t" $6 }' "$data/dobutsu-positions.tsv" >values
"$cltb" probe --game dobutsu --dir t --format tsv <positions | cut -f 1,4 | diff - values >&2 ||
    fail "other values of positions"

# The longest game, which the computer plays against itself.
printf 'quiet\nboth\n' | "$cltb" play dobutsu --dir t --side both >game || fail "no game"
move='^([CEGLR][abc][1-4][-x][abc][1-4][+]?|[CEG][*][abc][1-4])$'
tr -s ' ' '\n' <game | grep -E "$move" >moves
tail -n +2 "$data/dobutsu-line.tsv" | tr '\t' '\n' | grep -E "$move" | diff moves - >&2 || fail "another game"
[ "$(wc -l <moves)" = 78 ] || fail "a game of $(wc -l <moves) moves"
expect 0 "loss in 78 (byte 77)" "$cltb" probe --game dobutsu --dir t "$start"

# The page, with the table.
if browser_works; then
    mkdir pictures
    timeout 300 node "$source_dir/web/test.mjs" "$cltb" t "$PWD/pictures" dobutsu || fail "the page"
fi

# The raw table, made with other vectors, has its published checksum.
expect 0 "1 table made" "$cltb" build dobutsu --dir t --device cpu --isa generic --format raw
sum=$(sed -n 's/^# table\tsha256\t//p' "$data/dobutsu-histogram.tsv")
[ "$(sha256sum <t/dobutsu.raw)" = "$sum  -" ] || fail "another raw table"

# Verified by the rules; and a wrong byte is found (tests/cli/dobutsu_tables.sh has quicker cases).
expect 0 "a sample of 5000000 codes right" "$cltb" verify dobutsu --dir t --sample 5000000
mv t/dobutsu.raw x.raw
byte() { dd if=x.raw bs=1 skip="$1" count=1 status=none | od -An -tu1 | tr -d ' '; }
[ "$(byte 719600465)" = 77 ] || fail "the start is $(byte 719600465)"
if [ -n "${CLTB_TEST_LONG-}" ]; then
    expect 0 "all 1078984704 codes right" "$cltb" verify dobutsu --dir t
    printf '\117' | dd of=x.raw bs=1 seek=719600465 conv=notrunc status=none # 79
    expect 1 "code 719600465, $start: the value stored is 79, a loss in 79; the right one is 77, a loss in 77" \
        "$cltb" verify x.raw
else
    echo "verifying every code, and a raw table with a wrong byte, is left out without CLTB_TEST_LONG"
fi
rm x.raw

# A damaged table is rebuilt, another one is not overwritten.
if "$cltb" devices | grep -qE '^0 '; then
    mkdir o
    printf 'x' >o/dobutsu.cltb
    expect 1 "is not a table" "$cltb" build dobutsu --dir o --device 0
    cp t/dobutsu.cltb o
    printf 'x' | dd of=o/dobutsu.cltb bs=1 seek=30000000 conv=notrunc status=none
    expect 0 "it is rebuilt" "$cltb" build dobutsu --dir o --device 0
    cmp t/dobutsu.cltb o/dobutsu.cltb || fail "the OpenCL device makes another table"
else
    echo "no OpenCL device: that part is left out"
fi
rm -rf t o
finish
