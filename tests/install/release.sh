#!/usr/bin/env bash
# release.sh SOURCE_DIR CLTB - every place says the same version; the source archive and a wheel have the same bytes
# when they are made again. CLTB_TEST_LONG: all files of a release, made by two checkouts, have the same bytes.
#
# CLTB_LIBRARY: the shared library, where it is built.
set -u -o pipefail
source_dir=$1 cltb=$2
tmp=${CLTB_TEST_TMP:?}
cd "$source_dir" || exit 1
failures=0
fail() {
    echo "FAILED: $*" >&2
    failures=$((failures + 1))
}

version=$(sed -n 's/^project(cltb VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
# says WHERE VERSION
says() { [ "$2" = "$version" ] || fail "$1 says '$2', CMakeLists.txt '$version'"; }
says "cltb --version" "$("$cltb" --version | sed 's/^cltb //')"
says "cltb uci" "$(echo uci | "$cltb" uci | sed -n 's/^id name cltb //p')"
says debian/changelog "$(sed -n '1s/^cltb (\(.*\)-[0-9]*) .*/\1/p' debian/changelog)"
says CHANGELOG.md "$(sed -n 's/^## \([0-9.]*\) - [0-9-]*$/\1/p' CHANGELOG.md | head -n 1)"
says CITATION.cff "$(sed -n 's/^version: //p' CITATION.cff)"
says python/pyproject.toml "$(sed -n 's/^version = "\(.*\)"$/\1/p' python/pyproject.toml)"
says js/package.json "$(sed -n 's/.*"version": "\(.*\)".*/\1/p' js/package.json)"
says js/README.md "$(sed -nE 's/.*cltb-([0-9.]*[0-9])-npm.*/\1/p' js/README.md)"
says include/cltb/cltb.h "$(sed -n 's/.*version of the library, for example "\(.*\)"\.$/\1/p' include/cltb/cltb.h)"
wanted=$(sed -n 's/^find_package(cltb \(.*\) REQUIRED)$/\1/p' tests/install/CMakeLists.txt)
says tests/install/CMakeLists.txt "$wanted.${version##*.}"
says README.md "$(sed -nE 's/.*cltb[-_]([0-9][0-9.]*[0-9]).*/\1/p' README.md | sort -u | xargs)"

rm -rf "$tmp"/{one,two,wheel,clones}
mkdir -p "$tmp"/{one,two,wheel}
if [ -n "${CLTB_LIBRARY-}" ] && command -v python3 >/dev/null; then
    export PYTHONDONTWRITEBYTECODE=1
    says "the library" "$(PYTHONPATH=python python3 -c 'import cltb; print(cltb.__version__)')"
    for folder in one two; do
        SOURCE_DATE_EPOCH=1700000000 python3 tools/wheel.py "$PWD" "$CLTB_LIBRARY" linux_x86_64 "$tmp/$folder" \
            >"$tmp/name" || fail "wheel.py"
        sleep 1
    done
    wheel=$(basename "$(cat "$tmp/name")")
    cmp "$tmp/one/$wheel" "$tmp/two/$wheel" || fail "a wheel made again has other bytes"
    # It finds the library that lies in it.
    (cd "$tmp/wheel" && python3 -m zipfile -e "../one/$wheel" . && env -u CLTB_LIBRARY PYTHONPATH=. python3 -c "
import cltb, os
assert cltb.version() == '$version', cltb.version()
assert any(os.path.realpath('cltb/libcltb.so') in line for line in open('/proc/self/maps')), 'another library'
") || fail "the module does not find the library of its wheel"
fi
if git rev-parse --git-dir >/dev/null 2>&1 && command -v xz >/dev/null; then
    for folder in one two; do
        tools/release.sh --to "$tmp/$folder" source >"$tmp/log" 2>&1 || fail "release.sh: $(tail -n 3 "$tmp/log")"
    done
    cmp "$tmp"/{one,two}/"cltb-$version.tar.xz" || fail "a source archive made again has other bytes"
    (cd "$tmp/one" && sha256sum --quiet --check SHA256SUMS) || fail "SHA256SUMS"
fi

if [ -n "${CLTB_TEST_LONG-}" ]; then
    for folder in one two; do
        git clone --quiet . "$tmp/clones/$folder" && "$tmp/clones/$folder/tools/release.sh" --to "$tmp/$folder"
        status=$?
        [ $status = 0 ] || exit $status
    done
    diff "$tmp"/{one,two}/SHA256SUMS || fail "a release made again has other bytes"
fi
[ $failures = 0 ] || exit 1
