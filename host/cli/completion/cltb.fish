# cltb.fish - completes the command line of cltb in fish; printed by `cltb completion fish`
complete -c cltb -f
printf '%s\n' '
@TABLE@
' | while read -d '|' -l command name kind choices text
    set -l add complete -c cltb -n "contains -- $command (commandline -opc)[2]"
    test -z "$name"; or set -a add -l (string sub -s 3 -- $name) -d "$text"
    switch $kind
        case command
            complete -c cltb -n __fish_use_subcommand -a $command -d "$text"
        case flag
            $add
        case file folder
            $add -rF
        case value
            $add -xa "$choices"
    end
end
