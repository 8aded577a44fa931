#!/usr/bin/env bash
# quickstart.sh - from a fresh Debian or Ubuntu to a first table and a first probe
#
# Installs what is missing (when root, or through sudo), builds build/release, makes tables/KQvKR.cltb and probes it.
# Can be run again at any time: it does only what is still to be done.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. tools/deps.sh

[ $# -eq 0 ] || die "takes no arguments"

deps_ensure build
say "building build/release"
configure release
compile release cltb cltb-cli cltb_shared # the last one for python/
cltb=build/release/cltb

run() {
    say "$*"
    "$@"
}
run $cltb build KQvKR --dir tables
# Philidor, 1777: White to move wins by losing a move.
run $cltb probe --dir tables '1k6/1r6/2K5/Q7/8/8/8/8 w - - 0 1'
