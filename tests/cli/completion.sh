#!/bin/bash
# completion.sh - `cltb completion`: what the shells offer, and that help and options agree
# shellcheck source=tests/cli/common.bash
. "$(dirname "$0")/common.bash"

expect 2 "which shell" "$cltb" completion
expect 2 "bash|zsh|fish, not 'tcsh'" "$cltb" completion tcsh
expect 2 "which shell" "$cltb" completion bash zsh
for shell in bash zsh fish; do
    expect 0 "build||command||makes tables" "$cltb" completion $shell
    cp "$out" cltb.$shell
    ! grep -q '@TABLE@' cltb.$shell || fail "$shell: no table"
done

! grep '|--dir|' cltb.bash | grep -v '|folder|' || fail "a --dir does not offer folders"

# Every option is described in the help, and the help has no others.
commands=$("$cltb" help | sed -n 's/^    cltb \([a-z]*\) .*/\1/p')
for command in $commands; do
    grep -q "^$command||command||." cltb.bash || fail "completion does not know $command"
    sed -n "s/^$command|\(--[a-z-]*\)|.*/\1/p" cltb.bash | sort >options.txt
    # Named by the usage or in the list of options
    "$cltb" help "$command" | sed -n '1,/^$/p; /^    --/s/^    \(--[a-z-]*\).*/\1/p' | grep -oe '\B--[a-z-]*' |
        sort -u >named.txt
    differ=$(comm -3 options.txt named.txt)
    [ -z "$differ" ] || fail "the help of $command and its options (on the left) differ in: $differ"
done
rm -f options.txt named.txt

mkdir folder
touch folder/a.cltb
# The line, with _ for the empty word that is completed | some of the candidates, in alphabetical order | what is not
# offered
cases='pr|probe|build
_|bench build help|--help
build --de|--device|--dir
build --device _|auto cpu|--dir
build --device = c|cpu|auto
build --isa a|avx2 avx512|generic
build --threads _||--dir auto
build --force --f|--force --format|--dir
bench --format _|json text|tsv
stats --format _|json syzygy text tsv|raw
probe --dir fol|folder|--dir
probe --table folder/|folder/a.cltb|--table
info folder/|folder/a.cltb|--format
devices --f|--format|auto
play _|dobutsu|--dir
completion _|bash fish zsh|--dir
help pe|perft|probe'

# compare SHELL: checks $words against $out, which has one candidate in each line
compare() {
    local word
    for word in $offered; do
        grep -qxFe "$word" "$out" || fail "$1: '$line' does not offer $word: $(xargs <"$out")"
    done
    for word in $others; do
        ! grep -qxFe "$word" "$out" || fail "$1: '$line' offers $word"
    done
}

while IFS='|' read -r line offered others; do
    bash -c '. ./cltb.bash
        COMP_WORDS=(cltb "${@//_/}")
        COMP_CWORD=$#
        _cltb
        printf "%s\n" "${COMPREPLY[@]}"' bash $line >"$out" 2>"$err"
    [ ! -s "$err" ] || fail "bash: '$line': $(cat "$err")"
    compare bash
done <<<"$cases"

if command -v fish >/dev/null; then
    fish --no-execute cltb.fish || fail "fish does not read the script"
    while IFS='|' read -r line offered others; do
        line=${line/ = /=}
        HOME=$tmp fish --no-config -c 'source cltb.fish; complete -C $argv[1]' "cltb ${line/_/}" >"$err" 2>&1
        cut -f1 "$err" | sed 's/^--.*=//; s/\/$//' >"$out"
        compare fish
    done <<<"$cases"
else
    echo "fish: not here, left out"
fi

# zsh completes only at a terminal, so this tests what the script passes to the functions that offer candidates
if command -v zsh >/dev/null; then
    zsh -n cltb.zsh || fail "zsh does not read the script"
    while IFS='|' read -r line offered others; do
        zsh -f -c '_arguments() { print -rl -- $@ }
            _describe() { print -rl -- ${(P)2} }
            words=(cltb ${@/_/}) CURRENT=$(( $# + 1 ))
            . ./cltb.zsh' zsh $line >"$out" 2>&1
        for word in ${offered//folder*/_files}; do
            # A command, an option, a choice, or files
            grep -qE -e "^$word(:|=?\[.*\])" -e ":value:\((.* )?$word( .*)?\)\$" -e ":$word( -/)?\$" "$out" ||
                fail "zsh: '$line' does not offer $word: $(cat "$out")"
        done
    done <<<"$cases"
else
    echo "zsh: not here, left out"
fi
rm -rf folder cltb.bash cltb.zsh cltb.fish
finish
