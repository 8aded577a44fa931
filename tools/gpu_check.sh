#!/usr/bin/env bash
# gpu_check.sh - build, check and measure on a machine with an NVIDIA GPU and no network
#
#     tools/gpu_check.sh                on that machine: build, compare OpenCL with the CPU fallback, print the
#     benchmark tables tools/gpu_check.sh --fetch-deps   beforehand, on a Debian machine with a network: packages into
#     .deps/ to take along
#
# Libraries that the machine lacks come from .deps/*.deb (not in git), unpacked into build/deps; nothing is installed.
# DEVICE=N picks another device than number 0. Ends with a non-zero status and one clear line when a step fails.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. tools/deps.sh

packages=(libzstd-dev libzstd1 libxxhash-dev libxxhash0 libcmocka-dev libcmocka0 libxml2-dev libxml2 liblzma5
    ocl-icd-opencl-dev ocl-icd-libopencl1 opencl-c-headers)
device=${DEVICE:-0}
cltb=build/release/cltb
deps_flags=

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

# step TITLE COMMAND...
step() {
    local title=$1 start=$SECONDS
    shift
    say "$title: $*"
    "$@" || die "$title failed: $*"
    say "$title: done in $((SECONDS - start)) s"
}

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

# Leaves the loader only NVIDIA's driver, so that device 0 is the GPU.
use_nvidia_driver() {
    local driver found
    driver=$(ldconfig -p 2>/dev/null | sed -n 's/.*libnvidia-opencl\.so\.1 .*=> //p' | head -n 1)
    if [ -z "$driver" ]; then
        found=$(find /usr/local/nvidia /usr/lib /usr/lib64 /usr/local/cuda -name libnvidia-opencl.so.1 \
            2>/dev/null || true)
        driver=$(head -n 1 <<<"$found")
    fi
    [ -n "$driver" ] || die "no libnvidia-opencl.so.1 here: the NVIDIA driver's OpenCL part is missing"
    say "driver: $driver"
    export LD_LIBRARY_PATH=${LD_LIBRARY_PATH:+$LD_LIBRARY_PATH:}${driver%/*}
    mkdir -p build/icd
    printf '%s\n' "$driver" >build/icd/nvidia.icd
    export OCL_ICD_VENDORS=$PWD/build/icd
}

# What kind of machine the figures are from
describe_machine() {
    say "machine"
    nvidia-smi --query-gpu=name,memory.total,driver_version --format=csv,noheader 2>/dev/null || say "no nvidia-smi"
    sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | uniq -c
    "$(deps_cc)" --version | head -n 1
}

compare_backends() {
    (cd build/release && ctest -R backend --no-tests=error --output-on-failure)
}

case ${1-} in
'') ;;
--fetch-deps)
    fetch_deps
    exit
    ;;
*) die "usage: tools/gpu_check.sh [--fetch-deps]" ;;
esac

mkdir -p build
unpack_deps
use_cuda
deps_missing test
[ ${#deps_needed[@]} -eq 0 ] ||
    die "missing: ${deps_needed[*]} (tools/gpu_check.sh --fetch-deps puts packages into .deps)"
use_nvidia_driver
describe_machine

step "configure" configure release -DCLTB_OPENCL=ON
step "build" compile release
[ -x "$cltb" ] || die "the build has made no $cltb"

step "devices" $cltb devices
step "OpenCL against the CPU fallback" compare_backends
step "kernels, first run" $cltb bench kernels --device "$device"
step "kernels, second run" $cltb bench kernels --device "$device"
step "kernels with pawns" $cltb bench kernels KRPvKR --device "$device"
step "builds on the GPU" $cltb bench build --device "$device"
step "builds on the CPU" $cltb bench build --device cpu
tables=$(mktemp -d)
trap 'rm -rf "$tables" "$tables-cpu" "$tables-disk"' EXIT
step "a table on the GPU" $cltb build KQRvKR --dir "$tables" --device "$device"
for run in first second; do
    step "the same with its planes on disk, $run run" \
        $cltb build KQRvKR --dir "$tables-disk:$tables" --device "$device" --memory 64M --force
done
step "equal bytes" cmp "$tables/KQRvKR.cltb" "$tables-disk/KQRvKR.cltb"
step "verify it" $cltb verify KQRvKR --dir "$tables"
step "a table with pawns on the GPU" $cltb build KRPvKR --dir "$tables" --device "$device"
step "the same on the CPU" $cltb build KRPvKR --force --dir "$tables-cpu:$tables" --device cpu
step "equal bytes" cmp "$tables/KRPvKR.cltb" "$tables-cpu/KRPvKR.cltb"
# Dobutsu: the share of the copy rate is that of the bytes that docs/performance.md counts
step "dobutsu on the GPU, first run" $cltb build dobutsu --solve-only --dir "$tables" --device "$device"
step "dobutsu on the GPU, second run" $cltb build dobutsu --dir "$tables" --device "$device"
step "dobutsu on the CPU" $cltb build dobutsu --dir "$tables-cpu" --device cpu
step "equal bytes" cmp "$tables/dobutsu.cltb" "$tables-cpu/dobutsu.cltb"
say "all steps done"
