# uci_client.py - drives a UCI engine as a strict client: anything that the protocol does not allow, or that is late, is
# an error
#
#     uci_client.py talk CLTB DIR                       the cases below
#     uci_client.py mates CLTB DIR                      distances to mate of KQvKR
#     uci_client.py faults CLTB DIR [LIBFAULTS]         calls that fail once, damaged tables (DIR: KPvK, KQvKR)
#     uci_client.py outcomes CLTB DIR                   DIR has outcomes alone: a win of KQvK is kept, and mated
#     uci_client.py games CLTB DIR STOCKFISH FENS       a game from each line "FEN<TAB>win|draw", in which cltb is to
#                                                       move first and must mate, or hold the draw for 60 plies
import os
import pathlib
import queue
import re
import subprocess
import sys
import threading

ANSWER_S = 60
INFO = re.compile(r"info depth [01]( seldepth 1 multipv \d+)?( score (cp|mate) -?\d+)?( wdl \d+ \d+ \d+)?"
                  r"( time \d+ nodes \d+ nps \d+ tbhits \d+ pv( [a-h][1-8][a-h][1-8][qrbn]?)+)?$|info string .+$")


class Engine:
    def __init__(self, *command):
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)
        self.lines = queue.Queue()
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        for line in self.process.stdout:
            self.lines.put(line.rstrip("\n"))

    def send(self, line):
        self.process.stdin.write(line + "\n")

    def until(self, start):
        said = []
        while not said or not said[-1].startswith(start):
            said.append(self.lines.get(timeout=ANSWER_S))
        return said

    def ask(self, start, *lines):
        for line in lines:
            self.send(line)
        return self.until(start)

    def go(self, position, go="go"):
        said = self.ask("bestmove", "position " + position, go)
        return said[:-1], said[-1].split()[1]

    def end(self):
        self.send("quit")
        return self.process.wait(timeout=ANSWER_S)


def need(condition, *what):
    if not condition:
        sys.exit("FAILED: " + " ".join(map(str, what)))


# POSITION, GO, the best move (None: any), what an info line must hold
CASES = [
    ("fen 7k/8/5K2/8/8/8/8/6Q1 w - - 0 1", "go movetime 5", "g1g7", "score mate 1 "),
    ("fen 7k/6Q1/5K2/8/8/8/8/8 b - - 0 1", "go", "(none)", "info depth 0 score mate 0"),
    ("fen 7k/5Q2/5K2/8/8/8/8/8 b - - 0 1", "go", "(none)", "info depth 0 score cp 0"),
    ("fen 1k6/1r6/2K5/Q7/8/8/8/8 w - - 0 1", "go wtime 1 btime 1", None, "score cp 19985 "),
    ("fen 1k6/1r6/2K5/Q7/8/8/8/8 w - - 0 1", "go", None, "category=win dtz=15"),
    ("fen 1k6/1r6/2K5/Q7/8/8/8/8 w - - 85 60", "go", None, "category=win dtz=15"),
    ("fen 1k6/1r6/2K5/Q7/8/8/8/8 w - - 86 60", "go", None, "score cp 1 "),
    ("fen 1k6/1r6/2K5/Q7/8/8/8/8 w - - 86 60", "go", None, "category=cursed-win dtz=15"),
    # The clock of moves made counts, too: two here.
    ("fen 1k6/1r6/2K5/8/Q7/8/8/8 w - - 84 60 moves a4a1 b8c8", "go", None, "category="),
    ("fen 8/8/8/8/8/2k5/8/K3q3 w - - 0 1", "go", "a1a2", "score mate -"),
    ("fen 1k6/1r6/2K5/Q7/8/8/8/8 w - - 0 1", "go searchmoves a5a1 a5d8", "a5d8", "dtz=17"),
    # Castling rights, also of Chess960
    ("fen 4k3/8/8/8/8/8/8/R3K3 w Q - 0 1", "go", None, "category=win dtz=23"),
    ("fen 8/8/8/8/8/8/1q6/k3K2R w K - 0 1", "go", "e1g1", "category=draw dtz=0"),
    ("fen 8/8/8/8/8/8/1q6/k3K2R w H - 0 1", "go", "e1h1", "category=draw dtz=0"),
    ("fen 8/8/8/8/8/8/1q6/k4K1R w H - 0 1", "go", "f1h1", "category=draw dtz=0"),
    ("fen 8/8/8/8/8/8/1q6/k4K1R w K - 0 1", "go", None, "category=loss"),  # no game of Chess960
    # A table is missing; too many men; castling
    ("fen 7k/8/5K2/8/8/8/8/5BB1 w - - 0 1", "go", None, "moves are not known: no table KBBvK"),
    ("startpos moves e2e4", "go", None, "info string category=unknown"),
    ("fen 4k3/8/8/8/3q4/8/3P4/R3K2R w KQ - 0 1", "go", None, "castling"),
    ("fen 4k3/8/8/8/8/8/8/R3KB2 w Q - 0 1", "go", None, "moves are not known: no table KRBvK"),
]

# Lines that must be answered by one `info string` and change nothing
FAULTS = ["position fen 8/8/8/8/8/8/8/8 w - - 0 1", "position", "position startpos moves e2e5", "xyzzy",
          "setoption name Nothing value 1", "setoption name MultiPV value 0", "setoption name MultiPV value 257",
          "setoption name MultiPV", "setoption name UCI_ShowWDL value maybe", "setoption name CltbPath value :",
          "setoption", "position fen " + "x" * 5000, "position startpos moves " + "e2e4 " * 2000]


def check_repetitions(engine):
    """A black king and a white queen walked to and fro: the fastest win leads to a position that has occurred twice."""
    start = "fen 8/8/8/8/8/2k5/8/K4Q2 w - - 0 1"
    infos, best = engine.go(start)
    after, reply = engine.go(f"{start} moves {best}")
    # best, reply, and back by the queen and king where these can step back: found by trying
    back = best[2:4] + best[0:2]
    home = reply[2:4] + reply[0:2]
    cycle = f"{best} {reply} {back} {home}"
    for times, drawn in ((1, False), (2, True)):
        infos, again = engine.go(f"{start} moves " + " ".join([cycle] * times))
        need(not any("illegal" in i or "not a" in i for i in infos), "the moves of the test", cycle, infos)
        need(any("category=win" in i for i in infos), "the win is lost by repetition", cycle, infos)
        need((again != best) == drawn, "after", times, "cycles", cycle, "it plays", again, infos)
    # The loser takes the repetition: before his second `home` the position has occurred twice.
    infos, again = engine.go(f"{start} moves {cycle} {best} {reply} {back}")
    need(again == home and any("category=draw" in i for i in infos), "no draw by repetition", again, infos)
    # A zeroing move wipes repetitions out, and so does a new game.
    engine.send("ucinewgame")
    need(engine.go(start)[1] == best, "the history outlives its game")


def talk(cltb, folder):
    engine = Engine(cltb, "uci", "--dir", folder)
    said = engine.ask("uciok", "uci")
    names = [line.split()[2] for line in said if line.startswith("option name")]
    need(names == ["CltbPath", "SyzygyPath", "Syzygy50MoveRule", "UCI_ShowWDL", "UCI_Chess960", "MultiPV", "Hash",
                   "Threads", "SyzygyProbeDepth", "Ponder"], names)
    need(engine.ask("readyok", "isready") == ["readyok"], "isready")
    for position, go, best, text in CASES:
        infos, move = engine.go(position, go)
        need(all(INFO.match(line) for line in infos), position, "malformed:", infos)
        need(best in (None, move), position, go, "plays", move)
        need(any(text in line for line in infos), position, "no", text, infos)
    engine.go("fen 1k6/1r6/2K5/Q7/8/8/8/8 w - - 0 1")
    for line in FAULTS:
        said = engine.ask("readyok", line, "isready")
        need(len(said) == 2 and said[0].startswith("info string "), line[:50], "is answered by", said)
        # No answer for a position that was refused; another fault changes nothing.
        said = engine.ask("bestmove", "go")
        if line.startswith("position"):
            need(said[-1] == "bestmove (none)" and "refused" in said[0], line[:50], "is answered by", said)
            engine.send("position fen 1k6/1r6/2K5/Q7/8/8/8/8 w - - 0 1")
        else:
            need("dtz=15" in said[-2], line[:50], "changes the position")
    for line in ("position\tfen  1k6/1r6/2K5/Q7/8/8/8/8 w - -  0 1 \tmoves   a5d8\tb8a7 ",
                 "position fen 3Q4/kr6/2K5/8/8/8/8/8 w KQkq e3 2 2",  # rights that the men cannot have
                 " \tposition fen 3Q4/kr6/2K5/8/8/8/8/8 w - - 2 2"):
        need("dtz=15" in engine.ask("bestmove", line, "go\t")[-2], line)
    need(engine.ask("readyok", "setoption  name   Hash   value   16", "setoption\tname MultiPV\tvalue\t1 ",
                    "setoption name SyzygyPath value <empty>", "isready") == ["readyok"], "white space in options")
    board = engine.ask("Fen: ", "d")
    need(len(board) == 9 and board[-1] == "Fen: 3Q4/kr6/2K5/8/8/8/8/8 w - - 2 2", "d", board)
    infos, _ = engine.go("fen 1k6/1r6/2K5/Q7/8/8/8/8 w - - 0 1")
    ponder = engine.ask("bestmove", "go")[-1].split()
    need(ponder[2] == "ponder" and ponder[3] == infos[0].split(" pv ")[1].split()[1], "no move to ponder", ponder)

    engine.send("setoption name UCI_Chess960 value true")
    need(engine.go("fen 8/8/8/8/8/8/1q6/k4K1R w K - 0 1")[1] == "f1h1", "UCI_Chess960, KQkq")
    need(engine.go("fen 8/8/8/8/8/8/1q6/k3K2R w K - 0 1")[1] == "e1h1", "UCI_Chess960, usual squares")
    board = engine.ask("Fen: ", "position startpos moves g1f3 g8f6 g2g3 g7g6 f1g2 f8g7 e1h1", "d")
    need(board[-1].endswith("PPPPPPBP/RNBQ1RK1 b ha - 3 4"), "castling is made", board)
    engine.send("setoption name UCI_Chess960 value false")
    engine.send("position fen 1k6/1r6/2K5/Q7/8/8/8/8 w - - 0 1")

    said = engine.ask("bestmove", "setoption name UCI_ShowWDL value true", "setoption name MultiPV value 256", "go")
    lines = [line for line in said if " multipv " in line]
    wdl = [line.split(" wdl ")[1][:8] for line in lines]
    need(len(lines) == 24 and (wdl[0], wdl[17], wdl[23]) == ("1000 0 0", "0 1000 0", "0 0 1000"), "MultiPV", said)
    need(len(lines[0].split(" pv ")[1].split()) >= 15, "the best line ends early", lines[0])
    engine.send("setoption name MultiPV value 1")

    engine.send("setoption name Syzygy50MoveRule value false")
    infos, _ = engine.go("fen 1k6/1r6/2K5/Q7/8/8/8/8 w - - 90 60")
    need("category=win dtz=15" in infos[-1], "without the 50-move rule", infos)
    engine.send("setoption name Syzygy50MoveRule value true")

    for go, release in (("go infinite", "stop"), ("go ponder", "ponderhit"), ("go ponder wtime 9", "stop")):
        said = engine.ask("readyok", go, "isready")
        need(not any(line.startswith("bestmove") for line in said), go, "does not hold the move", said)
        need("waits for 'stop'" in engine.ask("readyok", "go", "isready")[0], "a second search is begun")
        need(engine.ask("bestmove", release)[0].startswith("bestmove "), release)
    need(engine.ask("readyok", "stop", "isready") == ["readyok"], "stop without a search is answered")

    check_repetitions(engine)
    said = engine.ask("readyok", "setoption name CltbPath value nowhere", "setoption name Hash value 1", "isready")
    need(said == ["readyok"], said)
    infos, move = engine.go("fen 1k6/1r6/2K5/Q7/8/8/8/8 w - - 0 1")
    need(infos[-1] == "info string category=unknown" and not any(" score cp" in i for i in infos), infos)
    need("no table KQvKR" in infos[0] and move not in ("a5a7", "a5a8", "a5b4", "a5c7", "a5c3"), "hangs", move, infos)
    engine.send(f"setoption name SyzygyPath value {folder}")
    need("dtz=15" in engine.go("fen 1k6/1r6/2K5/Q7/8/8/8/8 w - - 0 1")[0][-1], "the folder does not come back")
    engine.send("go infinite")
    need(engine.end() == 0, "quit while a move is held")


# With tables of distances to mate: the engine plays itself, and mates when it said that it would.
def mates(cltb, folder):
    engine = Engine(cltb, "uci", "--dir", folder)
    for fen, mate in (("1k6/1r6/2K5/Q7/8/8/8/8 w - - 0 1", 10), ("8/8/8/8/2r5/8/2k5/K6Q w - - 0 1", 35)):
        moves = []
        for plies in range(2 * mate - 1, -1, -1):
            infos, move = engine.go(f"fen {fen} moves " + " ".join(moves))
            score = (plies + 1) // 2 if plies % 2 else -(plies // 2)
            need(f"score mate {score}" in infos[0], fen, moves, "not", score, infos)
            if plies > 0:
                line = infos[0].split(" pv ")[1].split()
                need(len(line) == plies and line[0] == move, fen, moves, "the line has not", plies, "plies", infos)
            moves.append(move)
        need(moves[-1] == "(none)", fen, "is no mate", moves)
    # The clock runs out before: the win by DTZ, in time or not.
    for clock, words in ((41, "score cp 19941"), (42, "score cp 1 ")):
        infos, _ = engine.go(f"fen 8/8/8/8/2r5/8/2k5/K6Q w - - {clock} 60")
        need(words in infos[0] and "dtz=59" in infos[1], "clock", clock, infos)
    # Ke2 mates in 25 after 41 plies without a capture, Kd2 in 26 after 39: the shorter mate while the clock allows it.
    for clock, move, words in ((51, "e1e2", "score mate 25 "), (52, "e1e2", "score cp 19959 "),
                               (59, "e1e2", "score cp 19959 "), (60, "e1d2", "score cp 19961 "),
                               (61, "e1d2", "score cp 19961 "), (62, None, "score cp 1 ")):
        infos, best = engine.go(f"fen 8/8/k1r5/8/8/1Q6/8/4K3 w - - {clock} 60")
        need(words in infos[0] and move in (None, best), "clock", clock, "plays", best, infos)
    need(engine.end() == 0, "quit")


# Without distances a win is kept all the same, and comes to an end.
def outcomes(cltb, folder):
    engine = Engine(cltb, "uci", "--syzygy", folder)
    for fen in ("8/8/8/8/8/2k5/8/2K3Q1 w - - 0 1", "8/8/8/3k4/8/8/8/KQ6 w - - 0 1"):
        moves = []
        while not moves or moves[-1] != "(none)":
            infos, move = engine.go(f"fen {fen} moves " + " ".join(moves))
            need(move == "(none)" or any("category=" + ("loss" if len(moves) % 2 else "win") in i for i in infos),
                 fen, moves, infos)
            moves.append(move)
            need(len(moves) < 100, fen, "is not mated", moves)
        need("mate 0" in infos[0], fen, "is stalemate", moves)
    need(engine.end() == 0, "quit")


# The best move is one that wins, as far as the tables that can be read tell, or what failed is said by its name.
def faults(cltb, folder, library=None):
    won = {"8/2P5/8/8/8/2k5/8/K7 w - - 0 1": ("c7c8q", "c7c8r"),
           "1k6/1r6/2K5/Q7/8/8/8/8 w - - 0 1":
               "a5d5 a5e5 a5d8 a5g5 a5a1 a5a4 c6d6 a5e1 a5d2 a5a3 a5f5 a5h5 c6c5 a5a2 c6d5 a5a6".split()}

    def best(fen, path, env=None):
        done = subprocess.run([cltb, "uci", "--dir", path], input=f"position fen {fen}\ngo\nquit\n", env=env,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=ANSWER_S, check=False)
        move = re.search(r"^bestmove (\S+)", done.stdout, re.M)
        said = re.findall(r"^info string \S+ moves are not known: (.*)", done.stdout, re.M)
        return move and move[1], said, done

    for fen, good in won.items():
        for call, kind, numbers in (("read", "EIO", range(1, 25)), ("open", "EMFILE", range(1, 13)),
                                    ("malloc", "ENOMEM", range(1, 300, 7)), ("mmap", "ENOMEM", range(1, 4))):
            for number in numbers if library else ():
                move, said, done = best(fen, folder, {**os.environ, "LD_PRELOAD": library, "FAULT_CALL": call,
                                                      "FAULT_KIND": kind, "FAULT_NTH": str(number)})
                told = done.returncode == 1 and done.stderr != "" and move is None
                need(told or move in good, fen, call, kind, number, done)
                need(not any("no table" in text or "damaged" in text for text in said), call, kind, number, said)
        for name in os.listdir(folder):
            damaged = pathlib.Path("damaged")
            damaged.mkdir(exist_ok=True)
            for file in pathlib.Path(folder).glob("*.cltb"):
                data = bytearray(file.read_bytes())
                if file.name == name:
                    data[len(data) // 3:] = b"\x55" * (len(data) - len(data) // 3)
                (damaged / file.name).write_bytes(data)
            move, said, done = best(fen, "damaged")
            need(move in good or (name == "KQvKR.cltb" and "category=unknown" in done.stdout), fen, name, done)
            need(all(f"{name} is damaged" in text for text in said), fen, name, said)
            need(said or "category=win" in done.stdout, fen, name, done)


def play(engine, stockfish, fen, outcome):
    moves = []
    stockfish.ask("readyok", "ucinewgame", "isready")
    while True:
        position = f"fen {fen} moves " + " ".join(moves)
        infos, move = engine.go(position)
        if outcome == "draw" and (move == "(none)" or len(moves) >= 60):
            need(move != "(none)" or "cp 0" in infos[-1], fen, "is lost", moves)
            return
        need(f"category={outcome} " in infos[-1], fen, "is no more", outcome, moves, infos)
        moves.append(move)
        position = f"fen {fen} moves " + " ".join(moves)
        reply = stockfish.go(position, "go nodes 2000")[1]
        if reply == "(none)":
            need(outcome == "draw" or "score mate 0" in engine.go(position)[0][-1], fen, "is stalemate", moves)
            return
        moves.append(reply)


def games(cltb, folder, path, fens):
    engine = Engine(cltb, "uci", "--dir", folder)
    stockfish = Engine(path)
    stockfish.ask("readyok", "setoption name Hash value 1", "setoption name Threads value 1", "isready")
    played = 0
    with open(fens, encoding="ascii") as lines:
        for line in lines:
            play(engine, stockfish, *line.rstrip("\n").split("\t"))
            played += 1
    need(engine.end() == 0 and stockfish.end() == 0, "quit")
    print(played, "games")


if sys.argv[1] == "talk":
    talk(*sys.argv[2:])
elif sys.argv[1] == "faults":
    faults(*sys.argv[2:])
elif sys.argv[1] == "mates":
    mates(*sys.argv[2:])
elif sys.argv[1] == "outcomes":
    outcomes(*sys.argv[2:])
else:
    games(*sys.argv[2:])
