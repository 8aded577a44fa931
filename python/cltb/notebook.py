"""Pictures of positions with their moves, as Jupyter shows them: see Tablebase.show()."""

from __future__ import annotations

import html
from typing import List, NamedTuple, Optional

from . import Move, Value

# The men of the page of `cltb serve`, in a square of 40.
_BASE = "M9 35v-3q0-2 2-2h18q2 0 2 2v3z"
_MEN = {
    "p": "M20 9a5 5 0 0 1 3.4 8.7q1.1 6.8 5.6 12.3H11q4.5-5.5 5.6-12.3A5 5 0 0 1 20 9z",
    "n": "M12 30q0-7 7-11-4 .5-6 3.5l-4-2.5q1-8 8-11l.5-4 4 3.2Q31 10 30 30z",
    "b": "M20 5.5a2.3 2.3 0 0 1 1.6 4Q29 15 28 20q-.8 3.6-4.5 5l1.5 5H15l1.5-5q-3.7-1.4-4.5-5-1-5 6.4-10.5"
    "a2.3 2.3 0 0 1 1.6-4zM20 14v7M16.5 17.5h7",
    "r": "M11 7h4.5v3h2.5V7h4v3h2.5V7H29v8l-3 2.5V26l2.5 4h-17l2.5-4v-8.5L11 15z",
    "q": "M12 30 7 13l6.5 6L15 9.5l5 8.5 5-8.5 1.5 9.5 6.5-6-5 17z",
    "k": "M18.7 4h2.6v2.7H24v2.6h-2.7V13q8.7-1.5 10 4.5.8 5-4.3 12.5H13Q7.9 22.5 8.7 17.5q1.3-6 10-4.5V9.3H16V6.7h2.7z",
}
_COLOURS = {2: "#2e7d32", 1: "#7cb342", 0: "#757575", -1: "#fb8c00", -2: "#c62828"}


def _text(value: Optional[Value]) -> str:
    if value is None:
        return "?"
    rounded = f" or {value.plies + 1}" if value.rounded else ""
    return value.name.replace("-", " ") + (f", DTZ {value.plies}{rounded}" if value.wdl and value.plies >= 0 else "")


class Picture(NamedTuple):
    """A position, its value and its moves."""

    fen: str
    value: Value
    moves: List[Move]

    def __str__(self) -> str:
        lines = (f"    {move.san:8} {_text(move.value)}" for move in self.moves)
        return "\n".join([self.fen, _text(self.value), *lines])

    def _repr_svg_(self) -> str:
        """The board, White below, with an arrow for the best move."""
        parts = ['<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 320 320" width="320" height="320">']
        for rank in range(8):
            for file in range(8):
                fill = "#f0d9b5" if (rank + file) % 2 == 0 else "#b58863"
                parts.append(f'<rect x="{40 * file}" y="{40 * rank}" width="40" height="40" fill="{fill}"/>')
        for rank, row in enumerate(self.fen.split()[0].split("/")):
            file = 0
            for letter in row:
                if letter.lower() in _MEN:
                    fill, line = ("#fdfaf3", "#1c1a17") if letter.isupper() else ("#3a3733", "#f5efe2")
                    parts.append(
                        f'<path transform="translate({40 * file} {40 * rank})" d="{_MEN[letter.lower()]}{_BASE}"'
                        f' fill="{fill}" stroke="{line}" stroke-width="1.3" stroke-linejoin="round"/>'
                    )
                file += int(letter) if letter.isdigit() else 1
        if self.moves:
            x0, y0, x1, y1 = (
                40 * (ord(c) - 97) + 20 if c.isalpha() else 300 - 40 * (int(c) - 1) for c in self.moves[0].uci[:4]
            )
            parts.append(
                f'<line x1="{x0}" y1="{y0}" x2="{x1}" y2="{y1}" stroke="#1565c0" stroke-width="5" opacity=".6"/>'
                f'<circle cx="{x1}" cy="{y1}" r="7" fill="#1565c0" opacity=".6"/>'
            )
        return "".join([*parts, "</svg>"])

    def _repr_html_(self) -> str:
        """The board, the value, and the moves in a table."""
        rows = "".join(
            f'<tr><td>{html.escape(move.san)}</td><td style="color:{_COLOURS[move.value.wdl if move.value else 0]}">'
            f"{_text(move.value)}</td></tr>"
            for move in self.moves
        )
        return (
            f'<div style="display:flex;gap:1em">{self._repr_svg_()}<div><div><b>{_text(self.value)}</b></div>'
            f'<div style="max-height:300px;overflow:auto"><table>{rows}</table></div></div></div>'
        )
