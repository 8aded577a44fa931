#!/usr/bin/env bash
# test.sh - the tests: formatting, structure, the release build and what takes seconds of its tests, and with sanitizers
# what reads files and texts
#
#     tools/test.sh          that, and clang-tidy on files that differ from the main branch
#     tools/test.sh --all    everything, as in CI: all tests of the release build, the core built and tested alone, all
#                            quick tests and fuzzers with sanitizers, clang-tidy on all files
#
# Incremental: builds and clang-tidy only redo what changed. Ends with the twenty longest tests and ctest's closing
# lines, or with what failed.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. tools/deps.sh

all=0
case ${1-} in
'') ;;
--all) all=1 ;;
*) die "usage: tools/test.sh [--all]" ;;
esac

summary=()
ran=()
# Tests wait for timers, disks and other processes more than half of their time.
jobs=$(($(getconf _NPROCESSORS_ONLN) + 2))
# For new builds: it starts fewer processes than make.
generator='Unix Makefiles'
! command -v ninja >/dev/null || generator=Ninja

# build PRESET TARGET [cmake option...]
build() {
    local preset=$1 target=$2
    shift 2
    say "$preset: building"
    CMAKE_GENERATOR=${CMAKE_GENERATOR-$generator} \
        configure "$preset" -DCLTB_WERROR=ON "-DCLTB_TEST_CACHE=$PWD/build/test-cache" "$@"
    compile "$preset" "$target"
}

# run PRESET TITLE [ctest option...]
run() {
    local preset=$1 title=$2 log=build/$1/ctest.log
    shift 2
    say "$preset: $title"
    (cd "build/$preset" && ctest --output-on-failure --no-tests=error "-j$jobs" "$@") 2>&1 | tee "$log" ||
        die "$preset: tests failed (build/$preset/ctest.log)"
    ran+=("$preset")
    summary+=("$(printf '%-10s' "$preset")" "$(grep -E '^[0-9]+% tests passed' "$log")")
}

sources() {
    find "$@" \( -name '*.c' -o -name '*.h' -o -name '*.cl' \) -not -path '*/build/*' -not -path '*/embed/*.cl' \
        -type f | LC_ALL=C sort
}

check_format() {
    if ! command -v clang-format >/dev/null; then
        say "formatting: left out (no clang-format)"
        return
    fi
    say "formatting"
    local out
    out=$(sources host include kernels tests | xargs clang-format --dry-run -Werror 2>&1) ||
        die "run clang-format -i on:"$'\n'"$(sed -n 's/:[0-9:]* error:.*//p' <<<"$out" | uniq)"
}

# tidy_one FILE: skipped while FILE, all headers and the settings are older than its last success
tidy_one() {
    local stamp=build/tidy/${1//\//_} log
    if [ -f "$stamp" ] && [ -z "$(find "$1" .clang-tidy -newer "$stamp")" ] &&
        [ -z "$(find host include kernels tests -name '*.h' -newer "$stamp" -print -quit)" ]; then
        return 0
    fi
    log=$(mktemp)
    # The build's flags are gcc's: clang need not know them all. The analyzer usually takes 225000 steps for a function.
    if clang-tidy -p build/release --quiet --extra-arg=-Wno-unknown-warning-option \
        --extra-arg={-Xclang,-analyzer-config,-Xclang,max-nodes="$nodes"} "$1" >"$log" 2>/dev/null; then
        touch "$stamp"
    else
        cat "$log"
        [ -s "$log" ] || echo "$1: clang-tidy failed"
        rm -f "$log"
        return 1
    fi
    rm -f "$log"
}
export -f tidy_one
# Of all files, a quarter of the steps for files that differ takes 40 % of the time. An eighth gives false findings.
export nodes=40000
[ $all = 0 ] || nodes=10000

# The C files of host/ that the release build compiles; without --all, those of them that differ from the main branch
tidied_sources() {
    local file base
    base=$(git merge-base HEAD origin/HEAD 2>/dev/null || git rev-parse HEAD 2>/dev/null) || true
    if [ $all = 1 ]; then sources host; elif [ -n "$base" ]; then git diff --name-only "$base" -- host; fi |
        { grep '\.c$' || true; } | while read -r file; do
        ! grep -qF "/$file\"" build/release/compile_commands.json || printf '%s\n' "$file"
    done
}

# Begins after the release build and takes the processor while tests wait; awaited in the end.
tidy_job=
start_tidy() {
    if ! command -v clang-tidy >/dev/null; then
        say "clang-tidy: left out (not installed)"
        return
    fi
    mkdir -p build/tidy
    # shellcheck disable=SC2016 # $1 is for the inner bash
    nice -n 19 xargs -P2 -I{} bash -c 'tidy_one "$1"' tidy {} < <(tidied_sources) >build/tidy.log 2>&1 &
    tidy_job=$!
    trap 'kill $tidy_job 2>/dev/null || true' EXIT
}

await_tidy() {
    [ -n "$tidy_job" ] || return 0
    say "clang-tidy"
    wait $tidy_job || { cat build/tidy.log; die "clang-tidy has findings"; }
}

deps_ensure test
check_format
say "structure"
tools/check_structure.sh || die "the structure has faults"
build release all
start_tidy
if [ $all = 0 ]; then
    run release "what takes seconds" -L short
    build asan parsers
    run asan "what reads files and texts, under AddressSanitizer and UndefinedBehaviorSanitizer" -L parser
else
    run release "all tests"
    build core core -DCMAKE_BUILD_TYPE=Debug # in half the time, and with assertions
    run core "the core alone" -L core
    build asan quick
    run asan "quick tests and fuzzers under AddressSanitizer and UndefinedBehaviorSanitizer" -L "quick|fuzz"
fi
await_tidy
say "all passed; the longest tests in seconds:"
for preset in "${ran[@]}"; do
    sed -nE "s/^ *[0-9]+\/[0-9]+ Test +#[0-9]+: ([^ ]+) .* ([0-9.]+) sec\$/\2 $preset \1/p" "build/$preset/ctest.log"
done | sort -rn | awk 'NR <= 20 { printf "%8.1f  %-8s %s\n", $1, $2, $3 }'
printf '%s %s\n' "${summary[@]}"
printf '%s\n' "${summary[1]}"
