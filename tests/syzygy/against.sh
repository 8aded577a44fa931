#!/bin/bash
# against.sh - `cltb verify --against`: our tables, our Syzygy files and the published ones agree
. "$(dirname "$0")/../cli/common.bash"
published=$source_dir/tests/data/syzygy
verify=("$cltb" verify --dir t)

shared_tables t KBvK KNvK KPvK KQvK KRvK
expect 0 "" "$cltb" export KPvK --only --dir t --to exact --exact --device cpu --quiet

expect 0 "KPvK: all 165676 positions as in the Syzygy files (12355 distances to a ply, as they are rounded), check" \
    "${verify[@]}" KPvK --against "$published"
expect 0 "KQvK: a sample of 2000 positions as in the Syzygy files" \
    "${verify[@]}" KQvK --against "$published" --sample 2000 --seed 3
# Tables of captures and promotions that the folder lacks come from --dir.
expect 0 "KPvK: all " "${verify[@]}" KPvK --against exact
says "as in the Syzygy files (distances exactly), checksums right"
# By the table's file; Syzygy files against Syzygy files; tables beside these are not compared.
expect 0 "KPvK: all " "$cltb" verify t/KPvK.cltb --against exact
expect 0 "(12355 distances to a ply" "$cltb" verify KPvK --dir exact:"$published" --against "$published"
cp t/*.cltb exact
expect 0 "" "$cltb" verify KPvK --dir exact --against exact --quiet
[ ! -s "$out" ] || fail "--quiet: $(cat "$out")"

# What cannot be compared.
mkdir outcomes damaged
expect 1 "KQvK: there is no KQvK.rtbw in 'exact'" "${verify[@]}" KQvK --against exact
expect 1 "KPvK: there is no KPvK.rtbw in 'nowhere'" "${verify[@]}" KPvK --against nowhere
expect 1 "no table KQvK.cltb in 'outcomes'" "$cltb" verify KQvK --dir outcomes --against "$published"
cp exact/KPvK.rtbw outcomes
expect 1 "KPvK.rtbw has outcomes only: the file of distances, .rtbz, is missing" "${verify[@]}" KPvK --against outcomes
cp exact/KPvK.rtb? damaged
flip_bit damaged/KPvK.rtbw $(($(wc -c <damaged/KPvK.rtbw) - 40))
expect 1 "KPvK: damaged/KPvK.rtbw is damaged: its checksum is wrong" "${verify[@]}" KPvK --against damaged
head -c 1000 exact/KPvK.rtbz >damaged/KPvK.rtbz
expect 1 "KPvK: damaged/KPvK.rtbz is not a whole Syzygy table" "${verify[@]}" KPvK --against damaged
cp "$published/KQvK.rtbw" damaged/KPvK.rtbw
expect 1 "damaged/KPvK.rtbw does not hold KPvK" "${verify[@]}" KPvK --against damaged
expect 2 "--against is for full tables of chess, not 'dobutsu'" "${verify[@]}" dobutsu --against exact
expect 1 "KPvK exists only as Syzygy files" "$cltb" verify KPvK --dir "$published"
finish
