#!/bin/bash
# readme.sh - the commands of README.md and docs/ work as they stand: builds are only planned, probes get their tables;
# links lead somewhere
# shellcheck source=tests/cli/common.bash
. "$(dirname "$0")/common.bash"
PATH=$(dirname "$cltb"):$PATH

# Commands of one line, as they are indented in documents.
commands() {
    sed -n 's/^    \$ \(cltb .*\)$/\1/p' "$@" | sed 's/ *#.*//'
}

[ "$(commands "$source_dir/README.md" | wc -l)" -ge 5 ] || fail "README.md has no commands any more"
grep -n 'build/release/cltb' "$source_dir"/README.md && fail "README.md calls cltb in two ways"
cat "$source_dir"/*.md "$source_dir"/docs/*.md | grep -E '[Ss]eed (0[0-9]|of the)|printed seed' &&
    fail "a document cites a seed that readers do not have"
! command -v python3 >/dev/null || python3 "$source_dir/tests/cli/links.py" "$source_dir" || fail "links"
# What python/README.md tells to do after the quick start needs the shared library.
grep -q 'CLTB_LIBRARY=build/release/shared/libcltb.so' "$source_dir/python/README.md" &&
    ! grep -q '^compile release .*\bcltb_shared\b' "$source_dir/tools/quickstart.sh" &&
    fail "the quick start does not make the library that python/README.md uses"
shared_tables tables KQvKR KQvK KRvK
while read -r command; do
    case $command in
        "cltb build "*[[\']*) continue ;; # restricted endgames have their own tests
        "cltb build dobutsu"* | *"<"* | *"|"*) continue ;;
        "cltb build "*) eval "$command --dry-run" >"$out" 2>"$err" </dev/null ;;
        "cltb probe "*) eval "$command" >"$out" 2>"$err" </dev/null ;;
        *) continue ;;
    esac || grep -q "room\|space" "$err" || fail "$command: $(cat "$err")"
done < <(commands "$source_dir/README.md" "$source_dir/docs/streaming.md" "$source_dir/docs/six-men.md" | sort -u)
finish
