#!/bin/bash
# build.sh - making tables: existing ones are kept, names in every spelling, figures at the end, all options
. "$(dirname "$0")/common.bash"

expect 0 "1 table made" "$cltb" build KQvK --dir t
expect_clean t
before=$(stat -c %i t/KQvK.cltb)
expect 0 "KQvK: already present" "$cltb" build KQvK --dir t
[ "$(stat -c %i t/KQvK.cltb)" = "$before" ] || fail "a table that was there was made again"
expect 0 "KQvK: solved" "$cltb" build KQvK --dir t --force

# Smaller tables come first, and names mean the same in every spelling.
expect 0 "KRvK: solved" "$cltb" build KRKQ --dir t
[ "$(grep -oE '^[0-9]/[0-9] [A-Za-z]+: solved' "$err" | paste -sd ' ')" = "1/2 KRvK: solved 2/2 KQvKR: solved" ] ||
    fail "not numbered: $(cat "$err")"
[ "$(cut -d ' ' -f 1-3 "$out")" = "2 tables made:" ] || fail "not one line of figures: $(cat "$out")"
[ -e t/KQvKR.cltb ] || fail "KRKQ did not make KQvKR.cltb"
expect 0 "KQvKR: already present" "$cltb" build KQKR --dir t
expect 0 "KQvKR: already present" "$cltb" build KRvKQ --dir t

expect 0 "" "$cltb" build KNvK --dir t --quiet
[ -s "$out" ] || [ -s "$err" ] && fail "--quiet printed: $(cat "$out" "$err")"
expect 0 "ply 1:" "$cltb" build KBvK --dir t --verbose --force
expect 0 "KQvK: solved" "$cltb" build KQvK --dir=t --force --threads=1 --isa generic --memory 4G --device cpu
CLTB_PATH=$tmp/path:$tmp/other expect 0 "1 table made" "$cltb" build KNvK
[ -e path/KNvK.cltb ] || fail "CLTB_PATH's first folder was not used"
expect 0 "1 table made" "$cltb" build KNvK
[ -e tables/KNvK.cltb ] || fail "./tables was not used"

# Events: one object in each line and nothing else; --verbose has all plies. One thread makes one table after the other.
expect 0 "" "$cltb" build KQvKR --dir events --device cpu --threads 1 --events json --verbose
[ -s "$err" ] && fail "--events prints on standard error: $(cat "$err")"
grep -vqE '^\{"event": .*\}$' "$out" && fail "--events: $(grep -vE '^\{"event": .*\}$' "$out")"
[ "$(grep -oE '"event": "(start|solved|done|end)"' "$out" | cut -d '"' -f 4 | paste -sd ' ')" = \
    "start solved done start solved done start solved done end" ] || fail "--events: $(cat "$out")"
grep -qE '"event": "ply", "table": "KQvKR", .*"attacker": "white", "ply": 31, "wins": [1-9]' "$out" ||
    fail "--events without the longest win"
tail -n 1 "$out" | grep -q '"status": "done", "made": 3, "present": 0' || fail "--events: $(tail -n 1 "$out")"
expect 0 '"event": "present", "table": "KQvK"' "$cltb" build KQvK --dir events --events json
touch file
expect 1 "Not a directory" "$cltb" build KQvK --dir file/x --events json
grep -q '"status": "failed", "error": "cannot open file' "$out" || fail "--events: $(cat "$out")"
rm file
expect 2 "--events belongs to a build" "$cltb" build KQvK --dir events --events json --dry-run

# The bytes are the same whatever makes them.
for options in "--threads 1" "--threads 3" "--isa generic"; do
    # shellcheck disable=SC2086 # words
    expect 0 "made" "$cltb" build KQvKR --dir again --force $options
    cmp -s t/KQvKR.cltb again/KQvKR.cltb || fail "KQvKR differs with $options"
done

# Both sides' distances, and the smallest file: other bytes, but the same answers.
expect 0 "made" "$cltb" build KQvKR --dir both --both-sides
expect 0 "made" "$cltb" build KQvKR --dir best --best
for dir in t both best; do
    expect 0 "a sample of 20000 positions right" "$cltb" verify KQvKR --dir $dir --sample 20000
    expect 0 "material" "$cltb" stats KQvKR --dir $dir --format tsv
    mv "$out" stats.$dir
done
cmp -s stats.t stats.both || fail "--both-sides changes the statistics"
cmp -s stats.t stats.best || fail "--best changes the statistics"

expect 0 "4 tables made" "$cltb" build --men 3 --pawnless --dir path/three
expect 0 "0 tables made, 4 already present" "$cltb" build --men 3 --pawnless --dir path/three
expect 0 "1 table made, 4 already present" "$cltb" build --men 3 --dir path/three
expect 0 "0 tables made, 5 already present" "$cltb" build --men 3 --dir path/three
expect_clean path/three

# ---- --dry-run: the plan, and nothing written ----

plan() { # TEXT ARGUMENT...: of a dry run as tsv, in $out
    local text=$1
    shift
    expect 0 "$text" "$cltb" build --dry-run --format tsv "$@"
}

before() { # FIRST SECOND: lines of $out
    awk -F '\t' -v first="$1" -v second="$2" \
        '$1 == first { a = NR } $1 == second { b = NR } END { exit !(a && b && a < b) }' "$out" ||
        fail "in the plan $1 does not stand before $2"
}

for n in 3:5 4:35 5:145; do
    plan "" --men ${n%:*} --dir none
    [ "$(sed 1d "$out" | cut -f2 | sort | uniq -c | tr -s ' ')" = " ${n#*:} make" ] ||
        fail "--men ${n%:*}: not ${n#*:} tables"
    [ "$(sed 1d "$out" | cut -f1 | sort -u | wc -l)" = "${n#*:}" ] || fail "--men ${n%:*}: a table stands there twice"
    cp "$out" plan.first
    plan "" --men ${n%:*} --dir none
    cmp -s "$out" plan.first || fail "--men ${n%:*}: two plans of the same differ"
done
[ ! -e none ] || fail "a dry run made the folder"
for pair in "KQvK KPvK" "KPvK KRPvKR" "KRvKP KRPvKR" "KQRvKR KRPvKR" "KRNvKR KRPvKR" "KQPvKP KPPvKP" "KPvKP KPPvKP" \
    "KPPvK KPPvKP"; do
    before "${pair% *}" "${pair#* }"
done
plan "KQvKR	make	5242880	" KQKR --dir none
[ "$(sed 1d "$out" | cut -f1 | paste -sd ' ')" = "KRvK KQvK KQvKR" ] ||
    fail "the plan of KQvKR: $(cut -f1 "$out" | paste -sd ' ')"

# Intact tables are skipped, damaged ones rebuilt.
mkdir some
cp t/KQvK.cltb t/KQvKR.cltb some
head -c 1000 t/KRvK.cltb >some/KRvK.cltb
plan "KRvK	replace	" KQvKR --dir some
grep -q "^KQvK	present	.*	$(stat -c %s some/KQvK.cltb)	0.000	0	0\$" "$out" || fail "KQvK is not said to be present"
expect 0 "damaged" "$cltb" build --dry-run KQvKR --dir some
expect 0 "1 table to make" "$cltb" build --dry-run KQvKR --dir some
expect 0 "2 tables already present" "$cltb" build --dry-run KQvKR --dir some
expect 0 '"make": 1, "present": 2' "$cltb" build --dry-run KQvKR --dir some --format json
expect 0 '"reason": ' "$cltb" build --dry-run KQvKR --dir some --format json
[ "$(stat -c %s some/KRvK.cltb)" = 1000 ] || fail "a dry run wrote a table"
expect 0 "it is rebuilt" "$cltb" build KQvKR --dir some
cmp -s some/KRvK.cltb t/KRvK.cltb || fail "KRvK rebuilt differs"
expect 0 "nothing to make" "$cltb" build --dry-run KQvKR --dir some
plan "KQvKR	make	" KQvKR --dir some --force
expect_clean some

# A flipped byte in a block: of a named table, of one that is needed, and of one that is neither.
cp some/KQvK.cltb whole
flip_bit some/KQvK.cltb $(($(stat -c %s some/KQvK.cltb) - 100))
expect 0 "nothing to make" "$cltb" build --dry-run KQvKR --dir some # needs none
plan "KQvK	replace	" KQvK --dir some
expect 0 "does not match its checksum; it is rebuilt" "$cltb" build KQvK --dir some
cmp -s some/KQvK.cltb whole || fail "KQvK rebuilt differs"
flip_bit some/KQvK.cltb $(($(stat -c %s some/KQvK.cltb) - 100))
plan "KQvK	replace	" KQvKR --dir some --force
expect 0 "2 tables made" "$cltb" build KQvKQ --dir some
cmp -s some/KQvK.cltb whole || fail "KQvK rebuilt for KQvKQ differs"

# A file that is not our table is never overwritten.
mkdir foreign
for what in text version folder other; do
    rm -rf foreign/KQvK.cltb
    case $what in
    text) echo "notes of mine" >foreign/KQvK.cltb ;;
    version)
        cp whole foreign/KQvK.cltb
        printf '\143' | dd of=foreign/KQvK.cltb bs=1 seek=8 conv=notrunc status=none
        ;;
    folder) mkdir foreign/KQvK.cltb ;;
    other) cp t/KRvK.cltb foreign/KQvK.cltb ;;
    esac
    cp -r foreign/KQvK.cltb kept
    expect 1 "move it away" "$cltb" build KQvK --dir foreign
    expect 1 "move it away" "$cltb" build KQvK --dir foreign --force
    expect 1 "move it away" "$cltb" build KQvKR --dir foreign
    diff -r foreign/KQvK.cltb kept >/dev/null || fail "$what was written over"
    rm -rf kept
done
rm -rf foreign/KQvK.cltb
: >foreign/KQvK.cltb
expect 0 "it is rebuilt" "$cltb" build KQvK --dir foreign
ln -s "$tmp/whole" foreign/KRvK.cltb.part
expect 1 "foreign/KRvK.cltb.part" "$cltb" build KRvK --dir foreign --force --quiet
cmp -s some/KQvK.cltb whole || fail "a link was followed"

# Folders in folders that do not exist yet.
expect 0 "1 table made" "$cltb" build KQvK --dir deep/er/still --scratch deep/scratch/too/
[ -e deep/er/still/KQvK.cltb ] && [ -d deep/scratch/too ] || fail "no folders in folders: $(find deep)"

# Folders between empty names; no folder at all.
expect 0 "1 table made" "$cltb" build KQvK --dir "::colon:"
[ -e colon/KQvK.cltb ] || fail "the first folder that has a name was not used"
expect 2 "no folder" "$cltb" build KQvK --dir ":"
expect 0 " kB (--force rebuilds it)" "$cltb" build KQvK --dir t --both-sides

# With less memory than all planes take, distances are packed; with still less, planes go to disk.
mkdir packed
cp t/KRvK.cltb t/KQvK.cltb packed 2>/dev/null
expect 0 "packed in memory" "$cltb" build KQvKR --dir packed --memory 12500K --dry-run --device cpu
expect 0 "KQvKR: solved" "$cltb" build KQvKR --dir packed --memory 12500K --device cpu
expect 0 "KQvKR: solved" "$cltb" build KQvKR --dir unpacked --device cpu
cmp packed/KQvKR.cltb unpacked/KQvKR.cltb || fail "packed distances change the table"
expect 0 "planes on disk" "$cltb" build KNNNvK --dir packed --memory 43M --dry-run --device cpu # with sorted knights
expect 0 "KNNNvK: solved" "$cltb" build KNNNvK --dir packed --memory 43M --device cpu
grep ' KNNNvK.cltb$' "$source_dir/docs/tables-345.sha256" >packed/sum
(cd packed && sha256sum --check --quiet sum) || fail "sorted knights on disk change the table"

# Too little memory is noticed before any work, after the plan.
expect 1 "KRvK needs about" "$cltb" build --dry-run KQvKR --dir none --memory 1M
grep -q "^3 tables to make" "$out" || fail "no plan before the error"
expect 1 "KQvK needs about 11.9 MB of memory, 1 B are allowed" "$cltb" build KQvK --dir none --memory 1
expect 1 "1.57 MB are allowed" "$cltb" build KQvK --dir none --memory 1.5M
expect 1 "of memory" "$cltb" build --men 8 --pawnless --dir none --memory 1G
expect 0 "about 2.98 TB of files, " "$cltb" build --men 7 --pawnless --dry-run --dir none --memory 16T --threads 2
grep -qE ", [0-9]+ days; a table takes" "$out" || fail "no days: $(cat "$out")"
expect 0 "" "$cltb" build -n KQvK --dir none
[ ! -e none ] || fail "work was begun in spite of too little memory"

# ---- one run at a time in a folder ----

mkdir busy
: >busy/KQvK.cltb.part # of a run that was killed
: >busy/KRvK.cltb.work
: >busy/other.cltb.part
(
    failures=0
    flock 9
    expect 1 "another build is running in busy" "$cltb" build KQvK --dir busy
    [ -e busy/KQvK.cltb.part ] || fail "a part file was removed from a folder in which another build runs"
    exit "$failures"
) 9>busy/.cltb.lock || fail "the lock"
rm busy/KRvK.cltb.work
expect 0 "1 table made" "$cltb" build KQvK --dir busy
left=$(find busy -type f | LC_ALL=C sort | paste -sd ' ')
[ "$left" = "busy/KQvK.cltb busy/other.cltb.part" ] || fail "left in busy: $left"
(
    failures=0
    flock 9
    expect 0 "KQvK: already present" "$cltb" build KQvK --dir busy
    expect 0 "KQvK: solved" "$cltb" build KQvK --dir busy2 # another folder
    exit "$failures"
) 9>busy/.cltb.lock || fail "the lock and tables that are there"
finish
