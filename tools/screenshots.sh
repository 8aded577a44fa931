#!/usr/bin/env bash
# screenshots.sh - makes the pictures of README.md again: docs/images/explore.svg
#
#     tools/screenshots.sh [DIR]      DIR: a folder with the tables of 3 and 4 men, and KQvKR.dtm.cltb (default: tables)
#
# Needs tmux, which draws the terminal, and python3.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. tools/deps.sh

dir=$(realpath "${1:-tables}")
cltb=$PWD/build/release/cltb
images=docs/images
[ -x "$cltb" ] || die "no $cltb: tools/quickstart.sh builds it"
mkdir -p "$images"

# wait_for COUNT: until the terminal shows so many prompts
wait_for() {
    for _ in $(seq 300); do
        [ "$(tmux -L "$socket" capture-pane -p -t shot | grep -c '^1 White>')" != "$1" ] || return 0
        sleep 0.1
    done
    die "cltb explore does not ask"
}

# The terminal's text as an SVG, a line of text each
draw() {
    python3 -c '
import html
import sys
lines = [line.rstrip() for line in sys.stdin.read().rstrip("\n").split("\n")]
print(f"""<svg xmlns="http://www.w3.org/2000/svg" width="680" height="{18 * len(lines) + 28}" role="img"
 aria-label="cltb explore at a terminal">
<rect width="100%" height="100%" rx="6" fill="#1c1f24"/>
<g fill="#d7dae0" font-family="monospace" font-size="14">""")
for number, line in enumerate(lines):
    if line:
        text = html.escape(line).replace(" ", "&#160;")
        print(f"<text x=\"16\" y=\"{18 * number + 27}\">{text}</text>")
print("</g></svg>")'
}

command -v tmux >/dev/null || die "no tmux"
socket=cltb-screenshots-$$
trap 'tmux -L "$socket" kill-server 2>/dev/null || true' EXIT
tmux -L "$socket" -f /dev/null new-session -d -s shot -x 76 -y 52 \
    "cd '${dir%/*}' && exec '$cltb' explore --dir '${dir##*/}' '1k6/1r6/2K5/Q7/8/8/8/8 w - - 0 1'"
wait_for 1
tmux -L "$socket" send-keys -t shot line Enter
wait_for 2
{
    echo "\$ cltb explore '1k6/1r6/2K5/Q7/8/8/8/8 w - - 0 1'"
    tmux -L "$socket" capture-pane -p -t shot
} | draw >"$images/explore.svg"
say "$images/explore.svg"
