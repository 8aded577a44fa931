#!/bin/bash
# node.sh - the npm package in Node (test.mjs), as tools/wasm.sh makes it
#
# Needs emscripten, which CI installs, and node.
. "$(dirname "$0")/../cli/common.bash"
command -v node >/dev/null || exit 77
"$source_dir/tools/wasm.sh" || exit $?
shared_tables t KQvKR KBBvKN KBBvK KBvKN KBvK KNvK KPvK KQvK KRvK KPvKP KQvKP KRvKP KBvKP KNvKP
expect 0 "made" "$cltb" build KQvK --metric dtm --dir t --device cpu
timeout 300 node "$source_dir/tests/js/test.mjs" "$cltb" t "$source_dir/build/wasm/package" 100000 || fail "see above"
finish
