#!/bin/bash
# backends.sh - tables made on an OpenCL device equal those made on the processor, byte for byte, with every instruction
# set
. "$(dirname "$0")/common.bash"
. "$(dirname "$0")/golden.bash"
# A pair of identical pieces with mates and stalemates, all kinds of men, captures on both sides.
tables=(KQvKR KRRvK KBNvK)
# With pawns: promotions and en passant on both sides, identical pawns, slices that share tiles.
pawns=(KPvK KPvKP KPPvK)
[ -z "${CLTB_TEST_SANITIZED-}" ] || tables=(KQvKR KRRvK) pawns=(KPvK KPvKP) # slow there
[ -z "${CLTB_TEST_NO_OPENCL-}" ] || tables=(KQvKR) pawns=(KPvK) # the kernels of the processor are the same

expect 0 "" "$cltb" build "${tables[@]}" "${pawns[@]}" --dir cpu --device cpu --quiet

same() { # FOLDER OPTION...: makes all in FOLDER; those with pawns in FOLDER-pawns, on top of the futurebases in cpu/
    local folder=$1 name file
    shift
    expect 0 "" "$cltb" build "${tables[@]}" --dir "$folder" --quiet "$@"
    expect 0 "" "$cltb" build "${pawns[@]}" --force --dir "$folder-pawns:cpu" --quiet "$@"
    for file in "$folder"/*.cltb "$folder-pawns"/*.cltb; do
        cmp -s "$file" "cpu/${file##*/}" || fail "$file is not the same in cpu"
    done
    for name in "${tables[@]/#/$folder/}" "${pawns[@]/#/$folder-pawns/}"; do
        [ -e "$name.cltb" ] || fail "there is no $name.cltb"
    done
}

every_pawn=("${pawns[@]}")
pawns=("${pawns[@]:0:2}") # test_backend has each kernel of each set
threads=1 # later more than a search compares orders, so that all threads try one order after another
for isa in generic avx2; do
    grep -q "$isa" <<<"$("$cltb" devices)" || continue
    same "$isa" --device cpu --isa "$isa" --threads "$threads"
    threads=6
done

# Several devices make a table each at the same time.
pawns=(KPvK)
same shared --device cpu,cpu
[[ $("$cltb" build KQvKR --dir all --device cpu,cpu,cpu --threads 3 2>&1) =~ (^|$'\n')"3 tables made: " ]] ||
    fail "three tables are not counted"

if "$cltb" devices | grep -qE '^0 '; then
    # Planes and symbols are read in many chunks, and kernels are launched in many pieces.
    pawns=("${every_pawn[@]}")
    CLTB_READ_KIB=20 CLTB_LAUNCH_ITEMS=5000 CLTB_OPENCL=symbols same opencl --device 0
    # Like men that the processor sorts, a device only in part
    expect 0 "" "$cltb" build KQQQvK --dir opencl --device 0 --quiet
    grep ' KQQQvK.cltb$' "$source_dir/docs/tables-345.sha256" >opencl/sum
    (cd opencl && sha256sum --check --quiet sum) || fail "KQQQvK is not the same on a device"
    tables=(KQvKR) pawns=(KPvK)
    POCL_DEVICES="pthread pthread" same two --device 0,1,0,cpu # PoCL then has two devices
    # Distances to mate and to conversion, with a pawn.
    for metric in dtm dtc; do
        expect 0 "" "$cltb" build KPvK KQvK --metric $metric --both-sides --dir cpu --device cpu --quiet
        expect 0 "" "$cltb" build KPvK KQvK --metric $metric --both-sides --force --dir mate:cpu --device 0 --quiet
        for name in KPvK KQvK; do
            cmp "mate/$name.$metric.cltb" "cpu/$name.$metric.cltb" || fail "$name.$metric is not the same"
        done
    done
    awk -F '\t' 'NR == 1 || $1 == "KQvK" || $1 == "KQvKR"' "$source_dir/tests/data/histograms-34.tsv" >histograms.tsv
    mkdir t && cp opencl/*.cltb t
    check_histograms histograms.tsv
else
    echo "no OpenCL device: that part is left out"
fi
finish
