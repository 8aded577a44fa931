#!/bin/bash
# chromium.sh - the npm package in Chromium (chromium.mjs), as tools/wasm.sh makes it
#
# Needs emscripten, which CI installs, node, chromium, and what `npm ci` puts into web/node_modules.
. "$(dirname "$0")/../cli/common.bash"
browser_works || exit 77
"$source_dir/tools/wasm.sh" || exit $?
shared_tables t KQvKR KBBvKN KBBvK KBvKN KBvK KNvK KPvK KQvK KRvK
timeout 300 node "$source_dir/tests/js/chromium.mjs" "$cltb" t "$source_dir"/{build/wasm/package,web} 100000 ||
    fail "see above"
finish
