#!/bin/bash
# interrupt.sh - Ctrl-C or a kill in the middle of a build: no half-written table is left, and the next run resumes and
# makes the same bytes
#
# slow_kill.sh does the same more often, and with larger tables.
. "$(dirname "$0")/common.bash"
. "$(dirname "$0")/kill.bash"

# interrupt SECONDS: starts a build that takes longer, stops it so long after it has begun, and checks what is left.
interrupt() {
    rm -rf t
    "${interruptible[@]}" "$cltb" build KQRvKR --dir t --threads 1 >"$out" 2>"$err" &
    local job=$!
    until [ -d t ] || ! kill -0 $job 2>/dev/null; do moment_passes; done
    sleep "$1"
    kill -INT $job 2>/dev/null
    wait $job
    local status=$?
    if [ $status = 0 ]; then
        echo "after $1 s: it was done already"
        over=$((over + 1))
        return
    fi
    [ $status = 130 ] || fail "after $1 s: exit status $status, not 130"
    [ "$(tail -n 1 "$err")" = "interrupted; finished tables are kept: run the same command again to resume" ] ||
        fail "after $1 s: said '$(cat "$err")'"
    [ ! -d t ] || expect_clean t
    [ ! -e t/KQRvKR.cltb ] || fail "after $1 s: KQRvKR.cltb is there"
}

over=0
for seconds in 0.05 0.5 2; do
    interrupt "$seconds"
done
[ $over -lt 2 ] || fail "Ctrl-C ended nothing"
expect 0 "made" "$cltb" build KQvKR --dir t
expect 0 "positions right" "$cltb" verify KQvKR --dir t --sample 20000

# Two tables with pawns at the same time: both keep their parts, and the message after Ctrl-C says so.
rm -rf t
expect 0 "" "$cltb" build KBvKP KNvKP --dir t --quiet # and what these need
for ((try = 0; try < 20; try++)); do
    rm -f t/K{B,N}vKP.cltb*
    "${interruptible[@]}" "$cltb" build KBvKP KNvKP --dir t --device cpu --threads 2 >"$out" 2>"$err" &
    job=$!
    until [ "$(find t -name '*.work' -size +1k | wc -l)" = 2 ] || ! kill -0 $job 2>/dev/null; do moment_passes; done
    kill -INT $job 2>/dev/null
    wait $job
    [ $? != 130 ] || [ "$(find t -name '*.work' | wc -l)" != 2 ] || break
done
[ $try -lt 20 ] || fail "Ctrl-C never came while tables with pawns were in work"
said=$(tail -n 1 "$err")
for name in KBvKP KNvKP; do
    [[ $said =~ ^"interrupted; ".*"t/$name.cltb.work ".*" of $name"[:,] ]] || fail "Ctrl-C with $name in work: '$said'"
done
[ "$(grep -c interrupted "$err")" = 1 ] || fail "several tables say that they are interrupted: $(cat "$err")"
expect 0 "2 tables made" "$cltb" build KBvKP KNvKP --dir t
expect_clean t

kill_at_random "${KILLS:-3}" 0 --men 3 --threads 1
finish
