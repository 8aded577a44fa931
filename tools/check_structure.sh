#!/usr/bin/env bash
# check_structure.sh - do the sources keep to docs/architecture.md?
#
#   1. Lines have at most 120 columns (tables in Markdown and test data excepted).
#   2. Units (a .c file with the .h file of its name) do not include each other in a cycle.
#   3. A folder includes only the folders that `allowed` gives it below.
#   4. Paths of files that comments and documents mention exist.
#   5. Files with functions that are compiled twice (host/util/cloned.h) do not ask for instruction sets: they would be
#      told of those that every processor has.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

if ! git rev-parse --git-dir >/dev/null 2>&1; then
    echo "structure: left out (not a git checkout)"
    exit 0
fi

# FOLDER: the folders that it may include, besides itself and include/
allowed="
kernels/dobutsu:    kernels
util:
disk:               util
chess:              util
index:              util chess
table:              util chess index
syzygy:             util chess index table
syzygy/write:       util disk chess index table solve table/write syzygy
probe:              util chess index table syzygy
solve:              util disk chess index kernels
solve/mates:        util chess index solve solve/cpu
solve/rules:        util chess solve
solve/cpu:          util index solve kernels
solve/opencl:       util index solve kernels
solve/disk:         util disk table solve solve/cpu
table/write:        util disk index table solve solve/cpu
futurebase:         util index table solve solve/cpu
structures/search:  util disk chess index probe
structures:         util disk chess index table probe solve solve/rules solve/disk futurebase placed structures/search
placed:             util chess table
placed/check:       util chess table placed
placed/cli:         util kind show placed/check
structures/check:   util chess placed/check structures
structures/cli: util kind show chess index cli make check table probe solve/opencl placed/check placed/cli restricted \
    structures structures/check
make: util disk index table table/write syzygy syzygy/write futurebase solve solve/opencl solve/disk solve/mates
check:              util chess index table probe futurebase solve solve/cpu solve/opencl make
import:             util chess index table table/write probe make check
show:               util chess table
kind:               util chess table syzygy probe make check show
uci:                util chess probe cli
fathom:             util chess index probe include/cltb-fathom
wasm:               util chess probe kind show serve
serve:              util chess index probe make kind show cli
cli: util chess index table probe import make check kind show solve/cpu solve/opencl
mpi:                util cli
restricted:         util chess index table probe placed
restricted/make:    util disk chess index probe solve solve/rules solve/disk futurebase make restricted
restricted/check:   util chess index placed/check restricted
restricted/cli:     util kind show placed/check placed/cli restricted restricted/make restricted/check
dobutsu:            util table kernels/dobutsu
dobutsu/solve:      util dobutsu solve/cpu solve/opencl kernels/dobutsu
dobutsu/make:       util table make dobutsu dobutsu/solve
dobutsu/check:      util dobutsu
dobutsu/cli:        util kind show cli dobutsu dobutsu/make dobutsu/check
"

failed=0
fault() {
    printf '%s\n' "$@" >&2
    failed=1
}

files() {
    git ls-files -co --exclude-standard "$@" | grep -vE '^tests/(data|embed)/' | while read -r f; do
        [ ! -f "$f" ] || echo "$f"
    done
}

# "unit unit" for each include, without .c, .h, .cl
includes() {
    files 'host/*' 'kernels/*' 'include/*' | grep -E '\.(c|h|cl)$' >"$work/sources"
    xargs grep -HE '^ *# *include *["<]' <"$work/sources" | awk -v list="$work/sources" '
        BEGIN { while ((getline file < list) > 0) known[file] = 1 }
        {
            file = substr($0, 1, index($0, ":") - 1)
            split($0, part, /["<>]/)
            folder = file
            sub("/[^/]*$", "", folder)
            n = split("host/ include/ kernels/ kernels/dobutsu/", roots, " ")
            target = part[2] in known ? part[2] : ""
            for (i = 1; target == "" && i <= n; i++)
                if ((roots[i] part[2]) in known)
                    target = roots[i] part[2]
            if (target == "")
                next
            sub(/\.[a-z]*$/, "", file)
            sub(/\.[a-z]*$/, "", target)
            if (file != target)
                print file, target
        }' | sort -u
}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# ---- 1. ----
# shellcheck disable=SC2016 # the dollar is awk's
files '*.c' '*.h' '*.cl' '*.md' '*.sh' '*.bash' '*.cmake' '*CMakeLists.txt' | LC_ALL=C.UTF-8 xargs awk '
    length($0) > 120 && !(FILENAME ~ /\.md$/ && /^\|/) {
        print FILENAME ":" FNR ": more than 120 columns"
    }' >"$work/wide"
[ ! -s "$work/wide" ] || fault "$(cat "$work/wide")"

# ---- 2. ----
includes >"$work/includes"
cycle=$(tsort <"$work/includes" 2>&1 >/dev/null) || fault "units include each other in a cycle:" "$cycle"

# ---- 3. ----
awk -v allowed="$allowed" '
    function folder_of(unit) { sub(/^host\//, "", unit); sub(/\/[^\/]*$/, "", unit); return unit }
    BEGIN {
        n = split(allowed, line, "\n")
        for (i = 1; i <= n; i++) {
            m = split(line[i], word, /[: ]+/)
            if (m > 0)
                listed[word[1]] = 1
            for (j = 2; j <= m; j++)
                may[word[1], word[j]] = 1
        }
    }
    {
        from = folder_of($1)
        to = folder_of($2)
        if (from != to && to != "include/cltb" && !((from, to) in may))
            print $1 " includes " $2 (from in listed ? "" : " (" from " is not listed)")
    }' "$work/includes" >"$work/arrows"
[ ! -s "$work/arrows" ] || fault "tools/check_structure.sh does not allow:" "$(cat "$work/arrows")"

# ---- 4. ----
endings="c|h|cl|sh|bash|md|txt|xml|tsv|cmake|dot|svg|js|mjs|ts"
files '*.c' '*.h' '*.cl' '*.md' '*.sh' '*CMakeLists.txt' |
    xargs grep -HoE "\\b(host|js|tests|kernels|tools|docs|cmake|include/cltb)/[a-z_0-9/.-]+\\.($endings)\\b" |
    sort -u | while IFS=: read -r where path; do
    [ -e "$path" ] || echo "$where: there is no $path"
done >"$work/paths"
[ ! -s "$work/paths" ] || fault "$(cat "$work/paths")"

# ---- 5. ----
files 'host/*.c' | xargs grep -lw CLONED |
    xargs grep -HnE '^ *# *(el)?if.*__(SSE[34]|SSSE|AVX|BMI|LZCNT|POPCNT|GFNI|FMA)' >"$work/sets" || true
[ ! -s "$work/sets" ] || fault "$(sed 's/$/ (never true with CLONED)/' "$work/sets")"

exit $failed
