#!/bin/bash
# rehearsal.sh STATISTICS FOLDER [NAME...] - builds tables and all that they need by `make`, from the graph that
# `cltb plan` prints, with statistics, and compares these with published ones
#
# STATISTICS is a file like tests/data/syzygy-stats-6.txt. Without names: the ten pawnless tables of six men that take
# the least time, which that file has. It can be run again after an interruption. $CLTB: the command, $JOBS: tables at a
# time (1), $THREADS of each (2), $MEMORY of each (10G).
set -euo pipefail
[ $# -ge 2 ] || { sed -n '2,7s/^# \?//p' "$0"; exit 2; }
statistics=$1
folder=$2
shift 2
cltb=${CLTB:-$(dirname "$0")/../build/release/cltb}
options=(--threads "${THREADS:-2}" --memory "${MEMORY:-10G}" --dir "$folder")
mkdir -p "$folder"
if [ $# -eq 0 ]; then
    mapfile -t names < <("$cltb" plan --men 6 --format tsv --dir "$folder/none" |
        awk -F '\t' 'NR > 1 { men = $1; sub("v", "", men); if (length(men) == 6 && men !~ /P/) print $7 "\t" $1 }' |
        sort -g | head -n 10 | cut -f 2)
    set -- "${names[@]}"
fi
echo "tables: $*"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$cltb" plan "$@" --format make "${options[@]}" >"$work/tables.mk"
PATH=$(dirname "$(realpath "$cltb")"):$PATH make -j "${JOBS:-1}" -f "$work/tables.mk"

# The statistics of a table, without empty lines
block() { awk -v name="$2" '/^##########/ { wanted = $2 == name } wanted && NF' "$1"; }
different=0
for name; do
    block "$statistics" "$name" >"$work/published"
    if [ ! -s "$work/published" ]; then
        echo "$name: nothing is published"
        continue
    fi
    "$cltb" stats "$name" --dir "$folder" --format syzygy >"$work/whole"
    block "$work/whole" "$name" >"$work/own"
    if diff "$work/published" "$work/own" >"$work/diff"; then
        echo "$name: as published, $(wc -l <"$work/own") lines"
    else
        echo "$name: not as published"
        head -n 20 "$work/diff"
        different=1
    fi
done
exit $different
