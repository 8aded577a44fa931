# cltb.bash - completes the command line of cltb in bash; printed by `cltb completion bash`
# shellcheck shell=bash
_cltb()
{
    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]}
    local command name kind choices options='--help' words='' paths=''
    # --name=value comes as three words.
    [ "$prev" != = ] || prev=${COMP_WORDS[COMP_CWORD - 2]}
    [ "$cur" != = ] || cur=''
    while IFS='|' read -r command name kind choices _; do
        if [ "$COMP_CWORD" = 1 ]; then
            options='--help --version'
            [ "$kind" != command ] || words+="$command "
            continue
        fi
        [ "$command" = "${COMP_WORDS[1]}" ] && [ "$kind" != command ] || continue
        options+=" $name"
        if [ -z "$name" ] || { [ "$name" = "$prev" ] && [ "$kind" != flag ]; }; then
            words=$choices
            case $kind in folder) paths=-d ;; file) paths=-f ;; *) paths='' ;; esac
            [ -z "$name" ] || { options=''; break; }
        fi
    done <<'END'
@TABLE@
END
    # Options are offered behind a dash, and where nothing else is.
    case $cur$words$paths in -* | '') words=$options paths='' ;; esac
    local IFS=$'\n'
    # shellcheck disable=SC2207 # one candidate a line
    COMPREPLY=($(
        IFS=' '
        compgen -W "$words" -- "$cur"
        [ -z "$paths" ] || compgen "$paths" -- "$cur"
    ))
    [ -z "$paths" ] || compopt -o filenames 2>/dev/null
}
complete -F _cltb cltb
