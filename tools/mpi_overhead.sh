#!/usr/bin/env bash
# mpi_overhead.sh FOLDER NAME... - seconds that 2 processes of one thread take for tables, and 1 process of 2 threads
#
# FOLDER has the futurebases. Each table is made by one process in memory and with its planes on disk, and by two; the
# files must be the same. CPU seconds are those of all processes, with mpirun's own. Wall seconds tell something on an
# idle machine only. $BIN: the folder of cltb and cltb-mpi (build/release); $DISK: memory of the process with planes on
# disk (60M, for five men); $MEMORY: of each of the two (1G; little: theirs are on disk, too).
set -euo pipefail
[ $# -ge 2 ] || { sed -n '2,8s/^# \?//p' "$0"; exit 2; }
bin=$(realpath "${BIN:-$(dirname "$0")/../build/release}")
folder=$(realpath "$1")
shift
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# More processes than processors, and containers whose only user is root
export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
TIMEFORMAT='%U %S %R'

# made WAY COMMAND...: "CPU WALL"; the file stays as WAY.cltb
made() {
    local way=$1
    shift
    rm -f "$work/tables/$name.cltb"
    { time "$@" --dir "$work/tables" --device cpu --quiet >"$work/out" 2>&1; } 2>"$work/time" ||
        { cat "$work/out" >&2; return 1; }
    mv "$work/tables/$name.cltb" "$work/$way.cltb"
    awk '{ printf "%.2f %.2f", $1 + $2, $3 }' "$work/time"
}

mkdir "$work/tables"
cp "$folder"/*.cltb "$work/tables"
for name; do
    memory=$(made memory "$bin/cltb" build "$name" --threads 2)
    disk=$(made disk "$bin/cltb" build "$name" --threads 2 --memory "${DISK:-60M}")
    both=$(made both mpirun -n 2 "$bin/cltb-mpi" build "$name" --threads 1 --memory "${MEMORY:-1G}")
    cmp "$work/memory.cltb" "$work/disk.cltb"
    cmp "$work/memory.cltb" "$work/both.cltb"
    echo "$name $memory $disk $both" | awk '{
        printf "%s: CPU %s s in memory, %s on disk, %s by two processes", $1, $2, $4, $6
        printf " (%+.0f %%, %+.0f %%);", 100 * ($6 / $2 - 1), 100 * ($6 / $4 - 1)
        printf " wall %s, %s, %s (%+.0f %%, %+.0f %%)\n", $3, $5, $7, 100 * ($7 / $3 - 1), 100 * ($7 / $5 - 1) }'
done
