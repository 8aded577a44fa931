#!/usr/bin/env bash
# windows.sh - cltb for Windows: cross-compiled by mingw-w64 on Debian or Ubuntu, tried under Wine where that is there
#
#     tools/windows.sh             build/windows/cltb.exe and libcltb.a, and what tests/windows/try.sh checks
#     tools/windows.sh --library   the library alone, and a program that uses it: build/windows-quick, with little
#                                  optimisation
#
# libzstd, libxxhash and libxml2 are built from the sources of this system's own packages, into
# build/windows-libraries (build/windows-quick-libraries), once.
# CLTB_WASM: cltb.wasm for `cltb site`, or empty.
# Exit status 77: mingw-w64 or those sources cannot be had here.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. tools/deps.sh

library=0 build=build/windows type=Release zstd=()
case ${1-} in
'') ;;
--library) library=1 build=build/windows-quick type=Debug zstd=(CFLAGS=-O0) ;;
*) die "usage: tools/windows.sh [--library]" ;;
esac

leave_out() {
    say "Windows: left out ($1)"
    exit 77
}
. tools/libraries.sh

prefix=x86_64-w64-mingw32
work=$PWD/$build-libraries
jobs=${JOBS:-$(nproc)}
cc=$(command -v $prefix-gcc-posix || command -v $prefix-gcc) ||
    leave_out "no mingw-w64; on Debian and Ubuntu: apt-get install gcc-mingw-w64-x86-64-posix"

make_zstd() {
    step zstd make -C "$work/libzstd/lib" -j"$jobs" libzstd.a CC="$cc" AR=$prefix-ar TARGET_SYSTEM=Windows_NT \
        ZSTD_LIB_DICTBUILDER=0 ZSTD_LIB_DEPRECATED=0 ZSTD_LEGACY_SUPPORT=0 "${zstd[@]}"
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

mkdir -p "$work/include/libxml2" "$work/lib"
toolchain=("-DCMAKE_TOOLCHAIN_FILE=$PWD/cmake/mingw.cmake")
once zstd make_zstd libzstd
once xxhash make_xxhash xxhash
targets=(cltb)
if [ $library = 0 ]; then # the library does without libxml2
    targets+=(cltb-cli)
    once xml2 make_xml2 libxml2
fi
options=("-DCLTB_WASM=${CLTB_WASM-}" -DCLTB_OPENCL=OFF -DCLTB_TESTS=OFF -DCLTB_WERROR=ON "-DCMAKE_BUILD_TYPE=$type"
    "${toolchain[@]}" "-DCMAKE_FIND_ROOT_PATH=$work"
    "-DLIBXML2_INCLUDE_DIR=$work/include/libxml2" "-DLIBXML2_LIBRARY=$work/lib/libxml2.a")
mkdir -p "$build"
say "Windows: building $build"
export PKG_CONFIG_LIBDIR=$work # this system's libraries are not meant
cmake -S . -B "$build" "${options[@]}" >"$build/configure.log" 2>&1 || {
    cat "$build/configure.log" >&2
    die "cmake could not configure $build"
}
compile "${build#build/}" "${targets[@]}"
exec bash tests/windows/try.sh "$cc" "$build" "${targets[@]}"
