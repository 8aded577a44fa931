#!/usr/bin/env bash
# windows.sh - cltb for Windows: cross-compiled by mingw-w64 on Debian or Ubuntu, tried under Wine where that is there
#
#     tools/windows.sh             build/windows/cltb.exe and libcltb.a, and what tests/windows/try.sh checks
#     tools/windows.sh --library   the library alone, and a program that uses it
#
# libzstd, libxxhash and libxml2 are built from the sources of this system's own packages, into
# build/windows-libraries, once.
# Exit status 77: mingw-w64 or those sources cannot be had here.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. tools/deps.sh

library=0
case ${1-} in
'') ;;
--library) library=1 ;;
*) die "usage: tools/windows.sh [--library]" ;;
esac

leave_out() {
    say "Windows: left out ($1)"
    exit 77
}

prefix=x86_64-w64-mingw32
work=$PWD/build/windows-libraries
jobs=${JOBS:-$(nproc)}
cc=$(command -v $prefix-gcc-posix || command -v $prefix-gcc) ||
    leave_out "no mingw-w64; on Debian and Ubuntu: apt-get install gcc-mingw-w64-x86-64-posix"

# source_of PACKAGE: its sources in $work/PACKAGE. Lists of source packages are fetched into build/ from wherever this
# system gets its packages, so that nothing of the system changes.
source_of() {
    local apt=$work/apt options
    [ ! -d "$work/$1" ] || return 0
    command -v apt-get >/dev/null && command -v dpkg-source >/dev/null || leave_out "no apt-get or no dpkg-source"
    options=(-qq -o "Dir::Etc::sourcelist=$apt/all.list" -o "Dir::Etc::sourceparts=$apt/parts"
        -o "Dir::State::lists=$apt/lists" -o APT::Sandbox::User=root)
    if [ ! -d "$apt/lists" ]; then
        mkdir -p "$apt/lists/partial" "$apt/parts"
        { grep -h '^deb ' /etc/apt/sources.list /etc/apt/sources.list.d/*.list || true; } 2>/dev/null |
            sed 's/^deb /deb-src /' >"$apt/all.list"
        for file in /etc/apt/sources.list.d/*.sources; do
            [ ! -f "$file" ] || sed 's/^Types:.*/Types: deb-src/' "$file" >"$apt/parts/${file##*/}"
        done
        apt-get "${options[@]}" update >"$work/apt.log" 2>&1 || true # one list of others may be missing
    fi
    rm -rf "$work/unpack"
    mkdir "$work/unpack"
    (cd "$work/unpack" && apt-get "${options[@]}" source "$1") >>"$work/apt.log" 2>&1 ||
        leave_out "the sources of $1 cannot be had: $work/apt.log"
    mv "$work/unpack"/*/ "$work/$1"
}

# step WHAT COMMAND...: says little unless it fails
step() {
    local log=$work/$1.log
    shift
    "$@" >"$log" 2>&1 || {
        tail -n 20 "$log" >&2
        die "failed: $*"
    }
}

make_zstd() {
    step zstd make -C "$work/libzstd/lib" -j"$jobs" libzstd.a CC="$cc" AR=$prefix-ar TARGET_SYSTEM=Windows_NT \
        ZSTD_LIB_DICTBUILDER=0 ZSTD_LIB_DEPRECATED=0 ZSTD_LEGACY_SUPPORT=0
    cp "$work"/libzstd/lib/zstd*.h "$work/include"
    cp "$work/libzstd/lib/libzstd.a" "$work/lib"
}

# Its header has the whole library.
make_xxhash() {
    cp "$work/xxhash/xxhash.h" "$work/include"
    step xxhash "$cc" -O2 -DXXH_STATIC_LINKING_ONLY -DXXH_IMPLEMENTATION -x c -c "$work/include/xxhash.h" \
        -o "$work/xxhash.o"
    $prefix-ar rcs "$work/lib/libxxhash.a" "$work/xxhash.o"
}

make_xml2() {
    local off=() option
    for option in C14N CATALOG DEBUG DOCB FTP HTML HTTP ICONV ISO8859X LEGACY LZMA MODULES OUTPUT PATTERN PROGRAMS \
        PUSH PYTHON READER REGEXPS SCHEMAS SCHEMATRON TESTS VALID WRITER XINCLUDE XPATH XPTR ZLIB; do
        off+=("-DLIBXML2_WITH_$option=OFF")
    done
    step xml2-configure cmake -S "$work/libxml2" -B "$work/libxml2/build" "-DCMAKE_INSTALL_PREFIX=$work" \
        "-DCMAKE_TOOLCHAIN_FILE=$PWD/cmake/mingw.cmake" -DCMAKE_BUILD_TYPE=Release -DBUILD_SHARED_LIBS=OFF "${off[@]}"
    step xml2 cmake --build "$work/libxml2/build" --parallel "$jobs"
    step xml2-install cmake --install "$work/libxml2/build"
}

# once NAME FUNCTION PACKAGE
once() {
    [ ! -f "$work/lib/lib$1.a" ] || return 0
    say "Windows: lib$1"
    source_of "$3"
    "$2"
}

mkdir -p "$work/include/libxml2" "$work/lib"
once zstd make_zstd libzstd
once xxhash make_xxhash xxhash
targets=(cltb)
if [ $library = 0 ]; then # the library does without libxml2
    targets+=(cltb-cli)
    once xml2 make_xml2 libxml2
fi
options=(-DCLTB_OPENCL=OFF -DCLTB_TESTS=OFF -DCLTB_WERROR=ON -DCMAKE_BUILD_TYPE=Release
    "-DCMAKE_TOOLCHAIN_FILE=$PWD/cmake/mingw.cmake" "-DCMAKE_FIND_ROOT_PATH=$work"
    "-DLIBXML2_INCLUDE_DIR=$work/include/libxml2" "-DLIBXML2_LIBRARY=$work/lib/libxml2.a")
mkdir -p build/windows
say "Windows: building build/windows"
export PKG_CONFIG_LIBDIR=$work # this system's libraries are not meant
cmake -S . -B build/windows "${options[@]}" >build/windows/configure.log 2>&1 || {
    cat build/windows/configure.log >&2
    die "cmake could not configure build/windows"
}
compile windows "${targets[@]}"
exec bash tests/windows/try.sh "$cc" build/windows "${targets[@]}"
