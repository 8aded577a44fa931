#!/bin/bash
# slow_identical_pieces.sh - three identical pieces, where capturing the first leaves another order of the men than
# capturing the last
# shellcheck source=tests/cli/common.bash
. "$(dirname "$0")/common.bash"

expect 0 "" "$cltb" build KBBBvK KRRRvK --dir t --device cpu --quiet
# With the futurebase of the wrong order this was a win in 8; the moves give 6.
expect 0 "win	6" "$cltb" probe --dir t --format tsv '8/8/8/3B4/8/2B1k3/8/3B1K2 w - - 0 1'
expect 0 "win	2" "$cltb" probe --dir t --format tsv '8/8/8/8/4R2R/7K/3R4/5k2 w - - 0 1'
expect 0 "right" "$cltb" verify KBBBvK --dir t --sample 100000
expect 0 "right" "$cltb" verify KRRRvK --dir t --sample 100000
finish
