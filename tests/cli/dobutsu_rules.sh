#!/bin/bash
# dobutsu_rules.sh - `cltb perft --game dobutsu`: counts of the golden file, options, bad positions
. "$(dirname "$0")/common.bash"

perft=("$cltb" perft --game dobutsu)

# Counts: rules, depth, sequences, sequences whose last move wins.
rows=0
while IFS=$'\t' read -r rules depth sequences wins; do
    if [ "$rules" = rules ] || [ "$depth" -gt 7 ]; then
        continue
    fi
    expect 0 "$sequences leaves ($wins won by the last move) in " "${perft[@]}" --rules "$rules" "$depth"
    rows=$((rows + 1))
done <"$source_dir/tests/data/dobutsu/dobutsu-perft.tsv"
[ "$rows" = 14 ] || fail "$rows lines of dobutsu-perft.tsv were compared, not 14"

expect 0 "1 leaf (0 won by the last move)" "${perft[@]}" 0
expect 0 "8122 leaves (511 won by the last move)" "${perft[@]}" 5
expect 0 "8122 leaves (511 won by the last move)" "${perft[@]}" 5 S/gle/-c-/-C-/ELG/-
expect 0 "8122 leaves (511 won by the last move)" "${perft[@]}" 5 G/gle/-c-/-C-/ELG/-
expect 0 "38 leaves (0 won by the last move)" "${perft[@]}" 1 S/--l/---/-L-/---/CGEcge
expect 0 "33 leaves" "${perft[@]}" 1 G/--l/---/-L-/---/CGEcge
expect 0 "0 leaves" "${perft[@]}" 1 S/lEG/EGL/-CC/---/-

# The counts after the moves add up.
expect 0 "Lb4-a3: " "${perft[@]}" 4 --divide
sum=0
while read -r leaves; do
    sum=$((sum + leaves))
done < <(sed -n 's/^[A-Z].*: //p' "$out")
[ "$sum" = 976 ] || fail "--divide: the counts add up to $sum, not 976"
[ "$(wc -l <"$out")" = 5 ] || fail "--divide: not four moves and the sum: $(cat "$out")"
expect 0 "Lb1-c2: " "${perft[@]}" 2 --divide G/gle/-c-/-C-/ELG/-

# Chess is the default.
expect 0 "197281 leaves in" "$cltb" perft --game chess 4
expect 0 "8902 leaves in" "$cltb" perft 3

# Wrong usage.
expect 2 "--game takes chess|dobutsu, not 'go'" "$cltb" perft --game go 3
expect 2 "--rules takes full|stop, not 'all'" "${perft[@]}" --rules all 3
expect 2 "--rules belongs to --game dobutsu" "$cltb" perft --rules stop 3
expect 2 "--threads belongs to chess" "${perft[@]}" --threads 2 3
expect 2 "takes a depth and perhaps a position" "${perft[@]}"
expect 2 "takes a depth and perhaps a position" "${perft[@]}" 1 S/gle/-c-/-C-/ELG/- more
expect 2 "the depth is a number" "${perft[@]}" S/gle/-c-/-C-/ELG/-
expect 2 "the depth is a number" "${perft[@]}" -- -1
expect 2 "the depth is a number" "${perft[@]}" 1000

# Bad positions: one line, exit status 1. Many more are in test_dobutsu_text.c.
while IFS='|' read -r position sentence; do
    expect 1 "dobutsu position: $sentence" "${perft[@]}" 2 "$position"
done <<'END'
|it is empty
X/gle/-c-/-C-/ELG/-|it begins with the side to move, S or G, not with 'X'
S/gle/-q-/-C-/ELG/-|'q' in rank 2 is neither a man (CGERLcgerl) nor '-'
S/gle/-cL/-C-/ELG/-|Sente has two lions
S/gle/lc-/-C-/ELG/-|Gote has two lions
S/gle/-c-/---/ELG/-|only one chick or rooster
S/-le/-c-/-C-/EL-/-|no giraffe
S/gle/-c-/-C-/ELG/|nothing after the last '/'
S/gle/-c-/-C-/ELG/-x|'x' after the men in hand
S/gle/-c-/-C-/ELG/- S/gle/-c-/-C-/ELG/-|it is longer than 31 characters
rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1|it is longer than 31 characters
END
expect 1 "FEN" "$cltb" perft 2 S/gle/-c-/-C-/ELG/-
finish
