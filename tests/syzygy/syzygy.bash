# syzygy.bash - what the scripts in this folder share; sourced after ../cli/common.bash
#
# `need_export` skips the test if this `cltb` cannot write Syzygy files yet. `make_syzygy FOLDER OPTION...` writes the
# files of all tables in t to FOLDER. If CLTB_TEST_SYZYGY is set, the files in that folder (another program's) are
# judged instead of ours: FOLDER becomes a link to it. `judged_tables FOLDER` makes tables in t that programs of other
# people judge, with all that they need, and their Syzygy files in FOLDER; these are made once, as those of
# shared_tables().
# shellcheck shell=bash disable=SC2154 # common.bash sets cltb, tmp
skip() {
    echo "skipped: $*"
    exit 77
}

need_export() {
    [ -n "${CLTB_TEST_SYZYGY-}" ] || "$cltb" help export 2>/dev/null | grep -q syzygy || skip "no cltb export"
}

made() {
    local file
    for file in t/*.cltb; do
        basename "$file" .cltb
    done
}

make_syzygy() {
    local folder=$1
    shift
    if [ -n "${CLTB_TEST_SYZYGY-}" ]; then
        ln -s "$CLTB_TEST_SYZYGY" "$folder"
    else
        # shellcheck disable=SC2046 # names are words
        expect 0 "" "$cltb" export --format syzygy --only $(made) --dir t --to "$folder" "$@"
    fi
}

judged_tables() {
    local set=${XDG_CACHE_HOME:-$tmp}/tables
    # shellcheck disable=SC2046 # names are words
    shared_tables t $("$cltb" plan KBNvK KNNvK KQvKR KPvKP --dir none --format tsv | sed 1d | cut -f 1)
    if [ -n "${CLTB_TEST_SYZYGY-}" ]; then
        make_syzygy "$1"
        return
    fi
    (
        flock 9
        if [ ! -d "$set/syzygy" ]; then
            make_syzygy "$set/part"
            [ "$failures" = 0 ] || exit 1
            mv "$set/part" "$set/syzygy"
        fi
        cp -r "$set/syzygy" "$1"
    ) 9>"$set.lock" || fail "no Syzygy files"
}
