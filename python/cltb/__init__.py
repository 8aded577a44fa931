"""Exact chess endgame tables, read through libcltb.

    >>> import cltb
    >>> with cltb.open_tablebase("tables") as tables:
    ...     tables.probe_wdl("8/8/8/8/8/2k5/8/2K3Q1 w - - 0 1")
    2

Positions are FEN texts, or objects such as ``chess.Board``: with a method ``fen()`` or, faster, with the sets of
squares of that class. The names follow ``chess.syzygy``:
``probe_wdl`` gives 2 (win), 1 (cursed win), 0 (draw), -1 (blessed loss) or -2 (loss) for the side to move,
``probe_dtz`` the distance to zeroing in plies with the sign of the outcome. Unlike Syzygy's, distances are exact to
the ply, and the distance of checkmate is 0. ``probe_dtm`` gives the distance to mate as ``chess.gaviota`` does.

A position that the tables do not cover raises MissingTableError, a KeyError: its table is not there, a side may still
castle, or it has too many men. ``probe_many`` takes numpy arrays, ``show`` draws a position with its moves in a
notebook, and ``cltb.syzygy`` stands in for ``chess.syzygy``. The library is looked for as ``$CLTB_LIBRARY``, then
beside this file (in a wheel), then as ``libcltb.so`` where the system looks for libraries. Any number of threads may
probe one tablebase.
"""

from __future__ import annotations

import ctypes
import ctypes.util
import operator
import os
from concurrent.futures import ThreadPoolExecutor
from types import TracebackType
from typing import TYPE_CHECKING, Any, Callable, Iterable, List, NamedTuple, Optional, Protocol, Type, Union

if TYPE_CHECKING:
    from .notebook import Picture

__all__ = [
    "BadPositionError",
    "CorruptTableError",
    "Error",
    "ManyValues",
    "MissingTableError",
    "Move",
    "Tablebase",
    "Value",
    "open_tablebase",
    "pack",
    "position_dtype",
    "version",
]

_MOVES_MAX = 256
_SETS = ("white", "black", "kings", "queens", "rooks", "bishops", "knights", "pawns")
_UNKNOWN = -3  # the outcome of a move whose table is missing


class _Position(ctypes.Structure):
    _fields_ = [
        *((name, ctypes.c_uint64) for name in _SETS),
        ("side", ctypes.c_uint8),
        ("castling", ctypes.c_uint8),
        ("en_passant", ctypes.c_uint8),
        ("fifty", ctypes.c_uint16),
    ]


class _Value(ctypes.Structure):
    _fields_ = [("outcome", ctypes.c_int), ("dtz", ctypes.c_int), ("rounded", ctypes.c_int)]


class _Move(ctypes.Structure):
    _fields_ = [
        ("uci", ctypes.c_char * 6),
        ("san", ctypes.c_char * 10),
        ("zeroing", ctypes.c_uint8),
        ("mate", ctypes.c_uint8),
        ("value", _Value),
    ]


class _Options(ctypes.Structure):
    _fields_ = [("cache_bytes", ctypes.c_size_t)]


class Error(Exception):
    """A call of libcltb failed; the text is its sentence."""


class MissingTableError(Error, KeyError):
    """The tables do not cover the position: one is not there, a side may castle, or there are too many men."""

    def __str__(self) -> str:
        return str(self.args[0])


class CorruptTableError(Error):
    """A table is damaged, or is not what its name says."""


class BadPositionError(Error, ValueError):
    """The FEN is wrong, or the position illegal."""


_E_MISSING = -5
_E_POSITION = -7
_ERRORS = {
    -4: CorruptTableError,
    _E_MISSING: MissingTableError,
    _E_POSITION: BadPositionError,
    -10: CorruptTableError,
}


def _load() -> ctypes.CDLL:
    inside = os.path.join(os.path.dirname(os.path.abspath(__file__)), "libcltb.so")  # of a wheel
    names = [os.environ.get("CLTB_LIBRARY"), inside, "libcltb.so.0", ctypes.util.find_library("cltb"), "libcltb.so"]
    failure: Optional[OSError] = None
    for name in filter(None, names):
        try:
            library = ctypes.CDLL(name)
            break
        except OSError as error:
            failure = failure or error
    else:
        raise ImportError(f"libcltb was not found; set CLTB_LIBRARY to its path ({failure})")
    pointer = ctypes.POINTER
    library.cltb_error.restype = ctypes.c_char_p
    library.cltb_version.restype = ctypes.c_char_p
    library.cltb_outcome_name.restype = ctypes.c_char_p
    library.cltb_outcome_name.argtypes = [ctypes.c_int]
    library.cltb_open.argtypes = [pointer(ctypes.c_void_p), ctypes.c_char_p, pointer(_Options)]
    library.cltb_close.argtypes = [ctypes.c_void_p]
    library.cltb_close.restype = None
    library.cltb_has_table.argtypes = [ctypes.c_void_p, ctypes.c_char_p]
    library.cltb_complete_men.argtypes = [ctypes.c_void_p]
    library.cltb_position_from_fen.argtypes = [pointer(_Position), ctypes.c_char_p]
    library.cltb_probe.argtypes = [ctypes.c_void_p, pointer(_Position), pointer(_Value)]
    library.cltb_probe_conversion.argtypes = [ctypes.c_void_p, pointer(_Position), pointer(_Value)]
    library.cltb_probe_mate.argtypes = [ctypes.c_void_p, pointer(_Position), pointer(_Value)]
    library.cltb_probe_outcome.argtypes = [ctypes.c_void_p, pointer(_Position), pointer(ctypes.c_int)]
    library.cltb_probe_many.argtypes = [ctypes.c_void_p] * 2 + [ctypes.c_size_t] + [ctypes.c_void_p] * 2
    library.cltb_root_moves.argtypes = [ctypes.c_void_p, pointer(_Position), pointer(_Move)]
    return library


_library = _load()


def _check(code: int) -> int:
    if code < 0:
        # The sentence repeats names as they are, whatever their bytes, and may end within a character.
        raise _ERRORS.get(code, Error)(_library.cltb_error().decode(errors="replace"))
    return code


def version() -> str:
    """The version of libcltb, such as "0.9.0"."""
    return str(_library.cltb_version().decode())


__version__ = version()


class _Board(Protocol):
    def fen(self) -> str: ...


Position = Union[str, _Board]
Folder = Union[str, bytes, "os.PathLike[str]"]


def _fen_of(position: Position) -> str:
    fen = position if isinstance(position, str) else getattr(position, "fen", lambda: None)()
    if not isinstance(fen, str):
        raise TypeError(f"a position is a FEN or has a method fen(), unlike {type(position).__name__!r}")
    if "\0" in fen:
        raise BadPositionError("a FEN has no NUL")
    return fen


def _sets_of(position: Any) -> Optional[_Position]:
    """The position of an object with the attributes of chess.Board; None if its FEN has to tell more."""
    try:
        if position.castling_rights:
            return None  # they may be those of nobody
        white, black = position.occupied_co[True], position.occupied_co[False]
        sets = (white, black, position.kings, position.queens, position.rooks, position.bishops, position.knights)
        rest = (not position.turn, 0, position.ep_square or 0, min(position.halfmove_clock, 65535))
        return _Position(*sets, position.pawns, *rest)
    except (AttributeError, KeyError, IndexError, TypeError):
        return None


def _read_position(position: Position) -> _Position:
    read = _Position()
    _check(_library.cltb_position_from_fen(ctypes.byref(read), _fen_of(position).encode(errors="replace")))
    return read


class _Pair(NamedTuple):
    wdl: int  # 2 win, 1 cursed win, 0 draw, -1 blessed loss, -2 loss; honours the half-move clock
    plies: int  # distance to zeroing, as if the half-move clock were 0; 0 for a draw; -1: unknown, only of moves


class Value(_Pair):
    """What a position or a move is worth to the side to move: the pair of ``wdl`` and ``plies``."""

    rounded: bool = False  # one ply more is possible: from a Syzygy file that counts moves

    @classmethod
    def _of(cls, value: _Value) -> Value:
        made = cls(value.outcome, value.dtz)
        made.rounded = bool(value.rounded)
        return made

    @property
    def name(self) -> str:
        """ "win", "cursed-win", "draw", "blessed-loss" or "loss"."""
        return str(_library.cltb_outcome_name(self.wdl).decode())

    @property
    def dtz(self) -> int:
        """The distance with the sign of the outcome; 0 for draws and checkmate."""
        if self.plies < 0:
            raise MissingTableError("only the outcome is known")
        return self.plies if self.wdl > 0 else -self.plies if self.wdl < 0 else 0


class ManyValues(NamedTuple):
    """Arrays of what many positions are worth."""

    wdl: Any  # int8: as Value.wdl or, less than -2, a code of cltb.h: -5 a missing table, -7 no position for tables
    plies: Any  # int16: as Value.plies, 0 where there is no value; None: not asked for


def position_dtype() -> Any:
    """The numpy type of a position: eight sets of squares (a1 is bit 0, h8 bit 63), ``side`` to move (1: Black),
    ``castling`` (a side may still castle), ``en_passant`` (the square, 0: none) and ``fifty``, the half-move clock."""
    import numpy

    small = [("side", "u1"), ("castling", "u1"), ("en_passant", "u1"), ("fifty", "u2")]
    return numpy.dtype([*((name, "u8") for name in _SETS), *small], align=True)


def pack(positions: Iterable[Position]) -> Any:
    """A numpy array of positions for :meth:`Tablebase.probe_many`, each a FEN or an object as elsewhere."""
    import numpy

    data = b"".join(bytes(_sets_of(position) or _read_position(position)) for position in positions)
    return numpy.frombuffer(data, position_dtype()).copy()


class Move(NamedTuple):
    """A legal move, and the value of the position for the side that plays it."""

    uci: str
    san: str
    zeroing: bool
    mate: bool
    value: Optional[Value]  # None: a table is missing, but the first move is the best one in any case


class Tablebase:
    """A set of folders with tables. Close it, or use it in a ``with`` statement."""

    def __init__(self, directories: Union[Folder, Iterable[Folder]], cache_bytes: int = 0) -> None:
        if isinstance(directories, (str, bytes, os.PathLike)):
            directories = [directories]
        elif not hasattr(directories, "__iter__"):
            raise TypeError(f"a folder is a path, unlike {type(directories).__name__!r}")
        cache_bytes = operator.index(cache_bytes)
        if not 0 <= cache_bytes < 256 ** ctypes.sizeof(ctypes.c_size_t):
            raise ValueError(f"cache_bytes cannot be {cache_bytes}")
        folders = os.pathsep.join(os.fsdecode(folder) for folder in directories)
        if "\0" in folders:
            raise ValueError("the name of a folder has no NUL")
        for name in filter(None, folders.split(os.pathsep)):
            os.scandir(name).close()  # raises FileNotFoundError and the like
        self._tables = ctypes.c_void_p()
        options = _Options(cache_bytes)
        _check(_library.cltb_open(ctypes.byref(self._tables), os.fsencode(folders), ctypes.byref(options)))

    def close(self) -> None:
        """Closes all tables. No other thread may be probing."""
        tables, self._tables = self._tables, ctypes.c_void_p()
        _library.cltb_close(tables)

    def __enter__(self) -> Tablebase:
        return self

    def __exit__(
        self,
        kind: Optional[Type[BaseException]],
        value: Optional[BaseException],
        trace: Optional[TracebackType],
    ) -> None:
        self.close()

    def _open(self) -> ctypes.c_void_p:
        if not self._tables:
            raise ValueError("the tablebase is closed")
        return self._tables

    def _ask(self, function: Callable[..., int], position: Position, *results: object) -> int:
        tables = self._open()
        if getattr(position, "uci_variant", "chess") != "chess":
            raise MissingTableError("the tables are those of chess, not of its variants")
        read = _sets_of(position)
        if read is not None:
            code = function(tables, ctypes.byref(read), *results)
            if code != _E_POSITION:
                return _check(code)
        read = _read_position(position)  # may also leave out an impossible right to capture en passant
        code = function(tables, ctypes.byref(read), *results)
        return _check(_E_MISSING if code == _E_POSITION else code)

    def probe(self, position: Position) -> Value:
        """Outcome and distance of a position."""
        value = _Value()
        self._ask(_library.cltb_probe, position, ctypes.byref(value))
        return Value._of(value)

    def probe_wdl(self, position: Position) -> int:
        """The outcome with the half-move clock taken as 0; faster than :meth:`probe`."""
        outcome = ctypes.c_int()
        self._ask(_library.cltb_probe_outcome, position, ctypes.byref(outcome))
        return outcome.value

    def probe_dtz(self, position: Position) -> int:
        """The distance to zeroing with the sign of the outcome; 0 for draws and checkmate."""
        return self.probe(position).dtz

    def probe_dtm(self, position: Position) -> int:
        """Plies to mate without the 50-move rule, with the sign of the outcome; 0 for draws and checkmate.

        From tables of ``cltb build --metric dtm``, and as ``chess.gaviota`` has it.
        """
        value = _Value()
        self._ask(_library.cltb_probe_mate, position, ctypes.byref(value))
        return Value._of(value).dtz

    def probe_dtc(self, position: Position) -> int:
        """The same with the plies up to the winner's next capture or promotion, or to mate.

        From tables of ``cltb build --metric dtc``.
        """
        value = _Value()
        self._ask(_library.cltb_probe_conversion, position, ctypes.byref(value))
        return Value._of(value).dtz

    def get_wdl(self, position: Position, default: Optional[int] = None) -> Optional[int]:
        """:meth:`probe_wdl`, or `default` where the tables do not cover the position."""
        try:
            return self.probe_wdl(position)
        except MissingTableError:
            return default

    def get_dtz(self, position: Position, default: Optional[int] = None) -> Optional[int]:
        """:meth:`probe_dtz`, or `default` where the tables do not cover the position."""
        try:
            return self.probe_dtz(position)
        except MissingTableError:
            return default

    def get_dtm(self, position: Position, default: Optional[int] = None) -> Optional[int]:
        """:meth:`probe_dtm`, or `default` where the tables do not cover the position."""
        try:
            return self.probe_dtm(position)
        except MissingTableError:
            return default

    def get_dtc(self, position: Position, default: Optional[int] = None) -> Optional[int]:
        """:meth:`probe_dtc`, or `default` where the tables do not cover the position."""
        try:
            return self.probe_dtc(position)
        except MissingTableError:
            return default

    def root_moves(self, position: Position) -> List[Move]:
        """All legal moves, best first; empty for checkmate and stalemate."""
        moves = (_Move * _MOVES_MAX)()
        count = self._ask(_library.cltb_root_moves, position, moves)
        return [
            Move(
                m.uci.decode(),
                m.san.decode(),
                bool(m.zeroing),
                bool(m.mate),
                Value._of(m.value) if m.value.outcome != _UNKNOWN else None,
            )
            for m in moves[:count]
        ]

    def probe_many(self, positions: Any, plies: bool = False, threads: Optional[int] = None) -> ManyValues:
        """The values of a numpy array of positions, whose type is that of :func:`position_dtype`, with their clocks.

        All of them are probed in the order of tables and blocks, by `threads` threads (default: one for each
        processor). With `plies` also the distances, which takes several times as long. Positions that tables do not
        cover are no error: see :class:`ManyValues`.
        """
        import numpy

        array = numpy.ascontiguousarray(positions).ravel()
        if array.dtype != position_dtype():
            raise TypeError(f"positions have the type of position_dtype(), not {array.dtype}")
        tables = self._open()
        wdl = numpy.empty(array.size, numpy.int8)
        dtz = numpy.empty(array.size, numpy.int16) if plies else None
        count = operator.index(os.cpu_count() or 1 if threads is None else threads)
        ends = [array.size * i // max(count, 1) for i in range(max(count, 1) + 1)]

        def probe(first: int, last: int) -> None:
            distances = None if dtz is None else dtz[first:].ctypes.data
            parts = array[first:].ctypes.data, last - first, wdl[first:].ctypes.data, distances
            _check(_library.cltb_probe_many(tables, *parts))

        with ThreadPoolExecutor(max(count, 1)) as pool:
            list(pool.map(probe, ends[:-1], ends[1:]))
        shape = numpy.shape(positions)
        return ManyValues(wdl.reshape(shape), None if dtz is None else dtz.reshape(shape))

    def show(self, position: Position) -> Picture:
        """A picture of a position with its moves and their values, for Jupyter."""
        from .notebook import Picture

        fen = _fen_of(position)
        return Picture(fen, self.probe(position), self.root_moves(position))

    def has_table(self, material: str) -> bool:
        """Is there a table of this material, such as "KQvKR"?"""
        if not isinstance(material, str):
            raise TypeError(f"the name of a table is a string, unlike {type(material).__name__!r}")
        if "\0" in material:
            raise ValueError("the name of a table has no NUL")
        return _check(_library.cltb_has_table(self._open(), material.encode(errors="replace"))) == 1

    def complete_men(self) -> int:
        """The largest number of men of which every table is there; 2: not even those of 3. Opens every file."""
        return _check(_library.cltb_complete_men(self._open()))


def open_tablebase(directories: Union[Folder, Iterable[Folder]], cache_bytes: int = 0) -> Tablebase:
    """Opens a folder of tables, or several, which are searched in this order."""
    return Tablebase(directories, cache_bytes)
