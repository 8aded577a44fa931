#!/bin/bash
# man.sh - the manual pages: they have everything that `cltb help` says, are correct mdoc, and name only what exists
# shellcheck source=tests/cli/common.bash
. "$(dirname "$0")/common.bash"
command -v mandoc >/dev/null || { echo "no mandoc"; exit 77; }

sh "$source_dir/man/pages.sh" "$cltb" man || fail "the pages cannot be made"

commands=$("$cltb" help | sed -n 's/^    cltb \([a-z]*\) .*/\1/p')
[ "$(wc -w <<<"$commands")" -ge 11 ] || fail "the commands are not listed: $commands"
for command in $commands; do
    page=man/man1/cltb-$command.1
    [ -s "$page" ] || { fail "no page of $command"; continue; }
    mandoc -T ascii "$page" | col -b >page.txt
    "$cltb" help "$command" >help.txt
    # Only letters and digits are compared: neither line ends nor marks matter.
    while read -r line; do
        fail "cltb-$command(1) lacks '$line'"
    done < <(awk '{ line = $0; gsub(/[^A-Za-z0-9]/, "", line); line = tolower(line) }
        NR == FNR { page = page line; next }
        !index(page, line)' page.txt help.txt)
    while read -r option; do
        fail "cltb-$command(1) lacks $option"
    done < <(comm -13 <(grep -oe '--[a-z-]*[a-z]' page.txt | sort -u) <(grep -oe '--[a-z-]*[a-z]' help.txt | sort -u))
    grep -q "^\.It Xr cltb-$command 1" man/man1/cltb.1 || fail "cltb(1) does not list $command"
done

# Where pages are looked up depends on the machine; that ours exist is tested below.
mandoc -T lint man/man?/* | grep -v 'STYLE: referenced manual not found' >"$out"
[ ! -s "$out" ] || fail "mandoc -T lint: $(cat "$out")"
sed -n 's/^\.\(It \)*Xr \([a-z-]*\) \([0-9]\).*/man\3\/\2.\3/p' man/man?/* | sort -u | while read -r page; do
    [ -f "man/$page" ] || fail "there is no page $page"
done
! grep -n '^@[A-Z]*@$' man/man?/* || fail "a place in a page is not filled"

# What the pages written by hand must name
for function in $(grep -ohE '\bcltb_[a-z_]+\(' "$source_dir"/include/cltb/*.h | tr -d '(' | sort -u); do
    grep -q "^\.Fn $function\b" man/man3/libcltb.3 || fail "libcltb(3) does not explain $function"
    grep -q "^\.Fo $function$" man/man3/libcltb.3 || fail "libcltb(3) has no prototype of $function"
done
mandoc -T ascii man/man5/cltb.5 | col -b >page.txt
for key in $(awk '/^## / { keys = /Chess tables|The table$|The bytes of/ } keys' \
    "$source_dir"/docs/{format,restricted,structures,dobutsu}.md |
    sed -n 's/^| \(`[a-z`, -]*`\) |.*/\1/p' | tr -d '`,'); do
    grep -qwFe "$key" page.txt || fail "cltb(5) lacks the key $key"
done
finish
