#!/bin/bash
# list.sh - which tables the folders have, which sets are complete, and what is missing
# shellcheck source=tests/cli/common.bash
. "$(dirname "$0")/common.bash"
shared_tables three KBvK KNvK KPvK KQvK KRvK
shared_tables pair KQvKR KQvK KRvK

# A complete set.
expect 0 "all tables of up to 3 men are present" "$cltb" list --dir three
grep -q '^KBvK  *3 men  dtz  .*kB  three/KBvK.cltb$' "$out" || fail "text: $(cat "$out")"
grep -q '^3 men: 5 of 5 tables, .*, complete$' "$out" || fail "text: sets"
grep -q missing "$out" && fail "something is missing in a complete set"
[ "$(CLTB_PATH=three "$cltb" list --format tsv | cut -f1-4,6)" = "table	kind	men	metric	state
KBvK	full	3	dtz	present
KNvK	full	3	dtz	present
KPvK	full	3	dtz	present
KQvK	full	3	dtz	present
KRvK	full	3	dtz	present" ] || fail "tsv"

# What a table needs: directly, and through others that are missing as well.
rm pair/KRvK.cltb
expect 0 "missing: KRvK, which captures or promotions lead to from KQvKR" "$cltb" list --dir pair
mkdir -p alone
cp pair/KQvKR.cltb alone
shared_tables alone KQPvK
expect 0 "KQvK	full	3	dtz		missing		KQPvK,KQvKR" "$cltb" list --dir alone --format tsv
grep -q '^KQRvK	full	4	dtz		missing		KQPvK$' "$out" || fail "a promotion: $(cat "$out")"
grep -q '^KPvK	full	3	dtz		missing		KQPvK$' "$out" || fail "a capture: $(cat "$out")"
expect 0 "KQvK, which captures or promotions lead to from KQPvK and 1 other" "$cltb" list --dir alone

# Several folders; a file that hides another one; files that are not tables, or not what their names say.
cp three/KPvK.cltb alone
expect 0 "" "$cltb" list --dir alone:three --format tsv
[ "$(grep -c '	present	' "$out")" = 7 ] || fail "folders: $(cat "$out")"
grep -q '^KPvK	full	3	dtz	.*	hidden	three/KPvK.cltb	$' "$out" || fail "hidden: $(cat "$out")"
grep -q '	missing	.*KBvK' "$out" && fail "missing, but in the second folder"
mkdir -p bad
cp three/KPvK.cltb bad/KQvK.cltb
cp three/KPvK.cltb bad/my.cltb
head -c 100 three/KNvK.cltb >bad/KNvK.cltb
echo text >bad/text.cltb
mkfifo bad/pipe.cltb
mkdir bad/folder.cltb
mkfifo bad/socket.cltb # a socket, where python3 can make one
! command -v python3 >/dev/null || (cd bad && rm socket.cltb &&
    python3 -c 'import socket; socket.socket(socket.AF_UNIX).bind("socket.cltb")')
expect 1 "7 of the tables cannot be used" timeout 20 "$cltb" list --dir bad:three
for text in 'KQvK.cltb holds another endgame, KPvK' 'my.cltb holds the table KPvK, so the file was renamed' \
    'KNvK.cltb is' 'text.cltb is not a table' 'pipe.cltb is not a table' 'folder.cltb is not a table' \
    'socket.cltb is not a table: it is not a file' \
    'hidden: an earlier folder' '3 men: 3 of 5 tables'; do
    grep -qF "$text" "$out" || fail "bad: nothing of $text"
done

# Control characters of names and texts do not reach the terminal, whatever prints them.
mkdir hostile
cp bad/text.cltb "hostile/$(printf '\033]0;x\a')"$'\xc2\x9b2J.cltb'
cp "$source_dir/tests/data/hostile-text.cltb" hostile/KQvK.cltb
clean() {
    ! LC_ALL=C grep -q $'[\001-\010\013-\037\177]\|\xc2\x9b' "$out" "$err" ||
        fail "control characters: $* $(cat -v "$out" "$err")"
}
for format in text tsv json; do
    expect 1 "2 of the tables cannot be used" "$cltb" list --dir hostile --format $format
    clean list $format
    expect 1 "KQvK.cltb" "$cltb" probe --dir hostile --format $format '8/8/8/8/8/2k5/8/K6Q w - - 0 1'
    clean probe $format
done
for command in info stats verify; do
    expect 1 "KQvK.cltb is damaged: its text has control characters" "$cltb" $command hostile/KQvK.cltb
    clean $command
done
(cd hostile && sha256sum ./*) >sums
"$cltb" manifest --check sums --dir hostile >"$out" 2>"$err"
clean manifest

# Syzygy files: the published ones of three men round wins and losses, `--exact` does not.
published=$source_dir/tests/data/syzygy
expect 0 "all tables of up to 3 men are present" "$cltb" list --syzygy "$published"
grep -q '^3 men: 5 of 5 as Syzygy files, 25.8 kB, complete$' "$out" || fail "Syzygy: sets: $(cat "$out")"
[ "$("$cltb" list --dir "$published" --format tsv | cut -f1-6)" = "table	kind	men	metric	bytes	state
KBvK	syzygy	3	dtz	160	present
KNvK	syzygy	3	dtz	160	present
KPvK	syzygy	3	dtz~	12000	present
KQvK	syzygy	3	dtz~	5664	present
KRvK	syzygy	3	dtz~	7840	present" ] || fail "Syzygy: tsv"
expect 0 "" "$cltb" export KRvK --exact --dir three --to exact --device cpu --quiet
expect 0 "KRvK	syzygy	3	dtz	" "$cltb" list --dir exact --format tsv

# Mixed folders: tables have priority over Syzygy files, and both together make a set complete.
mkdir -p mixed outcomes distances
cp three/K[BN]vK.cltb pair/KQvKR.cltb "$published"/K[BQR]vK.rtb? mixed
expect 0 "" "$cltb" list --dir mixed
for text in '3 men: 2 of 5 tables' '3 men: 2 of 5 as Syzygy files' '4 men: 1 of 30 tables' \
    'KBvK.rtbw  (hidden: a table or an earlier folder'; do
    grep -qF "$text" "$out" || fail "mixed: nothing of $text"
done
expect 0 "all tables of up to 3 men are present" "$cltb" list --dir mixed --syzygy "$published"
! grep -q missing "$out" || fail "mixed: something is missing: $(cat "$out")"
expect 0 '"syzygy": 3, "syzygy_bytes": ' "$cltb" list --dir mixed:"$published" --format json

# Only outcomes; only distances, or distances in another folder; damaged, foreign and renamed files.
cp "$published/KQvK.rtbw" outcomes
cp "$published/KQvK.rtbz" distances
expect 0 "KQvK	syzygy	3	wdl" "$cltb" list --dir outcomes --format tsv
expect 0 "KQvK	syzygy	3	dtz~	5664	present" "$cltb" list --dir distances:outcomes --format tsv
expect 1 "1 of the tables cannot be used" "$cltb" list --dir distances
says "unusable: there is no KQvK.rtbw, without which"
cp "$published/KPvK.rtbw" outcomes/KRvK.rtbw
cp "$published/KPvK.rtbw" outcomes/KvKP.rtbw
head -c 500 "$published/KPvK.rtbw" >outcomes/KBvK.rtbw
cp "$published/KNvK.rtbw" outcomes
echo text >outcomes/KNvK.rtbz
expect 1 "4 of the tables cannot be used" "$cltb" list --dir outcomes
for text in 'KRvK.rtbw does not hold KRvK' 'KvKP.rtbw does not have the standard name' \
    'KBvK.rtbw is not a whole Syzygy table' 'KNvK.rtbz is not a whole Syzygy table'; do
    grep -qF "$text" "$out" || fail "bad Syzygy files: nothing of $text: $(cat "$out")"
done

# Restricted tables.
expect 0 "" "$cltb" build 'K P[a2] v K P[a3]' --dir made:three --output locked.cltb --device cpu --quiet
expect 0 "locked	restricted		dtz" "$cltb" list --dir made --format tsv

# json
expect 0 '"complete_men": 3' "$cltb" list --dir three --format json
expect 0 '{"table": "KRvK", "from": ["KQvKR"]}' "$cltb" list --dir pair --format json
if command -v python3 >/dev/null; then
    python3 -m json.tool "$out" >/dev/null || fail "json: not well-formed"
fi

# An empty folder, none, wrong usage.
mkdir -p empty
expect 0 "" "$cltb" list --dir empty
[ ! -s "$out" ] || fail "an empty folder: $(cat "$out")"
expect 1 "cannot read the folder nowhere" "$cltb" list --dir nowhere
expect 2 "takes no arguments, not 'three': folders are given by --dir" "$cltb" list three
expect 2 "text|tsv|json" "$cltb" list --dir three --format xml
finish
