#!/bin/bash
# usage.sh - the form of the command line: help, versions, wrong usage (exit status 2 and one line that says what is
# wrong)
. "$(dirname "$0")/common.bash"

for version in --version -V -v version; do
    expect 0 "cltb 0." "$cltb" $version
done
expect 0 "cltb build" "$cltb" --help
expect 0 "cltb build" "$cltb" help
for command in $("$cltb" help | sed -n 's/^    cltb \([a-z]*\) .*/\1/p'); do
    expect 0 "cltb $command" "$cltb" help "$command"
    expect 0 "cltb $command" "$cltb" "$command" --help
    expect 2 "unknown option '--frob'" "$cltb" "$command" --frob
    expect 2 "unknown option '-x'" "$cltb" "$command" -x
done

# `cltb` alone lists the commands, but is wrong usage.
"$cltb" help >help.txt
"$cltb" >"$out" 2>"$err"
[ $? = 2 ] && [ ! -s "$err" ] && cmp -s help.txt "$out" || fail "cltb alone: $(cat "$out" "$err")"

# Texts fit into 80 columns, and every command has an example. The examples are true: they run in the order of the
# commands, in a folder of their own, but for those that serve, measure, or take long.
mkdir examples
(
    cd examples || exit
    printf '\0asm' >cltb.wasm
    PATH=$(dirname "$cltb"):$PATH
    printf '%s\n' '8/8/8/8/8/2k5/2r5/K2Q4 w - - 0 1' >positions.epd
    printf '[FEN "8/8/8/8/8/2k5/2r5/K2Q4 w - - 0 1"]\n\n1. Qd4+ *\n' >games.pgn
    cp positions.epd positions.txt
    "$cltb" build KQvKR --quiet
    "$cltb" label --sample 9 KQvKR --format bullet --output data.bin --quiet
    for command in $("$cltb" help | sed -n 's/^    cltb \([a-z]*\) .*/\1/p'); do
        "$cltb" help "$command" >help.txt
        grep -q "^Examples*:$" help.txt || fail "$command: no example"
        sed -n 's/^    \$ //p' help.txt >commands.txt
        grep -q "^cltb $command\|(cltb $command" commands.txt || fail "$command: no example of the command"
        while read -r example; do
            case $example in
                "cltb serve "* | "cltb bench "* | "cltb tune "* | "cltb play "* | make\ *) continue ;;
                "cltb build KBNvK"* | "cltb verify KQvKR --sample"* | "cltb perft 4") continue ;;
            esac
            (eval "$example") >out.txt 2>err.txt </dev/null || fail "$example: $(cat err.txt)"
        done <commands.txt
        cat help.txt
    done >texts.txt
    "$cltb" help >>texts.txt
    printf 'help\nquit\n' | "$cltb" explore '4k3/8/8/8/8/8/8/4K3 w - - 0 1' 2>&1 | grep '^    ' >>texts.txt
    printf 'help\nquit\n' | "$cltb" play dobutsu --side both | grep -v '^By the rules' >>texts.txt
    [ "$(wc -l <texts.txt)" -gt 800 ] || fail "no texts"
    LC_ALL=C awk 'length > 79' texts.txt | grep . >long.txt && fail "lines of more than 79 columns: $(cat long.txt)"
    [ "$failures" = 0 ]
) || fail "help"
rm -rf examples help.txt

# --json is short for --format json where there is such a format, and nothing else.
for command in devices "build KQvK --dry-run" "plan KQvK" "list --dir ."; do
    # shellcheck disable=SC2086 # words
    "$cltb" $command --format json >long.txt
    # shellcheck disable=SC2086
    expect 0 "" "$cltb" $command --json
    grep -q '^[[{]' "$out" && [ "$(head -c 1 "$out")" = "$(head -c 1 long.txt)" ] ||
        fail "$command --json: $(cat "$out")"
done
expect 2 "--board belongs to --format text" "$cltb" probe --json --board 8/8/8/8/8/8/8/K1k5
expect 2 "unknown option '--json'" "$cltb" export KQvK --json
expect 2 "unknown option '--json'" "$cltb" verify KQvK --json
expect 2 "unknown option '--json=1'" "$cltb" devices --json=1
expect 2 "unknown command 'frob'" "$cltb" frob
expect 2 "unknown command 'frob' (see" "$cltb" help frob
expect 2 "did you mean probe?" "$cltb" prob
expect 2 "did you mean probe?" "$cltb" help porbe
expect 2 "did you mean build?" "$cltb" Build
expect 2 "did you mean --memory?" "$cltb" build KQvK --mem 1G
expect 2 "did you mean KQvK?" "$cltb" stats KQvK.rtbw
expect 2 "did you mean --threads?" "$cltb" verify KQvK --thread=2
expect 2 "did you mean dobutsu?" "$cltb" build dobutzu
expect 2 "did you mean KQvKR?" "$cltb" build KR-KQ
expect 2 "did you mean KBNvK?" "$cltb" stats KBNvsK
expect 2 "did you mean KQvKR?" "$cltb" build QKvRK
expect 2 "did you mean KQRvKR?" "$cltb" stats rqkvrk
expect 0 "1 table to make" "$cltb" build KRvK.cltb --dry-run

# It is one line, whatever is repeated.
for command in $'a\nb' "help"$'\n' "probe" "build"; do
    "$cltb" "$command" $'8/8\n8' >/dev/null 2>err.txt
    [ "$(wc -l <err.txt)" = 1 ] || fail "an error of several lines: $(cat err.txt)"
done
rm -f err.txt

# rejects TEXT WORDS...: each of these lines of words is wrong usage
rejects() {
    local text=$1 words
    shift
    for words; do
        # shellcheck disable=SC2086 # words
        expect 2 "$text" "$cltb" $words
    done
}

rejects "which tables" build
rejects "needs a value" "build KQvK --dir"
expect 2 "empty value" "$cltb" build KQvK --dir ''
rejects "takes no value" "build KQvK --force=yes"
rejects "--threads" "build KQvK --threads 0" "build KQvK --threads -3" "build KQvK --threads 99999999999999999999999"
rejects "--memory" "build KQvK --memory 5X" "build KQvK --memory 99999999999T" "build KQvK --memory 0" \
    "build KQvK --memory 1." "build KQvK --memory .5G" "build KQvK --memory 1.5.5G" "build KQvK --memory 1.1234567G"
rejects "--isa" "build KQvK --isa sse"
rejects "--device" "build KQvK --device gpus" "build KQvK --device 0," "build KQvK --device cpu,frob" \
    "build KQvK --device ,"
rejects "several devices share tables of chess" "build dobutsu --device cpu,cpu"
rejects "--men" "build --men 2" "build --men 9" "build --men 9 --pawnless --dry-run"
rejects "--pawnless" "build --pawnless KQvK"
rejects "not both" "build --men 3 --pawnless KQvK" "build --men 3 KPvK --dry-run"
rejects "--format belongs to --dry-run" "build KQvK --format tsv"
rejects "--format takes text|tsv|json" "build KQvK --dry-run --format xml"
rejects "--quiet or --verbose" "build KQvK --quiet --verbose"

# Names that are not valid: nothing may be made before all have been read.
for name in KQ KvK K Kv vK KXvK QvK KQvKQvK KQQQQQQQvK "" "KQ vK" KKvK; do
    expect 2 "$name" "$cltb" build KQvK "$name"
    expect 2 "$name" "$cltb" stats "$name"
    expect 2 "$name" "$cltb" verify "$name"
done
expect 1 "of memory, 2.15 GB are allowed" "$cltb" build KQvK KPPPvKPP --memory 2G
expect 1 "KQRBNvKRP needs about 20" "$cltb" build KQvK KQRBNvKRP --memory 2G
expect 1 "no tables KPvK.cltb, KQvK.cltb" "$cltb" stats KPvK
expect 1 "no tables KPvK.cltb, KQvK.cltb" "$cltb" verify KPvK
[ -e tables ] && fail "a table was made in spite of wrong usage"

expect 2 "--format" "$cltb" probe --format ''
rejects "--format" "probe --format xml" "stats KQvK --format tsv|json"
rejects "--longest" "stats KQvK --longest"
rejects "--zugzwangs" "stats KQvK --format syzygy --zugzwangs"
rejects "one table's name or file" stats "stats KQvK KRvK"
rejects "one table's name or file" info
rejects "--all or --sample" "verify KQvK --all --sample 5"
rejects "--sample" "verify KQvK --sample 0"
rejects "or --men N" verify
rejects "not both" "verify KQvK --men 3"
expect 1 "no tables of up to 3 men in 'tables'" "$cltb" verify --men 3
expect 0 "1 table made" "$cltb" build KQvK --dir three --device cpu
expect 0 "1 tables of up to 4 men verified, all right; 34 are not there" "$cltb" verify --men 4 --dir three
says "KQvK: all "
printf x >>three/KQvK.cltb
"$cltb" verify --men 3 --dir three >"$out" 2>"$err" && fail "--men passes a damaged table"
says "not all are right"
rejects "no arguments" "devices cpu"
rejects "depth" perft "perft many" "perft 1000"
rejects "KvK" "bench probe --table KvK"
rejects "--table" "bench probe --table"

# perft and devices need no tables.
expect 0 "197281 leaves" "$cltb" perft 4
expect 0 "1 leaf in" "$cltb" perft 0
expect 2 "perhaps a position in quotes (see: cltb help perft)" "$cltb" perft
expect 0 "97862 leaves" "$cltb" perft 3 'r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1'
expect 0 "e2e4: 20" "$cltb" perft 2 --divide
expect 1 "FEN" "$cltb" perft 2 8/8/8/8/8/8/8/8
expect 0 "generic" "$cltb" devices
expect 0 '"cpu"' "$cltb" devices --format json
if [ -w /dev/full ]; then
    "$cltb" perft 1 >/dev/full 2>"$err"
    [ $? = 1 ] || fail "perft: output that cannot be written is no failure"
fi
finish
