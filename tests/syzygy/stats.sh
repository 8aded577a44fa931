#!/bin/bash
# stats.sh - `cltb stats` of Syzygy files: the same as of a table if distances are exact, otherwise as far as the files
# tell
. "$(dirname "$0")/../cli/common.bash"
published=$source_dir/tests/data/syzygy

shared_tables t KBvK KNvK KPvK KQvK KRvK
expect 0 "" "$cltb" export --men 3 --dir t --to exact --exact --device cpu --quiet
for name in KPvK KRvK KNvK; do
    for format in text json tsv syzygy "tsv --longest" "tsv --zugzwangs"; do
        # shellcheck disable=SC2086 # words
        "$cltb" stats $name --dir t --format $format >wanted
        # shellcheck disable=SC2086
        expect 0 "" "$cltb" stats $name --syzygy exact --format $format --threads 2
        cmp -s "$out" wanted || fail "$name, $format: $(diff "$out" wanted | head -5)"
    done
done

by_outcome() { awk -F'\t' '{ n[$2 " " $3] += $5 } END { for (k in n) print k, n[k] }' | sort; }

# Rounded distances: outcomes and zugzwangs are exact, distances are ranges.
expect 0 "win                    124960  76.51 %   longest DTZ 19 or 20" "$cltb" stats KPvK --syzygy "$published"
says "longest loss with black to move: DTZ 20 or 21, as in "
says '(the Syzygy files round distances: "27 or 28")'
for name in KPvK KQvK KRvK; do
    "$cltb" stats $name --dir t --format tsv | by_outcome >wanted
    expect 0 "" "$cltb" stats $name --dir "$published" --format tsv
    by_outcome <"$out" | cmp -s - wanted || fail "$name: other outcomes"
    grep -q '	[0-9]*-[0-9]*	' "$out" || fail "$name: nothing is rounded"
done
expect 0 '"dtz": 19, "dtz_max": 20' "$cltb" stats KPvK --syzygy "$published" --format json
says '"plies": 20, "plies_max": 21'
expect 0 "KPvK	w	win	19-20	" "$cltb" stats KPvK --syzygy "$published" --format tsv --longest
expect 2 "the Syzygy files of KPvK round distances, which --format syzygy cannot show" \
    "$cltb" stats KPvK --syzygy "$published" --format syzygy

# Tables have priority; --dir and --syzygy together.
expect 0 "longest DTZ 19" "$cltb" stats KPvK --dir t --syzygy "$published"
! grep -q "19 or 20" "$out" || fail "a table is not read before Syzygy files"

# Missing, damaged and other files.
mkdir bad
cp "$published"/K[QRBN]vK.rtb? "$published/KPvK.rtbw" bad
expect 1 "KPvK.rtbw has outcomes only: the file of distances, .rtbz, is missing" "$cltb" stats KPvK --syzygy bad
expect 1 "no tables KPvKP.cltb, KQvKP.cltb" "$cltb" stats KPvKP --syzygy bad
rm bad/KQvK.rtbw
cp "$published/KPvK.rtbz" bad
expect 1 "no table KQvK.cltb" "$cltb" stats KPvK --syzygy bad
flip_bit bad/KRvK.rtbz 200
expect 1 "bad/KRvK.rtbz is damaged: its checksum is wrong" "$cltb" stats KRvK --syzygy bad
cp "$published/KRvK.rtbz" bad/KNvK.rtbz
expect 1 "bad/KNvK.rtbz does not hold KNvK" "$cltb" stats KNvK --syzygy bad
expect 2 "--syzygy belong" "$cltb" stats dobutsu --syzygy bad
finish
