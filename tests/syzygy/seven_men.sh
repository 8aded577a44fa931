#!/bin/bash
# seven_men.sh - made-up Syzygy files of seven men, read by libfathom: five pawns, five like pieces, more than 2^32
# values
. "$(dirname "$0")/../cli/common.bash"
. "$(dirname "$0")/syzygy.bash"
[ -n "${SYZYGY_SEVEN-}" ] || skip "no libfathom"

mkdir s
names="KPPPPPvK KNNNNNvK KPPPPvKP KQQQQvKR"
# shellcheck disable=SC2086 # names are words
expect 0 "" "$SYZYGY_SEVEN" s $names
for name in $names; do
    says "$name: 20000 positions of"
done
[ "$(grep -c ' values, 0 differ' "$out")" = 4 ] || fail "not 4 tables: $(cat "$out")"
rm -r s
finish
