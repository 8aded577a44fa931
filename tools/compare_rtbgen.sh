#!/usr/bin/env bash
# compare_rtbgen.sh - cltb against Syzygy's generator, in turn on this machine
#
#     tools/compare_rtbgen.sh [-n RUNS] RTBGEN CLTB [MATERIAL...]
#
# RTBGEN is the program made by the Makefile of github.com/syzygy1/tb (materials with pawns use `rtbgenp`, expected
# beside it), CLTB this project's command. Both work in folders of their
# own under ${TMPDIR:-/tmp}, which are filled with the futurebases first. For each material, RUNS times in turn
# (default 3):
#
#     solve    `rtbgen -t 2 -g` (generate only) against `cltb build --solve-only` with 1 thread: CPU seconds
#     build    `rtbgen -t 2` against `cltb build --force`: wall seconds, with compression and writing
#
# and the sizes: .rtbw + .rtbz against .cltb with the default setting and with --best. Medians are printed. CPU
# seconds are user and system time of the whole process, as the shell's `time` reports them; user time is shown
# beside, because the first touch of memory (system time) depends on the machine's recent past.
set -euo pipefail

runs=3
if [ "${1:-}" = -n ]; then
    runs=$2
    shift 2
fi
[ $# -ge 2 ] || { echo "usage: $0 [-n RUNS] RTBGEN CLTB [MATERIAL...]" >&2; exit 2; }
rtbgen=$(realpath "$1")
cltb=$(realpath "$2")
shift 2
[ $# -gt 0 ] || set -- KQRvKR KRBvKR KBBvKN KRRvKB KQvKR

work=$(mktemp -d "${TMPDIR:-/tmp}/cltb-compare.XXXXXX")
trap 'rm -rf "$work"' EXIT
mkdir "$work/syzygy" "$work/cltb"
export RTBWDIR=$work/syzygy RTBZDIR=$work/syzygy
cd "$work/syzygy"

median() { sort -g | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'; }

# Runs a command quietly; prints "wall user system".
timed() {
    local TIMEFORMAT='%R %U %S'
    { time "$@" >"$work/log" 2>&1 || { cat "$work/log" >&2; exit 1; }; } 2>&1
}

syzygy_program() { # for material $1
    case $1 in *P*) echo "${rtbgen}p" ;; *) echo "$rtbgen" ;; esac
}

# Materials in an order in which captures and promotions come first: men, then pawns.
in_order() {
    awk '{ pawns = gsub(/P/, "P"); print length($1), pawns, $1 }' | sort -k1,1n -k2,2n | cut -d' ' -f3
}

prepare() { # the futurebases of $1, for both programs
    "$cltb" build --quiet --device cpu --dir "$work/cltb" "$1"
    local name
    for name in $(basename -s .cltb "$work"/cltb/*.cltb | in_order); do
        [ "$name" = "$1" ] || [ -e "$name.rtbw" ] || "$(syzygy_program "$name")" -t 2 "$name" >/dev/null 2>&1 ||
            { echo "rtbgen cannot make $name" >&2; exit 1; }
    done
}

printf '%-8s %-6s %12s %12s %8s\n' material what rtbgen cltb ratio
ratio() { awk -v a="$1" -v b="$2" 'BEGIN { printf "%.1f", a / b }'; }
for material in "$@"; do
    prepare "$material"
    : >"$work/a.cpu" >"$work/a.user" >"$work/b.cpu" >"$work/b.user" >"$work/a.wall" >"$work/b.wall"
    for _ in $(seq "$runs"); do
        read -r _ user system <<<"$(timed "$(syzygy_program "$material")" -t 2 -g "$material")"
        echo "$user" >>"$work/a.user"
        awk -v u="$user" -v s="$system" 'BEGIN { print u + s }' >>"$work/a.cpu"
        read -r _ user system <<<"$(timed "$cltb" build --solve-only --quiet --threads 1 --device cpu \
            --dir "$work/cltb" "$material")"
        echo "$user" >>"$work/b.user"
        awk -v u="$user" -v s="$system" 'BEGIN { print u + s }' >>"$work/b.cpu"
    done
    for what in cpu user; do
        a=$(median <"$work/a.$what")
        b=$(median <"$work/b.$what")
        printf '%-8s %-6s %12s %12s %8s\n' "$material" "$what" "$a" "$b" "$(ratio "$a" "$b")"
    done
    for _ in $(seq "$runs"); do
        rm -f "$material".rtbw "$material".rtbz
        read -r wall _ _ <<<"$(timed "$(syzygy_program "$material")" -t 2 "$material")"
        echo "$wall" >>"$work/a.wall"
        read -r wall _ _ <<<"$(timed "$cltb" build --force --quiet --device cpu --dir "$work/cltb" "$material")"
        echo "$wall" >>"$work/b.wall"
    done
    a=$(median <"$work/a.wall")
    b=$(median <"$work/b.wall")
    printf '%-8s %-6s %12s %12s %8s\n' "$material" build "$a" "$b" "$(ratio "$a" "$b")"
    syzygy=$(cat "$material.rtbw" "$material.rtbz" | wc -c)
    default=$(wc -c <"$work/cltb/$material.cltb")
    "$cltb" build --best --force --quiet --device cpu --dir "$work/cltb" "$material"
    best=$(wc -c <"$work/cltb/$material.cltb")
    for size in "bytes $default" "best $best"; do
        awk -v name="$material" -v size="$size" -v peer="$syzygy" \
            'BEGIN { split(size, s, " "); printf "%-8s %-6s %12s %12s %8.2f\n", name, s[1], peer, s[2], s[2] / peer }'
    done
done
