#!/bin/bash
# progress.sh - what a build shows: first the time left for all tables together, however narrow the terminal is;
# progress on standard error, figures on standard output; the compilation of kernels
# shellcheck source=tests/cli/common.bash
. "$(dirname "$0")/common.bash"

expect 0 "5 tables made" "$cltb" build --men 3 --dir t --device cpu
[ "$(wc -l <"$out")" = 1 ] || fail "standard output has more than the figures: $(cat "$out")"
[ "$(grep -c ': solved in' "$err")" = 5 ] || fail "no line for each table on standard error: $(cat "$err")"

# ---- on a terminal ----

# bars COLUMNS ARGUMENT...: puts the last lines that a build draws into the file `bars`, one in each line
bars() {
    local columns=$1
    shift
    script -qec "stty cols $columns; '$cltb' build --device cpu $*" /dev/null </dev/null | tr '\r' '\n' |
        sed 's/\x1b\[K//g' | grep -a '\[[.#]*' >bars
}

if command -v script >/dev/null; then
    for columns in 60 100; do
        rm -rf drawn
        bars $columns KQvKP --dir drawn
        grep -qE '^[0-9]+:[0-9]{2} left, 1/10 K[QRBN]vK ' bars || fail "no time left for all tables: $(head -3 bars)"
        grep -qE '^[0-9]+:[0-9]{2} left, 10/10 KQvKP .*%' bars || fail "none with pawns: $(tail -3 bars)"
        grep -q ' left.* left' bars && fail "the time left stands there twice"
        [ "$(wc -L <bars)" -lt "$columns" ] || fail "a bar is wider than the terminal: $(wc -L <bars)"
    done
    # The time left falls: the last one is less than half of the largest.
    sed -nE 's/^([0-9]+):([0-9]+) left, .*/\1 \2/p' bars | awk '
        { left = 60 * $1 + $2; most = left > most ? left : most }
        END { exit !(NR > 1 && left <= most / 2) }' || fail "the time left does not fall: $(tail -n 3 bars)"
else
    echo "no script(1): the terminal is left out"
fi

# ---- devices ----

if "$cltb" devices | grep -qE '^[0-9]+ .*\(gpu,'; then
    expect 0 "on OpenCL device" "$cltb" build KQvK --force --dir t --device gpu
else
    expect 1 "there is no GPU here" "$cltb" build KQvK --force --dir t --device gpu
    expect 1 "there is no GPU here" "$cltb" bench kernels KQvK --device gpu --milliseconds 1
fi

# Compiling kernels is announced, counted separately, and done once.
expect 0 "~/.cache/cltb" "$cltb" help build
if "$cltb" devices | grep -qE '^0 '; then
    compile() { # TEXT
        XDG_CACHE_HOME=$tmp/cache expect 0 "$1" "$cltb" build 'K Q[a] v K' --device 0 --dir t --force --output q.cltb
    }
    compile "; compiling kernels took"
    grep -q '^compiling kernels for ' "$err" || fail "compiling kernels is not announced: $(cat "$err")"
    [ -n "$(find cache/cltb -name '*.clbin')" ] || fail "no kernels are kept in XDG_CACHE_HOME"
    compile "on OpenCL device"
    grep -q 'compiling' "$err" && fail "kernels are compiled again: $(cat "$err")"
    [ "$(stat -c %a cache/cltb)" = 700 ] || fail "others may look into the cache: $(stat -c %a cache/cltb)"
    # Where others may write nothing is kept, nor read.
    rm cache/cltb/*.clbin
    chmod o+w cache/cltb
    XDG_CACHE_HOME=$tmp/cache expect 0 "" "$cltb" build 'K Q[a] v K' --device 0 --dir t --force --output q.cltb
    [ -z "$(find cache/cltb -name '*.clbin')" ] || fail "kernels are kept where others may write"
else
    echo "no OpenCL device: that part is left out"
fi
finish
