#!/bin/bash
# slow_solve_studies.sh - cltb solve: published studies, and that it keeps to its memory
. "$(dirname "$0")/common.bash"

# FEN, verdict, the only first move: docs/structures.md names the sources.
while IFS='|' read -r fen verdict move; do
    expect 0 "$verdict, proved: $move is the only move" "$cltb" solve "$fen" --dir none
done <<'studies'
8/8/1KP5/3r4/8/8/8/k7 w - - 0 1|win 1|c7
8/6p1/7k/8/1K6/8/1P6/8 w - - 0 1|win 3|Kc5
8/p4K2/P7/8/8/8/1k6/8 w - - 0 1|win 9|Ke6
8/5p2/1p6/1P2K2k/8/8/8/8 w - - 0 1|draw|Kf5
8/2p5/6K1/8/8/5k2/P7/8 w - - 0 1|win 9|Kf5
8/1pK5/8/8/8/8/k4P2/8 w - - 0 1|win 5|Kd6
8/2k5/p1P5/P1K5/8/8/8/8 w - - 0 1|win 13|Kd5
studies

# What is held stays under --memory, with arrays in a file or without.
held() { # MOST OPTIONS...
    local most=$1
    shift
    expect 0 '"peak_memory"' "$cltb" solve "$@" --memory "$most" --dir none --format json
    local peak
    peak=$(grep -o '"peak_memory": [0-9]*' "$out" | grep -o '[0-9]*$')
    [ "$peak" -le "$most" ] || fail "$* holds $peak bytes of $most"
}
held 262144000 '8/5p2/1p6/1P2K2k/8/8/8/8 w - - 0 1' --scratch .
held 262144000 '8/2k5/p1P5/P1K5/8/8/8/8 w - - 0 1' --scratch .
held 420000000 '8/2k5/p1P5/P1K5/8/8/8/8 w - - 0 1'
held 170000000 '8/2p5/3k4/1p1p1K2/8/1P1P4/2P5/8 w - - 0 1' --effort 0 --scratch .
finish
