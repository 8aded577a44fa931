#!/bin/bash
# slow_dobutsu_check.sh - the whole dobutsu database: verified, counted and compared with the reference; and one wrong byte
# shellcheck source=tests/cli/common.bash
. "$(dirname "$0")/common.bash"
data=$source_dir/tests/data/dobutsu
expect 0 "dobutsu" "$cltb" build dobutsu --dir t
expect 0 "all 1078984704 codes right (787235328 invalid, 150556823 won at once, 141192553 by their moves), checksums right" \
    "$cltb" verify dobutsu --dir t
expect 0 "a sample of 100000 codes right" "$cltb" verify Dobutsu --dir t --sample 100000 --seed 3
expect 0 "109213029 values kept" "$cltb" info t/dobutsu.cltb

# All codes.
expect 0 "" "$cltb" stats dobutsu --dir t --format tsv
grep -v '^# table' "$data/dobutsu-histogram.tsv" | cmp -s - "$out" || fail "histogram: $(diff "$data/dobutsu-histogram.tsv" "$out" | head)"

# The reachable ones.
expect 0 "" "$cltb" stats dobutsu --dir t --reachable --format tsv
cmp -s "$data/dobutsu-reachable-values.tsv" "$out" || fail "reachable: $(diff "$data/dobutsu-reachable-values.tsv" "$out" | head)"
expect 0 '"reachable": 213993386, ' "$cltb" stats dobutsu --dir t --reachable --stop --format json
if command -v python3 >/dev/null; then
    python3 -m json.tool "$out" >/dev/null || fail "json: not well-formed"
fi

# One byte, of a raw table and of a stored one. The start is lost in 77.
start=719600465
expect 0 "" "$cltb" build dobutsu --format raw --dir t
printf '\117' | dd of=t/dobutsu.raw bs=1 seek=$start conv=notrunc status=none
expect 1 "code $start, S/gle/-c-/-C-/ELG/-: the value stored is 79, a loss in 79; the right one is 77, a loss in 77" \
    "$cltb" verify t/dobutsu.raw
size=$(stat -c %s t/dobutsu.cltb)
byte=$(od -An -tu1 -j $((size / 2)) -N 1 t/dobutsu.cltb)
# shellcheck disable=SC2059
printf "\\$(printf %o $(((byte + 1) % 256)))" | dd of=t/dobutsu.cltb bs=1 seek=$((size / 2)) conv=notrunc status=none
expect 1 "dobutsu.cltb" "$cltb" verify dobutsu --dir t
expect 1 "dobutsu.cltb" "$cltb" stats dobutsu --dir t
finish
