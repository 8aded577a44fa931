#!/bin/bash
# files.sh - our Syzygy files, decoded completely by a program made from the format's description alone (check_file.c)
#
# The place of every byte, every sparse entry, and what is stored for all positions, against our tables. Damaged files
# must be detected, or the program proves nothing. Needs $SYZYGY_CHECK.
. "$(dirname "$0")/../cli/common.bash"
. "$(dirname "$0")/syzygy.bash"
need_export

tables=(KQvK KRvK KNvK KPvK KBBvK)
expect 0 "" "$cltb" build "${tables[@]}" --dir t --device cpu --quiet
make_syzygy s
for name in "${tables[@]}"; do
    expect 0 ": 0 wrong" "$SYZYGY_CHECK" t "s/$name.rtbw" "s/$name.rtbz"
done

mkdir damaged
for file in KQvK.rtbw KPvK.rtbw KRvK.rtbz KPvK.rtbz; do
    size=$(wc -c <"s/$file")
    for offset in 0 4 6 $((size - 4096 > 128 ? size - 4096 : 128)) $((size - 17)); do
        cp -L "s/$file" damaged
        flip_bit "damaged/$file" "$offset"
        "$SYZYGY_CHECK" t "damaged/$file" >"$out" 2>"$err"
        [ $? = 1 ] || fail "$file, bit of byte $offset inverted: not found out"
    done
done
finish
