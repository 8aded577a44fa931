# kill.bash - builds that are killed at random moments; sourced after common.bash
#
# $KILL_SEED repeats a run's moments (as far as the machine takes the same time).
# shellcheck shell=bash disable=SC2154 # $cltb, $out and $err are common.bash's
RANDOM=${KILL_SEED:-$$}
echo "kill seed ${KILL_SEED:-$$}"

# A moment without another process
exec {silence}<> <(:)
moment_passes() { read -rt 0.002 -u "$silence"; }

also='' # ":FOLDER..." where futurebases lie

# random MOST: sets $moment to some milliseconds below MOST, in seconds (it is not printed, because a subshell has
# random numbers of its own)
random() {
    local ms=$(((RANDOM * 32768 + RANDOM) % $1))
    printf -v moment '%d.%03d' $((ms / 1000)) $((ms % 1000))
}

# Every file under a table's name is a complete table, and there is nothing else but what a run may leave.
check_killed() { # FOLDER
    local file
    for file in "$1"/*.cltb; do
        [ ! -e "$file" ] || "$cltb" info "$file" >/dev/null || fail "after a kill $file is no table"
    done
    file=$(find "$1" -mindepth 1 ! -name '*.cltb' ! -name '*.cltb.part' ! -name '*.cltb.work' \
        ! -name '*.cltb.planes' ! -name .cltb.lock)
    [ -z "$file" ] || fail "after a kill there is $file"
}

# The folder `killed` after an undisturbed run equals `whole`.
check_finished() {
    expect_clean killed
    diff -rq whole killed >"$out" || fail "after kills: $(head -5 "$out")"
}

# Kills $job; false if it had already ended.
kill_job() {
    kill -9 $job 2>/dev/null
    wait $job 2>/dev/null
    local status=$?
    [ $status = 137 ] || [ $status = 0 ] || fail "exit status $status before it was killed: $(cat "$err")"
    [ $status != 0 ]
}

# kill_run HOW ARGUMENT...: starts a build in `killed` and kills it: HOW is a time in seconds, or `writing` (as soon as
# a file is being written). False if it had already ended; then the result is checked and the folder emptied.
kill_run() {
    local how=$1 job
    shift
    "$cltb" build "$@" --dir "killed$also" --quiet >/dev/null 2>"$err" &
    job=$!
    if [ "$how" = writing ]; then
        until compgen -G 'killed/*.part' >/dev/null || ! kill -0 $job 2>/dev/null; do moment_passes; done
    else
        sleep "$how"
    fi
    if kill_job; then
        [ ! -d killed ] || check_killed killed
        return 0
    fi
    check_finished
    rm -rf killed
    return 1
}

# kill_at_random COUNT WRITING ARGUMENT...: COUNT kills at random moments of a build of those tables, and WRITING kills
# that leave a file half-written; each next run resumes. Then an undisturbed run, whose bytes are compared with those of
# an undisturbed build.
kill_at_random() {
    local count=$1 writing=$2 start most how wanted killed runs before=$failures
    shift 2
    rm -rf whole killed
    start=$(date +%s%N)
    expect 0 "" "$cltb" build "$@" --dir "whole$also" --quiet
    [ -d whole ] || { fail "$* : there was nothing to make"; return; }
    most=$((($(date +%s%N) - start) / 1000000 + 20))
    for how in random writing; do
        wanted=$count killed=0 runs=0
        [ $how = random ] || wanted=$writing
        while [ $killed -lt "$wanted" ] && [ $runs -lt $((10 * wanted + 50)) ]; do
            runs=$((runs + 1))
            moment=writing
            [ $how = writing ] || random $most
            kill_run "$moment" "$@" || continue
            # The file may have been finished between the look and the kill.
            [ $how = random ] || compgen -G 'killed/*.part' >/dev/null || continue
            killed=$((killed + 1))
        done
        [ $killed = "$wanted" ] || fail "only $killed of $wanted kills ($how) in $runs runs"
    done
    expect 0 "" "$cltb" build "$@" --dir "killed$also" --quiet
    check_finished
    [ "$failures" != "$before" ] ||
        echo "$* : $count kills at random, $writing with a file half-written: the same bytes"
}
