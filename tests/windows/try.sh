#!/usr/bin/env bash
# try.sh - what tools/windows.sh made: a program links with the library; under Wine, the command works as it does here
#
#     try.sh CC BUILD_DIR TARGET...      (CLTB: this system's command, build/release/cltb unless given)
set -u -o pipefail
cd "$(dirname "$0")/../.." || exit 1
cc=$1 build=$PWD/$2
shift 2
libraries=$build-libraries/lib
cltb=$(realpath "${CLTB:-build/release/cltb}")
tmp=${CLTB_TEST_TMP:-$build}/try
source_dir=$PWD
wine=/usr/lib/wine/wine64
command -v "$wine" >/dev/null || wine=$(command -v wine64) || wine=
rm -rf "$tmp"
mkdir -p "$tmp"
cd "$tmp" || exit 1
failures=0

fail() {
    echo "FAILED: $*" >&2
    failures=$((failures + 1))
}

"$cc" -static -I"$source_dir/include" "$source_dir/tests/install/consumer.c" "$build/libcltb.a" \
    "$libraries/libzstd.a" "$libraries/libxxhash.a" -lpthread -o consumer.exe || fail "no program links with libcltb.a"
"$cc" -static -I"$source_dir/include" "$source_dir/tests/windows/probe_lines.c" "$build/libcltb.a" \
    "$libraries/libzstd.a" "$libraries/libxxhash.a" -lpthread -o probe_lines.exe || fail "nor does probe_lines.c"

finish() {
    [ "$failures" = 0 ] || { echo "$failures failures" >&2; exit 1; }
    exit 0
}

if [ -z "$wine" ] || [ ! -x "$cltb" ]; then
    echo "== Windows: compiled, not run (no wine64, or no $cltb)"
    finish
fi

# Wine's own folder, which it fills the first time, for all runs of this build
export WINEPREFIX=$build/wine WINEDEBUG=-all
windows() { "$wine" "$build/cltb.exe" "$@" </dev/null; }

# same FILE...: files in folder `windows` equal those in folder `here`.
same() {
    for file in "$@"; do
        cmp "here/$file" "windows/$file" || fail "other bytes: $file"
    done
}

# expect STATUS TEXT ARGUMENT...: as in tests/cli/common.bash
expect() {
    local status=$1 text=$2
    shift 2
    windows "$@" >out 2>err
    local got=$?
    [ "$got" = "$status" ] || { fail "$* : exit status $got, not $status: $(head -c 300 err)"; return; }
    grep -qF -- "$text" out err || fail "$* : says nothing of '$text': $(head -c 300 out err)"
    [ "$status" = 0 ] || [ "$(wc -l <err)" = 1 ] || fail "$* : not one line on standard error: $(cat err)"
}

"$cltb" build KQvK KPvK KRvKP --device cpu --dir here --quiet || fail "build here"

# ---- the library: tables of this system's build, in folders written as on that system ----

folder='Z:'$(tr / '\\' <<<"$tmp/here")
grep -E '^(KQvK|KPvK|KRvKP|KQvKR)\b' "$source_dir/tests/data/positions.tsv" >positions
cut -f 2 positions >fens
cut -f 3,4 positions | tr '\t' ' ' | sed 's/ $//' >right
[ -s right ] || fail "no positions"
"$wine" ./probe_lines.exe "C:\\no folder;$folder" <fens | tr -d '\r' >values ||
    fail "probe_lines: $(head -c 300 values)"
cmp right values || fail "the library probes otherwise: $(diff right values | head -n 4)"
"$wine" ./consumer.exe >out 2>&1 || fail "consumer.c: $(head -c 300 out)"

# ---- the command ----

if [ ! -f "$build/cltb.exe" ]; then
    finish
fi
expect 0 "10 tables made" build KQvK KPvK KRvKP --dir windows
same $(cd here && ls)
[ "$(ls -A here)" = "$(ls -A windows)" ] || fail "left behind: $(ls -A windows)"
expect 0 "0 tables made" build KQvK KPvK KRvKP --dir windows
printf x | dd of=windows/KPvK.cltb bs=1 seek=5000 conv=notrunc status=none
expect 0 "1 table made" build KPvK --dir windows # over a damaged one
same KPvK.cltb
expect 0 "all 165676 positions right" verify --dir windows KPvK
"$cltb" list --dir here | sed s,here/,windows/, >list
expect 0 "" list --dir windows
cmp list out || fail "list: $(diff list out | head -n 4)"
"$cltb" probe --dir here --format tsv <fens >rows
"$wine" "$build/cltb.exe" probe --dir "$folder" --format tsv <fens >out || fail "probe"
cmp rows out || fail "probe: $(diff rows out | head -n 4)"
# Planes on disk, and a text in XML
for way in "KRvKB --memory 14M --force" "--spec $source_dir/tests/data/restricted/bianchetti-1925.xml"; do
    # shellcheck disable=SC2086 # words
    "$cltb" build $way --device cpu --dir here --quiet || fail "build here: $way"
    expect 0 "1 table made" build ${way/$source_dir/Z:$source_dir} --dir windows
done
same $(cd here && ls)
[ "$(ls -A here)" = "$(ls -A windows)" ] || fail "left behind: $(ls -A windows)"
expect 1 "no table KNNvKP.cltb in 'C:/no folder'" stats --dir 'C:\no folder' KNNvKP
expect 1 "cannot make the folder Y:" build KQvK --dir 'Y:\x'
expect 1 "this cltb was built without libmd" manifest
finish
