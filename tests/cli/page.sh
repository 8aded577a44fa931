#!/bin/bash
# page.sh - the pages of `cltb serve` in Chromium (web/test.mjs), and their bundles, which must be those made from the
# sources
#
# Needs node, chromium, and what `npm ci` puts into web/node_modules. Screenshots go to $CLTB_PICTURES, or to pictures/
# in the test's folder.
. "$(dirname "$0")/common.bash"
web=$source_dir/web
browser_works || exit 77
mkdir dist
(cd "$web" && timeout 120 node build.mjs "$tmp/dist") || fail "the page cannot be bundled"
diff -r "$web/dist" dist >/dev/null || fail "web/dist is not what its sources give: npm run build"
shared_tables t KQvKR KBBvKN KBBvK KBvKN KBvK KNvK KPvK KQvK KRvK
expect 0 "made" "$cltb" build KQvK --metric dtm --dir t --device cpu
pictures=${CLTB_PICTURES:-${CLTB_TEST_TMP:-$tmp}/pictures}
mkdir -p "$pictures"
rm -f "$pictures/build.jsonl"
timeout 500 node "$web/test.mjs" "$cltb" t "$pictures" || fail "see above"
finish
