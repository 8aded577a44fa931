#!/bin/bash
# mpi.sh - cltb-mpi: tables made by several processes equal those of one; failures end the job
#
# Skipped if there is no MPI, and with sanitizers, because MPI leaks.
. "$(dirname "$0")/common.bash"
[ -z "${CLTB_TEST_SANITIZED-}" ] || exit 77
mpi=$(dirname "$cltb")/cltb-mpi
if [ ! -x "$mpi" ] || ! command -v "${CLTB_TEST_MPIRUN:=mpirun}" >/dev/null; then
    echo "no MPI: left out"
    exit 77
fi
# There may be another MPI's mpirun. Each looks for its parts beside itself, so a link would not work.
mkdir bin
printf '#!/bin/sh\nexec "%s" "$@"\n' "$(command -v "$CLTB_TEST_MPIRUN")" >bin/mpirun
chmod +x bin/mpirun
PATH=$PWD/bin:$PATH
# For more processes than processors, and for containers whose only user is root
export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_mpi_yield_when_idle=1 PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe

# Options that keep messages out of shared memory
open_mpi=yes
by_tcp=(--mca btl "self,tcp")
if ! mpirun --version | grep -q Open; then
    open_mpi=no
    by_tcp=(-genv UCX_TLS "self,tcp")
fi

# Three men, two pieces against one, a pair, pawns; their futurebases exist
tables=(KRvK KQvKR KBBvK KPvKP)
expect 0 "" "$cltb" build "${tables[@]}" --dir one --quiet
mkdir many
cp one/*.cltb many
for ranks in 2 3; do
    for name in "${tables[@]}"; do rm "many/$name.cltb"; done
    # Two processes as if they were on two machines
    CLTB_APART=$((ranks == 2)) timeout 300 \
        mpirun -n $ranks "$mpi" build "${tables[@]}" --dir many --device cpu --threads 1 >"$out" 2>&1 ||
        fail "$ranks processes: $(tail -5 "$out")"
    # One process alone makes a table of three men.
    for name in "${tables[@]:1}"; do
        grep -q "$name: .* in [0-9]* messages between processes" "$out" || fail "what was sent for $name is not told"
    done
    expect_clean many
    diff -rq one many >"$out" || fail "$ranks processes: $(head -5 "$out")"
done
rm many/KQvKR.cltb many/KPvKP.cltb

# fails TEXT ARGUMENT...: arguments of mpirun
fails() {
    local text=$1
    shift
    timeout 100 mpirun "$@" >"$out" 2>&1 && fail "no failure: mpirun $*"
    grep -qF -- "$text" "$out" || fail "mpirun $* says nothing of '$text': $(head -5 "$out")"
    [ -z "$(find many -name '*.part')" ] || fail "mpirun $* leaves half of a file"
}

fails "the command is build" -n 2 "$mpi" probe
fails "--bogus" -n 3 "$mpi" build KQvKR --dir many --bogus
[ "$(grep -c -- --bogus "$out")" = 1 ] || fail "wrong usage is told more than once: $(cat "$out")"
fails "process 1 are wrong" -n 1 "$mpi" build KQvKR --dir many --quiet : -n 1 "$mpi" build KQvKR --dir many --bogus
fails "tables of chess only" -n 2 "$mpi" build dobutsu --dir many

# If one process cannot work, all print one line before any work; the folder of tables is unchanged.
before=$(cd many && ls -lR)
# refuses TEXT ARGUMENT...: arguments of mpirun
refuses() {
    fails "$@"
    [ "$(grep -c '^cltb build: ' "$out")" = 1 ] || fail "not one line of '$1': $(cat "$out")"
    [ "$(cd many && ls -lR)" = "$before" ] || fail "'$1' changes the folder: $(ls -l many)"
}
build=("$mpi" build KQvKR --quiet)
refuses "process 1 of 2, on $(hostname): the options --best" \
    -n 1 "${build[@]}" --dir many : -n 1 "${build[@]}" --dir many --best
refuses "process 0 of 2, on $(hostname): KQvKR needs about" -n 1 "${build[@]}" --dir many --memory 1K : \
    -n 1 "${build[@]}" --dir many
refuses "the tables are not those of process 0" -n 1 "${build[@]}" --dir many : -n 2 "${build[@]}" KPvKP --dir many
refuses "need the same --memory" -n 1 "${build[@]}" --threads 1 --dir many : \
    -n 1 "${build[@]}" --threads 1 --dir many --memory 16M
version=$("$cltb" --version)
sed "s/${version#cltb }/9.9.9/g" "$mpi" >other-version
chmod +x other-version
refuses "process 2 of 3, on $(hostname): version 9.9.9, but process 0 has version" -n 2 "${build[@]}" --dir many : \
    -n 1 ./other-version build KQvKR --quiet --dir many
cp -r many partly
rm partly/KRvK.cltb
refuses "process 1 of 2, on $(hostname): KRvK.cltb in partly is missing, but process 0 has it" \
    -n 1 "${build[@]}" --dir many : -n 1 "${build[@]}" --dir partly
cp -r many other
refuses "the folder other is not the folder of process 0" \
    -n 1 "${build[@]}" --dir many : -n 1 "${build[@]}" --dir other
diff -rq many other >"$out" || fail "the other folder is changed: $(cat "$out")"
# A disk that is too small for one process
if mkdir small && mount -t tmpfs -o size=64k none small 2>/dev/null; then
    refuses "scratch files in small" -n 1 "${build[@]}" --dir many : -n 1 "${build[@]}" --dir many --scratch small
    umount small
else
    echo "no small disk: left out"
fi
: >file
fails "cltb build: " -n 2 "$mpi" build KQvKR --dir many --scratch file --quiet

# resume RANKS TABLE: a job with so many processes makes the rest of a table, and leaves nothing else
resume() {
    timeout 300 mpirun -n "$1" "$mpi" build "$2" --dir many --device cpu --threads 1 --quiet >"$out" 2>&1 ||
        fail "the next job: $(cat "$out")"
    cmp "one/$2.cltb" "many/$2.cltb" || fail "$2: other bytes after a kill"
    expect_clean many
    rm "many/$2.cltb"
}

# ---- a disk that fills up during the work of one process ----

# with_fault RANK CALL N COMMAND...: one of two processes has calls that fail from the N-th on
with_fault() {
    local rank=$1 fault=("${faults[@]}" "FAULT_CALL=$2" "FAULT_NTH=$3" FAULT_FROM=1)
    shift 3
    if [ "$rank" = 0 ]; then
        fails "$text" -n 1 "${fault[@]}" "$@" : -n 1 "$@"
    else
        fails "$text" -n 1 "$@" : -n 1 "${fault[@]}" "$@"
    fi
    [ "$(grep -c '^cltb build: ' "$out")" = 1 ] || fail "not one line of '$text': $(cat "$out")"
    ! ls "many/$name.cltb" 2>/dev/null || fail "a table in spite of '$text'"
}

faults=(env "LD_PRELOAD=${FAULTS-}" FAULT_KIND=ENOSPC)
# full NAME RANK N: the disk of one of two processes is full from the N-th time on that it writes anything
full() {
    name=$1
    text="process $2 of 2, on $(hostname): "
    with_fault "$2" write "$3" "$mpi" build "$name" --dir many --device cpu --threads 1 --checkpoint 0 --quiet
    says "No space left on device"
    says "the same command resumes from there"
    resume $(($2 + 2)) "$name"
}
if [ -e "${FAULTS-}" ]; then
    # Count how often each of them writes, including MPI's own files, of which some runs write fewer: so the last few
    # writes are left out. In the end process 0 writes the file, and process 1 is making a part of it.
    build=("$mpi" build KQvKR --dir many --device cpu --threads 1 --checkpoint 0 --quiet)
    timeout 100 mpirun -n 1 "${faults[@]}" FAULT_CALL=write FAULT_NTH=0 FAULT_REPORT=writes-0 "${build[@]}" : \
        -n 1 "${faults[@]}" FAULT_CALL=write FAULT_NTH=0 FAULT_REPORT=writes-1 "${build[@]}" >"$out" 2>&1 ||
        fail "counting writes: $(cat "$out")"
    # Also of KPvKP, which writes its last slices in the second half. MPICH writes regular files when it starts.
    build=("${build[@]/KQvKR/KPvKP}")
    timeout 100 mpirun -n 1 "${faults[@]}" FAULT_CALL=write FAULT_NTH=0 FAULT_REPORT=writes "${build[@]}" : \
        -n 1 "${build[@]}" >"$out" 2>&1 || fail "counting writes: $(cat "$out")"
    rm many/KPvKP.cltb
    full KPvKP 0 $(($(<writes) / 2))
    rm many/KQvKR.cltb
    full KQvKR 0 $(($(<writes-0) - 4))
    full KQvKR 1 $(($(<writes-1) - 4))
fi

# Memory that processes of one machine share: MPI cannot have its file, or there is no room for it. The first calls are
# for other files.
name=KQvKR
build=("$mpi" build "$name" --dir many --device cpu --threads 1 --quiet)
if [ -e "${FAULTS-}" ] && [ $open_mpi = yes ]; then # MPICH makes such files without ftruncate
    text="process 0 of 2, on $(hostname): $name: MPI cannot allocate"
    with_fault 0 truncate 5 "${build[@]}"
    resume 2 "$name"
fi
if unshare -m mount -t tmpfs none /dev/shm 2>/dev/null; then
    timeout 100 unshare -m sh -c 'mount -t tmpfs -o size=64k none /dev/shm; exec "$@"' sh \
        mpirun "${by_tcp[@]}" -n 2 "${build[@]}" >"$out" 2>&1 && fail "no failure without shared memory"
    says "do not fit in /dev/shm, where 6"
    [ "$(grep -c '^cltb build: ' "$out")" = 1 ] || fail "not one line about shared memory: $(cat "$out")"
else
    echo "no small /dev/shm: left out"
fi

# ---- kills ----

# A process that dies ends the job. The next job resumes with any number of processes, from the last checkpoint or from
# the slices that any process has written.
kills=(3:2 2:3)
[ -z "${CLTB_TEST_LONG-}" ] || kills=(3:1 2:4 4:2 7:3 2:2 3:7 4:4 2:1 3:2 1:3 4:7 7:7 2:3 3:4 4:1 7:1 2:7 3:3 7:2 4:3)
tables=(KQvKR KPvKP)
struck=0
for i in "${!kills[@]}"; do
    kill=${kills[i]}
    name=${tables[i % 2]}
    # On a busy machine a job may end before it is killed: then try again, earlier.
    for most in 60 30 10 5; do
        size=$((4 + RANDOM % most))k # a work file of KPvKP has some 100 in the end
        mpirun -n "${kill%:*}" "$mpi" build "$name" --dir many --device cpu --threads 1 --checkpoint 0 --quiet \
            >killed 2>&1 &
        job=$!
        until [ -n "$(find many -name "$name*.cltb.work" -size +$size)" ] || ! kill -0 $job 2>/dev/null; do
            sleep 0.03
        done
        # shellcheck disable=SC2046
        set -- $(pgrep -f "$mpi build $name --dir many" | grep -vx $job)
        [ $# -eq 0 ] || kill -9 "${@:RANDOM % $# + 1:1}" 2>/dev/null
        wait $job || break
        rm "many/$name.cltb"
    done
    [ -z "$(find many -name "$name*.cltb.work")" ] || struck=$((struck + 1))
    resume "${kill#*:}" "$name"
done
[ $struck -gt 0 ] || fail "none of ${#kills[@]} jobs was killed before it was done"
echo "killed: $struck jobs of ${#kills[@]}"
finish
