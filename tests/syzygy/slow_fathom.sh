#!/bin/bash
# slow_fathom.sh - every position of all tables of 3 and 4 men: our Syzygy files, read by libfathom
. "$(dirname "$0")/../cli/common.bash"
. "$(dirname "$0")/syzygy.bash"
need_export
[ -n "${SYZYGY_FATHOM-}" ] || skip "no libfathom"

expect 0 "" "$cltb" build --men 4 --dir t --device cpu --quiet
make_syzygy s
# shellcheck disable=SC2046 # names are words
expect 0 "0 differ" "$SYZYGY_FATHOM" --dtz 500 s t $(made)
[ "$(grep -c ', 0 differ\|: 0 differ' "$out")" = 35 ] || fail "not 35 tables: $(cat "$out")"
finish
