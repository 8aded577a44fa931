#!/bin/bash
# slow_files.sh - all our Syzygy files of 3 and 4 men, and those with exact DTZ, decoded completely (check_file.c);
# importing the exact ones, and one of five men, gives the tables again
. "$(dirname "$0")/../cli/common.bash"
. "$(dirname "$0")/syzygy.bash"
need_export

expect 0 "" "$cltb" build --men 4 --dir t --device cpu --quiet
make_syzygy s
expect 0 ": 0 wrong" "$SYZYGY_CHECK" t s/*.rtbw s/*.rtbz
[ "$(grep -c ': 0 wrong' "$out")" = 70 ] || fail "not 70 files: $(cat "$out")"
if [ -z "${CLTB_TEST_SYZYGY-}" ]; then
    make_syzygy exact --exact
    expect 0 ": 0 wrong" "$SYZYGY_CHECK" t exact/*.rtbz
    expect 0 "" "$cltb" build KNNvKN --dir t --device cpu --quiet
    make_syzygy exact --exact
    # shellcheck disable=SC2046 # names are words
    expect 0 "" "$cltb" import $(made) --syzygy exact --to again
    for file in t/*.cltb; do
        cmp "$file" "again/${file#t/}" || fail "$file: another table by the import"
    done
fi
finish
