#!/bin/bash
# restricted_bad.sh - restricted endgames that cannot be built: each is refused at once with one sentence, and no file
# is overwritten
. "$(dirname "$0")/common.bash"
expect 0 "" "$cltb" build KQvK KPvK --dir t --quiet
build() {
    local status=$1 text=$2
    shift 2
    expect "$status" "$text" timeout 20 "$cltb" build "$@" --dir t --quiet
}

# Men that contradict each other.
build 2 "a pawn cannot stand on a1" 'K P[a1] v K'
build 2 "cannot stand on ranks 1 and 8" 'K P[8] v K'
build 2 "two men can only stand on c3" 'K Q[c3] v K R[c3]'
build 2 "cannot all have a square of their own" 'K Q[c3,c4] R[c3,c4] v K N[c3,c4]'
build 2 "side by side" 'K[a1] v K[b1]'
build 2 "a set of squares is missing" 'K[] v K'
build 2 "White has more than one king" 'K K v K'

# Too large, which is noticed before any work. Overlapping sets give the same pawns in many ways.
for men in 'K P P P P P P P P v K P P P P P P' \
    'K P[a2-h7] P[a2-h6] P[a2-h5] P[a2-h4] P[a2-h3] P[b2-h7] P[a2-g7] P[c2-h7] v K' \
    'K P[a] P[b] P[c] P[d] P[e] P[f] P[g] P[h] v K P[a] P[b] P[c] P[d] P[e] P[f]'; do
    build 1 "GB of memory are allowed" "$men" --output x.cltb --memory 16G
done
build 2 "more than 16777216 placements of the pawns" 'K[a1] P P P P P P P v K[h8]' --output x.cltb
build 2 "more than 2^32 placements" 'K Q Q Q Q Q v K' --output x.cltb
build 1 "33.6 MB are allowed" 'K Q Q v K Q' --output x.cltb --memory 32M

# The first uncovered move, which is Black's here, although White has moves to look at first.
build 1 "Black's move Kxd2 leaves the endgame" 'K Q Q Q v K' --output x.cltb
build 1 "no prune rule or futurebase covers it (nor is K" 'K P[f7] v K R[a1]' --output x.cltb

# Names of full tables, and other programs' files.
build 2 "KQvK.cltb is the name of a full table" 'K Q v K'
build 2 "KRvK.cltb is the name of a full table" 'K Q[a-d] v K' --output KRvK.cltb
build 2 "KRvK.cltb is the name of a full table" 'K Q[a-d] v K' --output t/KRvK.cltb --force
echo something >t/foreign.cltb
cp t/KQvK.cltb t/queens.cltb
build 1 "foreign.cltb is not a table" 'K Q[a-d] v K' --output foreign.cltb --force
build 1 "is a full table, of KQvK" 'K Q[a-d] v K' --output queens.cltb --force
cmp t/queens.cltb t/KQvK.cltb || fail "a full table was written over"
[ "$(cat t/foreign.cltb)" = something ] || fail "a foreign file was written over"
build 0 "" 'K Q[a-d] v K' --output left.cltb
cp t/left.cltb left
build 1 "table of another restricted endgame" 'K Q[a-e] v K' --output left.cltb --force
cmp t/left.cltb left || fail "another endgame's table was written over"
build 1 "No such file or directory" 'K Q[a-d] v K' --output nowhere/x.cltb
build 1 "is not a table: it is not a file" 'K Q[a-d] v K' --output "$PWD/t"

# A name that only a full table may have; the error says what to build instead.
build 2 "for the full table: cltb build KQvKR;" 'KR v KQ' --output KQvKR.cltb
build 2 "for the full table: cltb build KQvKR;" 'KQ vs KR'
build 1 "(nor is KQPvK.cltb in 't'; build it with: cltb build KQPvK --dir t)" 'K P[f7] P[g7] v K'
printf '<foo/>' >root.xml
build 2 "root.xml:1: the root must be <tablebase>, not <foo>" --spec root.xml

# Options that have no meaning here.
build 2 "without" 'K Q[a-d] v K' --best
build 2 "without" 'K Q[a-d] v K' --both-sides
build 2 "not both" 'K Q[a-d] v K' --spec "$source_dir/tests/data/restricted/two-pawns.xml"
build 2 "--men" 'K Q[a-d] v K' --men 3
build 2 "one restricted endgame" 'K Q[a-d] v K' KQvK

# XML with other elements.
printf '<tablebase xmlns:x="y"><x:piece color="white" type="king"/></tablebase>' >namespace.xml
build 2 "<piece> is unknown" --spec namespace.xml

# Futurebases.
build 2 "which no move out of K R[a] v K leads to" 'K R[a] v K' --futurebases left.cltb
build 2 "it would without flipped colours" 'K P[e7] v K' --futurebases left.cltb:invert
build 2 "itself" 'K Q[a-d] v K' --futurebases left.cltb --output y.cltb
build 1 "no such file" 'K P[e7] v K' --futurebases none.cltb
head -c 500 t/left.cltb >t/cut.cltb
build 1 "cut.cltb is damaged" 'K P[e7] v K' --futurebases cut.cltb

# A probe with the colours flipped says so.
expect 1 "the colours flipped it belongs" "$cltb" probe --table t/left.cltb '7K/8/8/8/8/2k5/8/1q6 b - - 0 1'
expect 1 "is outside the set of t/left.cltb: K Q[a-d] v K" \
    "$cltb" probe --table t/left.cltb '7K/8/8/8/8/2k5/8/6q1 b - - 0 1'
! grep -q "turned round" "$err" || fail "a queen on h1 belongs to nothing: $(cat "$err")"

# Stopped in the middle of a slice, within a second or two.
"$cltb" build 'K Q Q Q v K' --dir t --prune 'black concede KxQ' --output long.cltb --quiet 2>"$err" &
job=$!
sleep 1
kill -TERM $job
wait $job
status=$?
[ $status = 130 ] || fail "stopped: exit status $status: $(cat "$err")"
rm t/left.cltb t/cut.cltb t/queens.cltb t/foreign.cltb
[ "$(find t -type f ! -name 'K*vK.cltb')" = "" ] || fail "refused or stopped endgames left files: $(ls t)"

# Without memory, while the XML is read and while the file is begun: one sentence, and no table.
if [ -n "${FAULTS-}" ]; then
    cat >memory.xml <<'END'
<tablebase>
  <piece color="white" type="king" location="a1-b2"/>
  <piece color="white" type="rook" location="h"/>
  <piece color="black" type="king" location="d8-e8"/>
  <output filename="memory.cltb"/>
</tablebase>
END
    mkdir memory
    "$cltb" build KRvK --dir memory --quiet
    without() { # N
        rm -f memory/memory.cltb*
        env "LD_PRELOAD=$FAULTS" FAULT_CALL=malloc FAULT_KIND=ENOMEM "FAULT_NTH=$1" FAULT_REPORT=hit \
            "$cltb" build --spec memory.xml --dir memory --device cpu --threads 1 --quiet >"$out" 2>"$err"
        status=$?
        [ $status = 0 ] && return # it was not necessary
        [ $status = 1 ] && [ "$(wc -l <"$err")" = 1 ] || fail "allocation $1: status $status: $(cat "$err")"
        [ ! -e memory/memory.cltb ] || fail "allocation $1 leaves a table"
    }
    for n in 2 5 8 11 15 20; do without $n; done
    # The writer of a table makes six allocations, one after the other.
    for ((n = 100; n < 700; n += 5)); do
        without $n
        grep -qE "a table writer|the slices of a restricted table|compressed blocks" "$err" && break
    done
    [ $n -lt 700 ] || fail "no allocation of a table's writer fails"
    for ((last = n + 6, n -= 5; n <= last; n++)); do without $n; done
fi
finish
