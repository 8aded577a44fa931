#!/bin/bash
# slow_oclgrind.sh - kernels under Oclgrind, which detects races and accesses out of bounds: a restricted table, and
# with CLTB_TEST_LONG (minutes) one of three men; both equal those of the processor
# shellcheck source=tests/cli/common.bash
. "$(dirname "$0")/common.bash"

library=$(find /usr/lib -name liboclgrind-rt-icd.so 2>/dev/null | head -n 1)
library=${OCLGRIND_ICD:-$library}
[ -n "$library" ] || { echo "no oclgrind (Debian: oclgrind)"; exit 77; }
mkdir icd
printf '%s\n' "$library" >icd/oclgrind.icd
export XDG_CACHE_HOME=$tmp/cache OCLGRIND_DATA_RACES=1 OCLGRIND_CHECK_API=1

# oclgrind ARGUMENT...: a build under Oclgrind. Oclgrind does not know what clang's optimiser makes of `restrict` in
# inlined functions, so it gets the kernels without optimisation.
oclgrind() {
    OCL_ICD_VENDORS=$tmp/icd CLTB_OPENCL="symbols options=-cl-opt-disable" \
        expect 0 "Oclgrind Simulator" "$cltb" build "$@" --device 0 --force
    grep -iE 'race|invalid|out of bounds|oclgrind - ' "$err" && fail "$1: Oclgrind has found something"
}

expect 0 "" "$cltb" build KRvK --dir cpu --device cpu --quiet
# Mates in one and two plies later: few steps, but each kernel that more steps launch
men='K[f7,g6] R[a1-a4] v K[h7,h8]'
expect 0 "" "$cltb" build "$men" --dir cpu --output ./a.cltb --device cpu --quiet
oclgrind "$men" --dir cpu --output ./b.cltb
cmp a.cltb b.cltb || fail "another restricted table"
if [ -n "${CLTB_TEST_LONG-}" ]; then
    oclgrind KRvK --dir oclgrind
    cmp cpu/KRvK.cltb oclgrind/KRvK.cltb || fail "another KRvK"
fi
finish
