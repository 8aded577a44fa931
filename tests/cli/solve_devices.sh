#!/bin/bash
# solve_devices.sh - cltb solve --device: the same output and the same files as on the processor; what is refused
. "$(dirname "$0")/common.bash"

reti='7K/8/k1P5/7p/8/8/8/8 w - - 0 1'
fine='8/2p5/3k4/1p1p1K2/8/1P1P4/2P5/8 w - - 0 1'
passant='8/8/8/8/1pP5/8/8/K1k5 b - c3 0 1'

# What is printed, without time and memory.
solve() { # FILE OPTION...
    local file=$1
    shift
    expect 0 "" "$cltb" solve "$@" --dir none
    sed -E 's/[0-9.]+ s, at most [^;]*;//; /^resumed/d' "$out" >"$file"
}

expect 2 "device 'nonsense' must be auto, gpu, cpu or a number" "$cltb" solve "$reti" --device nonsense
expect 1 "device 99" "$cltb" solve "$reti" --device 99
solve cpu "$passant" --effort 0
solve auto "$passant" --effort 0 --device auto
cmp cpu auto
"$cltb" devices | grep -q '(gpu,' || expect 1 "there is no GPU here" "$cltb" solve "$reti" --device gpu

if "$cltb" devices | grep -qE '^0 '; then
    same() { # FEN OPTION...: with the smallest batches on the device, too
        rm -f cpu.cltb opencl.cltb # another position's are not replaced
        solve cpu "$@" ${file:+--output cpu.cltb}
        CLTB_OPENCL=solve_kib=1 solve opencl "$@" --device 0 ${file:+--output opencl.cltb}
        cmp cpu opencl || fail "$* : $(diff cpu opencl)"
        [ -z "$file" ] || cmp cpu.cltb opencl.cltb || fail "$* : another file"
    }
    file=
    same "$reti" --effort 1 # in rounds
    same '8/8/8/8/8/2k5/8/2K3R1 w - - 0 1' --keep 'rook g'
    same '8/8/8/p2k4/P2P4/3K4/8/8 w - - 0 1' --keep 'white K c3-e5' --effort 0
    file=yes
    same "$reti" --effort 0
    same "$passant" --effort 0

    # One device can resume the work of another.
    mkdir work
    solve cpu "$fine" --effort 0
    CLTB_OPENCL=solve_kib=1 "$cltb" solve "$fine" --effort 0 --dir none --scratch work --device 0 >"$out" 2>&1 &
    while kill -0 $! 2>/dev/null && [ "$(cat work/*.work 2>/dev/null | wc -c)" -lt 500000 ]; do sleep 0.02; done
    kill -9 $! 2>/dev/null
    wait 2>/dev/null
    solve resumed "$fine" --effort 0 --scratch work
    says "resumed: an earlier run had solved"
    cmp cpu resumed || fail "resumed: $(diff cpu resumed)"
    CLTB_OPENCL=solve_kib=0 expect 2 "CLTB_OPENCL: 'solve_kib=0'" "$cltb" solve "$reti" --device 0
else
    echo "no OpenCL device: that part is left out"
fi
finish
