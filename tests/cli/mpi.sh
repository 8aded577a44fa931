#!/bin/bash
# mpi.sh - cltb-mpi: tables made by several processes equal those of one; failures end the job
#
# Skipped where there is no MPI, and with sanitizers, as MPI leaks.
. "$(dirname "$0")/common.bash"
[ -z "${CLTB_TEST_SANITIZED-}" ] || exit 77
mpi=$(dirname "$cltb")/cltb-mpi
if [ ! -x "$mpi" ] || ! command -v mpirun >/dev/null; then
    echo "no MPI: left out"
    exit 77
fi
# More processes than processors, and containers whose only user is root
export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe

# Two pieces against one, a pair, pawns (which the first process makes)
tables=(KQvKR KBBvK KPvK)
expect 0 "" "$cltb" build "${tables[@]}" --dir one --quiet
for ranks in 1 2 4; do
    timeout 300 mpirun -n $ranks "$mpi" build "${tables[@]}" --dir many --device cpu --threads 1 --quiet >"$out" 2>&1 ||
        fail "$ranks processes: $(tail -5 "$out")"
    expect_clean many
    diff -rq one many >"$out" || fail "$ranks processes: $(head -5 "$out")"
    rm -f many/KQvKR.cltb many/KBBvK.cltb many/KPvK.cltb
done

# fails TEXT ARGUMENT...: of mpirun
fails() {
    local text=$1
    shift
    timeout 100 mpirun "$@" >"$out" 2>&1 && fail "no failure: mpirun $*"
    grep -qF -- "$text" "$out" || fail "mpirun $* says nothing of '$text': $(head -5 "$out")"
    [ -z "$(find many -name '*.part')" ] || fail "mpirun $* leaves half of a file"
}

fails "the only command is build" -n 2 "$mpi" probe
fails "tables of chess only" -n 2 "$mpi" build dobutsu --dir many
fails "other options" -n 1 "$mpi" build KQvKR --dir many --quiet : -n 1 "$mpi" build KQvKR --dir many --best --quiet
: >file
fails "cltb build: " -n 2 "$mpi" build KQvKR --dir many --scratch file --quiet

# A process that dies ends the job; the next one makes the table.
mpirun -n 3 "$mpi" build KQvKR --dir many --device cpu --threads 1 --verbose >killed 2>&1 &
job=$!
until grep -q "ply 5" killed || ! kill -0 $job 2>/dev/null; do sleep 0.05; done
pkill -9 -n -f "$mpi build KQvKR --dir many" || fail "no process to kill"
wait $job && fail "a job without one of its processes is done"
[ ! -e many/KQvKR.cltb ] || fail "a job without one of its processes has made the table"
timeout 300 mpirun -n 2 "$mpi" build KQvKR --dir many --device cpu --threads 1 --quiet >"$out" 2>&1 ||
    fail "the next job: $(cat "$out")"
cmp one/KQvKR.cltb many/KQvKR.cltb || fail "other bytes after a kill"
finish
