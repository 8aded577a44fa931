#!/bin/bash
# import.sh - `cltb import`: the bytes of a build from exact Syzygy files, and an error from all others
. "$(dirname "$0")/../cli/common.bash"
published=$source_dir/tests/data/syzygy

shared_tables t KBvK KNvK KPvK KQvK KRvK
expect 0 "" "$cltb" export --men 3 --dir t --to exact --exact --device cpu --quiet
expect 0 "KQvK: imported" "$cltb" import exact/KQvK.rtbz --syzygy exact --to file
expect 0 "KQvK: already present" "$cltb" import KQvK.cltb --syzygy exact --to file
expect 0 "KPvK: imported" "$cltb" import KBvK KNvK KPvK KQvK KRvK --syzygy exact --to made --threads 2
for file in t/*.cltb; do
    cmp "$file" "made/${file#t/}" || fail "$file: other bytes"
done
expect_clean made
expect 0 "KPvK: already present" "$cltb" import KPvK --syzygy exact --to made

expect 1 "KQvK: its Syzygy files cannot be imported without loss: they count moves" \
    "$cltb" import KQvK --syzygy "$published" --to other
says "make the table with cltb build"
expect 1 "no table KQvKR.cltb" "$cltb" import KQvKR --syzygy exact --to other
expect 1 "there is no KPvK.rtbw in 't'" "$cltb" import KPvK --dir t --to other
cp exact/KRvK.rtbw other
expect 1 "KRvK.rtbw has outcomes only" "$cltb" import KRvK --syzygy other --to other
cp exact/KRvK.rtbz other
flip_bit other/KRvK.rtbz 200
expect 1 "KRvK.rtbz is damaged: its checksum is wrong" "$cltb" import KRvK --syzygy other --to other
expect 2 "which tables" "$cltb" import --to other
expect 2 "to which folder" "$cltb" import KPvK
expect 2 "KXvK" "$cltb" import KXvK --to other
[ -z "$(find other -name '*.cltb*')" ] || fail "left behind: $(ls -A other)"
# Files that are consistent and wrong, with right checksums: what is wrong is not imported.
wrong=0
mkdir flipped
for at in 200 400 800 1600 2400 3200; do
    rm -rf forged
    cp exact/K[QR]vK.rtb? flipped
    flip_bit flipped/KQvK.rtbz $at
    "$SYZYGY_CHECK" --mend flipped/KQvK.rtbz || fail "the checksum cannot be mended"
    "$cltb" import KQvK --syzygy flipped --to forged >"$out" 2>"$err"
    if [ $? = 0 ]; then
        cmp -s forged/KQvK.cltb t/KQvK.cltb || fail "a bit at $at: a wrong table is imported"
    else
        [ -z "$(find forged -name '*.cltb*' 2>/dev/null)" ] || fail "left behind: $(ls -A forged)"
        grep -q "KQvK: its Syzygy files are wrong: " "$err" && wrong=$((wrong + 1))
    fi
done
[ $wrong -gt 0 ] || fail "no bit made the values wrong: $(cat "$err")"

# Ctrl-C ends it at once and leaves complete tables.
names=()
for _ in {1..100}; do names+=(KPvK KQvK KRvK); done
for signal in INT TERM; do
    rm -rf stopped
    "${interruptible[@]}" "$cltb" import "${names[@]}" --force --syzygy exact --to stopped >"$out" 2>"$err" &
    job=$!
    for _ in {1..500}; do
        [ ! -e stopped/KPvK.cltb ] || break
        sleep 0.01
    done
    kill -$signal $job
    wait $job
    status=$?
    [ $status = 130 ] || fail "$signal: exit status $status: $(cat "$err")"
    [ "$(tail -n 1 "$err")" = "interrupted; finished tables are kept: run the same command again to resume" ] ||
        fail "$signal: said $(cat "$err")"
    expect_clean stopped
    for file in stopped/*; do
        cmp -s "$file" "t/${file##*/}" || fail "$signal: other bytes: $file"
    done
done
finish
