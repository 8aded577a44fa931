#!/bin/bash
# interrupt.sh - Ctrl-C and SIGTERM while Syzygy files of a table of five men are made: it ends at once and leaves
# nothing
. "$(dirname "$0")/../cli/common.bash"
table=KRBvKR most=2000 # milliseconds, on a busy machine; a sub-table takes longer
[ -z "${CLTB_TEST_SANITIZED-}" ] || table=KRvKN most=10000
run=("$cltb" export "$table" --only --dir t --to s --device cpu --threads 2 --quiet)

# The time for solving, and the tables that it needs.
expect 0 "" "$cltb" build "$table" --dir t --device cpu --threads 2 --quiet --solve-only
start=$EPOCHREALTIME
expect 0 "" "$cltb" build "$table" --dir t --device cpu --threads 2 --quiet --solve-only
solved=$((${EPOCHREALTIME/[.,]/} - ${start/[.,]/}))
ls -A t >before

# interrupt SIGNAL MICROSECONDS: sends the signal that long after writing has begun.
interrupt() {
    local moment=$((solved + $2)) start job status
    "${interruptible[@]}" "${run[@]}" >"$out" 2>"$err" &
    job=$!
    sleep "$((moment / 1000000)).$(printf %06d $((moment % 1000000)))"
    start=$EPOCHREALTIME
    kill -"$1" $job 2>/dev/null
    wait $job
    status=$?
    local took=$(((${EPOCHREALTIME/[.,]/} - ${start/[.,]/}) / 1000))
    echo "$1 after $moment us: ended $took ms later"
    [ -z "${CLTB_TEST_SANITIZED-}" ] || [ $status != 0 ] || return # a small table, done before
    [ $status = 130 ] || fail "$1 after $moment us: exit status $status: $(cat "$err")"
    [ $took -lt $most ] || fail "$1 after $moment us: ended only $took ms later"
    grep -q '^interrupted; ' "$err" || fail "$1: said '$(cat "$err")'"
    [ -z "$(ls -A s)" ] || fail "$1 after $moment us: left $(ls -A s)"
    ls -A t | cmp -s - before || fail "$1 after $moment us: left in the folder of tables: $(ls -A t)"
    rm -rf s
}

interrupt INT 600000
interrupt TERM 2500000
finish
