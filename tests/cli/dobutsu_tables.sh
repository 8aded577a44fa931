#!/bin/bash
# dobutsu_tables.sh - verify, stats and info of the dobutsu database: what is refused, and with which messages (no table
# is needed)
. "$(dirname "$0")/common.bash"
bytes=1078984704 # of a raw file

# No table, in any spelling of its name.
for name in dobutsu Dobutsu DOBUTSU; do
    expect 1 "no table dobutsu.cltb in 'tables'; make it with: cltb build dobutsu" "$cltb" verify "$name"
    expect 1 "no table dobutsu.cltb in 'a:b'" "$cltb" stats "$name" --dir a:b
done
expect 1 "no table dobutsu.cltb" "$cltb" stats dobutsu --reachable --format json
expect 1 "dobutsu.cltb" "$cltb" info dobutsu.cltb
expect 1 "dobutsu.cltb" "$cltb" verify dobutsu.cltb # a file that is not there

# Something else under its name.
mkdir -p other
expect 0 "made" "$cltb" build KQvK --dir other
mv other/KQvK.cltb other/dobutsu.cltb
for command in verify stats; do
    expect 1 "other/dobutsu.cltb is a chess table, not dobutsu" "$cltb" "$command" dobutsu --dir other
done
expect 0 "KQvK" "$cltb" info other/dobutsu.cltb
echo "no table at all" >other/dobutsu.cltb
for command in verify stats; do
    expect 1 "other/dobutsu.cltb is not a table" "$cltb" "$command" dobutsu --dir other
done
expect 1 "other/dobutsu.cltb is not a table" "$cltb" info other/dobutsu.cltb

# A file that is not ours is not overwritten, not even if asked to, and noticed before any work.
mkdir -p mine
for force in "" --force; do
    echo "my notes" >mine/dobutsu.cltb
    echo "my notes" >mine/dobutsu.raw
    # shellcheck disable=SC2086 # none or one
    expect 1 "move it away" "$cltb" build dobutsu --dir mine $force
    # shellcheck disable=SC2086
    expect 1 "mine/dobutsu.raw is not a raw table of $bytes bytes; move it away" \
        "$cltb" build dobutsu --dir mine --format raw $force
    grep -q "my notes" mine/dobutsu.cltb && grep -q "my notes" mine/dobutsu.raw || fail "notes are gone"
done
rm -r mine
expect 1 "and --memory allows 100 MiB" "$cltb" build dobutsu --dir mine --memory 100M
expect 2 "either names or --men" "$cltb" build dobutsu --dir mine --men 3
expect 2 "dobutsu is built alone" "$cltb" build dobutsu KQvK --dir mine
expect 2 "dobutsu is built alone" "$cltb" build dobutsu --dir mine --dry-run
expect 2 "--format raw is for dobutsu" "$cltb" build KQvK --dir mine --format raw
expect 2 "--format raw does not go with" "$cltb" build dobutsu --dir mine --format raw --solve-only
expect 1 "device 99" "$cltb" build dobutsu --dir mine --device 99
[ ! -e mine ] || fail "a folder is made before the options are looked at"

# Raw files: one of the wrong size, and one of holes, in which all bytes are 0.
expect 1 "cannot open none.raw" "$cltb" verify none.raw
: >x.raw
expect 1 "x.raw: 0 bytes, but a raw table has $bytes" "$cltb" verify x.raw
expect 1 "x.raw: 0 bytes" "$cltb" stats x.raw
truncate -s $((bytes + 1)) x.raw
expect 1 "x.raw: $((bytes + 1)) bytes" "$cltb" verify x.raw
truncate -s $bytes x.raw
expect 1 "x.raw is wrong: code " "$cltb" verify x.raw --sample 1000
grep -q 'the value stored is 0, a win in 0; the right one is ' "$err" || fail "not what is right: $(cat "$err")"
cp "$err" first
expect 1 "x.raw is wrong: code " "$cltb" verify x.raw --sample 1000 --threads 1 --seed 2
cmp -s "$err" first && fail "another seed, the same sample"
mkdir y.raw
expect 1 "y.raw is not a file" "$cltb" verify y.raw

# Options that do not go together.
expect 2 "belong to dobutsu" "$cltb" stats KQvK --reachable
expect 2 "belong to --reachable" "$cltb" stats dobutsu --stop
expect 2 "belong to --reachable" "$cltb" stats dobutsu --plies --format tsv
expect 2 "--plies belongs to --format tsv" "$cltb" stats dobutsu --reachable --plies
expect 2 "belong to chess" "$cltb" stats dobutsu --format syzygy
expect 2 "belong to chess" "$cltb" stats dobutsu --zugzwangs
expect 2 "one table's name" "$cltb" stats dobutsu KQvK
expect 2 "--all or --sample" "$cltb" verify dobutsu --all --sample 5
finish
