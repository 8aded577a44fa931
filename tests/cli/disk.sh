#!/bin/bash
# disk.sh - `cltb build --disk`: tables within a limit of disk, the rows of tables.tsv, what goes and what stays, and
# runs after a kill or after somebody has changed something
. "$(dirname "$0")/common.bash"
. "$(dirname "$0")/kill.bash"

expect 2 "--keep and --ship belong to --disk" "$cltb" build KQvK --keep '*'
expect 2 "--disk does not go with --force" "$cltb" build KQvK --disk 1M --force
expect 2 "--disk is for full tables of chess" "$cltb" build dobutsu --disk 1M
if [ -z "${CLTB_TEST_LIBMD:-}" ]; then
    expect 1 "without libmd" "$cltb" build KQvK --disk 1M --dir t
    finish
fi

# Their files take 940 kB; those that must stand at once take 440 kB by the forecasts.
set=(KQvKR KRvKN KBNvK KRBvK)
all=(KQvK KRvK KBvK KNvK "${set[@]}")
sums=$source_dir/docs/tables-345.sha256
wanted=$(printf '%s\n' "${all[@]}" | sort | paste -sd ' ')
build() { # FOLDER OPTION...: of the set
    local folder=$1
    shift
    "$cltb" build "${set[@]}" --dir "$folder" --device cpu "$@"
}
rows() { sed 1d "$1/tables.tsv" | cut -f 1 | sort | paste -sd ' '; }

# Every table has a row with the known sum, and no table that is there is another one.
check_rows() { # FOLDER
    [ "$(rows "$1")" = "$wanted" ] || fail "$1/tables.tsv has the tables $(rows "$1")"
    sed 1d "$1/tables.tsv" | awk -F '\t' '{ print $4 "  " $1 ".cltb" }' | sort >rows.sums
    printf '  %s.cltb\n' "${all[@]}" | grep -F -f - "$sums" | sort >known.sums
    cmp -s rows.sums known.sums || fail "other sums in $1/tables.tsv: $(diff rows.sums known.sums | head -4)"
    expect 0 "0 wrong" "$cltb" manifest --dir "$1" --check "$sums" --ignore-missing
    file=$(find "$1" -mindepth 1 ! -name '*.cltb' ! -name tables.tsv)
    [ -z "$file" ] || fail "left in $1: $file"
}

# ---- the plan ----

expect 0 "at most 440 kB have to stand at once, when KBNvK is made; made again: 0" \
    "$cltb" plan "${set[@]}" --dir none --disk 1M --device cpu
expect 1 "--disk 431.9K would do" "$cltb" plan "${set[@]}" --dir none --disk 1K --device cpu
expect 1 "--disk 431.9K would do" build none --disk 1K
[ ! -e none ] || fail "a build with too little disk made the folder"
expect 0 '"disk_at": "KBNvK", "again": 0' "$cltb" plan "${set[@]}" --dir none --disk 431.9K --device cpu --format json

# ---- the set: never more than the limit, and a row for each table ----

most=0
build small --disk 600K >"$out" 2>"$err" &
job=$!
while kill -0 $job 2>/dev/null; do
    bytes=$(find small -name '*.cltb*' -printf '%s\n' 2>/dev/null | awk '{ sum += $1 } END { print sum + 0 }')
    most=$((bytes > most ? bytes : most))
done
wait $job || fail "not within 600 kB: $(cat "$err")"
[ $most -gt 200000 ] && [ $most -le 614400 ] || fail "600 kB are the limit, and $most bytes were there"
says "removed, as nothing needs them now"
check_rows small
[ "$(find small -name '*.cltb' | wc -l)" -lt ${#all[@]} ] || fail "nothing was removed"

# Nothing to do.
before=$(md5sum small/* | md5sum)
expect 0 "0 tables made, 4 already present" build small --disk 600K
says "made before (tables.tsv)"
[ "$(md5sum small/* | md5sum)" = "$before" ] || fail "a second run changed something"

# ---- --ship ----

odd="a \$(touch evil) 'b"
mkdir shipped
expect 0 "8 tables made" build "$odd" --disk 600K --ship "cp -t shipped"
[ ! -e evil ] || fail "the name of a folder was run"
for name in "${all[@]}"; do
    [ "$(sha256sum <shipped/$name.cltb | cut -c 1-64)" = "$(grep "  $name.cltb" "$sums" | cut -c 1-64)" ] ||
        fail "$name was not shipped"
done
[ "$(sed 1d "$odd/tables.tsv" | cut -f 25 | sort -u)" = yes ] || fail "not all rows say that they are shipped"
"$cltb" build "${set[@]}" --dir unshipped --device cpu --disk 600K --ship 'exit 3' >"$out" 2>"$err" </dev/null
[ $? = 1 ] || fail "--ship failed, and the build did not"
says "--ship failed with exit status 3; it is kept"
says "there is no room below --disk, because --ship failed"
! grep -q removed "$err" || fail "a table that was not shipped was removed"
# shellcheck disable=SC2016 # the shell that --ship starts expands it
expect 0 "made" build unshipped --disk 600K --ship 'test -s "$1" && echo "$1" >>list'
[ "$(sort list | uniq -c | grep -c ' 1 unshipped/')" = ${#all[@]} ] || fail "shipped once each: $(sort list | uniq -c)"

[ -z "${CLTB_TEST_SANITIZED-}" ] || finish # the rest makes the same tables in the same way, and one of five men

# ---- something that is needed again, and must be the same ----

rm -f small/K{RB,BN}vK.cltb
expect 0 "KRBvK	again" "$cltb" plan KRBvKR --dir small --disk 20M --device cpu --format tsv
says "KRvKR	make"
! grep -q KBNvK "$out" || fail "KRBvKR does not need KBNvK"
expect 0 "KBNvK	recorded" "$cltb" plan KBNvK --dir small --disk 20M --device cpu --format tsv
cp -r small other
expect 0 "4 tables made" "$cltb" build KRBvKR --dir small --disk 20M --device cpu
[ "$(grep -c '^KRBvK	' small/tables.tsv)" = 1 ] || fail "a second row of KRBvK"

# Counts and longest lines are those of `cltb stats`: KRBvKR has cursed wins.
for name in KRBvKR KRBvK KRvKR; do
    "$cltb" stats $name --dir small --format tsv | sed 1d | awk -F '\t' -v OFS='\t' '
        { sum[$2, $3] += $5 }
        $4 > most[$2, $3] { most[$2, $3] = $4 }
        END {
            split("win cursed-win draw blessed-loss loss", outcome, " ")
            for (side = 1; side <= 2; side++) {
                s = substr("wb", side, 1)
                for (i = 1; i <= 5; i++)
                    line = line OFS sum[s, outcome[i]] + 0
                for (i = 1; i <= 5; i++)
                    if (i != 3)
                        line = line OFS (sum[s, outcome[i]] > 0 ? most[s, outcome[i]] + 0 : "-")
            }
            print substr(line, 2)
        }' >stats.row
    grep "^$name	" small/tables.tsv | cut -f 7-24 | cmp -s - stats.row ||
        fail "$name: the row has $(grep "^$name	" small/tables.tsv | cut -f 7-24), not $(cat stats.row)"
done

# A table that was made with other options is another one: it is put aside, and its row stays.
cp other/tables.tsv rows.before
expect 1 "KRBvK.cltb is not the file that its row in tables.tsv describes" \
    "$cltb" build KRBvKR --both-sides --dir other --disk 20M --device cpu --quiet
[ -e other/KRBvK.cltb.differs ] && [ ! -e other/KRBvK.cltb ] || fail "a different table was not put aside"
[ "$(grep '^KRBvK	' other/tables.tsv)" = "$(grep '^KRBvK	' rows.before)" ] || fail "the row of KRBvK has changed"
rm other/*.differs

# ---- rows that are damaged or cut, and a file whose row was never written ----

cp rows.before other/tables.tsv
rm -f other/*.cltb.begun other/KRvK[RB].cltb
line=$(grep -n '^KBNvK	' other/tables.tsv | cut -d : -f 1)
sed -i "${line}s/\t340671/\t340672/" other/tables.tsv
expect 0 "1 row is damaged and not believed (line $line)" build other --disk 20M
[ "$(grep -c '^KBNvK	' other/tables.tsv)" = 2 ] || fail "no new row after a damaged one"
sed -i "${line}d" other/tables.tsv
check_rows other
{ grep -v '^KQvK	' other/tables.tsv; grep '^KQvK	' other/tables.tsv | head -c -9; } >rows.cut
cp rows.cut other/tables.tsv
touch other/KQvK.cltb.begun
expect 0 "damaged rows, which are not believed: 1 (the first is line 9)" "$cltb" plan KQvKR --dir other --disk 20M
expect 0 "0 tables made" build other --disk 20M
says "1 row is damaged and not believed (line 9)"
sed -i 9d other/tables.tsv
check_rows other
[ "$(tail -n 1 other/tables.tsv | cut -f 1,5,6)" = "KQvK	-	0" ] || fail "times: $(tail -n 1 other/tables.tsv)"

# ---- what stays ----

mkdir stays
cp small/KRBvKR.cltb other/KBNvK.cltb stays
limit=$(($(stat -c %s stays/KRBvKR.cltb) + 900000))
expect 0 "already present" build stays --disk $limit --keep 'KQ*' --keep K?vKN.cltb
[ -e stays/KRBvKR.cltb ] && [ -e stays/KBNvK.cltb ] || fail "a file that was there has gone"
[ -e stays/KQvK.cltb ] && [ -e stays/KQvKR.cltb ] && [ -e stays/KRvKN.cltb ] || fail "--keep did not keep"
[ ! -e stays/KRBvK.cltb ] || fail "KRBvK did not go"
[ "$(rows stays)" = "$(printf '%s\n' "${all[@]}" | grep -v KBNvK | sort | paste -sd ' ')" ] ||
    fail "a row of a table that was there: $(rows stays)"
expect 0 "" "$cltb" build KRBvK --dir plain --device cpu --quiet
expect_clean plain

# ---- kills, and two runs ----

mkdir killed
for ((i = 0; i < ${KILLS:-4}; i++)); do
    random 2500
    "$cltb" build "${set[@]}" --dir killed --disk 600K --device cpu --quiet >/dev/null 2>"$err" &
    job=$!
    sleep "$moment"
    kill_job || break
done
"${interruptible[@]}" "$cltb" build "${set[@]}" --dir killed --disk 600K --device cpu >/dev/null 2>"$err" &
job=$!
sleep 0.2
kill -INT $job
wait $job
file=$(find killed -name '*.begun')
[ -z "$file" ] || fail "after Ctrl-C there is $file"
expect 1 "another build is running" flock killed/.cltb.lock "$cltb" build KNvKN --dir killed --disk 1M --device cpu
rm -f killed/.cltb.lock
expect 0 "" build killed --disk 600K --quiet
check_rows killed
# Two tables were in work when a run was killed, and there is room for the work of one: it is done first, and the work
# of the other one goes if it must.
shared_tables left K{Q,R,B,N,P}vK K{QB,RB,BB,BN,QN,RN,NN}vK
there=$(cat left/*.cltb | wc -c)
for ((try = 0; try < 20; try++)); do
    rm -f left/K[BN]PvK.cltb*
    "$cltb" build KBPvK KNPvK --dir left --device cpu --threads 2 --quiet >/dev/null 2>"$err" &
    job=$!
    until [ "$(cat left/*.work 2>/dev/null | wc -c)" -gt 5400000 ] || ! kill -0 $job 2>/dev/null; do moment_passes; done
    kill_job && [ "$(cat left/*.work | wc -c)" -gt 5400000 ] && break
done
[ $try -lt 20 ] || fail "never two tables in work: $(ls -l left)"
expect 0 "2 tables made" "$cltb" build KBPvK KNPvK --dir left --device cpu --disk $((there + 5200000))
finish
