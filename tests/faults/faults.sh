#!/usr/bin/env bash
# faults.sh CLTB LIBFAULTS [STEPS] - makes calls of the system and of the C library fail, one at a time
#
# Each scenario is a command in a folder of its own. For each kind of call and of error, first only the N-th call fails,
# then all calls from the N-th on. N takes STEPS values (default 3) spread over all calls that the command makes; with
# STEPS=0 every value; with STEPS=places the first and the middle call of each place in the program (a chain of callers)
# that makes such calls. After each run this must be true:
#
#   1. The exit status is 0, 1 or 2: no signal, no time-out.
#   2. A failure prints exactly one line on standard error; after a success, output and files are those of a run without
#      faults.
#   3. Files under final names are complete: they have the bytes of a run without faults.
#   4. The same command without faults then succeeds, with the same output and bytes. (It is run once for each state
#      that the folder is left in.)
#
# A server may also answer differently while calls fail, unless caches may keep the answer, but must go on, and end when
# it is told to.
#
# FAULT_SCENARIOS and FAULT_CALLS select some of them, and FAULT_ONCE=1 leaves out the runs in which all later calls
# fail, too. FAULT_SECONDS: no run begins later than that. Those of dobutsu, whose table takes half a minute, must be
# selected by name.
set -u

cltb=$(realpath "$1")
faults=$(realpath "$2")
steps=${3-3}

work=$(mktemp -d "${CLTB_TEST_TMP:-/tmp}/faults.XXXXXX")
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1

runs=0
violations=0
declare -A start right # scenario: the state of its folder before, and the files under final names after a right run
declare -A resumed     # scenario and state of its folder: the run after it was right
complain() {
    printf '%s\n' "$what: $*"
    violations=$((violations + 1))
}

# ---- scenarios: setup_NAME makes the folder to start from, command_NAME is run in it ----

run=("$cltb") # how the program is called

build() { "${run[@]}" build "$@" --device cpu --threads 2 --quiet; }

setup_pawnless() { :; }
command_pawnless() { build KQvK --dir .; }

setup_pawns() { cp ../base/K[QRBN]vK.cltb .; }
command_pawns() { build KPvK --dir .; }

# Some futurebases exist, others are made meanwhile.
setup_export() { cp ../base/K[QR]vK.cltb .; }
command_export() { "${run[@]}" export KPvK --dir . --device cpu --threads 2 --quiet; }

setup_import() { "${run[@]}" export --men 3 --exact --dir ../base --to exact --device cpu --threads 2 --quiet; }
command_import() { "${run[@]}" import KQvK KBvK --syzygy exact --to . --threads 2; }

# Interrupted before: a checkpoint is read, too.
streamed=(KNNvKN --dir . --device cpu --threads 2 --memory 56M --checkpoint 0)
setup_streamed() {
    build KNNvK KNvKN --dir .
    "${run[@]}" build "${streamed[@]}" --verbose 2>&1 >/dev/null | sed '/ply 7/q' >/dev/null
    [ -s KNNvKN.cltb.work ]
}
command_streamed() { "${run[@]}" build "${streamed[@]}" --quiet; }

# Each location is one that must not be read as "all squares".
setup_restricted() {
    cp ../base/KRvK.cltb .
    cat >spec.xml <<'END'
<tablebase>
  <piece color="white" type="king" location="a1-b2"/>
  <piece color="white" type="rook" location="h"/>
  <piece color="black" type="king" location="d8-e8"/>
  <output filename="limits.cltb"/>
</tablebase>
END
}
command_restricted() { build --spec spec.xml --dir .; }

command_dobutsu() { build dobutsu --dir .; }
setup_dobutsu() {
    [ -e ../dobutsu.cltb ] || build dobutsu --dir .. || return
    cp ../dobutsu.cltb .
}
command_dobutsu_probe() { "${run[@]}" probe --game dobutsu --dir . S/gle/-c-/-C-/ELG/-; }
command_dobutsu_stats() { "${run[@]}" stats dobutsu --dir . --threads 2; }
command_dobutsu_verify() { "${run[@]}" verify dobutsu --sample 1000 --dir . --threads 2 --quiet; }
command_dobutsu_play() { printf 'Cb3xb2\n' | "${run[@]}" play dobutsu --dir .; }

# With a work file, and a table that has to be built first.
setup_solve() { cp ../base/K[QRBN]vK.cltb .; }
command_solve() {
    "${run[@]}" solve '8/8/2k5/p7/P7/2K5/8/8 w - - 0 1' --dir . --tables-men 3 --effort 0 --scratch scratch \
        --output all.cltb --device cpu --threads 2 --quiet --format tsv
}

# body FILE: `body` is what follows the head of an answer if that may be kept and is as long as its head says
body() {
    local lines i=0 length='' kept=''
    mapfile lines <"$1"
    while [ $i -lt ${#lines[@]} ] && [ "${lines[i]}" != $'\r\n' ]; do
        case ${lines[i]} in
        Content-Length:*) length=${lines[i]//[!0-9]/} ;;
        Cache-Control:*no-store*) ;;
        Cache-Control:*) kept=1 ;;
        esac
        i=$((i + 1))
    done
    printf -v body %s "${lines[@]:i+1}"
    [ -n "$kept" ] && [ ${#body} = "$length" ] || body=
}

# Requests for which the server opens tables, reads blocks, counts and lists. Only answers that caches may keep are
# compared.
command_serve() {
    local job port path status body given right tries=0 LC_ALL=C
    : >listening
    "${run[@]}" serve --dir . --listen 127.0.0.1:0 --threads 2 >listening 2>faulted &
    job=$!
    until port=$(grep -oEm1 ':[0-9]+/?$' listening | tr -cd 0-9) && [ -n "$port" ]; do
        kill -0 $job 2>/dev/null && [ $((tries += 1)) -lt 2000 ] || break
        sleep 0.01
    done
    for path in '/standard?fen=8/2P5/8/8/8/2k5/8/2K5_w_-_-_0_1' \
        '/standard/mainline?fen=8/8/8/8/8/2k5/8/2K4Q_w_-_-_0_1' \
        /endgames /stats/KPvK.json / /page.js /stats/KPvK.json; do
        : >answer
        [ -z "$port" ] || (exec 3<>"/dev/tcp/127.0.0.1/$port" &&
            printf 'GET %s HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n' "$path" >&3 &&
            timeout 10 cat <&3 >answer) 2>/dev/null
        body answer
        [ -n "$body" ] || continue
        right=../right-${path//[^a-zA-Z]/-}
        [ -e "$right" ] || cp answer "$right"
        given=$body
        body "$right"
        [ "$given" = "$body" ] || echo "a wrong answer: $path" >&2
    done
    kill -0 $job 2>/dev/null || [ -z "$port" ] || echo 'the server has ended by itself' >&2
    kill $job 2>/dev/null
    wait $job
    status=$?
    # Ended by the signal before it could handle it, or because it could not start
    [ $status != 143 ] || [ -n "$port" ] || status=1
    [ "$(wc -l <faulted)" -le 20 ] || echo "many lines: $(head -n 2 faulted)" >&2
    rm -f listening faulted answer
    return $status
}

command_device() { "${run[@]}" build KPvK --dir . --device 0 --quiet; }

setup_men3() { cp ../base/*.cltb .; }
command_probe() { "${run[@]}" probe --dir . '8/2P5/8/8/8/2k5/8/2K5 w - - 0 1'; }
setup_lines() { setup_men3 && printf '# %-200s\n%s' . '8/2P5/8/8/8/2k5/8/2K5 w - - 0 1' >lines; }
command_probe_lines() { "${run[@]}" probe --dir . <lines; }
command_stats() { "${run[@]}" stats KPvK --dir . --threads 2; }
command_verify() { "${run[@]}" verify KPvK --dir . --threads 2 --quiet; }
command_info() { "${run[@]}" info KPvK.cltb; }
command_list() { "${run[@]}" list --dir .; }
command_manifest() { "${run[@]}" manifest --dir .; }
setup_sums() { setup_men3 && (cd .. && sha256sum base/*.cltb) >sums; }
command_manifest_check() { "${run[@]}" manifest --check sums --dir .; }
# The last line counts games, failure or not.
command_annotate() {
    {
        "${run[@]}" annotate game.pgn --dir . 2>&1 >&3 | sed '/ changed the outcome$/d' >&2
        return "${PIPESTATUS[0]}"
    } 3>&1
}
setup_pgn() {
    setup_men3
    printf '%s\n' '[FEN "8/2P5/8/8/8/2k5/8/2K5 w - - 0 1"]' '' '1. c8=R+ (1. c8=Q+ Kb3) Kd3 2. Rc5 *' >game.pgn
}
command_explore() { echo 'best 3' | "${run[@]}" explore '8/2P5/8/8/8/2k5/8/2K5 w - - 0 1' --dir .; }
setup_limits() { setup_restricted && command_restricted; }
command_limits_probe() { "${run[@]}" probe --table limits.cltb --dir . '4k3/8/8/8/8/8/8/K6R w - - 0 1'; }
command_limits_stats() { "${run[@]}" stats limits.cltb --dir . --threads 2; }
command_limits_verify() { "${run[@]}" verify limits.cltb --dir . --threads 2 --quiet; }

# ---- a run and its requirements ----

# look FOLDER: `state` is what it has, files with their sums; `finals` are those under final names
look() {
    local line
    state=$(cd "$1" && find . -type d -print -o ! -name .cltb.lock -exec sha256sum {} + | LC_ALL=C sort)
    finals=
    while IFS= read -r line; do
        case $line in
        */.cltb-futurebases/*) ;;
        *.cltb | *.rtb?) finals+=$line$'\n' ;;
        esac
    done <<<"$state"
    return 0
}

# in_folder COMMAND: runs it in now/, with its output in out and err; timings are removed
in_folder() { (cd now && "command_$1" </dev/null) >out 2>err; }

# with_fault SCENARIO CALL KIND N FROM [VARIABLE=VALUE]: a run from the start; file `hit` is there if the N-th call was
# reached
with_fault() {
    rm -f hit
    if [ "$state" != "${start[$1]}" ]; then
        rm -rf now
        cp -r "start-$1" now
    fi
    rm -f now/.cltb.lock
    run=(timeout 300 env "LD_PRELOAD=$faults" "FAULT_CALL=$2" "FAULT_KIND=$3" "FAULT_NTH=$4" ${5:+FAULT_FROM=1}
        "FAULT_REPORT=$work/hit" ${6:+"$6"} "$cltb")
    in_folder "$1"
    local status=$?
    run=("$cltb")
    look now
    return $status
}

# judge SCENARIO STATUS: checks the requirements above after a run with a fault
judge() {
    local scenario=$1 status=$2 line lines before
    runs=$((runs + 1))
    if [ "$scenario" = serve ]; then
        [ "$status" -le 2 ] && [ ! -s err ] || complain "exit status $status: $(head -n 3 err)"
        return
    fi
    mapfile -t lines <err
    if [ "$status" -gt 2 ]; then
        complain "exit status $status"
    elif [ "$status" -gt 0 ] && [ ${#lines[@]} -ne 1 ]; then
        complain "${#lines[@]} lines on standard error: $(head -n 3 err)"
    elif [ "$status" = 0 ] && ! { [ "$finals" = "${right[$scenario]}" ] && cmp -s out "out-$scenario"; }; then
        complain "exit status 0, but not the result of a run without faults"
    fi
    while IFS= read -r line; do
        case ${right[$scenario]} in *"$line"*) ;; *) complain "not whole under its final name: $line" ;; esac
    done <<<"$finals"
    [ -z "${resumed[$scenario$state]-}" ] || return
    before=$state
    if ! in_folder "$scenario"; then
        complain "the run after it fails: $(head -n 1 err)"
    elif look now && [ "$finals" != "${right[$scenario]}" ]; then
        complain "the run after it has another result"
    else
        resumed[$scenario$before]=1
    fi
}

# fault SCENARIO CALL KIND N FROM [VARIABLE=VALUE]: a run and its judgement; 1 if the time is up
fault() {
    # Calls that are repeated after these errors would be repeated forever.
    case $5$3 in +EINTR | +SHORT | +END) return 0 ;; esac
    [ -z "$5" ] || [ -z "${FAULT_ONCE-}" ] || return 0
    what="$1: $2 $4$5 $3${6:+ $6}"
    if [ -n "${FAULT_SECONDS-}" ] && [ $SECONDS -ge "$FAULT_SECONDS" ]; then
        echo "left out after $SECONDS s: $what and what follows"
        return 1
    fi
    with_fault "$@"
    judge "$1" $?
    return 0
}

# call SCENARIO CALL KIND...
call() {
    local scenario=$1 call=$2 kind n total step=1 from site calls sites=()
    case " ${FAULT_CALLS-${only:-$call}} " in *" $call "*) ;; *) return ;; esac
    shift 2
    if [ "$steps" = 1 ]; then # The first call of all: whether there is one, the run tells.
        total=1
    else
        with_fault "$scenario" "$call" EIO 0 '' FAULT_SITES=1
        { read -r total && mapfile -t sites; } <hit
    fi
    [ "$total" -gt 0 ] || return
    if [ "$steps" = places ]; then
        for site in "${sites[@]}"; do
            calls=${site#* }
            for kind; do
                fault "$scenario" "$call" "$kind" 1 '' "FAULT_SITE=${site% *}" &&
                    fault "$scenario" "$call" "$kind" 1 + "FAULT_SITE=${site% *}" || return
                [ "$calls" -le 2 ] ||
                    fault "$scenario" "$call" "$kind" $((calls / 2 + 1)) '' "FAULT_SITE=${site% *}" || return
            done
        done
    else
        [ "$steps" = 0 ] || [ "$total" -le "$steps" ] || step=$(((total + steps - 1) / steps))
        for kind; do
            for ((n = 1; n <= total; n += step)); do
                for from in '' +; do
                    fault "$scenario" "$call" "$kind" "$n" "$from" || return
                    [ "$steps" != 1 ] || [ "$(<hit)" != 0 ] || return
                done
            done
        done
    fi
    printf '%-10s %-8s %7d calls from %4d places, %d runs so far\n' "$scenario" "$call" "$total" ${#sites[@]} $runs
}

# scenario NAME SETUP [CALL...]: without calls, all except those of a device
scenario() {
    local name=$1 setup=$2 only
    shift 2
    only=$*
    case " ${FAULT_SCENARIOS-$name} " in *" $name "*) ;; *) return ;; esac
    mkdir "start-$name"
    (cd "start-$name" && "setup_$setup") || exit 1
    rm -rf now
    cp -r "start-$name" now
    look now
    start[$name]=$state
    in_folder "$name" || { cat err; exit 1; }
    cp out "out-$name"
    look now
    right[$name]=$finals
    call "$name" malloc ENOMEM
    call "$name" mmap ENOMEM
    call "$name" thread EAGAIN
    call "$name" read EIO SHORT END EINTR
    call "$name" open EMFILE EROFS EACCES
    call "$name" stat EIO
    call "$name" folder EIO
    call "$name" clock JUMP
    call "$name" write ENOSPC EIO EINTR SHORT
    call "$name" sync EIO
    call "$name" rename EIO
    call "$name" truncate EIO
    call "$name" lock ENOLCK
    call "$name" unlink EACCES
    [ -z "$only" ] || call "$name" device EIO
}

mkdir base
build --men 3 --dir base || exit 1
scenario pawnless pawnless
scenario pawns pawns
scenario export export
scenario import import
scenario streamed streamed
scenario restricted restricted
scenario solve solve
for command in probe stats verify info list manifest explore; do
    scenario $command men3
done
scenario manifest_check sums
scenario probe_lines lines
scenario annotate pgn
for command in probe stats verify; do
    scenario limits_$command limits
done
"$cltb" serve --listen 256.256.256.256:0 2>&1 | grep -q 'built without' || scenario serve men3
# Memory is not refused to a device's driver, which might end the program.
! "$cltb" devices | grep -q '^0' || scenario device pawns device
case ${FAULT_SCENARIOS-} in *dobutsu*)
    scenario dobutsu pawnless
    for command in probe stats verify play; do
        scenario dobutsu_$command dobutsu
    done
    ;;
esac
echo "$runs runs with a fault, $violations violations"
[ $violations = 0 ]
