"""Stands in for chess.syzygy: the same calls, answered from tables of cltb, Syzygy files, or both.

    >>> import cltb.syzygy
    >>> with cltb.syzygy.open_tablebase("tables") as tablebase:
    ...     tablebase.probe_dtz(chess.Board("8/8/8/8/8/2k5/8/2K3Q1 w - - 0 1"))

As there, the distance of checkmate is -1. Unlike there, distances are exact where a table has them, the position must
be legal (else ValueError), and a damaged file is an error. Single files cannot be added, only folders; variants of
chess have no tables.
"""

from __future__ import annotations

import ctypes
import os
import re
from typing import Any, List, Optional

import cltb
from cltb import MissingTableError, Position

__all__ = ["MissingTableError", "Tablebase", "open_tablebase"]

_FILE = re.compile(r"K[QRBNP]*vK[QRBNP]*\.(cltb|rtbw|rtbz)$")


class Tablebase(cltb.Tablebase):
    """A set of folders, empty at first. Folders may be added while it is in use by no other thread."""

    def __init__(self, *, max_fds: Optional[int] = 128, VariantBoard: Any = None, cache_bytes: int = 0) -> None:
        if getattr(VariantBoard, "uci_variant", "chess") != "chess":
            raise ValueError("there are no tables of variants of chess")
        self._folders: List[str] = []
        self._cache_bytes = cache_bytes
        self._tables = ctypes.c_void_p()
        self._closed = False

    def add_directory(self, directory: cltb.Folder, *, load_wdl: bool = True, load_dtz: bool = True) -> int:
        """Adds a folder, after those that are there. Returns the number of files with tables in it.

        Both kinds of values are always available, whatever the last two arguments are.
        """
        if self._closed:
            raise ValueError("the tablebase is closed")
        name = os.path.abspath(os.fsdecode(directory))
        count = sum(_FILE.match(file) is not None for file in os.listdir(name))
        folders = [*self._folders, name]
        opened = cltb.Tablebase(folders, self._cache_bytes)
        super().close()
        self._folders, self._tables = folders, opened._tables
        opened._tables = ctypes.c_void_p()  # it is ours now
        return count

    def close(self) -> None:
        """Closes all tables. No other thread may be probing."""
        self._closed = True
        super().close()

    def _open(self) -> Any:
        if not self._folders and not self._closed:
            raise MissingTableError("the tablebase has no folder yet: see add_directory()")
        return super()._open()

    def probe_dtz(self, board: Position) -> int:
        """The distance to zeroing with the sign of the outcome; 0 for draws, -1 for checkmate."""
        value = self.probe(board)
        return -1 if value.wdl < 0 and value.plies == 0 else value.dtz

    def probe_wdl_table(self, board: Any) -> int:
        """The outcome without a right to capture en passant, which tables do not know."""
        return self.probe_wdl(_without_en_passant(board))

    def probe_dtz_no_ep(self, board: Any) -> int:
        """The distance without a right to capture en passant."""
        return self.probe_dtz(_without_en_passant(board))


def _without_en_passant(board: Position) -> str:
    fields = cltb._fen_of(board).split()
    return " ".join([*fields[:3], "-", *fields[4:]])


def open_tablebase(
    directory: cltb.Folder,
    *,
    load_wdl: bool = True,
    load_dtz: bool = True,
    max_fds: Optional[int] = 128,
    VariantBoard: Any = None,
) -> Tablebase:
    """Opens a folder of tables; more can be added."""
    tables = Tablebase(max_fds=max_fds, VariantBoard=VariantBoard)
    tables.add_directory(directory, load_wdl=load_wdl, load_dtz=load_dtz)
    return tables
