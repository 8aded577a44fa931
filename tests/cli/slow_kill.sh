#!/bin/bash
# slow_kill.sh - kill -9 at random moments and while files are written: the next run goes on, with the same bytes in the
# end
#
# $KILLS (3) of all tables of up to $KILL_MEN (4) men, $KILLS5 (none: its futurebases take half a minute) of $KILL_NAME
# (KRPvKR); of each half as many more while a file is written.
. "$(dirname "$0")/common.bash"
. "$(dirname "$0")/kill.bash"
kills=${KILLS:-3} kills5=${KILLS5:-0}

# shellcheck disable=SC2086 # words
kill_at_random "$kills" $(((kills + 1) / 2)) --men ${KILL_MEN:-4} ${KILL_OPTIONS-}

[ "$kills5" -gt 0 ] || finish
# One table on top of finished futurebases: every kill hits that table.
name=${KILL_NAME:-KRPvKR}
expect 0 "" "$cltb" build "$name" --dir bases --quiet
rm "bases/$name.cltb"
also=:bases
# shellcheck disable=SC2086 # words
kill_at_random "$kills5" $(((kills5 + 1) / 2)) "$name" ${KILL_OPTIONS-}
finish
