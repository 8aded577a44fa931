#!/bin/bash
# slow_tune.sh - `cltb tune`: builds use what it stores until it is reset
# shellcheck source=tests/cli/common.bash
. "$(dirname "$0")/common.bash"

expect 2 "no arguments" "$cltb" tune KQvK
expect 1 "only OpenCL devices" "$cltb" tune --device cpu
"$cltb" devices | grep -qE '^0 ' || { echo "no OpenCL device"; exit 77; }
export XDG_CACHE_HOME=$tmp/cache
expect 0 "stored for" "$cltb" tune --device 0 --table KQvK --repeat 1
[ "$(grep -c ' ms' "$out")" = 14 ] || fail "not a line for the defaults, each value and the result: $(cat "$out")"
stored=(cache/cltb/*.tuned)
[ -f "${stored[0]}" ] || fail "nothing is stored"

# A build uses and names the stored values; damage ends that.
build() {
    expect 0 "$1" "$cltb" build KQvK --dir t --device 0 --force
}
printf 'plane_items=32\nread_kib=8\n' >"${stored[0]}"
build "plane_items=32, read_kib=8"
CLTB_OPENCL=plane_items=16 build "plane_items=16, read_kib=8"
printf 'plane_items=32\nnonsense\nread_kib=8\n' >"${stored[0]}"
build "plane_items=32"
! grep -q 'read_kib' "$out" "$err" || fail "a damaged line is passed over"
expect 0 "the defaults again" "$cltb" tune --device 0 --reset
build "on OpenCL device 0"
! grep -q 'plane_items' "$out" "$err" || fail "--reset resets nothing"
[ ! -s "${stored[0]}" ] || fail "--reset leaves $(cat "${stored[0]}")"
finish
