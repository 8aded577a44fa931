#!/usr/bin/env bash
# wasm.sh - the npm package `cltb`, by emscripten: build/wasm/package, with cltb.wasm and the files of js/
#
# Does nothing if the package is newer than the sources. zstd's decoder is compiled from the sources of this system's
# own package, which takes the network once. Exit status 77: emscripten or those sources cannot be had here.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. tools/deps.sh

leave_out() {
    say "wasm: left out ($1)"
    exit 77
}
. tools/libraries.sh

work=$PWD/build/wasm
package=$work/package
mkdir -p "$package"
exec 9>"$work/lock" # tests run at the same time
flock 9
sources=(host/{chess,index,table,syzygy,probe,show,wasm}/*.c host/kind/chess_{answer,probe}.c host/make/plan_material.c
    host/serve/{lila,text_stream}.c)
for file in host/util/*.c; do
    case $file in */os_posix.c | */os_windows.c) ;; *) sources+=("$file") ;; esac
done
wasm=$package/cltb.wasm
if [ -f "$wasm" ] && [ -z "$(find host include js tools/wasm.sh CMakeLists.txt -newer "$wasm" -print -quit)" ]; then
    exit 0
fi
command -v emcc >/dev/null || leave_out "no emscripten; on Debian and Ubuntu: apt-get install emscripten"
source_of libzstd
zstd=$work/libzstd/lib
version=$(sed -n 's/^project(cltb VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
small=(-DZSTD_LEGACY_SUPPORT=0 -DZSTD_NO_TRACE -DHUF_FORCE_DECOMPRESS_X1 -DZSTD_FORCE_DECOMPRESS_SEQUENCES_SHORT)
# emscripten knows no names of imports but its own, so it would call ours undefined; tests/js compares the list.
step emcc emcc -O2 -flto -std=gnu11 -DNDEBUG -DXXH_INLINE_ALL "-DCLTB_VERSION=\"$version\"" -D_GNU_SOURCE \
    -I include -I host -I . -I kernels -idirafter "$zstd" -idirafter "$zstd/common" "${small[@]}" "${sources[@]}" \
    "$zstd"/common/{entropy_common,error_private,fse_decompress,zstd_common}.c "$zstd"/decompress/*.c \
    --no-entry -sSTANDALONE_WASM -sALLOW_MEMORY_GROWTH -sMAXIMUM_MEMORY=2GB \
    -sERROR_ON_UNDEFINED_SYMBOLS=0 -sWARN_ON_UNDEFINED_SYMBOLS=0 -o "$work/cltb.wasm"
cp js/* LICENSE "$package"
cp "$work/libzstd/LICENSE" "$package/LICENSE.zstd"
cp "$(em-config EMSCRIPTEN_ROOT)/system/lib/libc/musl/COPYRIGHT" "$package/LICENSE.musl"
chmod 644 "$work/cltb.wasm"
mv "$work/cltb.wasm" "$wasm"
