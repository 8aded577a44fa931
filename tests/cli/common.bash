# common.bash - what the scripts in this folder share; sourced, with the script's arguments: CLTB SOURCE_DIR
#
# `expect STATUS TEXT command...` runs a command, which must exit with STATUS and, if that is not 0, print exactly one
# line on standard error, which contains TEXT. Its output is in $out and $err.
# shellcheck shell=bash
set -u
cltb=$1
source_dir=$2
tmp=${CLTB_TEST_TMP:-$(mktemp -d)}/work
rm -rf "$tmp"
mkdir -p "$tmp"
cd "$tmp" || exit 1
unset CLTB_PATH
out=$tmp/out err=$tmp/err
failures=0

# Called before a command in the background: there a script ignores SIGINT, and cltb leaves it so.
# shellcheck disable=SC2034 # used by scripts
interruptible=(env --default-signal=INT)

fail() {
    echo "FAILED: $*" >&2
    failures=$((failures + 1))
}

expect() {
    local status=$1 text=$2
    shift 2
    "$@" >"$out" 2>"$err" </dev/null
    local got=$?
    [ "$got" = "$status" ] || { fail "$* : exit status $got, not $status: $(head -c 300 "$err")"; return; }
    if [ -n "$text" ] && ! grep -qF -- "$text" "$out" "$err"; then
        fail "$* : says nothing of '$text': $(head -c 300 "$err")"
        return
    fi
    [ "$status" = 0 ] && return
    [ "$(wc -l <"$err")" = 1 ] || fail "$* : not one line on standard error: $(cat "$err")"
}

# says TEXT: checks that the last command printed it.
says() {
    grep -qF -- "$1" "$out" "$err" || fail "nothing of '$1': $(tail -n 3 "$out") $(cat "$err")"
}

# at_terminal STATUS STEP... -- COMMAND...: types the steps at a terminal (see terminal.py); what the terminal shows is
# in $out. Does nothing if there is no Python.
at_terminal() {
    local status=$1
    shift
    command -v python3 >/dev/null || return 0
    python3 "$source_dir/tests/cli/terminal.py" "$(ldd "$cltb" | grep -c libedit)" "$@" >"$out" 2>"$err"
    local got=$?
    [ "$got" = "$status" ] || fail "at a terminal: $* : exit status $got, not $status: $(cat "$out" "$err")"
}

# shared_tables FOLDER NAME...: copies of these tables. There is one set for all scripts, also of other builds that use
# the same folder; a change of the sources ends it.
shared_tables() {
    local to=$1 set=${XDG_CACHE_HOME:-$tmp}/tables files
    shift
    mkdir -p "$to" "$set"
    files=("${@/#/$set/}")
    (
        flock 9
        if [ -n "$(find "$source_dir"/{host,kernels} -name '*.[ch]' -newer "$set/made" -print -quit 2>&1)" ]; then
            rm -rf "${set:?}"/*
            touch "$set/made"
        fi
        ls "${files[@]/%/.cltb}" >/dev/null 2>&1 || "$cltb" build "$@" --dir "$set" --device cpu --quiet
        cp "${files[@]/%/.cltb}" "$to"
    ) 9>"$set.lock" || fail "no tables $*"
}

# Checks that a folder has nothing but complete tables.
expect_clean() {
    local other
    other=$(find "$1" -mindepth 1 ! -name '*.cltb')
    [ -z "$other" ] || fail "left behind in $1: $other"
}

finish() {
    [ "$failures" = 0 ] || exit 1
    rm -rf "$tmp"
    exit 0
}

is_root() {
    [ "$(id -u)" = 0 ]
}

# Inverts a bit of a file.
flip_bit() { # FILE OFFSET
    local byte
    byte=$(od -An -tu1 -j "$2" -N 1 "$1")
    # shellcheck disable=SC2059 # the format is the byte
    printf "\\$(printf %03o $((byte ^ 16)))" | dd of="$1" bs=1 seek="$2" conv=notrunc status=none
}

# Can web/test.mjs drive a browser here?
browser_works() {
    local chromium
    [ -d "$source_dir/web/node_modules" ] && command -v node >/dev/null || return 1
    chromium=$(command -v chromium || command -v chromium-browser) || return 1
    timeout 60 "$chromium" --headless --no-sandbox --disable-dev-shm-usage --dump-dom about:blank >"$out" 2>&1 || {
        echo "chromium does not start here: left out"
        return 1
    }
    ! grep -q 'built without libevent' <(timeout 20 "$cltb" serve --listen 256.256.256.256:0 2>&1)
}
