#!/bin/bash
# walks.sh - docs/walks.md names functions that exist, in the order in which data passes them
. "$(dirname "$0")/common.bash"
cd "$source_dir" || exit 1

rows=0
before=
while IFS='|' read -r _ step function file what _; do
    case $step in
    *[0-9]*) ;;
    *) before= && continue ;; # another table
    esac
    function=$(tr -d '` ' <<<"$function")
    file=$(tr -d '` ' <<<"$file")
    rows=$((rows + 1))
    grep -qE "^[A-Za-z].*\b$function\(" "$file" || fail "$file does not define $function()"
    pointer=$(sed -n 's/.*\*by\* `[a-z]*->\([a-z_]*\)`.*/\1/p' <<<"$what")
    [ -z "$before" ] || grep -qE "\b(${pointer:-$function})\b" "$before" ||
        fail "step $step: $before does not mention ${pointer:-$function}"
    before=$file
done < <(grep '^|' docs/walks.md)
[ $rows -ge 30 ] || fail "docs/walks.md has only $rows steps"
for function in $(grep -oE '`[a-z_]+\(\)`' docs/walks.md | tr -d '`()' | sort -u); do
    grep -rqE "^[A-Za-z].*\b$function\(" host --include='*.c' || fail "there is no $function()"
done
finish
