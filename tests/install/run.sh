#!/bin/bash
# run.sh - installs into a folder, then builds and runs a consumer with pkg-config and with find_package
#
#     run.sh CMAKE BUILD_DIR [CMAKE_PREFIX_PATH]      (CC, CFLAGS, LIBDIR: as the library was built; HARDENED: its
#                                                      flags, if a release has them)
set -eu
cmake=$1 build=$2 prefix_path=${3-}
here=$(cd "$(dirname "$0")" && pwd)
CC=${CC:-cc} CFLAGS=${CFLAGS-} LIBDIR=${LIBDIR:-lib}
work=$PWD/work
rm -rf "$work"
mkdir -p "$work"
prefix=$work/prefix

"$cmake" --install "$build" --prefix "$prefix" >"$work/install.log"
for file in include/cltb/cltb.h "$LIBDIR/pkgconfig/cltb.pc" "$LIBDIR/cmake/cltb/cltbConfig.cmake"; do
    [ -f "$prefix/$file" ] || { echo "not installed: $file" >&2; exit 1; }
done
# Every visible name starts with cltb_, so that an engine may name its own functions as it likes.
for library in "$prefix/$LIBDIR"/libcltb.*; do
    case $library in *.a) dynamic= ;; *) dynamic=-D ;; esac
    names=$(nm $dynamic -g --defined-only "$library" | awk 'NF == 3 && $3 !~ /^cltb_/ { print $3 }')
    [ -z "$names" ] || { echo "$library shows" $names >&2; exit 1; }
done
for library in "$prefix/$LIBDIR"/libcltb-fathom.*; do
    [ -e "$library" ] || continue
    case $library in *.a) dynamic= ;; *) dynamic=-D ;; esac
    nm $dynamic -g --defined-only "$library" | awk 'NF == 3 { print $3 }' | LC_ALL=C sort |
        diff <(sed -n 's/^ \(.*\)@Base.*/\1/p' "$here/../../debian/libcltb-fathom0.symbols") - ||
        { echo "debian/libcltb-fathom0.symbols (<) and $library (>) differ" >&2; exit 1; }
done
# The symbols file of the Debian package lists the public functions.
sed -n 's/^ \(cltb_[a-z_]*\)@.*/\1/p' "$here/../../debian/libcltb0.symbols" | sort >"$work/symbols"
grep -ohE '\bcltb_[a-z_]+\(' "$prefix"/include/cltb/*.h | tr -d '(' | sort -u | diff "$work/symbols" - ||
    { echo "debian/libcltb0.symbols (<) and the headers (>) differ" >&2; exit 1; }
# Its documents, and what users meet at a terminal
for file in doc/cltb/README.md doc/cltb/CHANGELOG.md doc/cltb/docs/format.md man/man1/cltb-build.1 man/man3/libcltb.3 \
    man/man5/cltb.5 bash-completion/completions/cltb zsh/site-functions/_cltb fish/vendor_completions.d/cltb.fish; do
    [ -s "$prefix/share/$file" ] || { echo "not installed: share/$file" >&2; exit 1; }
done
export LD_LIBRARY_PATH=$prefix/$LIBDIR${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}

if command -v pkg-config >/dev/null; then
    export PKG_CONFIG_PATH=$prefix/$LIBDIR/pkgconfig${PKG_CONFIG_PATH:+:$PKG_CONFIG_PATH}
    flags=$(pkg-config --cflags --libs cltb)
    # shellcheck disable=SC2086 # the flags are words
    "$CC" $CFLAGS "$here/consumer.c" -o "$work/by_pkg_config" $flags
    echo "pkg-config: $("$work/by_pkg_config")"
    for example in probe engine; do
        # shellcheck disable=SC2086
        "$CC" -std=c11 -Wall -Wextra -Werror $CFLAGS "$here/../../docs/examples/$example.c" -o "$work/$example" \
            -pthread $flags
        "$work/$example" nowhere '8/8/8/8/8/2k5/8/2K2Q2 w - - 0 1' 2>&1 | grep -q 'no table KQvK.cltb' ||
            { echo "the example $example.c gives no error" >&2; exit 1; }
    done
    # An engine with Fathom's interface, in C and in C++
    if pkg-config --exists cltb-fathom; then
        flags=$(pkg-config --cflags --libs cltb-fathom)
        # shellcheck disable=SC2086
        "$CC" -Wall -Wextra -Werror $CFLAGS "$here/../fathom/engine.c" -o "$work/fathom" $flags
        "$work/fathom" nowhere | grep -q '^TB_LARGEST 0$' || { echo "an engine finds tables nowhere" >&2; exit 1; }
        # shellcheck disable=SC2086
        ! command -v c++ >/dev/null || c++ -x c++ -Wall -Wextra -Werror -fsyntax-only "$here/../fathom/engine.c" $flags
    fi
else
    echo "pkg-config: not here, left out"
fi

"$cmake" -S "$here" -B "$work/build" -DCMAKE_C_COMPILER="$CC" "-DCMAKE_C_FLAGS=$CFLAGS" \
    "-DCMAKE_PREFIX_PATH=$prefix;$prefix_path" >"$work/configure.log"
"$cmake" --build "$work/build" >"$work/build.log"
echo "find_package: $("$work/build/consumer")"

# It is hardened as docs/reliability.md says.
hardened() { # TEXT READELF-OPTION
    readelf -W "$2" "$prefix/bin/cltb" | grep -qE "$1" || { echo "bin/cltb lacks $1" >&2; exit 1; }
}
if [ -n "${HARDENED-}" ] && [ -x "$prefix/bin/cltb" ] && command -v readelf >/dev/null; then
    hardened 'GNU_RELRO' --segments
    hardened 'FLAGS.*NOW' --dynamic
    hardened 'Type: +DYN' --file-header
    hardened ' __stack_chk_fail' --dyn-syms
    hardened ' __[a-z]+_chk' --dyn-syms
fi

# The installed command finds everything it needs.
if [ -x "$prefix/bin/cltb" ]; then
    "$prefix/bin/cltb" perft 1 >/dev/null
fi

# What an engine asks, against what the command says of the same moves.
if [ -x "$prefix/bin/cltb" ] && [ -x "$work/engine" ]; then
    fen='1k6/1r6/2K5/Q7/8/8/8/8 w - - 0 1'
    "$prefix/bin/cltb" build --men 3 --dir "$work/tables" --device cpu --quiet
    "$prefix/bin/cltb" build KQvKR --dir "$work/tables" --device cpu --quiet
    "$prefix/bin/cltb" probe --dir "$work/tables" --format json "$fen" >"$work/probe.json"
    "$work/engine" "$work/tables" "$fen" >"$work/moves"
    "$work/engine" "$work/tables" "$fen" repeated >"$work/shortest"
    [ "$(grep -c '^[a-h1-8]* win [0-9]*$' "$work/moves")" = "$(grep -o '"outcome": "win"' "$work/probe.json" | sed 1d |
        wc -l)" ] && [ "$(cat "$work/shortest")" = "$(grep ' 15$' "$work/moves")" ] && [ -s "$work/shortest" ] ||
        { echo "engine.c would search other moves: $(cat "$work/moves")" >&2; exit 1; }
    right=$(printf '%s\n' "loss 0" "blessed-loss 0" "draw 1" "cursed-win 0" "win 1" "to be searched 2")
    said=$(printf '%s\n' "$fen" '8/8/8/8/8/2k5/8/2K3Q1 w - - 0 1' '8/8/8/8/8/2k5/8/K7 w - - 0 1' \
        '8/8/8/8/8/2k2n2/8/2K3Q1 w - - 0 1' | "$work/engine" "$work/tables" - 3)
    [ "$said" = "$right" ] || { echo "engine.c counts otherwise: $said" >&2; exit 1; }
fi
