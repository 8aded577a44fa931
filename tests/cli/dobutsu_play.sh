#!/bin/bash
# dobutsu_play.sh - playing dobutsu by the rules alone: every command, the ends of a game, bad input, a missing table
# and a damaged one
. "$(dirname "$0")/common.bash"
golden=$source_dir/tests/data/dobutsu

# game STATUS FAULTS LINE...: plays these lines without a table; FAULTS of them must fail, with a line each
game() {
    local status=$1 faults=$2
    shift 2
    printf '%s\n' "$@" | "$cltb" play dobutsu --dir nowhere --side both >"$out" 2>"$err"
    local got=$?
    [ "$got" = "$status" ] || fail "$* : exit status $got, not $status: $(head -c 300 "$err")"
    [ "$(wc -l <"$err")" = "$faults" ] || fail "$* : not $faults lines on standard error: $(cat "$err")"
    grep -qv '^cltb play: ' "$err" && fail "$* : $(cat "$err")"
}

# ---- the command line, no table, a bad table ----

expect 2 "dobutsu" "$cltb" play
expect 2 "dobutsu" "$cltb" play chess
expect 2 "--side takes sente|gote|both|none" "$cltb" play dobutsu --side left
expect 2 "unknown option" "$cltb" play dobutsu --level 3
for side in sente gote none; do
    expect 1 "no table dobutsu.cltb in 'nowhere'" "$cltb" play dobutsu --dir nowhere --side $side
    expect 1 "--side both" "$cltb" play dobutsu --dir nowhere --side $side
done
expect 0 "no table dobutsu.cltb in 'nowhere'" "$cltb" play dobutsu --dir nowhere --side both
expect 1 "no table dobutsu.cltb in 'nowhere'; make it with: cltb build dobutsu" \
    "$cltb" probe --game dobutsu --dir nowhere S/gle/-c-/-C-/ELG/-
expect 2 "--game takes chess|dobutsu" "$cltb" probe --game go S/gle/-c-/-C-/ELG/-
mkdir bad
head -c 3000 /dev/urandom >bad/dobutsu.cltb
expect 1 "bad/dobutsu.cltb" "$cltb" play dobutsu --dir bad --side both
expect 1 "bad/dobutsu.cltb" "$cltb" probe --game dobutsu --dir bad S/gle/-c-/-C-/ELG/-

# ---- a whole game: the golden line, with its positions ----

mapfile -t line < <(awk -F'\t' 'NR > 2 { print $2 }' "$golden/dobutsu-line.tsv")
awk -F'\t' 'NR > 2 && $3 != "end" { print $3 }' "$golden/dobutsu-line.tsv" >positions
commands=(quiet)
for move in "${line[@]}"; do
    commands+=("$move" "show setup")
done
game 1 1 "${commands[@]}"
says "Gote wins: the lion is taken"
says "without a lion" # to the last `show setup`
grep '/' "$out" | grep '^[SG]' | cmp -s - positions || fail "the golden line: other positions"
game 0 0 quiet "${line[@]}" undo "show setup" "show moves"
grep -qxF "$(tail -n 1 positions)" "$out" || fail "undo after the end: not the position before"
says "Gb4xc4"
game 0 0 quiet "${line[@]}" "show game"
says "1. Gc4-c3 Ga1-a2 2. Gc3-c4"
says "39. C*a2 Gb4xc4"
game 1 1 quiet "${line[@]}" Lc4-b4
says "the game is over"

# Moves in every form: lower case, signs left out or exchanged, blanks, a line ending of another system.
game 0 0 "  gc4c3  " "GA1-A2" $'Gc3xc4\r' "CB2B3" "" "# a remark" "show setup"
says "S/-le/g--/-c-/ELG/c"

# ---- ends, commands ----

# The commands and what they print; after '!': what they must not print, after '=': the last line.
round="Gc4-c3;Ga1-a2;Gc3-c4;Ga2-a1"
while IFS='|' read -ra row; do
    IFS=';' read -ra lines <<<"${row[0]}"
    game 0 0 "${lines[@]}"
    for text in "${row[@]:1}"; do
        case $text in
        !*) grep -qF -- "${text#!}" "$out" "$err" && fail "${text#!} is said: $(tail -n 3 "$out") $(cat "$err")" ;;
        =*) [ "$(tail -n 1 "$out")" = "${text#=}" ] || fail "${row[0]}: $(tail -n 1 "$out")" ;;
        *) says "$text" ;;
        esac
    done
done <<END
setup S/---/L--/---/--l/CCGGEE;show board|Gote wins: the lion has ascended
setup S/---/L--/--l/---/CCGGEE;la2a1|Sente wins: the lion has ascended
setup G/---/--L/l--/---/CCGGEE;la3b4|Gote wins: the lion has ascended
setup S/---/Lg-/--l/---/CCGEE;La2-b1;show setup|!wins|G/-L-/-g-/--l/---/CCGEE
setup S/---/Lg-/--l/---/CCGEE;La2-b1;gb2xb1;show board|Gote wins: the lion is taken|1  . g .
setup S/---/-l-/-L-/---/ccggee;lb3b2|Sente wins: the lion is taken|2  . L .
setup S/lEG/EGL/-CC/---/-|Gote wins: Sente has no move
$round;show setup;$round;show board|draw: this position for the third time
$round;$round;undo;show moves|Ga2-a1
$round;Gc4-c3;Ga1-a2;Gc3-c4|!draw
quit;frob
exit;frob
QUIT;frob
Gc4-c3;Ga1-a2;undo;show setup|=G/gle/-c-/-CG/EL-/-
Gc4-c3;Ga1-a2;Gc3-c4;remove;show setup|=G/gle/-c-/-CG/EL-/-
Gc4-c3;new;show setup|=S/gle/-c-/-C-/ELG/-
new G/-l-/gEe/---/-LG/Cc;show setup|=G/-l-/gEe/---/-LG/Cc
new G/-l-/gEe/---/-LG/Cc;Lb1xb2;Lb4-a4;show game|1... Lb1xb2 2. Lb4-a4
force;show|4  E L G   Sente, to move
setup G/-l-/gEe/---/-LG/Cc;show board|1  . l .   Gote, in hand c, to move|4  . L G   Sente, in hand C
quiet;Gc4-c3|!Gote, to move
quiet;verbose;Gc4-c3|Gote, to move
show game|no moves
END
game 0 0 help
for word in new setup undo remove hint show go sente gote both force verbose quiet help quit; do
    grep -q "^    $word " "$out" || fail "help: nothing of $word"
done
game 0 0 "show moves"
printf '%s\n' Cb3xb2 Gc4-c3 Lb4-a3 Lb4-c3 >expected
grep '^[CGEL][abc]' "$out" | cmp -s - expected || fail "show moves: $(cat "$out")"
says "no values"

# ---- what fails changes nothing, and is not said twice ----

for command in hint go sente gote both "show eval" "show lines" "show best"; do
    game 1 1 "$command" Gc4-c3 "show setup"
    says "needs the table: no table dobutsu.cltb in 'nowhere'"
    says "G/gle/-c-/-CG/EL-/-"
done
while IFS='|' read -r command text; do
    game 1 1 Gc4-c3 "$command" "show setup"
    says "$text"
    [ "$(tail -n 1 "$out")" = "G/gle/-c-/-CG/EL-/-" ] || fail "$command: the game has changed: $(tail -n 1 "$out")"
done <<'END'
frob|neither a command nor a move
Ga1-a2 Gc3-c4|not a command
Gc3-c4|not a possible move
Ga1-b1|not a possible move
Ga1-a2+|does not promote
G*a3|not a possible move
Xa1-a2|not written as a move
show me|not 'me'
undo 3|takes no argument
remove|not two moves
setup|needs a position
setup nonsense|S or G
setup S/gle/-c-/-C-/ELG|men in hand
setup S/g-e/-c-/-C-/E-G/-|both lions are missing
setup S/g-e/-c-/-C-/ELG/-|Gote has no lion
setup S/gle/-c-/-C-/ELG/C|more than two chicks
new S/gle/-c-/---/ELG/-|only one chick
END
game 1 1 undo
says "no move to take back"
head -c 100000 /dev/zero | tr '\0' G | "$cltb" play dobutsu --dir nowhere --side both >"$out" 2>"$err"
[ $? = 1 ] || fail "a long line: exit status"
[ "$(wc -l <"$err")" = 1 ] && [ "$(wc -c <"$err")" -lt 1000 ] || fail "a long line: $(head -c 300 "$err")"
printf 'Gc4\0-c3\nshow setup\n' | "$cltb" play dobutsu --dir nowhere --side both >"$out" 2>"$err"
[ $? = 1 ] && grep -qxF "S/gle/-c-/-C-/ELG/-" "$out" || fail "a NUL byte: $(cat "$out" "$err")"
head -c 3000 /dev/urandom | "$cltb" play dobutsu --dir nowhere --side both >"$out" 2>"$err"
[ $? -le 1 ] || fail "random bytes: exit status"

# ---- at a terminal: a prompt, completion where libedit is built in, Ctrl-D and Ctrl-C end it ----

play=("$cltb" play dobutsu --dir nowhere --side both)
at_terminal 0 'Gc4-c3\n' 'frob\n' '\x04' -- "${play[@]}"
says "1 Sente> "
says "1 Gote> "
says "neither a command"
at_terminal 130 'Gc4\x03' -- "${play[@]}"
if ldd "$cltb" | grep -q libedit; then
    at_terminal 0 'gc4\t\n' '\x1b[A\x01\x0bsh\tset\t\n' '\x04' -- "${play[@]}"
    says "G/gle/-c-/-CG/EL-/-"
fi
finish
