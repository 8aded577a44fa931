#!/bin/bash
# slow_uci_stockfish.sh - uci_stockfish.sh with 200 won and 200 drawn positions
GAMES=200 . "$(dirname "$0")/uci_stockfish.sh"
