#!/bin/bash
# serve.sh - `cltb serve`: values and order of moves, errors, hostile requests, the end of the server
#
# URLS random requests (1000) while CLIENTS other clients (200) pause in the middle of theirs; CLTB_LONG_TESTS: 100000,
# 2000.
. "$(dirname "$0")/common.bash"
expect 2 "takes no arguments" "$cltb" serve x
expect 2 "--listen takes an address" "$cltb" serve --listen :
expect 2 "--listen takes an address" "$cltb" serve --listen 127.0.0.1:65536
expect 2 "--threads" "$cltb" serve --threads 0
command -v python3 >/dev/null || exit 77
grep -q 'built without libevent' <(timeout 20 "$cltb" serve 2>&1) && exit 77
mkdir empty
expect 1 "no tables in 'empty'" timeout 20 "$cltb" serve --dir empty --listen 127.0.0.1:0
shared_tables t KQvKR KBNvK KQQvK KRRvK KBvK KNvK KPvK KQvK KRvK
expect 2 "256.256.256.256" timeout 20 "$cltb" serve --dir t --listen 256.256.256.256:0
urls=1000 clients=200
[ -n "${CLTB_TEST_LONG-}" ] && urls=100000 clients=2000
timeout 550 python3 "$source_dir/tests/cli/serve_client.py" "$cltb" "$PWD/t" "$source_dir/tests/data/positions.tsv" \
    "${URLS:-$urls}" "${CLIENTS:-$clients}" || fail "see above"
finish
