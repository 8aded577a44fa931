# deps.sh - sourced by the other scripts: find and install what the build needs (Debian and Ubuntu packages)
#
#     deps_ensure build|test     "build": compiler, cmake, libraries; "test" also cmocka, PoCL and other tools
#
# Asks what is there by trying it (a header that compiles, a loader that links), not by package name, so that other
# systems and hand-made installations pass. Says nothing when nothing is to be done.
# shellcheck shell=bash

say() { printf '%s\n' "== $*"; }
die() {
    printf '%s\n' "${0##*/}: $*" >&2
    exit 1
}

deps_cc() {
    local cc
    for cc in ${CC:-cc gcc clang}; do
        command -v "$cc" >/dev/null && { printf '%s\n' "$cc"; return; }
    done
    return 1
}

# deps_compiles "SOURCE" [linker flag...]: can the compiler build this?
deps_compiles() {
    local cc source=$1 out status=0
    shift
    cc=$(deps_cc) || return 1
    out=$(mktemp) || return 1
    # Flags as words; deps_flags: where libraries outside the usual folders are, if a script says so
    # shellcheck disable=SC2086
    printf '%s\n' "$source" |
        "$cc" ${CPPFLAGS-} -x c - -o "$out" ${LDFLAGS-} ${deps_flags-} "$@" >/dev/null 2>&1 || status=1
    rm -f "$out"
    return $status
}

deps_have_library() { deps_compiles "#include <stddef.h>
#include <$1>
int main(void) { return 0; }" "-l$2"; }

# An OpenCL driver: an .icd file, or the folder that the user names.
deps_have_driver() {
    local folder=${OCL_ICD_VENDORS:-/etc/OpenCL/vendors}
    [ -f "$folder" ] || compgen -G "$folder/*.icd" >/dev/null
}

# Fills deps_needed (the build fails without these) and deps_wanted (it works without, with less).
deps_missing() {
    deps_needed=() deps_wanted=()
    if ! deps_compiles 'int main(void) { return 0; }' || ! { command -v make || command -v ninja; } >/dev/null; then
        deps_needed+=(build-essential)
    fi
    command -v cmake >/dev/null || deps_needed+=(cmake)
    deps_have_library zstd.h zstd || deps_needed+=(libzstd-dev)
    deps_have_library xxhash.h xxhash || deps_needed+=(libxxhash-dev)
    # Its headers lie in a folder of their own
    CPPFLAGS="${CPPFLAGS-} -I/usr/include/libxml2" deps_have_library libxml/parser.h xml2 || deps_needed+=(libxml2-dev)
    command -v pkg-config >/dev/null || deps_wanted+=(pkg-config)
    deps_have_library CL/cl.h OpenCL || deps_wanted+=(ocl-icd-opencl-dev opencl-c-headers)
    deps_have_library editline/readline.h edit || deps_wanted+=(libedit-dev)
    deps_have_library sha2.h md || deps_wanted+=(libmd-dev)
    deps_have_library event2/http.h event_extra || deps_wanted+=(libevent-dev)
    if [ "$1" = test ]; then
        deps_compiles '#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
int main(void) { return 0; }' -lcmocka || deps_needed+=(libcmocka-dev)
        command -v python3 >/dev/null || deps_wanted+=(python3)
        python3 -c 'import numpy' 2>/dev/null || /usr/bin/python3 -c 'import numpy' 2>/dev/null ||
            deps_wanted+=(python3-numpy)
        command -v mpicc >/dev/null || deps_wanted+=(libopenmpi-dev openmpi-bin)
        command -v parallel >/dev/null || deps_wanted+=(parallel)
        deps_have_driver || deps_wanted+=(pocl-opencl-icd)
        compgen -c clang | grep -qxE 'clang(-[0-9]+)?' || deps_wanted+=(clang)
        command -v oclgrind >/dev/null || deps_wanted+=(oclgrind)
        command -v mandoc >/dev/null || deps_wanted+=(mandoc)
        deps_have_library tbprobe.h fathom || deps_wanted+=(libfathom-dev)
        deps_have_library gtb-probe.h gaviotatb || deps_wanted+=(libgaviotatb-dev)
        [ -d /usr/share/gaviotatb ] || deps_wanted+=(gaviotatb)
        { command -v stockfish || [ -x /usr/games/stockfish ]; } >/dev/null || deps_wanted+=(stockfish)
        # Large, so only for CI; those who use them say what they leave out.
        [ -z "${CI-}" ] || command -v chromium >/dev/null || deps_wanted+=(chromium)
        [ -z "${CI-}" ] || command -v npm >/dev/null || deps_wanted+=(nodejs npm)
        [ -z "${CI-}" ] || command -v emcc >/dev/null || deps_wanted+=(emscripten)
        [ -z "${CI-}" ] || command -v x86_64-w64-mingw32-gcc-posix >/dev/null ||
            deps_wanted+=(gcc-mingw-w64-x86-64-posix)
    fi
}

# deps_as_root COMMAND...: as we are when root, through sudo when it lets us; 1 when neither
deps_as_root() {
    if [ "$(id -u)" = 0 ]; then
        "$@"
    elif command -v sudo >/dev/null && { sudo -n true 2>/dev/null || { [ -t 0 ] && sudo true; }; }; then
        sudo "$@"
    else
        return 1
    fi
}

deps_apt_install() {
    local package log
    [ $# -gt 0 ] || return 0
    command -v apt-get >/dev/null && deps_as_root true || return 1
    log=$(mktemp) || return 1
    say "installing: $*"
    for package in "$@"; do
        if ! apt-cache show "$package" >/dev/null 2>&1; then
            deps_as_root apt-get -qq update >"$log" 2>&1 || true
            break
        fi
    done
    local install=(env DEBIAN_FRONTEND=noninteractive apt-get -qq -y --no-install-recommends install "$@")
    # A list of packages that has grown old names files that are gone: fetch it again and try once more.
    if ! deps_as_root "${install[@]}" >"$log" 2>&1 &&
        ! { deps_as_root apt-get -qq update && deps_as_root "${install[@]}"; } >"$log" 2>&1; then
        tail -n 5 "$log" >&2
        rm -f "$log"
        return 1
    fi
    rm -f "$log"
}

deps_ensure() {
    local purpose=$1
    deps_missing "$purpose"
    if [ $((${#deps_needed[@]} + ${#deps_wanted[@]})) -gt 0 ]; then
        # Apart, so that what could be done without does not stand in the way of what is needed
        deps_apt_install "${deps_needed[@]}" || true
        deps_apt_install "${deps_wanted[@]}" || true
        deps_missing "$purpose"
    fi
    if [ "$purpose" = test ] && [ -n "${CI-}" ] && [ ! -d web/node_modules ] && command -v npm >/dev/null; then
        (cd web && timeout 120 npm ci --silent) || say "the test of the page is left out: npm ci fails"
    fi
    if [ ${#deps_needed[@]} -gt 0 ]; then
        die "missing, please install: ${deps_needed[*]} ${deps_wanted[*]}" \
            "(names of Debian's packages; docs/dependencies.md has those of Fedora and Arch)"
    fi
    if [ ${#deps_wanted[@]} -gt 0 ]; then
        say "not here and not needed, going on without: ${deps_wanted[*]}"
    fi
}

# configure PRESET [-D...]: into build/PRESET; by hand where this cmake has no presets (before 3.21)
configure() {
    local preset=$1 log=build/$1/configure.log
    shift
    mkdir -p "build/$preset"
    if [ "$(printf '%s\n' 3.21 "$(cmake --version | sed -n '1s/.* //p')" | sort -V | head -n 1)" = 3.21 ]; then
        cmake --preset "$preset" "$@" >"$log" 2>&1
    else
        case $preset in
        release) set -- -DCMAKE_BUILD_TYPE=Release "$@" ;;
        asan) set -- -DCMAKE_BUILD_TYPE=Debug -DCLTB_SANITIZE=ON "$@" ;;
        tsan) set -- -DCMAKE_BUILD_TYPE=Debug -DCLTB_SANITIZE=thread "$@" ;;
        core)
            set -- -DCMAKE_BUILD_TYPE=Release "-DCLTB_"{OPENCL,MPI,STUDIES,SERVE,DOBUTSU,ENGINES}=OFF "$@"
            ;;
        *) die "no preset $preset" ;;
        esac
        cmake -S . -B "build/$preset" "$@" >"$log" 2>&1
    fi || { cat "$log" >&2; die "cmake could not configure build/$preset"; }
}

# compile PRESET [target...]: says little unless it fails
compile() {
    local preset=$1 log=build/$1/build.log targets=()
    shift
    [ $# -eq 0 ] || targets=(--target "$@")
    cmake --build "build/$preset" --parallel "${JOBS:-$(nproc)}" "${targets[@]}" >"$log" 2>&1 || {
        grep -E -A 6 'error:|warning:|undefined reference|ld: |CMake Error' "$log" >&2 || tail -n 20 "$log" >&2
        die "build/$preset does not build (all of it: build/$preset/build.log)"
    }
    grep -E -A 3 'warning:' "$log" >&2 || true
}
