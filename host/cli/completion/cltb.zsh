#compdef cltb
# cltb.zsh - completes the command line of cltb in zsh; printed by `cltb completion zsh`
_cltb()
{
    local command name kind choices text action
    local -a found specs
    while IFS='|' read -r command name kind choices text; do
        case $kind in
        command) found+=("$command:$text") ;;
        flag) action='' ;;
        file) action=':file:_files' ;;
        folder) action=':folder:_files -/' ;;
        value) action=":value:${${choices:+($choices)}:- }" ;;
        esac
        [[ $kind != command && $command == $words[2] ]] || continue
        if [[ -z $name ]]; then
            specs+=("*$action")
        else
            [[ $kind == flag ]] || name+='='
            text=${text//\[/\\[}
            specs+=("$name""[${text//\]/\\]}]$action")
        fi
    done <<'END'
@TABLE@
END
    if (( CURRENT == 2 )); then
        _describe command found
    else
        shift words
        (( CURRENT-- ))
        _arguments '--help[print the help of this command]' $specs
    fi
}
_cltb "$@"
