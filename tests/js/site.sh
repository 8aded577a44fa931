#!/bin/bash
# site.sh - `cltb site`: its errors, and its pages in Chromium (site.mjs)
#
# Needs emscripten, which CI installs, node, chromium, and what `npm ci` puts into web/node_modules.
. "$(dirname "$0")/../cli/common.bash"
printf '\0asm' >tiny.wasm
mkdir empty
expect 2 "--to DIR is missing" "$cltb" site
expect 2 "takes no arguments" "$cltb" site KQvK --to s
expect 1 "cannot read the folder none" "$cltb" site --to s --dir none --reader tiny.wasm
expect 1 "no tables in 'empty'" "$cltb" site --to s --dir empty --reader tiny.wasm
expect 1 "is not a cltb.wasm" "$cltb" site --to s --dir empty --reader "$source_dir/README.md"
expect 1 "cannot open none" "$cltb" site --to s --dir empty --reader none
expect 1 "cannot make the folder" "$cltb" site --to tiny.wasm/s --dir "$source_dir/tests/data/no-statistics" \
    --reader tiny.wasm
expect 0 "(1 without statistics)" "$cltb" site --to s \
    --dir "$source_dir/tests/data/no-statistics" --reader tiny.wasm
cmp tiny.wasm s/cltb.wasm && cmp "$source_dir/tests/data/no-statistics/KRvK.cltb" s/tables/KRvK.cltb || fail "copies"
expect 0 "1 table" "$cltb" site --to s --dir s/tables --reader tiny.wasm
ln -s s link
expect 0 "1 table" "$cltb" site --to link --dir s/tables --reader tiny.wasm
cmp "$source_dir/tests/data/no-statistics/KRvK.cltb" s/tables/KRvK.cltb || fail "a site of its own tables"
[ ! -e s/stats/KRvK.json ] || fail "statistics that the file does not keep"
[ "$failures" = 0 ] || exit 1

browser_works || exit 77
"$source_dir/tools/wasm.sh" || exit $?
shared_tables t KQvKR KBBvKN KBBvK KBvKN KBvK KNvK KPvK KQvK KRvK
expect 0 "made" "$cltb" build KQvK --metric dtm --dir t --device cpu
reader=$source_dir/build/wasm/package/cltb.wasm
expect 0 "10 tables" "$cltb" site --to site --dir t --reader "$reader"
expect 0 "9 tables" "$cltb" site --to inside --dir t --men 4 --inside --reader "$reader"
expect 0 "10 tables" "$cltb" site --to inside --dir t --inside --reader "$reader"
timeout 300 node "$source_dir/tests/js/site.mjs" "$cltb" t site inside "$source_dir/web" || fail "see above"
finish
