#!/bin/bash
# play.sh - won positions are won as a person would win them: by `cltb uci` against itself, and in best lines
. "$(dirname "$0")/common.bash"
command -v python3 >/dev/null || exit 77
shared_tables t KRRvK KQRvK KQQvK KQvKR KBvK KNvK KPvK KQvK KRvK
fens='8/8/8/8/8/2k5/8/2K2QQ1 w - - 0 1;8/8/8/3k4/8/8/8/KRR5 w - - 0 1;8/8/8/3k4/8/8/8/KQR5 w - - 0 1'
fens+=';8/8/8/8/2r5/8/2k5/K6Q w - - 0 1;1k6/1r6/2K5/Q7/8/8/8/8 w - - 0 1;8/8/8/8/8/2k5/8/RQ4K1 w - - 0 1'
fens+=';8/8/8/8/8/2k5/4P3/4K3 w - - 0 1;8/8/3k4/8/8/8/8/K5RR w - - 0 1;8/8/8/4k3/8/8/8/KQQ5 w - - 0 1'
expect 0 "9 positions: 0 not mated, 0 men given up" timeout 300 \
    python3 "$source_dir/tools/play.py" "$cltb" t --fens "$fens"
plies=$(sed -n 's/.* \([0-9]*\) plies to mate$/\1/p' "$out")
[ "$plies" -le 210 ] || fail "mates take $plies plies: $(cat "$out")"

# Lucena's position needs a table of five men; the bridge is built without giving the pawn away. 49 plies today.
if [ -n "${CLTB_TEST_TABLES-}" ]; then
    expect 0 "1 positions: 0 not mated, 0 men given up" timeout 300 python3 "$source_dir/tools/play.py" "$cltb" \
        "$CLTB_TEST_TABLES" --fens '1K1k4/1P6/8/8/8/8/r7/2R5 w - - 0 1'
    plies=$(sed -n 's/.* \([0-9]*\) plies to mate$/\1/p' "$out")
    [ "$plies" -le 59 ] || fail "Lucena takes $plies plies"
fi

# Best lines mate at once, and give nothing up.
expect 0 "best line: 1. Q" "$cltb" probe --dir t '8/8/8/8/8/2k5/8/2K2QQ1 w - - 0 1'
grep -q '^best line: 1\. Q[a-z0-9+]* K[a-h][1-8] 2\. Q[a-z0-9]*#$' "$out" || fail "two queens: $(tail -n 1 "$out")"
for fen in '8/8/8/3k4/8/8/8/KRR5 w - - 0 1' '8/8/8/3k4/8/8/8/KQR5 w - - 0 1'; do
    expect 0 "best line" "$cltb" probe --dir t "$fen"
    tail -n 1 "$out" | grep -q '#$' && ! tail -n 1 "$out" | grep -q x || fail "$fen: $(tail -n 1 "$out")"
    best=$(sed -n 's/^best line: 1\. \([^ ]*\) .*/\1/p' "$out")
    "$cltb" explore --dir t "$fen" <<<best 2>/dev/null | grep -qF "best: 1. $best" || fail "explore: not $best"
done

# With distances to mate the line is the shortest mate.
expect 0 "made" "$cltb" build KQQvK --metric dtm --dir t --device cpu
expect 0 "win, mate in 2 (3 plies), DTZ 2" "$cltb" probe --dir t '8/8/8/8/8/2k5/8/2K2QQ1 w - - 0 1'
grep -q '^best line: 1\. [^ ]* [^ ]* 2\. [^ ]*#$' "$out" || fail "with distances to mate: $(tail -n 1 "$out")"
for name in KQRvK KRRvK KQvKR; do
    expect 0 "made" "$cltb" build $name --metric dtm --dir t --device cpu
done
expect 0 " plies to mate, 0 not the shortest" \
    timeout 300 python3 "$source_dir/tools/play.py" "$cltb" t --positions 12 --names KQQvK,KQRvK,KRRvK,KQvKR --mates
finish
