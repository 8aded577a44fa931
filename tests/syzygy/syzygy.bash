# syzygy.bash - what the scripts in this folder share; sourced after ../cli/common.bash
#
# `need_export` skips the test if this `cltb` cannot write Syzygy files yet. `make_syzygy FOLDER OPTION...` writes the
# files of all tables in t to FOLDER. If CLTB_TEST_SYZYGY is set, the files in that folder (another program's) are
# judged instead of ours: FOLDER becomes a link to it.
# shellcheck shell=bash disable=SC2154 # common.bash sets cltb
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
