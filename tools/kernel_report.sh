#!/usr/bin/env bash
# kernel_report.sh - what compilers for GPUs make of each kernel: registers, spills, stack, code, loads in flight
#
#     tools/kernel_report.sh [TARGET...]            a table of these targets, or of all whose compiler is here
#     tools/kernel_report.sh --check [TARGET...]    also fails where registers are spilled to memory
#     tools/kernel_report.sh --update               puts the table into docs/gpu.md
#     tools/kernel_report.sh --rig FOLDER           programs that time the sweeps where OpenCL is missing
#
#     gfx90a, gfx1030     AMD, by clang (CLANG=...) with the built-ins of tools/kernel_builtins.h
#     sm_90               NVIDIA, by nvcc and ptxas (NVCC=...), OpenCL's words turned into CUDA's (tools/kernel_cuda.h)
#     pvc, dg2-g10        Intel, by ocloc (OCLOC=...; Debian's intel-opencl-icd)
#
# Ends with 77 where none of these compilers is to be had. No GPU is needed. The vendors' OpenCL drivers have
# compilers of their own, so registers there differ a little.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. tools/deps.sh

all_targets=(gfx90a gfx1030 sm_90 pvc dg2-g10)
work=$(mktemp -d)
trap 'wait; rm -rf "$work"' EXIT

# Every program: title, text, options. The options are those of host/**/opencl*.c.
programs() {
    local type slider text
    for type in king queen rook bishop knight; do
        slider=1
        [ "$type" != king ] && [ "$type" != knight ] || slider=0
        echo "$type sweep.cl -D SWEEP=$type -D SLIDER=$slider"
    done
    (cd kernels && find . -name '*.cl' ! -name sweep.cl -printf '%P\n' | LC_ALL=C sort) | while read -r text; do
        echo "- $text"
    done
}

clang=${CLANG:-$(compgen -c clang | grep -xE 'clang(-[0-9]+)?' | sort -V | tail -n 1)}
nvcc=${NVCC:-nvcc}
ocloc=${OCLOC:-ocloc}

compiler_of() {
    case $1 in
    gfx*) echo "$clang" ;;
    sm_*) echo "$nvcc" ;;
    *) echo "$ocloc" ;;
    esac
}

# to_cuda TEXT [option...]: the text in CUDA's words
to_cuda() {
    local text=$1
    shift
    echo '#include "kernel_cuda.h"'
    "$(deps_cc)" -E -P -x c -D__OPENCL_VERSION__=120 -Dkernel='extern "C" __global__' -Dglobal= -Dconstant=const \
        -Dlocal=__shared__ -Drestrict=__restrict__ -Dinline='__device__ __forceinline__' "$@" -I kernels "$text" |
        sed -E 's/\((uint2|uint4|lanes_t)\)\(/\1(/g'
}

# rigs FOLDER: a program for each sweep that runs and times it by CUDA alone (tools/kernel_rig.cu)
rigs() {
    local program folder=$1
    command -v "$nvcc" >/dev/null || { say "no $nvcc here" && exit 77; }
    mkdir -p "$folder"
    while read -r -a program; do
        [ "${program[1]}" = sweep.cl ] || continue
        { to_cuda "kernels/${program[1]}" "${program[@]:2}" && cat tools/kernel_rig.cu; } >"$work/rig.cu"
        "$nvcc" -w -I tools -O3 -gencode arch=compute_80,code=compute_80 -gencode arch=compute_90,code=sm_90 \
            -o "$folder/rig_${program[0]}" "$work/rig.cu" || die "tools/kernel_rig.cu does not fit sweep.cl"
    done < <(programs)
}

# figures TARGET TEXT OUT [option...]: compiles and prints the rows of kernel_figures.py
figures() {
    local target=$1 text=kernels/$2 out=$3
    shift 3
    case $target in
    gfx*)
        "$clang" -x cl -cl-std=CL1.2 -Xclang -finclude-default-header -O3 -target amdgcn-amd-amdhsa -mcpu="$target" \
            -nogpulib -include tools/kernel_builtins.h -I kernels "$@" -S -o "$out.s" "$text" &&
            python3 tools/kernel_figures.py amdgcn "$out.s"
        ;;
    sm_*)
        to_cuda "$text" "$@" >"$out.cu"
        "$nvcc" -w -I tools -arch="$target" -O3 -cubin -Xptxas -v -o "$out.cubin" "$out.cu" 2>"$out.log" ||
            { cat "$out.log" >&2 && return 1; }
        python3 tools/kernel_figures.py nvidia "$out.cubin" "$out.log"
        ;;
    *)
        "$ocloc" compile -file "$text" -device "$target" -output "${out##*/}.bin" -output_no_suffix -out_dir "$work" \
            -internal_options -ze-allow-zebin -options "-cl-std=CL1.2 -I $PWD/kernels -I $PWD/${text%/*} $*" \
            >"$out.log" 2>&1 || { cat "$out.log" >&2 && return 1; }
        python3 tools/kernel_figures.py intel "$out.bin" "$out.log"
        ;;
    esac
}

# one TARGET TITLE TEXT [option...]: leaves its rows in $work, to be put in order later
one() {
    local target=$1 title=$2 text=$3 out
    out=$work/$1.${2//-/}.${3//\//.}
    shift 3
    figures "$target" "$text" "$out" "$@" >"$out.rows" || die "$target: $text ${*-} cannot be reported on"
    [ "$title" = - ] || sed -i "s/^sweep\t/sweep $title\t/" "$out.rows"
}

# Prints "kernel|target|registers|spilled|stack|code|loads" in the order of the programs, kernel by kernel.
report() {
    local target program jobs=0 rows
    for target in "$@"; do
        while read -r -a program; do
            one "$target" "${program[@]}" &
            jobs=$((jobs + 1))
            if [ "$jobs" -ge "${JOBS:-$(nproc)}" ]; then
                wait -n || return 1
                jobs=$((jobs - 1))
            fi
        done < <(programs)
    done
    while [ "$jobs" -gt 0 ]; do
        wait -n || return 1
        jobs=$((jobs - 1))
    done
    while read -r -a program; do
        for target in "$@"; do
            rows=$work/$target.${program[0]//-/}.${program[1]//\//.}.rows
            sed "s/\t/\t$target\t/" "$rows"
        done | LC_ALL=C sort -s -k1,1
    done < <(programs)
}

print_table() {
    echo "| kernel | target | registers | spilled | stack | code | loads in flight |"
    echo "|---|---|---|---|---|---|---|"
    awk -F '\t' '{ printf "|"; for (i = 1; i <= NF; i++) printf " %s |", $i; print "" }' "$1"
}

check=0 update=0
case ${1-} in
--check) check=1 && shift ;;
--update) update=1 && shift ;;
--rig) rigs "${2:?a folder}" && exit ;;
-*) die "usage: tools/kernel_report.sh [--check|--update] [TARGET...] | --rig FOLDER" ;;
esac
command -v python3 >/dev/null || { say "no python3 here" && exit 77; }
targets=()
for target in "${@:-${all_targets[@]}}"; do
    case " ${all_targets[*]} " in
    *" $target "*) ;;
    *) die "no target $target: there are ${all_targets[*]}" ;;
    esac
    compiler=$(compiler_of "$target")
    if [ -n "$compiler" ] && command -v "$compiler" >/dev/null; then
        targets+=("$target")
    else
        say "$target: left out (no ${compiler:-clang})" >&2
    fi
done
[ ${#targets[@]} -gt 0 ] || exit 77

report "${targets[@]}" >"$work/all" || exit 1
print_table "$work/all" >"$work/table"
if [ $update = 1 ]; then
    [ "${targets[*]}" = "${all_targets[*]}" ] || die "docs/gpu.md has all targets: ${all_targets[*]}"
    awk -v table="$work/table" '
        /^<!-- end -->/ { while ((getline line < table) > 0) print line; print ""; skip = 0 }
        !skip { print }
        /^<!-- kernel_report.sh -->/ { print ""; skip = 1 }' docs/gpu.md >"$work/gpu.md"
    cp "$work/gpu.md" docs/gpu.md
else
    cat "$work/table"
fi
if [ $check = 1 ]; then
    awk -F '\t' '$4 != 0 { print "kernel_report.sh: " $1 " spills on " $2 ": " $4; bad = 1 } END { exit bad }' \
        "$work/all" >&2
fi
