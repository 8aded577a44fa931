#!/bin/bash
# disk.sh - `cltb build --format syzygy --disk`: Syzygy files of all tables while few tables stand; the rows of
# syzygy.tsv, what is handed to --ship and goes, what other builds have made, and runs after a kill
. "$(dirname "$0")/../cli/common.bash"
. "$(dirname "$0")/../cli/kill.bash"
. "$(dirname "$0")/syzygy.bash"
need_export
[ -n "${CLTB_TEST_LIBMD:-}" ] || skip "no libmd"

expect 2 "--disk does not go with" "$cltb" build KQvK --format syzygy --disk 1M --wdl
expect 2 "--disk does not go with" "$cltb" build KQvK --format syzygy --disk 1M --only

# As in ../cli/disk.sh: their tables take 940 kB, and those that must stand at once 440 kB by the forecasts.
set=(KQvKR KRvKN KBNvK KRBvK)
build() { # FOLDER OPTION...: of the set; Syzygy files in FOLDER.files
    local folder=$1
    shift
    "$cltb" build "${set[@]}" --format syzygy --disk 600K --dir "$folder" --to "$folder.files" --device cpu "$@"
}
expect 0 "" "$cltb" export "${set[@]}" --dir none --to whole --device cpu --quiet
(cd whole && sha256sum K*) >sums
is_whole() { (cd "$1" && sha256sum K*) | cmp -s - sums || fail "not the files of an export in $1: $(ls "$1")"; }

# ---- all files, within the limit ----

expect 0 "8 tables to make" build small --dry-run
[ ! -e small ] || fail "--dry-run wrote something"
most=0
build small >"$out" 2>"$err" &
job=$!
while kill -0 $job 2>/dev/null; do
    bytes=$(find small -name '*.cltb*' -printf '%s\n' 2>/dev/null | awk '{ sum += $1 } END { print sum + 0 }')
    most=$((bytes > most ? bytes : most))
done
wait $job || fail "not within 600 kB: $(cat "$err")"
[ $most -gt 200000 ] && [ $most -le 614400 ] || fail "600 kB are the limit, and $most bytes were there"
says "removed, as nothing needs them now"
is_whole small.files
[ "$(sed 1d small/syzygy.tsv | cut -f 1 | sort | xargs)" = "$(ls whole | sed 's/\..*//' | sort -u | xargs)" ] ||
    fail "rows: $(cut -f 1 small/syzygy.tsv | xargs)"
[ ! -e small/tables.tsv ] || fail "rows of tables without Syzygy files"

# The tables are those of a build without Syzygy files, and the rows are believed.
expect 0 "0 wrong" "$cltb" manifest --dir small --check "$source_dir/docs/tables-345.sha256" --ignore-missing
rm small.files/KBNvK.rtbz
expect 0 "0 tables made, 8 already present" build small
says "made before (syzygy.tsv)"
[ ! -e small.files/KBNvK.rtbz ] || fail "a table with a row was made again"

# Tables that are needed again are made again without their files.
rm small/KRBvK.cltb small.files/KRBvK.rtb?
expect 0 "4 tables made" "$cltb" build KRBvKN --format syzygy --disk 20M --dir small --to small.files --device cpu
[ "$(ls small.files | wc -l)" = $((16 - 1 - 2 + 4)) ] && [ ! -e small.files/KRBvK.rtbw ] || fail "$(ls small.files)"
[ "$(grep -c '^KRBvK	' small/syzygy.tsv)" = 1 ] || fail "a second row of KRBvK"

# ---- --ship ----

mkdir shipped
expect 0 "8 tables made" build moved --ship 'mv -t shipped'
is_whole shipped
[ -z "$(ls moved.files)" ] || fail "left: $(ls moved.files)"
[ "$(sed 1d moved/syzygy.tsv | cut -f 25 | sort -u)" = yes ] || fail "not all rows say that they are shipped"
build unshipped --ship 'exit 3' >"$out" 2>"$err" </dev/null
[ $? = 1 ] || fail "--ship failed, and the build did not"
says "--ship failed with exit status 3; it is kept"
says "there is no room below --disk, because --ship failed"
mkdir copied
# The second file of KQvK fails once; it is tried again at the end, and nothing is shipped twice.
# shellcheck disable=SC2016 # the shell that --ship starts expands it
expect 0 "--ship failed with exit status 4; it is kept" build unshipped --ship \
    'case "$1" in *KQvK.rtbz) [ -e once ] || { touch once; exit 4; };; esac; cp "$1" copied && echo "$1" >>list'
is_whole copied
[ -z "$(ls unshipped.files)" ] || fail "left: $(ls unshipped.files)"
[ -z "$(sort list | uniq -d)" ] || fail "shipped twice: $(sort list | uniq -d)"

# ---- tables that other builds have made ----

mkdir own
expect 0 "" "$cltb" build KQvKR --dir own --device cpu --quiet
expect 0 "" "$cltb" build KBNvK --dir elsewhere --device cpu --disk 20M --quiet
sums=$(sha256sum own/* elsewhere/*)
expect 0 "8 tables made" "$cltb" build "${set[@]}" --format syzygy --disk 700K --dir own:elsewhere --to own.files \
    --device cpu
says "KQvKR: syzygy.tsv has no row of it, so its Syzygy files are made; it is rebuilt"
is_whole own.files
sha256sum --quiet -c <<<"$sums" || fail "a table of another build has changed or gone"

# ---- kills ----

for ((i = 0; i < ${KILLS:-4}; i++)); do
    random 3000
    "$cltb" build "${set[@]}" --format syzygy --disk 600K --dir killed --to killed.files --device cpu --quiet \
        >/dev/null 2>"$err" &
    job=$!
    sleep "$moment"
    kill_job || break
done
expect 0 "" build killed --quiet
is_whole killed.files
file=$(find killed -mindepth 1 ! -name '*.cltb' ! -name syzygy.tsv)
[ -z "$file" ] || fail "left after kills: $file"
finish
