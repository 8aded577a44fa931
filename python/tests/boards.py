"""Boards for the tests: those of python-chess, if it is there, or stand-ins with what cltb asks of them."""

from __future__ import annotations

from typing import Any

try:
    import chess
    import chess.syzygy
except ImportError:
    chess = None

KINDS = {"p": "pawns", "n": "knights", "b": "bishops", "r": "rooks", "q": "queens", "k": "kings"}


class StandIn:
    """What chess.Board has of a position."""

    uci_variant = "chess"

    def __init__(self, fen: str) -> None:
        self._fen = fen
        rows, side, rights, square, clock, _ = fen.split()
        self.occupied_co = [0, 0]
        for kind in KINDS.values():
            setattr(self, kind, 0)
        for rank, row in enumerate(rows.split("/")):
            file = 0
            for letter in row:
                bit = 1 << 8 * (7 - rank) + file
                if letter.isalpha():
                    self.occupied_co[letter.isupper()] |= bit
                    setattr(self, KINDS[letter.lower()], getattr(self, KINDS[letter.lower()]) | bit)
                file += int(letter) if letter.isdigit() else 1
        self.turn = side == "w"
        self.castling_rights = 0 if rights == "-" else 1
        self.ep_square = None if square == "-" else ord(square[0]) - 97 + 8 * (int(square[1]) - 1)
        self.halfmove_clock = int(clock)

    def fen(self) -> str:
        return self._fen


def board(fen: str) -> Any:
    return StandIn(fen) if chess is None else chess.Board(fen)
