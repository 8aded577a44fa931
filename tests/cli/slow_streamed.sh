#!/bin/bash
# slow_streamed.sh - planes on disk: the same bytes as in memory, kills at any moment, full disks, messages
#
# KQRvKR with 64 MiB. $STREAM_KILLS (1) kills at random moments, and half as many (at least 1) while a checkpoint is
# saved. Also KBBvKN, which has plies beyond the 50-move rule.
. "$(dirname "$0")/common.bash"
. "$(dirname "$0")/kill.bash"
kills=${STREAM_KILLS:-1}
build=("$cltb" build KQRvKR --device cpu)
killed=("${build[@]}" --dir killed:bases --memory 64M)

expect 0 "" "$cltb" build KQRvK KQvKR KRvKR --dir bases --quiet
expect 0 "" "${build[@]}" --dir whole:bases --quiet
mkdir scratch

# The memory and disk space that it takes is printed before.
expect 0 "of work files" "${build[@]}" --dir new:bases --memory 64M --dry-run
expect 1 "KQRvKR needs about" "${build[@]}" --dir new:bases --memory 8M
expect 1 "MB are allowed" "${build[@]}" --dir new:bases --memory 8M
expect 0 "in blocks of 88.1 kB (larger ones: with" "${build[@]}" --dir new:bases --memory 64M --dry-run
expect 1 "blocks on disk of the requested size take about" "${build[@]}" --dir new:bases --memory 64M --block 1M
[ ! -e new ] || fail "what cannot be made has left a folder"

expect 0 "on disk" "${build[@]}" --dir streamed:bases --memory 64M --block 80K --scratch scratch
cmp whole/KQRvKR.cltb streamed/KQRvKR.cltb || fail "the streamed table differs"
expect_clean streamed
expect_clean scratch

# On an OpenCL device (transfers and kernels have a queue each), if there is one.
if "$cltb" devices | grep -q '^0'; then
    expect 0 "on disk" "$cltb" build KQRvKR --device 0 --dir opencl:bases --memory 64M --scratch scratch
    cmp whole/KQRvKR.cltb opencl/KQRvKR.cltb || fail "the table streamed through OpenCL differs"
fi

# start_until TEXT command...: starts a run with a checkpoint after each ply, as $job, and waits until it has printed
# TEXT or ended
start_until() {
    local text=$1
    shift
    "${interruptible[@]}" "$@" --checkpoint 0 --verbose >"$out" 2>"$err" &
    job=$!
    until grep -qs "$text" "$err" || ! kill -0 $job 2>/dev/null; do sleep 0.05; done
}

# Other options for the same table are no reason to discard work.
start_until "ply 3:" "${killed[@]}" --scratch scratch
kill -INT $job
wait $job
[ $? = 130 ] && grep -q "KQRvKR.cltb.work keeps the finished parts" "$err" || fail "Ctrl-C: $(cat "$err")"
expect 2 "has blocks of" "${build[@]}" --dir killed:bases --memory 200M --block 1M --scratch scratch
expect 2 "with other options" "${killed[@]}" --scratch scratch --both-sides

# A scratch folder may be shared: files left there for a table that exists by now are reported, not removed.
expect 0 "of an earlier run's work are still there" "$cltb" build KQRvKR --dir whole:bases --scratch scratch
[ -e scratch/KQRvKR.cltb.work ] || fail "another folder's work is gone"
expect_clean whole

# Nothing is written, to folders that do not exist yet.
expect 0 "nothing written" "${build[@]}" --dir new:bases --memory 64M --solve-only --scratch new-too
[ ! -e new ] && rmdir new-too || fail "--solve-only has left files"

# ---- kills ----

# kill_streamed MOMENT: a run, killed after so many seconds, or (`saving`) as soon as a ply is reported, which is when
# it is saved
kill_streamed() {
    local how=$1 job plies=$((RANDOM % 20 + 2))
    "${killed[@]}" --scratch scratch --checkpoint 0 --verbose >"$out" 2>"$err" &
    job=$!
    if [ "$how" = saving ]; then # each ply is reported, then saved
        until [ "$(grep -cs " ply " "$err")" -ge $plies ] || ! kill -0 $job 2>/dev/null; do :; done
    else
        sleep "$how"
    fi
    kill_job
}

check_same() {
    local text=
    [ ! -e scratch/KQRvKR.cltb.work ] || text="resumes from the checkpoint"
    expect 0 "$text" "${killed[@]}" --scratch scratch
    cmp whole/KQRvKR.cltb killed/KQRvKR.cltb || fail "after kills the table differs"
    expect_clean killed
    expect_clean scratch
    rm -rf killed
}

hits=0 halves=0
for ((i = 0; i < 10 * kills + 20 && hits < kills; i++)); do
    random 4000
    if kill_streamed "$moment"; then hits=$((hits + 1)); else check_same; fi
done
for ((i = 0; i < 10 * kills + 20 && halves < (kills + 1) / 2; i++)); do
    if kill_streamed saving; then halves=$((halves + 1)); else check_same; fi
done
[ "$hits" = "$kills" ] && [ "$halves" = $(((kills + 1) / 2)) ] ||
    fail "only $hits kills, and $halves when a checkpoint was saved"
# Plies beyond the 50-move rule: killed before the first one, and soon after.
far=("$cltb" build KBBvKN --device cpu --dir far:bases --memory 64M --scratch scratch)
expect 0 "" "$cltb" build KBBvK KBvKN --dir bases --quiet
expect 0 "" "$cltb" build KBBvKN --device cpu --dir whole:bases --quiet
for ply in 100 105; do
    start_until "white to win, ply $ply:" "${far[@]}"
    kill_job || fail "KBBvKN: over before ply $ply"
done
expect 0 "resumes from the" "${far[@]}"
cmp whole/KBBvKN.cltb far/KBBvKN.cltb || fail "a streamed table with cursed wins differs"

check_same

# ---- distances to mate: killed after some plies ----

expect 0 "" "$cltb" build KQRvKR.dtm --both-sides --device cpu --dir whole:bases --quiet
for name in KQvK KRvK KQRvK KQvKR KRvKR; do mv whole/$name.dtm.cltb bases; done
mates=("$cltb" build KQRvKR.dtm --both-sides --device cpu --dir mates:bases --memory 64M --scratch scratch)
for ply in 4 20; do
    start_until "ply $ply:" "${mates[@]}"
    kill_job || fail "KQRvKR.dtm: over before ply $ply"
done
expect 0 "resumes from the" "${mates[@]}"
cmp whole/KQRvKR.dtm.cltb mates/KQRvKR.dtm.cltb || fail "a streamed table of distances to mate differs"

# ---- a full disk ----

if [ "$(id -u)" = 0 ] && mkdir full && mount -t tmpfs -o size=100m none full 2>/dev/null; then
    expect 1 "scratch files in full" "${killed[@]}" --scratch full
    expect_clean full
    mount -o remount,size=600m full
    start_until "ply 3:" "${killed[@]}" --scratch full
    head -c 700m /dev/zero >full/filler 2>/dev/null
    wait $job
    [ $? = 1 ] && grep -q "No space left" "$err" && [ "$(grep -c "^cltb build:" "$err")" = 1 ] ||
        fail "a full disk: $(cat "$err")"
    rm full/filler
    expect 0 "resumes from the" "${killed[@]}" --scratch full
    cmp whole/KQRvKR.cltb killed/KQRvKR.cltb || fail "after a full disk the table differs"
    expect_clean full
    umount full
else
    echo "full disk: left out (cannot mount)"
fi
finish
