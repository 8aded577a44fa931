#!/bin/bash
# old_versions.sh - tables of format version 1, which stay readable for ever
# shellcheck source=tests/cli/common.bash
. "$(dirname "$0")/common.bash"

old=$source_dir/tests/data/version-1
for table in KQvK KRvK KBvK KNvK KPvK; do
    expect 0 "$table, format version 1" "$cltb" info "$table" --dir "$old"
    expect 0 "" "$cltb" verify "$table" --dir "$old"
    expect 0 "" "$cltb" build "$table" --dir new --quiet
    expect 0 "$table, format version 2" "$cltb" info "$table" --dir new
done
for table in KQvK KPvK; do
    for dir in "$old" new; do
        expect 0 "" "$cltb" stats "$table" --dir "$dir"
        cp "$out" "$tmp/stats.$(basename "$dir")"
    done
    sed -i 's,^.*/,,' "$tmp"/stats.*
    cmp -s "$tmp/stats.version-1" "$tmp/stats.new" || fail "statistics of $table differ between the versions"
done

# A table of now out of futurebases of then.
mkdir mixed && cp "$old"/K[QRBN]vK.cltb mixed/
expect 0 "" "$cltb" build KPvK --dir mixed --quiet
cmp -s mixed/KPvK.cltb new/KPvK.cltb || fail "KPvK out of old futurebases differs"
expect 0 "win" "$cltb" probe --dir "$old" "8/8/8/8/8/4K3/4P3/7k w - - 0 1"
finish
