#!/bin/bash
# slow_kill.sh - kill -9 at random moments and while files are written: the next run resumes, and the final bytes are
# the same
#
# $KILLS (2) of KNvKP and what it needs, or of all tables of up to 4 men in long runs, $KILLS_PAWNS (2) of KPPvK, and
# $KILLS_STREAMED (none: slow_streamed.sh has some) of KNNvKN with its planes on disk and a checkpoint after every ply;
# half as many more of each while a file is written.
. "$(dirname "$0")/common.bash"
. "$(dirname "$0")/kill.bash"
kills=${KILLS:-2} pawns=${KILLS_PAWNS:-2} streamed=${KILLS_STREAMED:-0}

if [ -n "${CLTB_TEST_LONG-}" ]; then
    kill_at_random "$kills" $(((kills + 1) / 2)) --men 4
else
    kill_at_random "$kills" $(((kills + 1) / 2)) KNvKP
fi
# One table on top of finished futurebases: every kill hits that table.
expect 0 "" "$cltb" build KPPvK --dir bases --device cpu --quiet
rm bases/KPPvK.cltb
also=:bases
kill_at_random "$pawns" $(((pawns + 1) / 2)) KPPvK
[ "$streamed" = 0 ] || kill_at_random "$streamed" $(((streamed + 1) / 2)) KNNvKN --device cpu --threads 2 \
    --memory 56M --checkpoint 0
finish
