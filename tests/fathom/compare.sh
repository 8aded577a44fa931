#!/bin/bash
# compare.sh - libcltb-fathom against libfathom: the same programs, linked with one and with the other
. "$(dirname "$0")/../cli/common.bash"
. "$(dirname "$0")/../syzygy/syzygy.bash"
[ -n "${FATHOM_COMPARE-}" ] || {
    echo "skipped: no libfathom"
    exit 77
}
positions=20000 materials=(KBNvK KNNvK KQvKR KRvKN KPvKP KRvKP)
[ -z "${CLTB_TEST_LONG-}" ] || positions=1000000

if [ -n "${CLTB_TEST_LONG-}" ]; then
    expect 0 "" "$cltb" build --men 4 --dir t --device cpu --quiet
    mapfile -t materials < <(made)
    make_syzygy s
else
    judged_tables s
fi

# ---- the header and a few answers, line by line ----

"$FATHOM_ENGINE_THEIRS" s 2>/dev/null | grep -v '^info' >theirs
for folder in s t; do
    "$FATHOM_ENGINE_OURS" $folder >ours
    diff theirs ours || fail "the engine gets other answers from $folder"
done
[ "$(wc -l <ours)" -gt 50 ] || fail "the engine says too little"

# ---- random positions ----

compare() { # WHAT OPTION... FOLDERS NAME...
    "$FATHOM_COMPARE" "$@" >"$out" 2>"$err" || fail "$*: $(cat "$out" "$err")"
    grep -q 'other differences: 0' "$out" || fail "$*: nothing compared"
    cat "$out"
}
theirs=("$FATHOM_THEIRS" "$FATHOM_OURS" s)
compare --positions "$positions" "${theirs[@]}" t "${materials[@]}"
compare --positions $((positions / 4)) --seed 1 "${theirs[@]}" s "${materials[@]}"
grep -q '([1-9][0-9]* en passant): [0-9]* lost, [0-9]* blessed' "$out" || fail "no right to capture en passant"
# Half of the files here, half there
mkdir m n
cp t/K[QRP]v*.cltb m
cp s/K[BN]*.rtb? n
compare --positions $((positions / 4)) --seed 2 "${theirs[@]}" m:n:t "${materials[@]}"
finish
