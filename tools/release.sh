#!/usr/bin/env bash
# release.sh - makes the files of a release, tries them, and writes their SHA-256 sums
#
#     tools/release.sh [--to FOLDER] [PART...]     into build/release-files; all parts unless some are named
#
#     source     cltb-VERSION.tar.xz: the last commit
#     linux      cltb-VERSION-linux-x86_64.tar.xz: a program that needs no library of the system, with its manual pages,
#                completions and documents
#     wheel      cltb-VERSION-py3-none-manylinux_*_x86_64.whl: the Python module with the library inside
#     windows    cltb-VERSION-windows-x86_64.zip: cltb.exe and documents (tools/windows.sh)
#     npm        cltb-VERSION-npm.tgz: the JavaScript package (tools/wasm.sh)
#     debian     the packages (tools/package.sh)
#
# It works on Debian 12 and later, x86-64; libxml2 comes from the sources of the system's own package, which takes the
# network once. The same commit and the same tools give the same bytes, wherever the checkout is: times are the
# commit's, archives are sorted, and no path of the machine is in a file. Exit status 77: a tool is not here.
#
# The Linux program cannot have OpenCL, which loads drivers at run time, nor cltb-mpi.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. tools/deps.sh

leave_out() {
    say "release: not made ($1)"
    exit 77
}
. tools/libraries.sh

to=build/release-files
parts=()
while [ $# -gt 0 ]; do
    case $1 in
    --to) to=${2:?--to FOLDER}; shift ;;
    source | linux | wheel | windows | npm | debian) parts+=("$1") ;;
    *) die "usage: tools/release.sh [--to FOLDER] [source|linux|wheel|windows|npm|debian]..." ;;
    esac
    shift
done
[ ${#parts[@]} -gt 0 ] || parts=(source linux wheel windows npm debian)
for tool in git xz python3 objdump; do
    command -v $tool >/dev/null || leave_out "no $tool"
done
git rev-parse --git-dir >/dev/null 2>&1 || leave_out "not a git checkout"
[ -z "$(git status --porcelain)" ] || say "taking the last commit, without the changes since"

umask 022
checkout=$PWD
mkdir -p "$to"
to=$(realpath "$to")
temporary=$(mktemp -d)
trap 'rm -rf "$temporary"' EXIT
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)
export SOURCE_DATE_EPOCH TZ=UTC LC_ALL=C
git archive HEAD -- CMakeLists.txt | tar -xO >"$temporary/CMakeLists.txt"
version=$(sed -n 's/^project(cltb VERSION \([0-9.]*\).*/\1/p' "$temporary/CMakeLists.txt")
name=cltb-$version
git archive --prefix="$name/" HEAD | tar -x -C "$temporary"
source=$temporary/$name
export CFLAGS="-ffile-prefix-map=$source=. -ffile-prefix-map=$checkout=. -ffile-prefix-map=$temporary=."
jobs=${JOBS:-$(nproc)}
documents=(README.md CHANGELOG.md LICENSE CITATION.cff docs)

# archive FOLDER: $to/FOLDER.tar.xz of $temporary/FOLDER
archive() {
    tree_of "$temporary" "$1" --exclude="$1/build" | xz -T1 >"$to/$1.tar.xz"
}

# tree_of PARENT FOLDER [option of tar...]
tree_of() {
    tar -C "$1" "${@:3}" --sort=name --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 --numeric-owner \
        --mode=u=rwX,go=rX --format=gnu -c "$2"
}

# licences FOLDER PACKAGE...: what we may pass on only with its licence
licences() {
    local folder=$1 package
    mkdir -p "$folder"
    for package in "${@:2}"; do
        cp "/usr/share/doc/$package/copyright" "$folder/$package" || leave_out "no $package; is this Debian?"
    done
}

# static_library NAME: the system's libNAME.a
static_library() {
    local file
    file=$(cc -print-file-name="lib$1.a")
    [ -f "$file" ] || leave_out "no lib$1.a"
    printf '%s' "$file"
}

# The JavaScript package, which has the reader that `cltb site` needs.
make_package() {
    [ ! -d "$source/build/wasm/package" ] || return 0
    mkdir -p "$checkout/build/wasm" "$source/build/wasm"
    work=$checkout/build/wasm
    source_of libzstd
    ln -s "$work/libzstd" "$source/build/wasm/libzstd"
    "$source/tools/wasm.sh"
}

# The program and the shared library, which need no other library but the C library. A build id would be the hash of
# paths, too, which are only stripped afterwards.
make_tree() {
    local library options=("-DCMAKE_EXE_LINKER_FLAGS=-static -Wl,--build-id=none"
        "-DCMAKE_C_STANDARD_LIBRARIES=-ltinfo -lbsd -lmd"
        "-DCMAKE_SHARED_LINKER_FLAGS=-Wl,--as-needed -Wl,--build-id=none")
    tree=$source/build/linux
    [ ! -d "$tree" ] || return 0
    make_package
    work=$checkout/build/linux-libraries toolchain=()
    mkdir -p "$work/lib" "$tree"
    once xml2 make_xml2 libxml2
    for library in Zstd_LIBRARY:zstd XxHash_LIBRARY:xxhash Libedit_LIBRARY:edit Libmd_LIBRARY:md \
        Libevent_EXTRA_LIBRARY:event_extra Libevent_CORE_LIBRARY:event_core; do
        options+=("-D${library%:*}=$(static_library "${library#*:}")")
    done
    say "compiling the program and the shared library"
    cmake -S "$source" -B "$tree" -DCMAKE_BUILD_TYPE=Release -DCLTB_WERROR=ON -DCLTB_OPENCL=OFF -DCLTB_MPI=OFF \
        "-DCLTB_WASM=$source/build/wasm/package/cltb.wasm" "${options[@]}" \
        "-DLIBXML2_INCLUDE_DIR=$work/include/libxml2" "-DLIBXML2_LIBRARY=$work/lib/libxml2.a" \
        >"$tree/log" 2>&1 &&
        cmake --build "$tree" --parallel "$jobs" --target cltb-cli cltb_shared >>"$tree/log" 2>&1 ||
        { tail -n 30 "$tree/log" >&2; die "the release does not build"; }
}

make_source() {
    archive "$name"
}

make_linux() {
    local folder=$name-linux-x86_64
    make_tree
    mkdir -p "$temporary/$folder/bin"
    strip -o "$temporary/$folder/bin/cltb" "$tree/cltb"
    cp -r "$tree/share" "$temporary/$folder"
    (cd "$source" && cp -r "${documents[@]}" "$temporary/$folder")
    licences "$temporary/$folder/licences" libzstd-dev libxxhash-dev libevent-dev libedit-dev libmd-dev libbsd-dev \
        libncurses-dev libc6-dev
    cp "$work/libxml2/Copyright" "$temporary/$folder/licences/libxml2"
    ! ldd "$temporary/$folder/bin/cltb" >/dev/null 2>&1 || die "the program needs libraries of the system"
    cltb=$temporary/$folder/bin/cltb
    "$cltb" build KQvK --dir "$temporary/tables" --quiet
    archive "$folder"
}

make_wheel() {
    local file need
    make_tree
    strip -o "$temporary/libcltb.so" "$tree/shared/libcltb.so"
    ! objdump -p "$temporary/libcltb.so" | grep NEEDED | grep -vE ' (lib(c|m|pthread)|ld-linux-x86-64)\.so' ||
        die "the library needs others of the system"
    # A system with an older C library than the functions that are used cannot load it: pip looks at the name.
    need=$(objdump -T "$temporary/libcltb.so" | sed -n 's/.*(GLIBC_\(2\.[0-9]*\)).*/\1/p' | sort -uV | tail -n 1)
    licences "$temporary/wheel-licences" libzstd-dev libxxhash-dev
    rm -f "$to"/cltb-*.whl
    file=$(python3 "$source/tools/wheel.py" "$source" "$temporary/libcltb.so" \
        "manylinux_${need/./_}_x86_64" "$to" "$temporary"/wheel-licences/*)
    python3 -m venv "$temporary/venv"
    "$temporary/venv/bin/python" -m pip install --quiet --no-index --disable-pip-version-check "$file"
    [ "$(cd / && env -u CLTB_LIBRARY -u PYTHONPATH "$temporary/venv/bin/python" -c \
        'import cltb; print(cltb.version())')" = "$version" ] || die "the wheel does not work"
    [ -z "${cltb-}" ] || [ "$(cd / && env -u CLTB_LIBRARY -u PYTHONPATH "$temporary/venv/bin/python" -c "
import cltb
print(cltb.open_tablebase('$temporary/tables').probe_dtz('8/8/8/8/8/2k5/8/2K3Q1 w - - 0 1'))")" = \
        "$("$cltb" probe --dir "$temporary/tables" --format tsv '8/8/8/8/8/2k5/8/2K3Q1 w - - 0 1' | cut -f 3)" ] ||
        die "the wheel gives another distance than the program"
}

make_windows() {
    local folder=$name-windows-x86_64
    make_package
    mkdir -p "$checkout/build/windows-libraries"
    ln -s "$checkout/build/windows-libraries" "$source/build/windows-libraries"
    LDFLAGS=-Wl,--no-insert-timestamp CLTB=${cltb:-none} \
        CLTB_WASM=$source/build/wasm/package/cltb.wasm "$source/tools/windows.sh"
    mkdir "$temporary/$folder"
    x86_64-w64-mingw32-strip -o "$temporary/$folder/cltb.exe" "$source/build/windows/cltb.exe"
    (cd "$source" && cp -r "${documents[@]}" "$temporary/$folder")
    licences "$temporary/$folder/licences" libzstd-dev libxxhash-dev mingw-w64-common gcc-mingw-w64-x86-64-posix
    cp "$checkout/build/windows-libraries/libxml2/Copyright" "$temporary/$folder/licences/libxml2"
    python3 "$source/tools/wheel.py" --zip "$temporary" "$folder" "$to/$folder.zip"
}

make_npm() {
    make_package
    tree_of "$source/build/wasm" package | gzip -9n >"$to/$name-npm.tgz"
}

make_debian() {
    local status=0
    # dpkg sets flags of its own, which know its folder, only where none are set.
    env -u CFLAGS tools/package.sh || status=$?
    [ $status = 0 ] || exit $status
    rm -f "$to"/*.deb
    cp build/packages/{cltb,libcltb{0,-dev,-fathom0,-fathom-dev}}_*.deb "$to"
}

for part in "${parts[@]}"; do
    say "release $version: $part"
    "make_$part"
done
(cd "$to" && rm -f SHA256SUMS && sha256sum -- * >"$temporary/SHA256SUMS" && mv "$temporary/SHA256SUMS" .)
chmod 644 "$to"/*
say "release $version in $to"
cat "$to/SHA256SUMS"
