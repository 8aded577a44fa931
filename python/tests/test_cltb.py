"""Tests of the Python module; $CLTB is the command, which makes the tables, $CLTB_LIBRARY the library."""

import os
import pathlib
import subprocess
import tempfile
import threading
import unittest

import cltb

WON = "8/8/8/8/8/2k5/8/2K3Q1 w - - 0 1"
PHILIDOR = "1k6/1r6/2K5/Q7/8/8/8/8 w - - 0 1"
MISSING = "2k5/8/8/8/8/8/8/2KNNBB1 w - - 0 1"
MATED = "7k/6Q1/6K1/8/8/8/8/8 b - - 0 1"
FOLDER = tempfile.TemporaryDirectory()


def setUpModule() -> None:
    build = [os.environ["CLTB"], "build", "KQvKR", "KPvK", "KQvKR.dtm", "KQvKR.dtc", "--dir", FOLDER.name, "--device", "cpu", "--quiet"]
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
        folder = pathlib.Path(__file__).parents[2] / "tests" / "data" / "syzygy"
        with cltb.open_tablebase(folder) as tables:
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


if __name__ == "__main__":
    unittest.main()
