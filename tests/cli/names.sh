#!/bin/bash
# names.sh - a table by its name in any case, by its path, and by its file in a folder of tables: all commands accept
# the same; and the dry run of a restricted endgame
# shellcheck source=tests/cli/common.bash
. "$(dirname "$0")/common.bash"

expect 0 "KQvKR: solved" "$cltb" build kqkr KRVKQ --dir t
[ "$(ls t)" = "$(printf '%s\n' KQvK.cltb KQvKR.cltb KRvK.cltb)" ] || fail "kqkr made $(ls t)"

# ---- full tables ----

cd t || exit 1
for table in KQvKR kqkr KQvKR.cltb ./KQvKR.cltb "$tmp/t/KQvKR.cltb"; do
    expect 0 "a sample of 1000 positions right" "$cltb" verify "$table" --sample 1000 --dir "$tmp/t"
    expect 0 "8952608 legal positions" "$cltb" stats "$table" --dir "$tmp/t"
    expect 0 "KQvKR, format version" "$cltb" info "$table" --dir "$tmp/t"
done
cd "$tmp" || exit 1
for command in verify stats info; do
    expect 0 "KRvK" "$cltb" $command KRvK.cltb --dir t
    expect 0 "KRvK" "$cltb" $command t/KRvK.cltb # its folder has the futurebases
    # A path is that file or nothing: never one with the same name elsewhere.
    expect 1 "elsewhere/KRvK.cltb" "$cltb" $command elsewhere/KRvK.cltb --dir t
    cp t/KRvK.cltb other.cltb
    [ $command = info ] || expect 1 "it is found as KRvK.cltb" "$cltb" $command other.cltb
done
expect 1 "no table KBvK.cltb in 't'" "$cltb" info kbk --dir t
expect 1 "dobutsu.cltb" "$cltb" verify t/dobutsu.cltb
expect 1 "x.raw" "$cltb" verify ./x.raw
grep -q "restricted" "$err" && fail "a raw file is taken for a restricted table: $(cat "$err")"

# ---- restricted tables ----

men='K P[a4] vs K P[a5]'
plan=("$cltb" build -n "$men" --output lr2.cltb --dir t)
expect 0 "to make t/lr2.cltb: about 1.82 kB" "${plan[@]}"
expect 0 "moves out of it may lead to KPvKP, KPvK" "${plan[@]}"
expect 0 "cltb build KPvKP KPvK --dir t" "${plan[@]}"
expect 0 "K P[a4] v K P[a5]	make	8192	64512	" "${plan[@]}" --format tsv
expect 0 '{"material": "KPvK", "present": false}' "${plan[@]}" --format json
expect 0 '"KQPvK", "present"' "$cltb" build -n 'K P[f7+] P[g7+] v K' --dir t --format json
expect 0 '"KRPvK", "present"' "$cltb" build -n 'K P[f7+] P[g7+] v K' --dir t --format json
expect 0 '"full_tables": [{"material": "KQPvK"' "$cltb" build -n 'K P[f7+] P[g7+] v K' --dir t --format json \
    --prune 'white discard P=[RBN]'
grep -q "KRPvK" "$out" && fail "a table is needed for moves that do not exist: $(cat "$out")"
expect 1 "K Q Q v K Q takes" "$cltb" build -n 'K Q Q v K Q' --output x.cltb --memory 32M --dir t
expect 2 "--format belongs to --dry-run" "$cltb" build "$men" --format tsv --dir t
[ ! -e t/lr2.cltb ] || fail "a dry run wrote a table"
expect 0 "" "$cltb" build KPvK --dir t --quiet
expect 0 "1 table made" "$cltb" build "$men" --output lr2.cltb --dir t
expect 0 "already present: t/lr2.cltb, 1." "${plan[@]}"
expect 0 "KPvK (present)" "${plan[@]}"

# What --output writes to --dir is found there.
fen='8/8/8/p7/P7/8/8/K1k5 w - - 0 1'
for table in lr2.cltb t/lr2.cltb "$tmp/t/lr2.cltb"; do
    expect 0 "draw" "$cltb" probe --table "$table" --dir t "$fen"
    expect 0 "all 6650 entries right" "$cltb" verify "$table" --dir t
    expect 0 "3325 legal positions" "$cltb" stats "$table" --dir t
    expect 0 "K P[a4] v K P[a5], restricted" "$cltb" info "$table" --dir t
done
mkdir here
(
    failures=0
    cd here || exit 1
    cp ../t/lr2.cltb . && cp ../t/KQvK.cltb ../t/lr2.cltb # the one here comes first
    expect 0 "draw" "$cltb" probe --table lr2.cltb --dir ../t "$fen"
    exit "$failures"
) || fail "a file as given comes first"
expect 1 "neither here nor in 't'" "$cltb" probe --table lr3.cltb --dir t "$fen"
finish
