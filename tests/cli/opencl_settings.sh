#!/bin/bash
# opencl_settings.sh - CLTB_OPENCL: work-groups of GPU size, waits and profiles change no byte of a table; errors are
# reported
# shellcheck source=tests/cli/common.bash
. "$(dirname "$0")/common.bash"

"$cltb" devices | grep -qE '^0 ' || { echo "no OpenCL device"; exit 77; }
expect 0 "" "$cltb" build KRvK --dir cpu --device cpu --quiet

# Every size of work-groups means other kernels: PoCL makes them in a fifth of the time without optimisation.
options=options=-cl-opt-disable
build() { # SETTINGS STATUS TEXT
    CLTB_OPENCL="$1 $options" expect "$2" "$3" "$cltb" build KRvK --dir opencl --device 0 --force --quiet
}
for settings in "sweep_items=64 plane_items=256 symbols wait" \
    "  profile=times.tsv  plane_items=7 read_kib=1 symbols"; do
    build "$settings" 0 ""
    cmp cpu/KRvK.cltb opencl/KRvK.cltb || fail "$settings: another table"
done
[ "$(head -n 1 times.tsv)" = "$(printf 'kernel\tlaunches\titems\tbytes_counted\tnanoseconds')" ] ||
    fail "the head of a profile: $(head -n 1 times.tsv)"
awk -F '\t' 'NR > 1 && ($2 < 1 || $3 < $2 || $4 < $3 || $5 < 1) { exit 1 } END { exit !(NR > 8) }' times.tsv ||
    fail "a profile that cannot be: $(cat times.tsv)"
grep -qE '^sweep rook, digit [0-9]' times.tsv || fail "no rook has moved: $(cat times.tsv)"
for kernel in entry_symbols plan_outcomes plan_distances code_units pack_units; do
    grep -q "^$kernel" times.tsv || fail "no $kernel on the device: $(cat times.tsv)"
done

for settings in sweep_items=0 sweep_items=1025 plane_items=x plane_items= read_kib=-1 nonsense profile= \
    "$(printf '%600s' x)"; do
    build "$settings" 2 "CLTB_OPENCL: "
done
build profile=none/at/all 1 "none/at/all"
export XDG_CACHE_HOME=$tmp/cache
options=
build "options=-no-such-option" 1 "(all of it: $tmp/cache/cltb/"
log=$(sed -n 's/.*(all of it: \(.*\))$/\1/p' "$err")
grep -q -- '-no-such-option' "$log" || fail "the log $log lacks the options: $(cat "$log")"
finish
