#!/bin/bash
# restricted_kill.sh - the build of a restricted endgame resumes after kills, Ctrl-C and damage, with the same bytes
#
# Its pawns make 360 slices on 17 levels; a double step may be answered en passant; and there is a futurebase.
. "$(dirname "$0")/common.bash"
. "$(dirname "$0")/kill.bash"
men='K P[c] P[g3+] v K P[h4+] P[b5+]'
rules='white discard P*=[RBN]; black discard P*=[RBN]; white concede *; black concede *'
options=(--prune "$rules" --futurebases base.cltb --output k.cltb --device cpu)
build=("$cltb" build "$men" "${options[@]}" --dir t)

base() { # RULE: makes the futurebase
    expect 0 made "$cltb" build 'K P[c] P[g3+] v K P[b5+]' --prune "$1; white concede *; black concede *" \
        --output base.cltb --dir .
    mv base.cltb "$1.cltb"
}
base 'white discard KxP'
base 'black discard PxP'
cp 'white discard KxP.cltb' base.cltb
kill_at_random "${KILLS:-3}" 0 "$men" "${options[@]}" --threads 1
whole=$tmp/whole/k.cltb

# Stops a build when slices have been solved; false if it had already ended.
interrupt() {
    rm -rf t
    "${interruptible[@]}" "${build[@]}" --threads 1 >"$out" 2>"$err" &
    local job=$!
    until [ "$(stat -c %s t/k.cltb.work 2>/dev/null || echo 0)" -ge 150000 ] || ! kill -0 $job 2>/dev/null; do
        moment_passes
    done
    kill -INT $job 2>/dev/null
    wait $job
    [ $? = 130 ]
}

# resumes TEXT: the next run says so, and makes the same bytes.
resumes() {
    expect 0 "$1" "${build[@]}"
    cmp t/k.cltb "$whole" || fail "other bytes ($1)"
    expect_clean t
}

# What is done is kept, in a scratch folder, too.
for ((try = 0; try < 10; try++)); do
    ! interrupt || break
done
[ $try -lt 10 ] || fail "Ctrl-C never came while slices were solved"
says "interrupted; t/k.cltb.work keeps the finished parts of $men: run the same command again to resume"
cp t/k.cltb.work work
resumes "of 360 slices were done by an earlier run"
rm -rf t
mkdir s
cp work s/k.cltb.work
build+=(--scratch s)
resumes "of 360 slices were done by an earlier run"
[ -z "$(ls s)" ] || fail "left in the scratch folder: $(ls s)"
unset 'build[-1]' 'build[-1]'

# Of a damaged file everything before the damage is used.
bytes=$(stat -c %s work)
for ((i = 0; i <= 6; i++)); do
    rm -rf t
    mkdir t
    at=$((i < 6 ? 8 + i * bytes / 6 : bytes - 1)) # behind the word that marks a work file
    if ((i % 2)); then
        head -c $at work >t/k.cltb.work
    else
        cp work t/k.cltb.work
        flip_bit t/k.cltb.work $at
    fi
    resumes 'made'
    [ $i != 6 ] || says "of 360 slices were done by an earlier run"
done

# Something else of that name is not overwritten; work by other rules is not used.
rm -rf t
mkdir t
echo 'no work' >t/k.cltb.work
expect 1 "t/k.cltb.work is not a work file of cltb and is not overwritten" "${build[@]}" --quiet
[ "$(cat t/k.cltb.work)" = 'no work' ] || fail "a foreign file was overwritten"
cp work t/k.cltb.work
expect 0 made "${build[@]}" --prune "$rules; white discard stalemate"
! grep -q 'earlier run' "$err" || fail "work by other rules was used"

# What a killed run left after its table was in place disappears.
rm -rf t
mkdir t
cp "$whole" t
cp work t/k.cltb.work
echo 1 >t/.cltb.lock
resumes 'already present'

# Nor is work used that was done with another futurebase of the same name.
rm -rf t
mkdir t
cp work t/k.cltb.work
cp 'black discard PxP.cltb' base.cltb
expect 0 made "${build[@]}"
! grep -q 'earlier run' "$err" || fail "work with another futurebase was used"
! cmp -s t/k.cltb "$whole" || fail "the other futurebase makes no difference"
finish
