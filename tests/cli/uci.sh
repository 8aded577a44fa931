#!/bin/bash
# uci.sh - `cltb uci`, driven by a strict client: options, scores, the clock, repetitions, positions without tables
. "$(dirname "$0")/common.bash"
expect 2 "takes no arguments" "$cltb" uci x
expect 0 "uciok" bash -c "echo uci | '$cltb' uci"
command -v python3 >/dev/null || exit 77
expect 0 "made" "$cltb" build KQvKR --dir t --device cpu
timeout 120 python3 "$source_dir/tests/cli/uci_client.py" talk "$cltb" t || fail "see above"
expect 0 "made" "$cltb" build KQvKR --metric dtm --dir t --device cpu
timeout 120 python3 "$source_dir/tests/cli/uci_client.py" mates "$cltb" t || fail "see above"

finish
