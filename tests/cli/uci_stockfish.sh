#!/bin/bash
# uci_stockfish.sh - `cltb uci` wins won positions against Stockfish and holds drawn ones; GAMES of each (default 6)
. "$(dirname "$0")/common.bash"
command -v python3 >/dev/null || exit 77
stockfish=$(PATH=$PATH:/usr/games command -v stockfish) || exit 77
expect 0 "made" "$cltb" build KQvKR KBNvK KPvKP --dir t --device cpu
expect 0 "made" "$cltb" build KQvKR KBNvK KRvKB --metric dtm --dir t --device cpu
games=${GAMES:-6}
positions=$source_dir/tests/data/positions.tsv
# Each position, and with the colours flipped.
for outcome in win draw; do
    awk -F '\t' -v OFS='\t' -v outcome=$outcome -v games="$games" '
        function flipped(fen, field, rank, i, c, board) {
            split(fen, field, " ")
            for (i = split(field[1], rank, "/"); i >= 1; i--)
                board = board (board == "" ? "" : "/") rank[i]
            fen = ""
            for (i = 1; i <= length(board); i++) {
                c = substr(board, i, 1)
                fen = fen (c == toupper(c) ? tolower(c) : toupper(c))
            }
            return fen " " (field[2] == "w" ? "b" : "w") " - - 0 1"
        }
        $1 ~ /^(KBNvK|K[QRBNP]?vK[QRBNP]?)$/ && $2 ~ / - - / && $3 == outcome {
            line[n++] = $2 OFS outcome
            line[n++] = flipped($2) OFS outcome
        }
        END { for (i = 0; i < games && i < n; i++) print line[int(i * n / (games < n ? games : n))] }
    ' "$positions"
done >fens
[ "$(wc -l <fens)" -ge 10 ] || fail "only $(wc -l <fens) positions"
timeout 1500 python3 "$source_dir/tests/cli/uci_client.py" games "$cltb" t "$stockfish" fens || fail "see above"
finish
