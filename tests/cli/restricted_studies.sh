#!/bin/bash
# restricted_studies.sh - studies with locked pawns (docs/restricted.md): results, the only moves that reach them, and
# the same bytes from a device
. "$(dirname "$0")/common.bash"
specs=$source_dir/tests/data/restricted

# The moves that a probe ranks with an outcome, in one line: moves_of OUTCOME TABLE FEN
moves_of() {
    "$cltb" probe --table "$2" "$3" | awk -v outcome="$1" \
        '/^    / { sub(/,$/, "", $3); if ($3 == outcome) { printf "%s%s", sep, $1; sep = " " } }'
}

# study NAME OUTCOME DTZ MOVES FEN [OPTION...]: MOVES are all moves that keep OUTCOME
study() {
    local name=$1 outcome=$2 dtz=$3 moves=$4 fen=$5 got
    shift 5
    expect 0 "" "$cltb" build --spec "$specs/$name.xml" --dir t --device cpu --quiet "$@"
    got=$("$cltb" probe --table "t/$name.cltb" --format tsv "$fen" | cut -f 2-)
    [ "$got" = "$outcome	$dtz" ] || fail "$name: $got, not $outcome $dtz"
    got=$(moves_of "$outcome" "t/$name.cltb" "$fen")
    [ "$got" = "$moves" ] || fail "$name: $outcome by '$got', not '$moves'"
    expect 0 "entries right, checksums right" "$cltb" verify "t/$name.cltb"
}

# bound NAME SIDE TYPE OUTCOME MOVES FEN: the same spec with other rules for one side; MOVES are all moves that keep
# OUTCOME
bound() {
    local name=$1 side=$2 type=$3 outcome=$4 moves=$5 fen=$6 got
    sed -E "/<prune/s/(color=\"$side\".* type=\")[a-z]*/\\1$type/" "$specs/$name.xml" >bound.xml
    cmp -s bound.xml "$specs/$name.xml" && fail "$name: $type of $side is what it says already"
    expect 0 "" "$cltb" build --spec bound.xml --dir t --output bound.cltb --force --device cpu --quiet
    got=$("$cltb" probe --table t/bound.cltb --format tsv "$fen" | cut -f 2)
    [ "$got" = "$outcome" ] || fail "$name with $type of $side: $got, not $outcome"
    got=$(moves_of "$outcome" t/bound.cltb "$fen")
    [ "$got" = "$moves" ] || fail "$name with $type of $side: $outcome by '$got', not '$moves'"
    expect 0 "entries right" "$cltb" verify t/bound.cltb
    rm t/bound.cltb
}

expect 0 "" "$cltb" build KPvK KQvKR --dir t --device cpu --quiet

# Whoever captures first wins: White does, with one move only.
fen='8/k7/3p4/p2P1p2/P2P1P2/8/8/K7 w - - 0 1'
study lasker-reichhelm win 27 Kb1 "$fen"
bound lasker-reichhelm black discard win Kb1 "$fen"
[ "$(moves_of draw t/lasker-reichhelm.cltb "$fen")" = "Ka2 Kb2" ] || fail "lasker-reichhelm: other moves"
fen='7k/1p6/1P2p3/1P2P3/4P1p1/6P1/8/K7 w - - 0 1'
study bianchetti-1925 win 25 Ka2 "$fen"
bound bianchetti-1925 black discard win Ka2 "$fen"
fen='8/1p5k/1P2p3/1P2P3/4P1p1/5pP1/5P2/1K6 w - - 0 1'
study baehr-1936 win 21 Kb2 "$fen"
bound baehr-1936 black discard win Kb2 "$fen"

# The best case for White: every move but one can win. If Black may capture, too, nobody is first.
fen='8/8/1k3p2/2p2P2/2P2P2/2P5/2K5/8 w - - 0 1'
study heinz-1966 win 25 Kd2 "$fen"
bound heinz-1966 black concede draw "Kb1 Kc1 Kd1 Kb2 Kd2 Kb3 Kd3" "$fen"

# A draw in the worst case for White, and in the best.
fen='8/1p5k/1P1p4/3p4/3Pp2p/2K1P2p/7P/8 w - - 0 1'
study ebersz-1930 draw "" Kb2 "$fen"
sed -E '/color="white"/s/discard/concede/; t; /color="black"/s/concede/discard/' "$specs/ebersz-1930.xml" >most.xml
expect 0 "" "$cltb" build --spec most.xml --dir t --output most.cltb --device cpu --quiet
expect 0 "	draw	" "$cltb" probe --table t/most.cltb --format tsv "$fen"

# Pieces that stay on their squares: a fortress in two tables, whatever Black does.
study fortress-pawn win 1 Kxf3 '8/8/8/7k/8/5q2/5PK1/8 w - - 0 1'
study fortress draw "" "Kf1 Kg1 Kh1 Kh2 Kf3 Kg3 Kh3 Rg3+" '8/6k1/8/8/q7/4R3/5PK1/8 w - - 0 1'
expect 0 "	draw	" "$cltb" probe --table t/fortress.cltb --format tsv '8/6k1/8/8/q7/4R3/5PK1/8 b - - 0 1'

# Two pawns on the seventh rank; the full tables have three and four men.
expect 0 "" "$cltb" build KQPvK --dir t --device cpu --quiet
study two-pawns win 1 "f8=Q g8=Q+" '8/5PPk/8/8/8/8/8/K7 w - - 0 1'
[ "$(moves_of draw t/two-pawns.cltb '8/4kPP1/8/8/8/8/8/K7 b - - 0 1')" = Kxf7 ] || fail "two-pawns: Black's draw"

# Full tables of five men, which are missing here: a note about the names of the files, and the error.
"$cltb" build --spec "$specs/grigoriev-1932.xml" --dir t --quiet >"$out" 2>"$err"
[ $? = 1 ] || fail "grigoriev-1932 without its futurebases: exit status"
grep -qF "futurebase KPPvKP.cltb: there is no such file" "$err" || fail "grigoriev-1932: $(cat "$err")"

if "$cltb" devices | grep -q '^0 '; then
    for file in lasker-reichhelm bianchetti-1925 baehr-1936 heinz-1966 ebersz-1930 fortress-pawn fortress two-pawns; do
        expect 0 "" "$cltb" build --spec "$specs/$file.xml" --dir device:t --device 0 --quiet
        cmp "t/$file.cltb" "device/$file.cltb" || fail "$file is not the same on device 0"
    done
fi
finish
