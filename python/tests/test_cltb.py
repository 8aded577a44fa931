"""Tests of the Python module; $CLTB is the command, which makes the tables, $CLTB_LIBRARY the library."""

import os
import pathlib
import random
import subprocess
import sys
import tempfile
import threading
import unittest
from unittest import mock
from xml.etree import ElementTree

import boards
import cltb
import cltb.syzygy

try:
    import numpy
except ImportError:
    numpy = None

WON = "8/8/8/8/8/2k5/8/2K3Q1 w - - 0 1"
PHILIDOR = "1k6/1r6/2K5/Q7/8/8/8/8 w - - 0 1"
MISSING = "2k5/8/8/8/8/8/8/2KNNBB1 w - - 0 1"
MATED = "7k/6Q1/6K1/8/8/8/8/8 b - - 0 1"
FOLDER = tempfile.TemporaryDirectory()


SYZYGY = pathlib.Path(__file__).parents[2] / "tests" / "data" / "syzygy"


def setUpModule() -> None:
    if boards.chess is None:
        print("python-chess is not here: stand-ins for its boards, no comparison with chess.syzygy", file=sys.stderr)
    if numpy is None:
        print("numpy is not here: nothing is known of probe_many()", file=sys.stderr)
    names = ["KQvKR", "KPvK", "KQvKR.dtm", "KQvKR.dtc"]
    build = [os.environ["CLTB"], "build", *names, "--dir", FOLDER.name, "--device", "cpu", "--quiet"]
    subprocess.run(build, check=True)


def tearDownModule() -> None:
    FOLDER.cleanup()


class Board:
    """Something with a method fen(), as chess.Board has."""

    def fen(self) -> str:
        return WON


class TablebaseTest(unittest.TestCase):
    def setUp(self) -> None:
        self.tables = cltb.open_tablebase(FOLDER.name)
        self.addCleanup(self.tables.close)

    def test_values(self) -> None:
        self.assertEqual(self.tables.probe(PHILIDOR), (2, 15))
        self.assertEqual(self.tables.probe(PHILIDOR).name, "win")
        self.assertEqual(self.tables.probe_wdl(PHILIDOR), 2)
        self.assertEqual(self.tables.probe_dtz(PHILIDOR), 15)
        self.assertFalse(self.tables.probe(PHILIDOR).rounded)

    def test_distances_to_mate(self) -> None:
        self.assertEqual(self.tables.probe_dtm(PHILIDOR), 19)
        self.assertEqual(self.tables.probe_dtm("1k6/1r6/2K5/3Q4/8/8/8/8 b - - 1 1"), -18)
        self.assertEqual(self.tables.probe_dtm(MATED), 0)
        self.assertEqual(self.tables.probe_dtc("8/8/8/8/2r5/8/2k5/K6Q w - - 0 1"), 59)
        self.assertEqual(self.tables.get_dtc("8/8/8/8/8/2k5/8/KBN5 w - - 0 1", 7), 7)
        for fen in "8/8/8/8/8/2k5/2P5/2K5 b - - 0 1", MISSING:
            with self.assertRaisesRegex(cltb.MissingTableError, "dtm.cltb"):
                self.tables.probe_dtm(fen)
            self.assertEqual(self.tables.get_dtm(fen, 7), 7)

    def test_syzygy(self) -> None:
        with cltb.open_tablebase(SYZYGY) as tables:
            value = tables.probe("8/8/8/8/8/2k5/8/2K2R2 w - - 0 1")
            self.assertEqual((value, value.rounded), ((2, 25), True))
            value = tables.probe("k7/7R/1K6/8/8/8/8/8 w - - 0 1")
            self.assertEqual((value, value.rounded), ((2, 1), False))

    def test_losses_have_negative_distances(self) -> None:
        self.assertEqual(self.tables.probe_dtz("1k6/1r6/2K5/3Q4/8/8/8/8 b - - 1 1"), -14)
        self.assertEqual(self.tables.probe(MATED), (-2, 0))
        self.assertEqual(self.tables.probe_dtz(MATED), 0)
        self.assertEqual(self.tables.probe("8/8/8/8/8/2k5/2P5/2K5 b - - 0 1"), (0, 0))

    def test_moves(self) -> None:
        moves = self.tables.root_moves(PHILIDOR)
        self.assertEqual([move.uci for move in moves[:2]], ["a5d5", "a5e5"])
        self.assertEqual(moves[0].value, (2, 15))
        self.assertEqual(moves[0].san, "Qd5")
        self.assertFalse(moves[0].zeroing or moves[0].mate)
        outcomes = [move.value.wdl for move in moves if move.value]
        self.assertEqual(len(outcomes), len(moves))
        self.assertEqual(outcomes, sorted(outcomes, reverse=True))
        self.assertEqual(self.tables.root_moves(MATED), [])
        self.assertEqual(self.tables.root_moves("7k/5K2/6Q1/8/8/8/8/8 b - - 0 1"), [])
        mate = self.tables.root_moves("7k/8/6K1/5Q2/8/8/8/8 w - - 0 1")[0]
        self.assertEqual((mate.mate, mate.value, mate.san[-1]), (True, (2, 1), "#"))
        promotions = self.tables.root_moves("8/P7/8/8/8/2k5/8/2K5 w - - 0 1")
        self.assertEqual({m.uci for m in promotions if m.zeroing}, {"a7a8q", "a7a8r", "a7a8b", "a7a8n"})

    def test_moves_of_missing_tables(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            pathlib.Path(folder, "KQvKR.cltb").symlink_to(pathlib.Path(FOLDER.name, "KQvKR.cltb"))
            with cltb.open_tablebase(folder) as tables:
                moves = tables.root_moves("k7/7r/1K6/8/8/8/8/2Q5 w - - 0 1")
                self.assertEqual((moves[0].san, moves[0].value), ("Qc8#", (2, 1)))
                self.assertIsNone(moves[-1].value)

    def test_clock(self) -> None:
        self.assertEqual(self.tables.probe(PHILIDOR.replace("0 1", "90 60")).name, "cursed-win")
        self.assertEqual(self.tables.probe_wdl(PHILIDOR.replace("0 1", "90 60")), 2)

    def test_objects_with_a_fen(self) -> None:
        self.assertEqual(self.tables.probe_wdl(Board()), 2)

    def test_what_tables_do_not_cover(self) -> None:
        with self.assertRaisesRegex(KeyError, "no table KBBNNvK.cltb"):
            self.tables.probe(MISSING)
        for fen in MISSING, "4k3/8/8/8/8/8/8/4K2R w K - 0 1", "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w - - 0 1":
            for probe in self.tables.probe_wdl, self.tables.probe_dtz, self.tables.root_moves:
                with self.assertRaises(cltb.MissingTableError):
                    probe(fen)
            self.assertIsNone(self.tables.get_wdl(fen))
            self.assertEqual(self.tables.get_dtz(fen, 7), 7)
        self.assertEqual(self.tables.get_wdl(WON), 2)
        self.assertEqual(self.tables.get_dtz(PHILIDOR), 15)

    def test_errors(self) -> None:
        queen = "8/8/8/8/8/2k5/8/2K3\N{WHITE CHESS QUEEN}1 w - - 0 1"
        for fen in "this is not a FEN", "", "8/8/8/8/8/2k5/2K5/8 w - - 0 1", queen:
            with self.assertRaises(cltb.BadPositionError):
                self.tables.probe(fen)
            with self.assertRaises(ValueError):
                self.tables.get_wdl(fen)
        with self.assertRaises(cltb.Error):
            cltb.open_tablebase("")
        for thing in 7, None, b"8/8/8/8/8/2k5/8/2K3Q1 w - - 0 1":
            with self.assertRaisesRegex(TypeError, "a position is a FEN"):
                self.tables.probe(thing)  # type: ignore[arg-type]

    def test_things_that_are_no_names(self) -> None:
        for thing in 7, None, b"KQvK":
            with self.assertRaisesRegex(TypeError, "the name of a table is a string"):
                self.tables.has_table(thing)  # type: ignore[arg-type]
        for thing in 7, None:
            with self.assertRaisesRegex(TypeError, "a folder is a path"):
                cltb.open_tablebase(thing)  # type: ignore[arg-type]
        for thing in 1.5, None, "1":
            with self.assertRaisesRegex(TypeError, "integer"):
                cltb.open_tablebase(FOLDER.name, cache_bytes=thing)  # type: ignore[arg-type]
        with cltb.open_tablebase(os.fsencode(FOLDER.name)) as tables:
            self.assertEqual(tables.get_wdl(WON), 2)

    def test_strings_that_c_would_cut(self) -> None:
        with self.assertRaises(cltb.BadPositionError):
            self.tables.probe(WON + "\0x")
        with self.assertRaisesRegex(ValueError, "NUL"):
            self.tables.has_table("KQvK\0x")
        with self.assertRaisesRegex(ValueError, "NUL"):
            cltb.open_tablebase(FOLDER.name + "\0x")
        for size in -1, 1 << 64:
            with self.assertRaisesRegex(ValueError, "cache_bytes"):
                cltb.open_tablebase(FOLDER.name, cache_bytes=size)

    def test_errors_that_are_not_utf_8(self) -> None:
        for name in "\N{LATIN SMALL LETTER U WITH DIAERESIS}" * 200, "K\udcff":
            with self.assertRaises(cltb.Error):
                self.tables.has_table(name)
        with tempfile.TemporaryDirectory(prefix=b"\xff\xfe") as folder:  # type: ignore[type-var]
            with cltb.open_tablebase(os.fsdecode(folder)) as tables:
                self.assertEqual(tables.get_wdl(WON, 7), 7)
                with self.assertRaises(cltb.MissingTableError):
                    tables.probe(WON)

    def test_folders_that_are_not_there(self) -> None:
        for folders in "/nowhere", ["/nowhere", FOLDER.name], __file__:
            with self.assertRaises(OSError):
                cltb.open_tablebase(folders)

    def test_castling_in_chess960(self) -> None:
        for fen in (
            "5k2/8/8/8/8/8/8/5KR1 w G - 0 1",
            "5k2/8/8/8/8/8/8/5KR1 w K - 0 1",
            "1rk5/8/8/8/8/8/8/2K5 w b - 0 1",
            "1rk5/8/8/8/8/8/8/2K5 b q - 0 1",
            "2kr4/8/8/8/8/8/8/2KR4 w Dd - 0 1",
        ):
            with self.assertRaises(cltb.MissingTableError):
                self.tables.probe(fen)
            self.assertIsNone(self.tables.get_wdl(fen))
            self.assertEqual(self.tables.get_dtz(fen, 7), 7)
        for fen in (
            "5k2/8/8/8/8/8/8/5KR1 w H - 0 1",
            "5k2/8/8/8/8/8/8/5KR1 w Q - 0 1",
            "5k2/8/8/8/8/8/5K2/6R1 w G - 0 1",
            "5k2/8/8/8/8/8/8/5KR1 w X - 0 1",
            "6k1/8/8/8/8/8/8/5KR1 w G - 0 1",  # Black is in check
        ):
            with self.assertRaises(cltb.BadPositionError):
                self.tables.get_wdl(fen)

    def test_damaged_tables(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            whole = pathlib.Path(FOLDER.name, "KQvK.cltb").read_bytes()
            pathlib.Path(folder, "KQvK.cltb").write_bytes(whole[:-1])
            pathlib.Path(folder, "KRvK.cltb").write_text("not a table")
            with cltb.open_tablebase(pathlib.Path(folder)) as tables:
                with self.assertRaises(cltb.CorruptTableError):
                    tables.get_wdl(WON)
                with self.assertRaises(cltb.CorruptTableError):
                    tables.has_table("KRvK")

    def test_which_tables(self) -> None:
        self.assertTrue(self.tables.has_table("KQvKR"))
        self.assertFalse(self.tables.has_table("KRvKR"))
        self.assertEqual(self.tables.complete_men(), 3)
        with self.assertRaises(cltb.Error):
            self.tables.has_table("KXvK")

    def test_closed(self) -> None:
        with cltb.open_tablebase(["/", pathlib.Path(FOLDER.name)], cache_bytes=1 << 20) as tables:
            self.assertEqual(tables.probe_wdl(WON), 2)
        tables.close()
        for call in tables.probe_wdl, tables.root_moves, tables.has_table:
            with self.assertRaisesRegex(ValueError, "closed"):
                call(WON)

    def test_threads(self) -> None:
        seen = []
        workers = [threading.Thread(target=lambda: seen.append(self.tables.probe_dtz(PHILIDOR))) for _ in range(8)]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
        self.assertEqual(seen, [15] * 8)

    def test_version(self) -> None:
        project = pathlib.Path(__file__).parent.parent / "pyproject.toml"
        self.assertEqual(cltb.__version__, cltb.version())
        self.assertIn(f'version = "{cltb.version()}"', project.read_text())


def random_fens(men: str, count: int) -> "list[str]":
    """Placements of these men, perhaps illegal, with either side to move and any clock; half of the clocks are 0."""
    source = random.Random(1)
    fens = []
    for _ in range(count):
        grid = [["1"] * 8 for _ in range(8)]
        for man, square in zip(men, source.sample(range(64), len(men))):
            grid[square // 8][square % 8] = man
        clock = max(0, source.randrange(-120, 120))
        fens.append("/".join(map("".join, grid)) + f" {source.choice('wb')} - - {clock} 1")
    return [" ".join([_digits(fen.split()[0]), *fen.split()[1:]]) for fen in fens]


def _digits(rows: str) -> str:
    for count in range(8, 1, -1):
        rows = rows.replace("1" * count, str(count))
    return rows


class BoardTest(unittest.TestCase):
    def setUp(self) -> None:
        self.tables = cltb.open_tablebase(FOLDER.name)
        self.addCleanup(self.tables.close)

    def test_sets_of_squares(self) -> None:
        legal = 0
        for fen in random_fens("KQkr", 500) + random_fens("Kkp", 200):
            try:
                value = self.tables.probe(fen)
            except cltb.BadPositionError:
                with self.assertRaises(cltb.BadPositionError):
                    self.tables.probe(boards.board(fen))
                continue
            legal += 1
            self.assertEqual(self.tables.probe(boards.board(fen)), value)
        self.assertGreater(legal, 300)

    def test_sets_are_read_without_a_fen(self) -> None:
        class Silent(boards.StandIn):
            def fen(self) -> str:
                raise AssertionError("the FEN was asked for")

        self.assertEqual(self.tables.probe(Silent(PHILIDOR)), (2, 15))
        self.assertEqual(self.tables.root_moves(Silent(PHILIDOR)), self.tables.root_moves(PHILIDOR))

    def test_rights(self) -> None:
        with self.assertRaises(cltb.MissingTableError):
            self.tables.probe(boards.board("4k3/8/8/8/8/8/8/4K2R w K - 0 1"))
        board = boards.StandIn("8/8/8/8/8/2k5/8/2K3Q1 w - - 0 1")
        board.ep_square = 44  # e6, where no pawn has passed: the FEN has no such right
        self.assertEqual(self.tables.probe_wdl(board), 2)
        board.uci_variant = "atomic"
        with self.assertRaisesRegex(KeyError, "variants"):
            self.tables.probe(board)


class SyzygyTest(unittest.TestCase):
    def test_as_chess_syzygy(self) -> None:
        with tempfile.TemporaryDirectory() as empty, cltb.syzygy.Tablebase() as tables:
            with self.assertRaises(KeyError):
                tables.probe_wdl(boards.board(WON))
            self.assertEqual(tables.add_directory(empty), 0)
            self.assertIsNone(tables.get_wdl(boards.board(WON)))
            self.assertEqual(tables.add_directory(FOLDER.name), len(list(pathlib.Path(FOLDER.name).glob("*K*.cltb")))
                             - len(list(pathlib.Path(FOLDER.name).glob("*.dt?.cltb"))))
            self.assertEqual(tables.probe_wdl(boards.board(WON)), 2)
            self.assertEqual(tables.probe_dtz(boards.board(PHILIDOR)), 15)
            self.assertEqual(tables.probe_dtz(boards.board(MATED)), -1)
            self.assertEqual(tables.get_dtz(boards.board(MISSING), 7), 7)
            with self.assertRaises(cltb.syzygy.MissingTableError):
                tables.probe_dtz(boards.board(MISSING))
        tables.close()
        for call in tables.probe_wdl, tables.add_directory:
            with self.assertRaisesRegex(ValueError, "closed"):
                call(WON)
        with self.assertRaises(OSError):
            cltb.syzygy.open_tablebase("/nowhere")
        atomic = type("AtomicBoard", (), {"uci_variant": "atomic"})
        with self.assertRaises(ValueError):
            cltb.syzygy.open_tablebase(FOLDER.name, VariantBoard=atomic)

    def test_without_en_passant(self) -> None:
        with cltb.syzygy.open_tablebase(FOLDER.name) as tables:
            board = boards.board("8/8/8/8/k2Pp3/8/8/K7 b - d3 0 1")
            for call, asked in (tables.probe_wdl_table, "probe_wdl"), (tables.probe_dtz_no_ep, "probe_dtz"):
                with mock.patch.object(tables, asked) as probe:
                    call(board)
                probe.assert_called_once_with("8/8/8/8/k2Pp3/8/8/K7 b - - 0 1")
            self.assertEqual(tables.probe_wdl_table("8/8/8/8/8/2k5/2P5/2K5 b - - 0 1"), 0)
            self.assertEqual(tables.probe_dtz_no_ep(PHILIDOR), 15)

    @unittest.skipIf(boards.chess is None, "python-chess is not here")
    def test_against_chess_syzygy(self) -> None:
        compared = 0
        with boards.chess.syzygy.open_tablebase(str(SYZYGY)) as theirs, cltb.syzygy.open_tablebase(SYZYGY) as ours:
            for men in "KRk", "KQk", "KPk", "Kkp", "KBk":
                for fen in random_fens(men, 300):
                    board = boards.chess.Board(fen)
                    if "/P" in fen or not board.is_valid():
                        continue
                    compared += 1
                    self.assertEqual(ours.probe_wdl(board), theirs.probe_wdl(board), fen)
                    difference = abs(ours.probe_dtz(board)) - abs(theirs.probe_dtz(board))
                    self.assertIn(difference, (0, 1), fen)  # theirs may be a ply too short
        self.assertGreater(compared, 300)


@unittest.skipIf(numpy is None, "numpy is not here")
class ManyTest(unittest.TestCase):
    def test_many(self) -> None:
        fens = [fen for fen in random_fens("KQkr", 3000) if self._legal(fen)]
        with cltb.open_tablebase(FOLDER.name) as tables:
            values = [tables.probe(fen) for fen in fens]
            for positions in cltb.pack(fens), cltb.pack(map(boards.board, fens)):
                for threads in 1, 3, None:
                    many = tables.probe_many(positions, plies=True, threads=threads)
                    self.assertEqual(many.wdl.tolist(), [value.wdl for value in values])
                    self.assertEqual(many.plies.tolist(), [value.plies for value in values])
                    self.assertEqual((many.wdl.dtype, many.plies.dtype), (numpy.int8, numpy.int16))
            square = tables.probe_many(positions[:6].reshape(2, 3))
            self.assertEqual(square.wdl.tolist(), [many.wdl[:3].tolist(), many.wdl[3:6].tolist()])
            self.assertIsNone(square.plies)
            self.assertEqual(tables.probe_many(positions[::2]).wdl.tolist(), many.wdl[::2].tolist())
            self.assertEqual(tables.probe_many(positions[:0]).wdl.size, 0)

    def _legal(self, fen: str) -> bool:
        try:
            cltb._read_position(fen)
            return True
        except cltb.BadPositionError:
            return False

    def test_what_is_not_known(self) -> None:
        with cltb.open_tablebase(FOLDER.name) as tables:
            positions = cltb.pack([WON, MISSING, WON])
            positions["kings"][2] = 0
            positions["white"] += 0
            many = tables.probe_many(positions, plies=True)
            self.assertEqual(many.wdl.tolist(), [2, -5, -7])
            self.assertEqual(many.plies.tolist()[1:], [0, 0])
            with self.assertRaisesRegex(TypeError, "position_dtype"):
                tables.probe_many(numpy.zeros(3))
        with self.assertRaisesRegex(ValueError, "closed"):
            tables.probe_many(positions)


class PictureTest(unittest.TestCase):
    def test_picture(self) -> None:
        with cltb.open_tablebase(FOLDER.name) as tables:
            picture = tables.show(boards.board(PHILIDOR))
            svg = ElementTree.fromstring(picture._repr_svg_())
            tags = [child.tag.split("}")[1] for child in svg]
            self.assertEqual([tags.count(tag) for tag in ("rect", "path", "line")], [64, 4, 1])
            page = ElementTree.fromstring(picture._repr_html_())
            rows = [[cell.text for cell in row] for row in page.iter("tr")]
            self.assertEqual(rows[0], ["Qd5", "win, DTZ 15"])
            self.assertEqual(len(rows), len(tables.root_moves(PHILIDOR)))
            self.assertIn("Qd5      win, DTZ 15", str(picture))
            mated = tables.show(MATED)
            self.assertIn("loss, DTZ 0", mated._repr_html_())
            self.assertNotIn("<line", mated._repr_svg_())


if __name__ == "__main__":
    unittest.main()
