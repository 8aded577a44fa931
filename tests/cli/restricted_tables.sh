#!/bin/bash
# restricted_tables.sh - info, probe, stats and verify of restricted tables
. "$(dirname "$0")/common.bash"
expect 0 "" "$cltb" build KQvK KPvK --dir t --quiet
expect 0 "" "$cltb" build 'K Q v K' --dir t --output all-queens.cltb --quiet
expect 0 "" "$cltb" build 'K P v K' --dir t --output all-pawns.cltb --quiet
expect 0 "" "$cltb" build 'K P[e6+] v K' --dir t --output e.cltb --quiet --prune 'white discard P=[RBN]'

# An endgame without restrictions gives the same counts and the same answers as the full table.
for pair in all-queens:KQvK all-pawns:KPvK; do
    file=${pair%:*} name=${pair#*:}
    "$cltb" stats "t/$file.cltb" --format tsv | cut -f 2- >own || fail "stats $file"
    "$cltb" stats "$name" --dir t --format tsv | cut -f 2- >full || fail "stats $name"
    cmp own full || fail "stats of $file and $name differ"
    # White has the man in the spec.
    awk -F'\t' -v name="$name" '$1 == name && $2 ~ /^[^ ]*[QP]/ { print $2 }' \
        "$source_dir/tests/data/positions.tsv" >fens
    [ "$(wc -l <fens)" -ge 5 ] || fail "few positions of $name: $(wc -l <fens)"
    for format in tsv text json; do
        "$cltb" probe --dir t --format $format <fens >full || fail "probe $name"
        "$cltb" probe --table "t/$file.cltb" --format $format <fens >own || fail "probe $file"
        if [ $format = tsv ]; then
            cmp own full || fail "$file and $name answer differently"
        else
            # Moves that leave the set are marked; all values are the same. Among equally good moves the best line of a
            # full table prefers some, which that of a restricted one does not.
            same='s/, leaves$//; s/, "kind": "[a-z]*"//g; s/"line": \[[^]]+\]/line/; s/^best line: .*/line/'
            sed -E "$same" own | cmp - <(sed -E "$same" full) ||
                fail "$file and $name answer differently as $format"
        fi
    done
    expect 0 "entries right, checksums right" "$cltb" verify "t/$file.cltb"
    expect 0 "a sample of 500 entries right" "$cltb" verify "t/$file.cltb" --sample 500 --seed 7
done

# What only restricted tables print.
expect 0 "K Q v K, restricted" "$cltb" info t/all-queens.cltb
expect 0 '"restricted": "K P[e6+] v K"' "$cltb" info t/e.cltb --format json
expect 0 "discard of white: P=[RBN]" "$cltb" info t/e.cltb
expect 0 "longest win with white to move: DTZ 19" "$cltb" stats t/all-queens.cltb
expect 0 "longest_by_side" "$cltb" stats t/all-queens.cltb --format json
expect 0 "	w	win	19	" "$cltb" stats t/all-queens.cltb --format tsv --longest
expect 0 "right" "$cltb" verify t/e.cltb KQvK --dir t

# Moves that leave, by futurebase and by rule; only discarded moves.
fen='8/4P3/8/8/8/2k5/8/K7 w - - 0 1'
expect 0 "e8=Q     e7e8q  win, DTZ 1, leaves" "$cltb" probe --table t/e.cltb "$fen"
expect 0 "e8=R     e7e8r  discarded (P=[RBN])" "$cltb" probe --table t/e.cltb "$fen"
expect 0 '"kind": "discarded", "rule": "P=[RBN]"' "$cltb" probe --table t/e.cltb --format json "$fen"
expect 0 "best line: 1. e8=Q (zeroing, leaves)" "$cltb" probe --table t/e.cltb "$fen"

# Outside of the set: each position still gets a line.
expect 1 "outside the set of t/e.cltb: K P[e6+] v K" "$cltb" probe --table t/e.cltb '8/8/8/4P3/8/2k5/8/K7 w - - 0 1'
expect 1 "outside the set" "$cltb" probe --table t/e.cltb '4k3/8/4p3/8/8/8/8/K7 w - - 0 1'
expect 1 "castling" "$cltb" probe --table t/e.cltb 'r3k3/8/8/8/8/8/8/K7 w q - 0 1'
printf '%s\n' "$fen" '8/8/8/4P3/8/2k5/8/K7 w - - 0 1' '' "$fen" |
    "$cltb" probe --table t/e.cltb --format tsv >"$out" 2>"$err"
[ $? = 1 ] || fail "tsv with a position outside: exit status"
[ "$(cut -f 2 "$out" | cut -c 1-6 | tr '\n' ' ')" = "win error:  win " ] || fail "tsv: $(cat "$out")"

# Files of other kinds, and damage.
expect 0 "material" "$cltb" info t/KQvK.cltb --format json
expect 1 "is a full table, of KQvK" "$cltb" probe --table t/KQvK.cltb "$fen"
mkdir other
cp t/all-queens.cltb other/KQvK.cltb
expect 1 "is a restricted table" "$cltb" probe --dir other '8/8/8/8/8/2k5/8/K6Q w - - 0 1'
expect 1 "is a restricted table" "$cltb" verify KQvK --dir other
expect 1 "nowhere.cltb" "$cltb" verify nowhere.cltb
size=$(stat -c %s t/e.cltb)
for keep in 0 5 100 $((size / 2)) $((size - 1)); do
    head -c "$keep" t/e.cltb >cut.cltb
    for command in info verify stats; do
        expect 1 "cut.cltb" "$cltb" $command cut.cltb
    done
    expect 1 "cut.cltb" "$cltb" probe --table cut.cltb "$fen"
done
for i in $(seq 0 19); do
    at=$((size * i / 20))
    cp t/e.cltb t/flip.cltb
    flip_bit t/flip.cltb "$at"
    expect 1 "flip.cltb" "$cltb" verify t/flip.cltb
done
# Without its futurebases the position's own value is known, and so are moves that stay.
mkdir alone
cp t/e.cltb alone
expect 1 "" "$cltb" verify alone/e.cltb --dir alone
expect 0 "win	1" "$cltb" probe --table alone/e.cltb --dir alone --format tsv "$fen"
expect 0 "win, DTZ 1" "$cltb" probe --table alone/e.cltb --dir alone "$fen"
says "    Kb1      a1b1   win, DTZ 3"
says "    e8=Q     e7e8q  ?, leaves"
says "    e8=R     e7e8r  discarded (P=[RBN])"
says "?: White's move e8=Q leaves the endgame, and no prune rule or futurebase covers it (nor is KQvK.cltb in 'alone';"
grep -q "best line" "$out" && fail "a best line without the best move: $(cat "$out")"
expect 0 '"uci": "e7e8q", "san": "e8=Q", "outcome": null, "dtz": null' \
    "$cltb" probe --table alone/e.cltb --dir alone --format json "$fen"
says '"uci": "e7e8r", "san": "e8=R", "outcome": null, "dtz": null, "zeroing": true, "mate": false, "kind": "discarded"'
says '"missing": "White'

# The name of a missing full table says which moves need it; a file with any other name may be needed for all moves that
# leave.
expect 0 "" "$cltb" build KRvK --dir t --quiet
expect 0 "" "$cltb" build 'K P[e7] v K' --dir t --output named.cltb --quiet --futurebases KQvK.cltb
expect 0 "" "$cltb" build 'K P[e5] v K' --dir t --output e5.cltb --quiet --futurebases e.cltb
mkdir some
cp t/named.cltb t/e5.cltb t/KPvK.cltb t/KRvK.cltb some
expect 0 "win, DTZ 1" "$cltb" probe --table some/named.cltb --dir some "$fen"
says "e8=R     e7e8r  win, DTZ 1, leaves"
says "e8=Q     e7e8q  ?, leaves"
says "best line: 1. e8=R (zeroing, leaves)"
says "?: futurebase KQvK.cltb: there is no such file, neither as given nor in 'some'"
expect 0 "win, DTZ 1" "$cltb" probe --table some/e5.cltb --dir some '8/8/8/4P3/8/2k5/8/K7 w - - 0 1'
says "e6       e5e6   ?, leaves"
says "?: futurebase e.cltb: there is no such file"
expect 1 "futurebase e.cltb: there is no such file" "$cltb" verify some/e5.cltb --dir some

# En passant: the captures decide the value of the position, so their tables must exist.
expect 0 "" "$cltb" build 'K P[e2,e4] v K P[d4]' --dir t --output step.cltb --quiet \
    --prune 'white discard P[a-h][1-8]; black discard P[a-h][1-8]; white concede KxP; black concede KxP'
mkdir step
cp t/step.cltb step
fen='8/8/8/8/3pP3/8/8/K1k5 b - e3 0 1'
expect 0 "win, DTZ 1" "$cltb" probe --table t/step.cltb --dir t "$fen"
says "dxe3     d4e3   win, DTZ 1, leaves"
expect 1 "Black's move dxe3 leaves the endgame" "$cltb" probe --table step/step.cltb --dir step "$fen"
expect 0 "" "$cltb" probe --table step/step.cltb --dir step '8/8/8/8/3p4/2k5/4P3/K7 w - - 0 1'
says "e4       e2e4   ?"

# Syzygy files in place of a full table that a file names, here or there; a full table that no move leads to.
cat >queens.xml <<'END'
<tablebase><piece color="white" type="king"/><piece color="white" type="queen" location="a1-d8"/>
<piece color="black" type="king"/><piece color="black" type="queen" location="e1-h8"/>
<prune-enable color="white" type="discard"/><prune-enable color="black" type="discard"/>
<prune color="white" move="Q*" type="discard"/><prune color="black" move="Q*" type="discard"/>
<futurebase filename="KQvK.rtbw"/><futurebase filename="KRvK.cltb"/></tablebase>
END
mkdir syzygy && cp "$source_dir"/tests/data/syzygy/K[QR]vK.rtb? syzygy
expect 0 "" "$cltb" build --spec queens.xml --dir t --output queens.cltb
grep -q "warning: no move out of the endgame leads to futurebase KRvK.cltb" "$err" || fail "queens: $(cat "$err")"
expect 0 "" "$cltb" build --spec queens.xml --dir syzygy --output queens.cltb --quiet
cmp -s t/queens.cltb syzygy/queens.cltb || fail "Syzygy files in place of KQvK.cltb give another table"
expect 1 "futurebase KQvK.cltb: there is no such file" "$cltb" build --spec queens.xml --dir empty --output q.cltb

# Hoffman's files for a capture: the table of what comes after it has the name that the file before it asks for by
# wildcards, which leave out tables that no move leads to. Pawns on all files change nothing.
rules='<prune-enable color="white" type="concede"/><prune color="white" move="P=?" type="concede"/>
<prune-enable color="black" type="concede"/><prune color="black" move="KxP" type="concede"/>'
cat >after.xml <<END
<tablebase><piece color="white" type="king"/><piece color="black" type="king"/>$rules
<pawngen white-pawn-locations="b5" black-pawn-locations="" white-captures-allowed="1"/></tablebase>
END
cat >before.xml <<END
<tablebase><piece color="white" type="king"/><piece color="black" type="king"/>
<piece color="black" type="rook" location="a6-c7"/><pawngen white-pawn-locations="b5" black-pawn-locations=""/>
$rules<prune-enable color="black" type="discard"/><prune color="black" move="R[a-h][1-8]" type="discard"/>
<prune color="black" move="RxP" type="concede"/><prune color="white" move="PxR=?" type="concede"/>
<futurebase filename="after-?-*.htb"/></tablebase>
END
sed 's/after-?-\*/after-1-0/' before.xml >same.xml
mkdir pawns
expect 0 "K P[b5,a6-c7] v K" "$cltb" build --spec after.xml --dir pawns
expect 0 "" "$cltb" build 'K P[a5+] P[b5+] v K' --prune 'white concede *; black concede *' --output after-2-0.cltb \
    --dir pawns --quiet
expect 0 "" "$cltb" build --spec same.xml --output same.cltb --dir pawns --quiet
expect 0 "" "$cltb" build --spec before.xml --output before.cltb --dir pawns --quiet
cmp -s pawns/before.cltb pawns/same.cltb || fail "a name with wildcards gives another table"
expect 0 "futurebase after-1-0.cltb" "$cltb" info pawns/before.cltb
expect 0 "right" "$cltb" verify pawns/before.cltb --dir pawns
expect 0 "right" "$cltb" verify pawns/after-1-0.cltb
expect 0 "win, DTZ 1" "$cltb" probe --table pawns/before.cltb '8/8/r7/1P6/8/8/8/K1k5 w - - 0 1'
says "bxa6     b5a6   win, DTZ 1, leaves"
expect 1 "futurebase none-*.cltb: there is no such file, neither as given nor in 'pawns'" \
    "$cltb" build 'K P[b5+] v K' --futurebases 'none-*.cltb' --dir pawns
expect 1 "futurebase pawns/after-2*.cltb: no move leads to any of these tables" \
    "$cltb" build 'K P[b5+] v K' --futurebases 'pawns/after-2*.cltb' --dir pawns
expect 2 "futurebase p*/after.cltb: a folder's name cannot have wildcards" \
    "$cltb" build 'K P[b5+] v K' --futurebases 'p*/after.cltb' --dir pawns

# Wrong usage.
expect 2 "belong to chess" "$cltb" probe --game dobutsu --table t/e.cltb "$fen"
expect 2 "restricted" "$cltb" stats t/e.cltb --zugzwangs
expect 2 "restricted" "$cltb" stats t/e.cltb --format syzygy
expect 2 "--longest" "$cltb" stats t/e.cltb --longest
finish
