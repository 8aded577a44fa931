#!/bin/bash
# fathom.sh - our Syzygy files, read by libfathom, and by a program made from the format's description alone
#
# Needs $SYZYGY_FATHOM (fathom.c), without which it is skipped, and $SYZYGY_CHECK (check_file.c).
. "$(dirname "$0")/../cli/common.bash"
. "$(dirname "$0")/syzygy.bash"
need_export
[ -n "${SYZYGY_FATHOM-}" ] || skip "no libfathom"

expect 0 "" "$cltb" build KQvKR KPvKP --dir t --device cpu --quiet
make_syzygy s
expect 0 "0 differ" "$SYZYGY_FATHOM" --dtz 10 s t KQvK KRvK KPvK
expect 0 "0 differ" "$SYZYGY_FATHOM" --dtz 10 --sample 20000 s t KQvKR KRvKP KPvKP
says "KPvKP: "
if [ -z "${CLTB_TEST_SYZYGY-}" ]; then
    make_syzygy exact --exact
    expect 0 "0 differ" "$SYZYGY_FATHOM" --exact --dtz 10 --sample 20000 exact t KQvK KPvK KQvKP KPvKP
fi
finish
