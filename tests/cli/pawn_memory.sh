#!/bin/bash
# pawn_memory.sh - a table with pawns under a memory limit, with its temporary files in another folder: it has the same
# bytes, whether the build was killed or not
. "$(dirname "$0")/common.bash"
. "$(dirname "$0")/kill.bash"

expect 0 "" "$cltb" build KRPvK --dir bases --quiet --device cpu
mkdir whole scratch
mv bases/KRPvK.cltb whole
also=:bases

# The memory that it asks for is enough.
expect 1 "KRPvK needs about" "$cltb" build KRPvK --dir t:bases --memory 1M --threads 2
least=$(sed 's/.*needs about \([0-9]*\)\.\([0-9]\) MB of memory.*/\1\2/' "$err")
[ ! -e t ] || fail "work was begun in spite of too little memory"
expect 0 "" "$cltb" build KRPvK --dir t:bases --memory $(((least + 1) * 100))K --quiet \
    --device cpu --threads 2 --scratch scratch
cmp t/KRPvK.cltb whole/KRPvK.cltb || fail "other bytes under a limit"
[ -z "$(ls -A scratch)" ] || fail "left in the scratch folder: $(ls -A scratch)"

# Nothing is written, to a scratch folder that does not exist yet.
expect 0 "nothing written" "$cltb" build KRPvK --dir t2:bases --memory $(((least + 1) * 100))K \
    --device cpu --threads 2 --scratch new --solve-only
[ ! -e t2 ] && rmdir new || fail "--solve-only has left files"

# Killed while the file is written: the work file is in the scratch folder, and the next run resumes from it.
set -- KRPvK --memory 64M --scratch scratch --device cpu --threads 2
runs=0
until kill_run writing "$@"; do
    runs=$((runs + 1))
    [ $runs -lt 10 ] || { fail "no kill hit the writing"; finish; }
done
[ -s scratch/KRPvK.cltb.work ] || fail "no work file in the scratch folder"
[ ! -e killed/KRPvK.cltb.work ] || fail "the work file lies beside the table"
expect 0 "24 of 24 slices were done by an earlier run" "$cltb" build "$@" --dir killed:bases
check_finished
[ -z "$(ls -A scratch)" ] || fail "left in the scratch folder: $(ls -A scratch)"
expect 1 "is not a folder" "$cltb" build KRPvK --dir other:bases --scratch whole/KRPvK.cltb
finish
