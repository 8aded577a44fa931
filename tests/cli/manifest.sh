#!/bin/bash
# manifest.sh - lists of SHA-256 sums, against sha256sum and against the list in docs/
# shellcheck source=tests/cli/common.bash
. "$(dirname "$0")/common.bash"
shared_tables t KBvK KNvK KPvK KQvK KRvK
"$cltb" manifest --dir t >list 2>"$err" || {
    [ -z "${CLTB_TEST_LIBMD-}" ] && grep -q 'built without libmd' "$err" && exit 77
    fail "$(cat "$err")"
}

# Each program reads what the other writes, in whatever form.
command -v sha256sum >/dev/null || exit 77
(cd t && sha256sum ./*.cltb | sed 's, \./, ,') | cmp -s - list || fail "not as sha256sum: $(cat list)"
(cd t && sha256sum --quiet -c ../list) || fail "sha256sum does not take our list"
sha256sum -b t/*.cltb | sed 's/^[^ ]*/\U&/' >theirs
expect 0 "5 right, 0 wrong, 0 missing, 0 not in the list" "$cltb" manifest --dir t --check theirs
sed 's/$/\r/; 1i # a comment' list >dos
expect 0 "5 right" "$cltb" manifest --dir t --check dos
"$cltb" manifest --dir t --check - <list >"$out" || fail "standard input"
mkdir -p odd
cp t/KQvK.cltb 'odd/back\slash.cltb'
cp t/KRvK.cltb $'odd/two\nlines.cltb'
"$cltb" manifest --dir odd >odd.list || fail "odd names"
(cd odd && sha256sum --quiet -c ../odd.list) || fail "odd names: $(cat odd.list)"
expect 0 "2 right, 0 wrong, 0 missing, 0 not in the list" "$cltb" manifest --dir odd --check odd.list

# The list in the documentation. Another version of the format or of libzstd makes other bytes; then this proves
# nothing.
documented=$source_dir/docs/tables-345.sha256
[ "$(grep -vc '^#' "$documented")" = 145 ] || fail "$documented: not 145 tables"
expect 0 "format version" "$cltb" info KQvK --dir t
version=$(sed -n 's/.*\(format version [0-9]*\).*/\1/p' "$out")
if grep -qF "$version, as libzstd $(pkg-config --modversion libzstd 2>/dev/null) " "$documented"; then
    grep -E ' K[QRBNP]vK\.cltb$' "$documented" | cmp -s - list || fail "not the sums of $documented: $(cat list)"
    expect 1 "0 wrong, 140 missing" "$cltb" manifest --dir t --check "$documented"
    expect 0 "5 right, 0 wrong, 0 missing" "$cltb" manifest --dir t --check "$documented" --ignore-missing
else
    echo "not compared with the sums of another version's or libzstd's tables"
fi

# Tampered, missing, not in the list, unreadable.
cp -r t changed
flip_bit changed/KQvK.cltb 3000
rm changed/KRvK.cltb
cp t/KNvK.cltb changed/more.cltb
expect 1 "the tables are not those of list: 1 wrong, 1 missing" "$cltb" manifest --dir changed --check list
[ "$(cat "$out")" = "KQvK.cltb: differs
KRvK.cltb: missing
more.cltb: not in the list
3 right, 1 wrong, 1 missing, 1 not in the list" ] || fail "changed: $(cat "$out")"
expect 1 "1 wrong, 0 missing" "$cltb" manifest --dir changed --check list --ignore-missing
cp t/KQvK.cltb changed
expect 0 "4 right, 0 wrong, 0 missing, 1 not in the list" "$cltb" manifest --dir changed --check list --ignore-missing
expect 0 "5 right" "$cltb" manifest --dir changed:t --check list
rm changed/KQvK.cltb
mkfifo changed/KQvK.cltb
expect 1 "1 wrong" timeout 20 "$cltb" manifest --dir changed --check list
grep -q 'KQvK.cltb: .*is not a file' "$out" || fail "a pipe: $(cat "$out")"
expect 1 "KQvK.cltb is not a file" timeout 20 "$cltb" manifest --dir changed
mkdir -p empty
expect 1 "none of the tables in list exists" "$cltb" manifest --dir empty --check list --ignore-missing

# Files that are not lists.
echo "not a list" >bad
expect 1 "bad, line 1: not a SHA-256 sum" "$cltb" manifest --dir t --check bad
for line in "$(head -c 63 list)  KQvK.cltb" "$(head -c 64 list) KQvK.cltb" "$(head -c 64 list)  " \
    "$(head -c 64 list)0  KQvK.cltb" "\\$(head -c 64 list)  KQ\\x.cltb" "MD5 (KQvK.cltb) = 0"; do
    { cat list && echo "$line"; } >bad
    expect 1 "bad, line 6: not a SHA-256 sum" "$cltb" manifest --dir t --check bad
done
for line in "# " ""; do
    { cat list && printf '%s' "$line" && head -c 1500000 /dev/zero | tr '\0' a && echo && cat list; } >bad
    expect 1 "bad, line 6: not a SHA-256 sum and the name of a file: (a line of more than a million bytes)" \
        "$cltb" manifest --dir t --check bad
done
{ cat list && echo "# nothing"; } | tr '\n' '\r' >macintosh
expect 0 "5 right" "$cltb" manifest --dir t --check macintosh
echo "# nothing" >bad
expect 1 "bad has no sums" "$cltb" manifest --dir t --check bad
expect 1 "cannot open nowhere" "$cltb" manifest --dir t --check nowhere
expect 1 "cannot read t" "$cltb" manifest --dir t --check t
expect 1 "cannot read the folder nowhere" "$cltb" manifest --dir nowhere
expect 2 "takes no arguments" "$cltb" manifest t
expect 2 "goes with --check" "$cltb" manifest --dir t --ignore-missing
finish
