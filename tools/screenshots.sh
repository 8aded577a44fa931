#!/usr/bin/env bash
# screenshots.sh [CLTB] - makes the pictures in docs/images: page.png, the page of `cltb serve`, and explore.svg
#
# Needs tmux, which draws the terminal, and python3; for the page chromium, node, and what `npm ci` puts into
# web/node_modules.
set -euo pipefail
cd "$(dirname "$0")/.."
cltb=$(realpath "${1:-build/release/cltb}")
images=$PWD/docs/images
work=$(mktemp -d)
socket=cltb-screenshots-$$
trap 'tmux -L "$socket" kill-server 2>/dev/null || true; rm -rf "$work"' EXIT
"$cltb" build KQvKR --dir "$work/tables" --device cpu --quiet
mkdir -p "$images"

# The page. pngquant, if it is there, makes the file smaller.
node web/screenshots.mjs "$cltb" "$work/tables" "$images/page.png"
! command -v pngquant >/dev/null || pngquant --force --output "$images/page.png" "$images/page.png"

# wait_for COUNT: until the terminal shows so many prompts
wait_for() {
    for _ in $(seq 300); do
        [ "$(tmux -L "$socket" capture-pane -p -t shot | grep -c '^1 White>')" != "$1" ] || return 0
        sleep 0.1
    done
    echo "cltb explore does not ask" >&2
    exit 1
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

fen='1k6/1r6/2K5/Q7/8/8/8/8 w - - 0 1'
tmux -L "$socket" -f /dev/null new-session -d -s shot -x 76 -y 52 "cd '$work' && exec '$cltb' explore '$fen'"
wait_for 1
tmux -L "$socket" send-keys -t shot line Enter
wait_for 2
{
    echo "\$ cltb explore '$fen'"
    tmux -L "$socket" capture-pane -p -t shot
} | draw >"$images/explore.svg"
