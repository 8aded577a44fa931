#!/bin/bash
# old_versions.sh - tables of format versions 1 and 2, which stay readable forever
# shellcheck source=tests/cli/common.bash
. "$(dirname "$0")/common.bash"

for table in KQvK KRvK KBvK KNvK KPvK; do
    expect 0 "" "$cltb" build "$table" --dir new --quiet
    expect 0 "$table, format version 3" "$cltb" info "$table" --dir new
done
for version in 1 2; do
    old=$source_dir/tests/data/version-$version
    for table in KQvK KRvK KBvK KNvK KPvK; do
        expect 0 "$table, format version $version" "$cltb" info "$table" --dir "$old"
        expect 0 "" "$cltb" verify "$table" --dir "$old"
    done
    for table in KQvK KPvK; do
        for dir in "$old" new; do
            expect 0 "" "$cltb" stats "$table" --dir "$dir"
            sed 's,^.*/,,' "$out" >"$tmp/stats.$(basename "$dir")"
        done
        cmp -s "$tmp/stats.version-$version" "$tmp/stats.new" ||
            fail "statistics of $table differ between the versions"
    done

    # A new table made from old futurebases.
    mkdir "mixed-$version" && cp "$old"/K[QRBN]vK.cltb "mixed-$version/"
    expect 0 "" "$cltb" build KPvK --dir "mixed-$version" --quiet
    cmp -s "mixed-$version/KPvK.cltb" new/KPvK.cltb || fail "KPvK out of old futurebases differs"
    expect 0 "win" "$cltb" probe --dir "$old" "8/8/8/8/8/4K3/4P3/7k w - - 0 1"
done
old=$source_dir/tests/data/version-1

# Wins in 1 by a push, a promotion, a double step and a mate: old tables have their distance, new ones do not. Folders
# with both ages have the one of the other age for the table of the position, or for those that promotions lead to.
cp -r "$old" aged && cp new/KPvK.cltb aged/
cp -r new young && cp "$old"/KPvK.cltb young/
for fen in "8/8/8/8/8/4K3/4P3/7k w - - 0 1" "8/4P3/4K3/8/8/8/8/7k w - - 0 1" "8/8/8/8/8/5k2/P7/K7 w - - 0 1" \
    "7k/8/6K1/8/8/8/8/1Q6 w - - 0 1" "k7/P7/1K6/8/8/8/8/8 b - - 0 1" "7k/5P2/6K1/8/8/8/8/8 w - - 0 1"; do
    expect 0 "" "$cltb" probe --dir "$old" --format json "$fen"
    cp "$out" "$tmp/then"
    for dir in new aged young "$source_dir/tests/data/version-2"; do
        expect 0 "" "$cltb" probe --dir "$dir" --format json "$fen"
        cmp -s "$out" "$tmp/then" || fail "$dir: $fen differs"
    done
done
finish
