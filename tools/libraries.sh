# libraries.sh - sourced by windows.sh, wasm.sh and release.sh: libraries from the sources of this system's own packages
#
# The script that sources it says leave_out(), and sets:
#     work       the folder: include/, lib/, and the sources
#     jobs       how many files are compiled at a time
#     toolchain  the options of cmake that say for which system
# shellcheck shell=bash disable=SC2154 # those are set there

# source_of PACKAGE: its sources in $work/PACKAGE. Lists of source packages are fetched into build/ from wherever this
# system gets its packages, so that nothing of the system changes.
source_of() {
    local apt=$work/apt options version
    [ ! -d "$work/$1" ] || return 0
    command -v apt-get >/dev/null && command -v dpkg-source >/dev/null || leave_out "no apt-get or no dpkg-source"
    options=(-qq -o "Dir::Etc::sourcelist=$apt/all.list" -o "Dir::Etc::sourceparts=$apt/parts"
        -o "Dir::State::lists=$apt/lists" -o APT::Sandbox::User=root)
    if [ ! -d "$apt/lists" ]; then
        mkdir -p "$apt/lists/partial" "$apt/parts"
        { grep -h '^deb ' /etc/apt/sources.list /etc/apt/sources.list.d/*.list || true; } 2>/dev/null |
            sed 's/^deb /deb-src /' >"$apt/all.list"
        for file in /etc/apt/sources.list.d/*.sources; do
            [ ! -f "$file" ] || sed 's/^Types:.*/Types: deb-src/' "$file" >"$apt/parts/${file##*/}"
        done
        apt-get "${options[@]}" update >"$work/apt.log" 2>&1 || true # one list of others may be missing
    fi
    rm -rf "$work/unpack"
    mkdir "$work/unpack"
    # A mirror may list a version of which it has no files.
    for version in $(apt-cache "${options[@]}" showsrc "$1" | sed -n 's/^Version: //p' | sort -ruV); do
        ! (cd "$work/unpack" && apt-get "${options[@]}" source "$1=$version") >>"$work/apt.log" 2>&1 || break
    done
    [ -d "$(echo "$work/unpack"/*/)" ] || leave_out "the sources of $1 cannot be had: $(tail -n 1 "$work/apt.log")"
    mv "$work/unpack"/*/ "$work/$1"
}

# step WHAT COMMAND...: says little unless it fails
step() {
    local log=$work/$1.log
    shift
    "$@" >"$log" 2>&1 || {
        tail -n 20 "$log" >&2
        die "failed: $*"
    }
}

make_xml2() {
    local off=() option
    for option in C14N CATALOG DEBUG DOCB FTP HTML HTTP ICONV ISO8859X LEGACY LZMA MODULES OUTPUT PATTERN PROGRAMS \
        PUSH PYTHON READER REGEXPS SCHEMAS SCHEMATRON TESTS VALID WRITER XINCLUDE XPATH XPTR ZLIB; do
        off+=("-DLIBXML2_WITH_$option=OFF")
    done
    step xml2-configure cmake -S "$work/libxml2" -B "$work/libxml2/build" "-DCMAKE_INSTALL_PREFIX=$work" \
        "${toolchain[@]}" -DCMAKE_BUILD_TYPE=Release -DBUILD_SHARED_LIBS=OFF "${off[@]}"
    step xml2 cmake --build "$work/libxml2/build" --parallel "$jobs"
    step xml2-install cmake --install "$work/libxml2/build"
}

# once NAME FUNCTION PACKAGE
once() {
    [ ! -f "$work/lib/lib$1.a" ] || return 0
    say "lib$1, from its sources"
    source_of "$3"
    "$2"
}
