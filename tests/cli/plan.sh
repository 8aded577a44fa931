#!/bin/bash
# plan.sh - `cltb plan` and the jobs that it prints: tables made by many processes in one folder, killed and resumed,
# equal those of one build
. "$(dirname "$0")/common.bash"

expect 0 "" "$cltb" build KQvKR KPvKP --dir whole --device cpu --quiet

# ---- formats ----

expect 2 "which tables" "$cltb" plan
expect 2 "only tables of chess" "$cltb" plan dobutsu
expect 2 "--format takes" "$cltb" plan KQvK --format xml
expect 2 "cannot name 'a b'" "$cltb" plan KQvK --dir 'a b' --format make
expect 1 "needs about" "$cltb" plan KQRvKR --memory 1M
expect 0 "3 tables to make" "$cltb" plan KQvKR --dir none
expect 0 "up to 2 tables at a time, as long as they take no more than 1.07 GB together" \
    "$cltb" plan KQvKR --dir none --device cpu --threads 2 --memory 1G
expect 0 "" "$cltb" plan KQvKR --dir none --device cpu --threads 1
! grep -q "at a time" "$out" || fail "one thread, several tables: $(cat "$out")"
expect 0 "nothing to make" "$cltb" plan KQvKR --dir whole
[ ! -e none ] || fail "a plan made the folder"
expect 0 "" "$cltb" plan KQvKR --dir none --format json
python3 - "$out" <<'END' || fail "the levels and paths of a plan: $(cat "$out")"
import json, sys
plan = json.load(open(sys.argv[1]))
table = {t["material"]: t for t in plan["tables"]}
last = table["KQvKR"]
assert sorted(last["needs"]) == ["KQvK", "KRvK"] and last["level"] == 1 and table["KQvK"]["level"] == 0
assert abs(last["path_seconds"] - last["seconds"]) < 0.002
assert abs(table["KQvK"]["path_seconds"] - table["KQvK"]["seconds"] - last["seconds"]) < 0.002
END
expect 0 "KQvKR -> KRvK" "$cltb" plan KQvKR --dir none --format dot
! grep -q "KQQvK -> KRvK;" <<<"$("$cltb" plan KQQvK --dir none --format dot)" || fail "an arrow too many"

# The array of each level has tables whose futurebases are on levels before it.
expect 0 "--array=" "$cltb" plan --men 4 --dir none --format slurm --memory 2G --scratch /tmp/x
bash -n "$out" || fail "the script for Slurm is no bash"
says "--memory 2147483648 --scratch /tmp/x"
mkdir bin
cat >bin/sbatch <<'END'
#!/bin/bash
# The job runs at once if its dependency has run.
for word; do
    case $word in
    --array=0-*) last=${word#--array=0-} ;;
    --dependency=afterok:*) [ -e "done-${word#--dependency=afterok:}" ] || exit 1 ;;
    esac
done
cat >job
for SLURM_ARRAY_TASK_ID in $(seq 0 "$last"); do
    export SLURM_ARRAY_TASK_ID
    bash job || exit 1
done
touch "done-$$"
echo "$$"
END
chmod +x bin/sbatch
"$cltb" plan --men 3 --dir slurm --format slurm >slurm.sh
CLTB=$cltb PATH=$PWD/bin:$PATH bash slurm.sh >"$out" 2>&1 || fail "the script for Slurm: $(cat "$out")"
for name in KQvK KRvK KBvK KNvK KPvK; do
    cmp -s slurm/$name.cltb whole/$name.cltb || fail "slurm/$name.cltb is not the same"
done

# ---- --one ----

expect 2 "--one makes one table" "$cltb" build KQvK KRvK --one
expect 2 "--one makes one table" "$cltb" build --men 3 --one
expect 2 "--one makes one table" "$cltb" build dobutsu --one
expect 2 "--lease belongs to --one" "$cltb" build KQvK --lease 3
expect 1 "KQvKR needs KRvK and others" "$cltb" build KQvKR --one --dir one
expect 0 "" "$cltb" build KQvK --one --dir one --quiet
expect_clean one
expect 1 "KQvKR needs KRvK, which" "$cltb" build KQvKR --one --dir one
expect 0 "" "$cltb" build KRvK --one --dir one --quiet
expect 0 "" "$cltb" build KQvKR --one --dir one --quiet
expect 0 "already present" "$cltb" build KQvKR --one --dir one
expect_clean one

# A process on another machine has the lease: it is waited for, and taken over when it is silent.
printf 'cltb lease\nmachine far 1-2-3\nprocess 17\nbeat 5\n' >one/KBvK.cltb.lease
touch waiting
"${interruptible[@]}" "$cltb" build KBvK --one --dir one >waiting 2>&1 &
job=$!
until grep -q "process 17 on far is making it" waiting || ! kill -0 $job 2>/dev/null; do sleep 0.1; done
kill -INT $job
wait $job
[ $? = 130 ] || fail "waiting is not interrupted: $(cat waiting)"
grep -q "beat 5" one/KBvK.cltb.lease || fail "the lease of another machine is gone"
expect 0 "" "$cltb" build KBvK --one --dir one --quiet --lease 1
expect_clean one
# It makes the table after all.
printf 'cltb lease\nmachine far 1-2-3\nprocess 17\nbeat 5\n' >one/KNvK.cltb.lease
: >waiting
"$cltb" build KNvK --one --dir one >waiting 2>&1 &
job=$!
until grep -q "is making it" waiting || ! kill -0 $job 2>/dev/null; do sleep 0.1; done
cp whole/KNvK.cltb one/KNvK.new
mv one/KNvK.new one/KNvK.cltb
wait $job || fail "the table that another machine made: $(cat waiting)"
grep -q "already present" waiting || fail "the table that another machine made is not seen: $(cat waiting)"
rm one/KNvK.cltb.lease
expect_clean one

# ---- make and parallel ----

same() { # WHO TABLE...
    local name who=$1
    shift
    rm -f many/.cltb.lock
    expect_clean many
    for name in $("$cltb" plan "$@" --dir none --format tsv | sed 1d | cut -f1); do
        cmp -s "many/$name.cltb" "whole/$name.cltb" || { [ ! -e "whole/$name.cltb" ] && [ -e "many/$name.cltb" ]; } ||
            fail "$who: many/$name.cltb is not the same"
    done
    rm -rf many
}

"$cltb" plan KQvKR KPvK --dir many --format make >few.mk
make -j 3 -f few.mk CLTB="$cltb" >"$out" 2>&1 || fail "make: $(tail -3 "$out")"
same make KQvKR KPvK
# Two of them at the same time, as on two machines, with jobs that are killed.
"$cltb" plan KQvKR KPvKP --dir many --format make >tables.mk
RANDOM=${KILL_SEED:-$$}
echo "kill seed ${KILL_SEED:-$$}"
for i in 1 2; do
    (for _ in {1..30}; do make -k -j 2 -f tables.mk CLTB="$cltb" >make-$i.log 2>&1 && break; sleep 0.1; done) &
    jobs[i]=$!
done
kills=0
for i in {1..8}; do
    sleep 0.$((RANDOM % 10))
    mapfile -t running < <(pgrep -f "$cltb build --one --dir many")
    [ ${#running[@]} -gt 0 ] && kill -9 "${running[RANDOM % ${#running[@]}]}" 2>/dev/null && kills=$((kills + 1))
done
echo "$kills kills"
wait "${jobs[1]}" "${jobs[2]}"
rm -f many/*.part many/*.uncounted many/*.work many/*.lease # of the last to be killed, if another one made the table
same "two makes and kills" KQvKR KPvKP

# ---- machines that see late what others do, whose renames are slow, and whose locks do not reach each other ----

if [ -e "${FAR_FOLDER-}" ]; then
    cat >far <<'END'
#!/bin/bash
export FAR_MS=200 LD_PRELOAD=$FAR_FOLDER
exec "$REAL" "$@" --lease 1
END
    chmod +x far
    export REAL=$cltb
    "$cltb" plan KQvKR KQvKB KRvKN --dir far-tables --format make >far.mk
    # Each has a make of its own, which is run again as long as jobs fail.
    for i in 1 2 3; do
        (for _ in {1..60}; do
            FAR_MACHINE=$i make -k -f far.mk CLTB="$PWD/far" >>far-$i.log 2>&1 && exit 0
            sleep 0.1
        done
        exit 1) &
        jobs[i]=$!
    done
    # Some of those that have the lease of a table sleep until another one has taken over.
    asleep=0
    while kill -0 "${jobs[1]}" 2>/dev/null || kill -0 "${jobs[2]}" 2>/dev/null || kill -0 "${jobs[3]}" 2>/dev/null; do
        sleeper=$(sed -n 's/^process //p' far-tables/*.lease 2>/dev/null | head -1)
        if [ $asleep -lt 2 ] && [ -n "$sleeper" ] && kill -STOP "$sleeper" 2>/dev/null; then
            asleep=$((asleep + 1))
            sleep 2.5
            kill -CONT "$sleeper" 2>/dev/null
        fi
        for file in far-tables/*.cltb; do
            [ ! -e "$file" ] || cmp -s "$file" "whole/${file##*/}" || fail "$file appears before it is whole"
        done
        sleep 0.1
    done
    for i in 1 2 3; do wait "${jobs[i]}" || fail "machine $i: $(tail -3 far-$i.log)"; done
    echo "$asleep jobs slept; $(cat far-*.log | grep -c "another process has taken over") found that on waking"
    [ $asleep -gt 0 ] || fail "no job slept"
    ! grep "interrupted" far-*.log || fail "a job that was not interrupted says so"
    [ "$(find far-tables -name '*.cltb' | wc -l)" = 7 ] || fail "tables of slow machines: $(ls far-tables)"
    expect 0 "nothing to make" "$cltb" plan KQvKR KQvKB KRvKN --dir far-tables
    [ -z "$(find far-tables -name '*.lease' -o -name '*.part')" ] || fail "slow machines leave $(ls -A far-tables)"
fi

if command -v parallel >/dev/null; then
    "$cltb" plan KQvKR KPvK --dir many --format parallel >tables.sh
    JOBS=3 CLTB=$cltb sh tables.sh >"$out" 2>&1 || fail "parallel: $(tail -3 "$out")"
    same parallel KQvKR KPvK
fi
finish
