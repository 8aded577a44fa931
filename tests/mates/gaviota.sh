#!/bin/bash
# gaviota.sh - distances to mate against Gaviota's tables: every position of three men, both sides to move
#
# Needs $MATES_CHECK (check.c), and $MATES_GAVIOTA: Gaviota's tables, if the program was built with its library. Without
# them it is skipped.
. "$(dirname "$0")/../cli/common.bash"
[ -n "${MATES_GAVIOTA-}" ] || {
    echo "skipped: no libgaviotatb, or not its tables (on Debian: apt-get install libgaviotatb-dev gaviotatb)"
    exit 77
}

expect 0 "" "$cltb" build --men 3 --metric dtm --dir m --device cpu --quiet
expect 0 " 0 differ" "$MATES_CHECK" --gaviota "$MATES_GAVIOTA" m KQvK KRvK KBvK KNvK KPvK
[ "$(grep -c ' positions (0 en passant), 0 games of 0 plies: 0 differ$' "$out")" = 5 ] || fail "not five tables"
finish
