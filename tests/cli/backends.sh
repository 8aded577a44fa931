#!/bin/bash
# backends.sh - tables made on an OpenCL device equal those made on the processor, byte for byte, whatever instruction
# set
# shellcheck source=tests/cli/common.bash
. "$(dirname "$0")/common.bash"
# shellcheck source=tests/cli/golden.bash
. "$(dirname "$0")/golden.bash"
# A pair of identical pieces with mates and stalemates, all kinds of men, captures on both sides.
tables="KQvKR KRRvK KBNvK KBvKN"
[ -z "${CLTB_TEST_SANITIZED-}" ] || tables="KQvKR KRRvK" # slow there
# With pawns: promotions and en passant on both sides, like pawns, slices that share tiles.
pawns="KPvK KPvKP KPPvK"

# shellcheck disable=SC2086 # names are words
expect 0 "" "$cltb" build $tables $pawns --dir cpu --device cpu --quiet

same_pawns() { # FOLDER OPTION...: makes them on top of the futurebases in cpu/
    local folder=$1 name
    shift
    # shellcheck disable=SC2086
    expect 0 "" "$cltb" build $pawns --force --dir "$folder:cpu" --quiet "$@"
    for name in $pawns; do
        cmp -s "cpu/$name.cltb" "$folder/$name.cltb" || fail "$name is not the same in $folder"
    done
}

same() {
    local file
    for file in "$1"/*.cltb; do
        cmp -s "$file" "cpu/$(basename "$file")" || fail "$file is not the same in $1"
    done
    for file in $tables; do
        [ -e "$1/$file.cltb" ] || fail "$file is not in $1"
    done
}

for isa in generic avx2; do
    grep -q "$isa" <<<"$("$cltb" devices)" || continue
    # shellcheck disable=SC2086
    expect 0 "" "$cltb" build $tables --dir "$isa" --device cpu --isa "$isa" --threads 1 --quiet
    same "$isa"
    same_pawns "$isa-pawns" --device cpu --isa "$isa" --threads 1
done

if "$cltb" devices | grep -qE '^0 '; then
    # shellcheck disable=SC2086
    expect 0 "" "$cltb" build $tables --dir opencl --device 0 --quiet
    same opencl
    same_pawns opencl-pawns --device 0
    awk -F '\t' 'NR == 1 || $1 == "KQvK" || $1 == "KQvKR"' "$source_dir/tests/data/histograms-34.tsv" >histograms.tsv
    mkdir t && cp opencl/*.cltb t
    check_histograms histograms.tsv
else
    echo "no OpenCL device: that part is left out"
fi
finish
