#!/bin/bash
# export.sh - the command `cltb export`: what it makes, keeps and refuses; files are complete or absent
#
# The contents of the files are tested by files.sh and readers.sh.
. "$(dirname "$0")/../cli/common.bash"
export=("$cltb" export --format syzygy --only --dir t --device cpu --quiet)

sums() { (cd "$1" && sha256sum K*.rtb?); }

# The necessary tables are made and removed again; folders of tables are unchanged.
expect 0 "" "${export[@]}" KPvK kbbk --to s
[ "$(ls -A s | xargs)" = "KBBvK.rtbw KBBvK.rtbz KPvK.rtbw KPvK.rtbz" ] || fail "made: $(ls -A s)"
[ ! -e t ] || fail "made beside them: $(ls -A t)"
sums s >whole

# From tables of cltb, even a damaged one, the same bytes. Nothing changes in their folder.
expect 0 "" "$cltb" build KBvK KNvK KQvK KRvK --dir t --device cpu --quiet
cp -r t bad
flip_bit bad/KQvK.cltb 2900
(cd bad && sha256sum *) >before
expect 0 "1 table made" "$cltb" export --only KPvK --dir t --to again --device cpu
expect 0 "it is rebuilt" "$cltb" export --only KPvK --dir bad --to again --device cpu --force
says "2 tables made"
cmp -s again/KPvK.rtbw s/KPvK.rtbw && cmp -s again/KPvK.rtbz s/KPvK.rtbz || fail "from a damaged table: other bytes"
(cd bad && sha256sum *) | cmp -s - before || fail "the folder of tables has changed: $(ls -A bad)"

# The same bytes in every way.
for how in "--threads 1" "--threads 3" "--isa generic"; do
    # shellcheck disable=SC2086 # words
    expect 0 "" "${export[@]}" KPvK KBBvK --to again $how --force
    sums again | cmp -s - whole || fail "$how: other bytes"
done
expect 0 "" "$cltb" build --format syzygy KPvK --only --to other --dir t --device cpu --quiet
cmp -s other/KPvK.rtbz s/KPvK.rtbz || fail "build --format syzygy: other bytes"
expect 0 "" "${export[@]}" KPvK --to exact --exact
! cmp -s exact/KPvK.rtbz s/KPvK.rtbz || fail "--exact: the same distances"
cmp -s exact/KPvK.rtbw s/KPvK.rtbw || fail "--exact: other outcomes"

# Intact files are kept, damaged and missing ones are made again, and tables of cltb are read if they exist.
expect 0 "KPvK: already present" "$cltb" export --only KPvK --dir t --to s
flip_bit s/KPvK.rtbw 200
rm s/KBBvK.rtbz
expect 0 "2 tables made" "$cltb" export --only KPvK KBBvK --dir t --to s
sums s | cmp -s - whole || fail "made again: other bytes"
expect 0 "" "$cltb" build KPvK --dir t --quiet
expect 0 "" "${export[@]}" KPvK --force # to t
cmp -s t/KPvK.rtbw s/KPvK.rtbw || fail "without --to: other bytes"
expect 0 "nothing to make" "$cltb" export --only KPvK --dir t --to s --dry-run

# The plan: needed tables as tables of cltb, named ones as Syzygy files; nothing is written.
expect 0 "1 table to make: about" "$cltb" export --only KPvK --dir t --to planned --dry-run --device cpu
says "file    Syzygy  time"
grep -qE '^KPvK +197 k +[0-9.]+ MB +[0-9.]+ kB +- +- +[0-9.]+ kB  0.. s$' "$out" || fail "the plan: $(cat "$out")"
expect 0 "5 tables to make" "$cltb" export --only KPvK --dir planned --to planned --dry-run --device cpu
grep -qE '^KQvK .* kB +-  0.. s$' "$out" || fail "the plan: $(cat "$out")"
[ ! -e planned ] || fail "--dry-run wrote something"

# Without --only, everything that an engine needs, whether its table is there or not, and the same bytes; present files
# are kept. With --wdl the outcomes alone; the distances can follow.
expect 0 "5 tables to make" "$cltb" export KPvK --dir t --to all --dry-run --device cpu
expect 0 "5 tables made" "$cltb" export KPvK --dir t --to all --device cpu
[ "$(ls -A all | xargs)" = "$(printf '%s.rtbw %s.rtbz ' KBvK KBvK KNvK KNvK KPvK KPvK KQvK KQvK KRvK KRvK | xargs)" ] ||
    fail "with what it needs: $(ls -A all)"
cmp -s all/KPvK.rtbz s/KPvK.rtbz || fail "with what it needs: other bytes"
rm all/KBvK.rtb? all/KPvK.rtbz
expect 0 "2 tables made" "$cltb" export KPvK --dir t --to all --device cpu
expect 0 "KPvK: already present" "$cltb" export KPvK --dir t --to all --device cpu
[ "$(grep -c . "$err")" = 1 ] || fail "all present: $(cat "$err")"
# KBBvK has the distances of the side that the published file has; from the other one, readers round them to 29 or 30.
expect 0 "28-29" "$cltb" probe --format tsv --syzygy s:all '4b3/6k1/8/8/8/8/7b/4K3 b - - 0 1'
expect 0 "5 tables to make" "$cltb" export KPvK --wdl --dir t --to wdl --dry-run --device cpu
expect 0 "5 tables made" "$cltb" export KPvK --wdl --dir t --to wdl --device cpu
[ "$(ls -A wdl | xargs)" = "KBvK.rtbw KNvK.rtbw KPvK.rtbw KQvK.rtbw KRvK.rtbw" ] || fail "--wdl: $(ls -A wdl)"
cmp -s wdl/KPvK.rtbw s/KPvK.rtbw || fail "--wdl: other outcomes"
expect 0 "KPvK: already present" "$cltb" export KPvK --wdl --dir t --to wdl --device cpu
expect 0 "1 table made" "$cltb" export --only KPvK --dir t --to wdl --device cpu
cmp -s wdl/KPvK.rtbz s/KPvK.rtbz || fail "distances after --wdl: other bytes"
expect 2 "--exact is for distances" "${export[@]}" KPvK --wdl --exact
expect 2 "belong to --format syzygy" "$cltb" build KPvK --wdl

# Stockfish finds all that it probes for: Philidor's position leads to KQvK and KRvK.
stockfish=$(command -v stockfish || ls /usr/games/stockfish 2>/dev/null)
if [ -n "$stockfish" ]; then
    expect 0 "3 tables made" "$cltb" export KQvKR --dir none --to engine --device cpu
    printf 'setoption name SyzygyPath value engine\nposition fen 8/8/8/8/8/2k5/1r6/K2Q4 w - - 0 1\ngo depth 6\n' |
        (cat; sleep 3; echo quit) | "$stockfish" >"$out"
    grep -q 'Found 3 tablebases' "$out" && grep -q 'tbhits [1-9]' "$out" || fail "Stockfish: $(tail -n 3 "$out")"
fi

# The same bytes with little memory; with even less, an error before any work.
expect 0 "" "${export[@]}" KBBvK --to little --memory 100M --threads 2
cmp -s little/KBBvK.rtbw s/KBBvK.rtbw && cmp -s little/KBBvK.rtbz s/KBBvK.rtbz || fail "with 100M: other bytes"
expect 1 "KBBvK as Syzygy files needs about" "${export[@]}" KBBvK --to none --memory 20M
[ ! -d none ] || fail "with 20M: some work was done"

# Refused before any work.
expect 2 "--format takes syzygy, not 'text'" "$cltb" export --only KPvK --format text
expect 2 "for the names of tables of chess" "$cltb" export dobutsu
expect 2 "belong to --format syzygy" "$cltb" build KPvK --to s
expect 2 "do not go with --format syzygy" "$cltb" build KPvK --format syzygy --best
expect 2 "which tables" "$cltb" export
expect 2 "KQRBNvKQR: Syzygy files have at most 7 men" "${export[@]}" KQRBNvKQR --to s
[ -z "$(ls s | grep -v '^K\(P\|BB\)v')" ] || fail "left: $(ls s)"

# No room, no rights.
if [ "$(id -u)" != 0 ]; then
    mkdir closed
    chmod a-w closed
    expect 1 "closed" "${export[@]}" KPvK --to closed
fi
(
    ulimit -f 8 # blocks of 1024 bytes
    expect 1 "KBBvK.rtbw" "$cltb" export --only KBBvK --dir full --to full --device cpu --quiet
    exit "$failures"
) || fail "a full disk"
[ -z "$(ls full 2>/dev/null)" ] || fail "left on a full disk: $(ls full)"

# Files made on the way stay until the same command has made the Syzygy files; nobody else takes them for tables.
part=full/.cltb-futurebases
expect 1 "it has no distances" "$cltb" info $part/KBvK.cltb
expect 1 "it has no distances" "$cltb" probe --dir $part '8/8/8/4k3/8/8/8/KB6 w - - 0 1'
expect 0 "1 table to make" "$cltb" export --only KBBvK --dir full --to full --dry-run
cp -r full damaged
cp -r $part damaged.left
flip_bit damaged/.cltb-futurebases/KBvK.cltb 2900
expect 0 "1 table made" "$cltb" export --only KBBvK --dir full --to full --device cpu
expect 0 "it is rebuilt" "$cltb" export --only KBBvK --dir full --to damaged --device cpu
for folder in full damaged; do
    [ "$(ls -A $folder | xargs)" = "KBBvK.rtbw KBBvK.rtbz" ] || fail "left: $(ls -A $folder)"
    cmp -s $folder/KBBvK.rtbz s/KBBvK.rtbz || fail "$folder: other bytes"
done
cp -r damaged.left $part
expect 0 "KBBvK: already present" "$cltb" export --only KBBvK --to full
[ ! -e $part ] || fail "left of an export that was complete: $(ls -A $part)"

# What an export did not make is not removed, and through a link nothing is: not the files of the folder that it leads
# to, nor those that it would get.
mkdir $part
cp t/KBvK.cltb $part
expect 0 "KBBvK: already present" "$cltb" export --only KBBvK --to full
expect 0 "4 tables made" "$cltb" export --only KPvK --to full --device cpu --dir none
cmp -s t/KBvK.cltb $part/KBvK.cltb || fail "a table with distances was removed: $(ls -A $part)"
[ "$(ls -A $part)" = KBvK.cltb ] || fail "not removed: $(ls -A $part)"
cp -r damaged.left mine
cp t/*.cltb mine
cp t/KBvK.cltb mine/KBvK.dtm.cltb
touch mine/KRvK.cltb.part
(cd mine && sha256sum ./* .[!.]*) >before 2>/dev/null
mkdir linked scratch
ln -s ../mine linked/.cltb-futurebases
ln -s ../mine scratch/.cltb-futurebases
ln -s ../nowhere again/.cltb-futurebases
touch other/.cltb-futurebases
for to in "linked --dir none" "linked --dir t" "free --scratch scratch" "again --force" "other --force"; do
    # shellcheck disable=SC2086 # words
    expect 1 ".cltb-futurebases is a link or no folder" "${export[@]}" KPvK --to $to
done
(cd mine && sha256sum ./* .[!.]* 2>/dev/null) | cmp -s - before || fail "through a link: $(ls -A mine)"
[ ! -e nowhere ] && [ -L linked/.cltb-futurebases ] || fail "a link was followed or removed"
rm -r again/.cltb-futurebases other/.cltb-futurebases
expect 2 "see --scratch" "${export[@]}" KPvK --to a:b

# Kills leave complete files or none.
for moment in 0.05 0.1 0.2 0.4 0.6 0.8; do
    "${export[@]}" KBBvK KPvK --to killed --force >/dev/null 2>&1 &
    sleep $moment
    kill -9 $! 2>/dev/null
    wait $! 2>/dev/null
    if [ -d killed ]; then
        (cd killed && ls | grep -v '\.part$' | xargs -r sha256sum) | grep -vxF -f whole && fail "killed after $moment s"
    fi
done
expect 0 "" "${export[@]}" KBBvK KPvK --to killed
sums killed | cmp -s - whole || fail "after kills: other bytes"
[ -z "$(ls killed | grep part)" ] || fail "left after kills: $(ls killed)"
finish
