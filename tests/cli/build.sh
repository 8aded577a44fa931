#!/bin/bash
# build.sh - making tables: what is there stays, names in every spelling, figures at the end, all options
# shellcheck source=tests/cli/common.bash
. "$(dirname "$0")/common.bash"

expect 0 "1 table made" "$cltb" build KQvK --dir t
expect_clean t
before=$(stat -c %i t/KQvK.cltb)
expect 0 "KQvK: is there already" "$cltb" build KQvK --dir t
[ "$(stat -c %i t/KQvK.cltb)" = "$before" ] || fail "a table that was there was made again"
expect 0 "KQvK: solved" "$cltb" build KQvK --dir t --force

# Smaller tables come first, and names mean the same in every spelling.
expect 0 "KRvK: solved" "$cltb" build KRKQ --dir t
[ -e t/KQvKR.cltb ] || fail "KRKQ did not make KQvKR.cltb"
expect 0 "KQvKR: is there already" "$cltb" build KQKR --dir t
expect 0 "KQvKR: is there already" "$cltb" build KRvKQ --dir t

expect 0 "" "$cltb" build KNvK --dir t --quiet
[ -s "$out" ] || [ -s "$err" ] && fail "--quiet printed: $(cat "$out" "$err")"
expect 0 "ply 1:" "$cltb" build KBvK --dir t --verbose --force
expect 0 "KQvK: solved" "$cltb" build KQvK --dir=t --force --threads=1 --isa generic --memory 4G --device cpu
CLTB_PATH=$tmp/path:$tmp/other expect 0 "1 table made" "$cltb" build KNvK
[ -e path/KNvK.cltb ] || fail "CLTB_PATH's first folder was not used"
expect 0 "1 table made" "$cltb" build KNvK
[ -e tables/KNvK.cltb ] || fail "./tables was not used"

# The same bytes whatever makes them.
for options in "--threads 1" "--threads 3" "--isa generic"; do
    # shellcheck disable=SC2086 # words
    expect 0 "made" "$cltb" build KQvKR --dir again --force $options
    cmp -s t/KQvKR.cltb again/KQvKR.cltb || fail "KQvKR differs with $options"
done

# Both sides' distances, and the smallest file: other bytes, the same answers.
expect 0 "made" "$cltb" build KQvKR --dir both --both-sides
expect 0 "made" "$cltb" build KQvKR --dir best --best
for dir in t both best; do
    expect 0 "a sample of 20000 positions right" "$cltb" verify KQvKR --dir $dir --sample 20000
    expect 0 "material" "$cltb" stats KQvKR --dir $dir --format tsv
    mv "$out" stats.$dir
done
cmp -s stats.t stats.both || fail "--both-sides changes the statistics"
cmp -s stats.t stats.best || fail "--best changes the statistics"

expect 0 "4 tables made" "$cltb" build --men 3 --pawnless --dir path/three
expect 0 "0 tables made" "$cltb" build --men 3 --pawnless --dir path/three
finish
