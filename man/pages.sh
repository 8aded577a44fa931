#!/bin/sh
# pages.sh - writes all manual pages
#
#     pages.sh CLTB FOLDER     into FOLDER/man1, man3 and man5
#
# cltb-NAME(1) is what `CLTB help NAME` prints, turned into a page by page.awk, with the end that all commands share and
# then the examples. In the pages that are written by hand, a line stands for what has another source: @COMMANDS@ for
# the list of commands, @TAIL@ for that end, @NAMES@ and @PROTOTYPES@ for the functions in include/cltb/.
set -eu
cltb=$1
folder=$2
here=$(dirname "$0")
date=$(sed -n 's/^\.Dd //p' "$here/cltb.1")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
rm -rf "$folder"
mkdir -p "$folder/man1" "$folder/man3" "$folder/man5"

# put LINE FILE: the page on standard input with that file in place of that line
put() {
    awk -v line="$1" -v file="$2" '
        $0 != line { print; next }
        { while ((getline text < file) > 0) print text }'
}

"$cltb" help | sed -n 's/^    cltb \([a-z]*\)  */\1 /p' >"$work/commands"
while read -r command summary; do
    printf '.It Xr cltb-%s 1\n%s\n' "$command" "$summary" >>"$work/list"
    {
        "$cltb" help "$command" >"$work/help"
        sed '/^Examples*:$/,$d' "$work/help" |
            awk -v command="$command" -v summary="$summary" -v date="$date" -f "$here/page.awk"
        cat "$here/tail.mdoc"
        printf '.Sh EXAMPLES\n.Bd -literal\n'
        sed -e '1,/^Examples*:$/d' -e '/^$/d' -e 's/^    //' -e 's/\\/\\e/g' -e "s/'/\\\\(aq/g" \
            -e 's/-/\\-/g' -e 's/\^/\\(ha/g' -e 's/~/\\(ti/g' "$work/help"
        printf '.Ed\n'
        printf '.Sh SEE ALSO\n.Xr cltb 1 ,\n.Xr libcltb 3 ,\n.Xr cltb 5\n'
    } >"$folder/man1/cltb-$command.1"
done <"$work/commands"
put @COMMANDS@ "$work/list" <"$here/cltb.1" | put @TAIL@ "$here/tail.mdoc" >"$folder/man1/cltb.1"

for header in cltb dobutsu gap; do
    awk -f "$here/prototypes.awk" "$here/../include/cltb/$header.h"
done >"$work/prototypes"
sed -n -e '$!s/^\.Fo \(.*\)/.Nm \1/p' "$work/prototypes" | sed -e '$!s/$/ ,/' >"$work/names"
put @NAMES@ "$work/names" <"$here/libcltb.3" | put @PROTOTYPES@ "$work/prototypes" >"$folder/man3/libcltb.3"
cp "$here/cltb.5" "$folder/man5/cltb.5"
