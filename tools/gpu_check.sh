#!/usr/bin/env bash
# gpu_check.sh - check and measure on a borrowed machine with a GPU, in minutes, without a network
#
#     tools/gpu_check.sh --prepare      beforehand, on a Debian machine: into build/gpu_kit, to take along, programs and
#                                       their libraries, sums of tables made on the processor, rigs for CUDA
#     tools/gpu_check.sh --fetch-deps   packages into .deps/, to build there if the programs should not run
#     tools/gpu_check.sh [--run N]      on the machine: run 1 (9 minutes at most), 2 (9) or 3 (6), or all of them
#
#     run 1   devices, compiling, tests of the backend, five men against the sums, kernels, tuning, a profile
#     run 2   all tables of up to five men; six men: solving with a profile, the whole build, windows
#     run 3   the sweeps by CUDA alone (first, and the only one, where OpenCL is missing), under NVIDIA's profiler
#
# Every step has a time limit and a log; a step that fails or is cut short does not stop the others. build/gpu_check has
# runN/STEP.log, and $OUT, if set, runN.log with all of them and runN.tsv with the summary that is printed at the end.
# The exit status is 1 if any step failed.
#
#     DEVICE=N     another device than number 0        ONLY=REGEX     only the steps with such names
#     ANY=1        any driver and kind of device       LIMIT=SECONDS  another limit for every step
#     TABLES=...   of --prepare
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. tools/deps.sh

packages=(libzstd-dev libzstd1 libxxhash-dev libxxhash0 libcmocka-dev libcmocka0 libxml2-dev libxml2 liblzma5
    ocl-icd-opencl-dev ocl-icd-libopencl1 opencl-c-headers)
device=${DEVICE:-0}
kit=build/gpu_kit
cltb=$kit/cltb
deps_flags=

# ---- beforehand ----

fetch_deps() {
    # libxml2 needs the ICU of its release
    mapfile -t -O ${#packages[@]} packages < <(apt-cache depends libxml2 |
        sed -n 's/^ *Depends: \(libicu[0-9]*\)$/\1/p')
    say "downloading into .deps: ${packages[*]}"
    mkdir -p .deps
    (cd .deps && rm -f ./*.deb && apt-get -qq -o APT::Sandbox::User=root download "${packages[@]}") ||
        die "apt-get download failed"
    ls .deps
}

# Programs, and the libraries that another distribution may lack or have in another version; those of the compiler and
# of libc work with programs from older systems and are taken from there.
fill_kit() {
    local program
    mkdir -p "$kit/lib"
    for program in build/release/cltb build/release/tests/test_{backend{,_opencl,_steps},device_symbols}; do
        if [ -x "$program" ]; then
            cp "$program" "$kit/"
            strip "$kit/${program##*/}"
        fi
    done
    ldd "$kit"/cltb "$kit"/test_* | sed -n 's/.* => \(\/[^ ]*\) .*/\1/p' | sort -u |
        grep -vE '/(libc|libm|libpthread|libdl|librt|libgcc_s|libstdc\+\+)\.so' | xargs cp -L -t "$kit/lib"
}

prepare() {
    configure release -DCLTB_OPENCL=ON
    compile release
    fill_kit
    # No six men: their file takes minutes on a small machine.
    local table
    rm -rf "$kit/cpu"
    for table in ${TABLES:-KQvKR KQRvKR KRRvKB KRPvKR dobutsu}; do
        "$cltb" build "$table" --dir "$kit/cpu" --device cpu --quiet
    done
    (cd "$kit/cpu" && sha256sum -- *.cltb) >"$kit/sums"
    rm -rf "$kit/cpu"
    (tools/kernel_report.sh --rig "$kit") || say "no rigs: run 3 is left out"
    say "$kit is ready ($(du -sh "$kit" | cut -f 1)), $(wc -l <"$kit/sums") tables"
}

# ---- the machine ----

# Unpacks .deps/*.deb and points compiler, linker, loader and CMake at them.
unpack_deps() {
    local deb root=$PWD/build/deps libraries
    compgen -G '.deps/*.deb' >/dev/null || { say "no .deps/*.deb: using what is installed"; return; }
    say "unpacking .deps/*.deb into build/deps"
    rm -rf "$root"
    mkdir -p "$root"
    for deb in .deps/*.deb; do
        dpkg -x "$deb" "$root" || die "dpkg cannot unpack $deb"
    done
    libraries=$root/usr/lib/$(uname -m)-linux-gnu
    # Debian keeps a few libraries in /lib, which is /usr/lib elsewhere.
    [ ! -d "$root/lib" ] || [ -L "$root/lib" ] || cp -a "$root/lib/." "$root/usr/lib/"
    export CMAKE_PREFIX_PATH=$root/usr${CMAKE_PREFIX_PATH:+:$CMAKE_PREFIX_PATH}
    export PKG_CONFIG_PATH=$libraries/pkgconfig${PKG_CONFIG_PATH:+:$PKG_CONFIG_PATH}
    export LD_LIBRARY_PATH=$libraries${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
    deps_flags+=" -I$root/usr/include -L$libraries"
}

# CUDA's own headers and loader, where nothing else has them
use_cuda() {
    local cuda=${CUDA_PATH:-/usr/local/cuda}
    [ -d "$cuda" ] || return 0
    export CUDA_PATH=$cuda
    deps_flags+=" -I$cuda/include -L$cuda/lib64"
    export LD_LIBRARY_PATH=${LD_LIBRARY_PATH:+$LD_LIBRARY_PATH:}$cuda/lib64
}

# Leaves the loader only NVIDIA's driver, so that device 0 is the GPU. 1: there is none.
use_nvidia_driver() {
    local driver found
    driver=$(ldconfig -p 2>/dev/null | sed -n 's/.*libnvidia-opencl\.so\.1 .*=> //p' | head -n 1)
    if [ -z "$driver" ]; then
        found=$(find /usr/local/nvidia /usr/lib /usr/lib64 /usr/local/cuda -name libnvidia-opencl.so.1 \
            2>/dev/null || true)
        driver=$(head -n 1 <<<"$found")
    fi
    [ -n "$driver" ] || return 1
    say "driver: $driver"
    export LD_LIBRARY_PATH=${LD_LIBRARY_PATH:+$LD_LIBRARY_PATH:}${driver%/*}
    mkdir -p build/icd
    printf '%s\n' "$driver" >build/icd/nvidia.icd
    export OCL_ICD_VENDORS=$PWD/build/icd
}

# The programs of the kit, or, where they do not run, of a build here.
have_programs() {
    if [ -x "$cltb" ] && LD_LIBRARY_PATH=$PWD/$kit/lib:${LD_LIBRARY_PATH-} "$cltb" version; then
        export LD_LIBRARY_PATH=$PWD/$kit/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
        return
    fi
    say "$cltb is missing or does not run here: building"
    unpack_deps
    use_cuda
    deps_missing build
    [ ${#deps_needed[@]} -eq 0 ] ||
        die "missing: ${deps_needed[*]} (tools/gpu_check.sh --fetch-deps puts packages into .deps)"
    configure release -DCLTB_OPENCL=ON
    compile release
    cltb=build/release/cltb
}

# ---- steps ----

failed=0
run_end=0 # on the clock $SECONDS
logs=
summary=

# step NAME SECONDS COMMAND...: a command or function; functions see the variables of this script.
step() {
    local name=$1 limit=$2 start=$SECONDS status=0 result="done" left
    shift 2
    [[ $name =~ ${ONLY:-.} ]] || return 0
    left=$((run_end - SECONDS))
    limit=${LIMIT:-$limit}
    [ "$limit" -le "$left" ] || limit=$left
    if [ "$limit" -lt 2 ]; then
        result="no time left" status=1
    else
        export device cltb kit
        if [ "$(type -t "$1")" = function ]; then
            timeout -k 5 "$limit" bash -c "trap : TERM; set -eu -o pipefail; $(declare -f); $*" || status=$?
        else
            timeout -k 5 "$limit" "$@" || status=$?
        fi >"$logs/$name.log" 2>&1 </dev/null
        case $status in
        0) ;;
        124 | 137) result="cut short after $limit s" ;;
        *) result="FAILED ($status)" ;;
        esac
    fi
    [ "$status" = 0 ] || failed=1
    printf '%s\t%s\t%s\n' "$name" "$result" "$((SECONDS - start))" >>"$summary"
    printf '%-24s %s, %d s\n' "$name" "$result" "$((SECONDS - start))"
    [ "$status" = 0 ] || tail -n 3 -- "$logs/$name.log" 2>/dev/null || true
    if [ -n "${OUT-}" ]; then
        printf '\n==== %s: %s\n' "$name" "$result" >>"$OUT/${logs##*/}.log"
        cat "$logs/$name.log" >>"$OUT/${logs##*/}.log" 2>/dev/null || true
        cp "$summary" "$OUT/${logs##*/}.tsv"
    fi
}

begin_run() { # NUMBER SECONDS
    logs=build/gpu_check/run$1
    rm -rf "$logs"
    mkdir -p "$logs"
    summary=$logs/summary.tsv
    : >"$summary"
    [ -z "${OUT-}" ] || rm -f "$OUT/run$1.log" "$OUT/run$1.tsv"
    run_end=$((SECONDS + $2))
    say "run $1: $2 s at most"
}

machine() {
    nvidia-smi -q 2>/dev/null | grep -vE ': N/A$' | sed -n 1,200p || echo "no nvidia-smi"
    sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | uniq -c
    ldd --version 2>&1 | sed -n 1p
    free -m
    env | grep -E '^(CUDA|NVIDIA|OCL)' || true
}

compiling() { # all programs, into an empty cache, with the compiler's logs; then from the cache
    rm -rf "$XDG_CACHE_HOME"
    mkdir -p "$XDG_CACHE_HOME"
    if [ -z "${ANY-}" ]; then
        export CLTB_OPENCL="options=-cl-nv-verbose"
    fi
    for table in KQRvKR KBNvKR; do
        time "$cltb" bench kernels "$table" --device "$device" --milliseconds 1
        time "$cltb" bench kernels "$table" --device "$device" --milliseconds 1
    done
    head -n 200 -- "$XDG_CACHE_HOME"/cltb/*.log
}

backend_tests() {
    local program bad=0
    export CLTB_TEST_DATA=$PWD/tests/data CLTB_TEST_TMP=$PWD/build/gpu_check/tmp
    mkdir -p "$CLTB_TEST_TMP"
    for program in "$kit"/test_*; do
        "$program" || bad=1
    done
    return "$bad"
}

# table NAME [option...]: on the device, and its file has the sum of the one that the processor made
table() {
    local name=$1 folder
    folder=build/gpu_check/tables
    shift
    "$cltb" build "$name" --dir "$folder" --device "$device" --force "$@"
    cd "$folder"
    grep -q " $name.cltb\$" "$OLDPWD/$kit/sums" || { echo "there is no sum of $name" && return 1; }
    grep " $name.cltb\$" "$OLDPWD/$kit/sums" | sha256sum -c
}

kernels() { # by man and digit: tables with each man in each place
    local table
    for table in "$@"; do
        "$cltb" bench kernels "$table" --device "$device" --milliseconds 100
    done
}

# all_tables MEN: all tables of up to so many men have the repository's sums
all_tables() {
    local folder=build/gpu_check/all sums=$PWD/docs/tables-345.sha256
    "$cltb" build --men "$1" --dir "$folder" --device "$device"
    cd "$folder"
    sha256sum -c --quiet --ignore-missing "$sums"
}

# profile NAME [option...]: the time of every launch
profile() {
    local name=$1
    shift
    rm -f build/gpu_check/profile.tsv
    CLTB_OPENCL="profile=$PWD/build/gpu_check/profile.tsv" \
        "$cltb" build "$name" --dir build/gpu_check/tables --device "$device" --force "$@"
    cat build/gpu_check/profile.tsv
}

rigs() {
    local rig
    for rig in "$kit"/rig_*; do
        echo "== ${rig##*/}"
        "$rig"
    done
}

nvidia_profiler() {
    ncu --clock-control none --set full --launch-skip 4 --launch-count 2 "$kit/rig_$1"
}

run_1() {
    begin_run 1 540
    step machine 10 machine
    step devices 20 "$cltb" devices
    step compiling 120 compiling
    step backend_tests 120 backend_tests
    step KQvKR 30 table KQvKR
    step KQRvKR 60 table KQRvKR
    step KRRvKB 60 table KRRvKB
    step KRPvKR 90 table KRPvKR
    step dobutsu 60 table dobutsu
    step in_windows 60 table KQRvKR --memory 192M
    step all_four 60 all_tables 4
    step kernels 60 kernels KQRvKR KBNvKR
    step kernels_with_pawns 30 kernels KRPvKR
    if "$cltb" help tune >/dev/null 2>&1; then
        step tune 90 "$cltb" tune --device "$device"
    fi
    step tuned 30 table KQRvKR
    step profile 30 profile KQRvKR
}

run_2() {
    begin_run 2 540
    step all_five 180 all_tables 5
    step solve_six 120 profile KQRvKRB --solve-only
    step build_six 300 "$cltb" build KQRvKRB --dir build/gpu_check/six --device "$device" --force
    step windows_six 240 profile KQRvKRB --solve-only --memory 8G
}

run_3() {
    begin_run 3 360
    step rigs 120 rigs
    step ncu_queen 60 nvidia_profiler queen
    step ncu_king 60 nvidia_profiler king
}

runs=
while [ $# -gt 0 ]; do
    case $1 in
    --prepare) prepare && exit ;;
    --fetch-deps) fetch_deps && exit ;;
    --run)
        [[ ${2-} =~ ^[123]$ ]] || die "--run takes 1, 2 or 3"
        runs+=" $2"
        shift
        ;;
    *) die "usage: tools/gpu_check.sh [--prepare | --fetch-deps | --run 1|2|3...]" ;;
    esac
    shift
done
# The folder of a borrowed machine's user may be read-only, and kernels would be compiled in every step.
export XDG_CACHE_HOME=$PWD/build/gpu_cache
mkdir -p build/gpu_check "$XDG_CACHE_HOME" ${OUT:+"$OUT"}
if [ -z "${ANY-}" ] && ! use_nvidia_driver; then
    say "no libnvidia-opencl.so.1 here: the sweeps by CUDA alone"
    failed=1 runs=3
fi
[ "$runs" = 3 ] || have_programs
for run in ${runs:-1 2 3}; do
    case $run in
    1) run_1 ;;
    2) run_2 ;;
    3) run_3 ;;
    esac
done
say "summary (logs: build/gpu_check)"
for run in ${runs:-1 2 3}; do
    awk -F '\t' -v run="$run" '{ printf "run %s  %-24s %6s s  %s\n", run, $1, $3, $2 }' \
        "build/gpu_check/run$run/summary.tsv"
done
exit $failed
