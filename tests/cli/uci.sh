#!/bin/bash
# uci.sh - `cltb uci`, driven by a strict client: options, scores, the clock, repetitions, positions without tables
. "$(dirname "$0")/common.bash"
expect 2 "takes no arguments" "$cltb" uci x
expect 0 "uciok" bash -c "echo uci | '$cltb' uci"
command -v python3 >/dev/null || exit 77
shared_tables t KQvKR KQvK KRvK
timeout 120 python3 "$source_dir/tests/cli/uci_client.py" talk "$cltb" t || fail "see above"
shared_tables t KPvK KBvK KNvK
timeout 240 python3 "$source_dir/tests/cli/uci_client.py" faults "$cltb" t ${FAULTS:+"$FAULTS"} || fail "see above"
expect 0 "made" "$cltb" build KQvKR --metric dtm --dir t --device cpu
for name in KQvK KRvK; do
    expect 0 "made" "$cltb" export $name --to sy --dir t
done
mkdir outcomes
cp sy/*.rtbw outcomes
timeout 120 python3 "$source_dir/tests/cli/uci_client.py" outcomes "$cltb" outcomes || fail "see above"
expect 0 "win" "$cltb" probe --dir outcomes '8/8/8/8/8/2k5/8/2K3Q1 w - - 0 1'
expect 0 "win (if the half-move clock of 90 allows it)" "$cltb" probe --dir outcomes '8/8/8/8/8/2k5/8/2K3Q1 w - - 90 1'
expect 0 "blessed loss (checkmate)" "$cltb" probe --dir outcomes '6k1/6Q1/6K1/8/8/8/8/8 b - - 101 100'
! grep -q DTZ "$out" || fail "a distance from outcomes alone: $(head -n 3 "$out")"
timeout 120 python3 "$source_dir/tests/cli/uci_client.py" mates "$cltb" t || fail "see above"

finish
