#!/bin/bash
# slow_mates.sh - distances to mate of five men: the known longest ones, and samples against the rules
. "$(dirname "$0")/common.bash"

# Built with all tables that captures and promotions lead to, and reduced to the distances of one side: some 400 seconds
# on one processor, most of them for KQPvKQ.
known="KQPvKQ 247 KNNvKP 229 KBNvKN 213"
# shellcheck disable=SC2046 # words
expect 0 "reduced to the distances of one side" \
    "$cltb" build $(tr ' ' '\n' <<<"$known" | grep K) --metric dtm --dir m --device cpu
while read -r table plies; do
    "$cltb" info "m/$table.dtm.cltb" --format json | python3 -c '
import json, sys
sys.exit(json.load(sys.stdin)["white"]["outcomes"]["win"]["longest"] != int(sys.argv[1]))' "$plies" ||
        fail "$table: the longest win does not have $plies plies"
    # A sample of KQPvKQ takes over 5 minutes: queens have many moves, and each leads to a search.
    [ "$table" = KQPvKQ ] || expect 0 "positions right" "$cltb" verify "$table.dtm" --dir m
done < <(xargs -n 2 <<<"$known")
expect 0 "	win	229" "$cltb" probe --metric dtm --format tsv --dir m '1N6/8/p7/8/8/8/2k1N3/K7 w'
finish
