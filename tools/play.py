#!/usr/bin/env python3
# play.py - does `cltb uci` play won positions as a person would?
#
#     play.py CLTB DIR [--positions N] [--seed N] [--names A,B] [--mates] [--stockfish PATH SYZYGY]
#
# 1. Samples N won positions of the tables NAME.cltb in DIR (3 to 5 men, White to move and winning), evenly over tables.
# 2. `cltb uci` plays both sides. It fails if a win is not mated within the 50-move rule. A man is given up if Black
#    captures it and the balance of men is worse for White after his next move than before his last; it was given up
#    without need if the engine had announced no mate, and another move kept the win and all of White's men for three
#    moves, whatever the replies.
# 3. With --mates, DIR has distances to mate as well, of materials whose mates the clock does not touch: the engine must
#    announce that of the position, and take as many plies.
# 4. With --stockfish, Stockfish plays the same positions against itself (depth 12), and the plies to mate are compared.
import argparse
import json
import pathlib
import random
import re
import subprocess
import sys

WORTH = {"Q": 9, "R": 5, "B": 3, "N": 3, "P": 1}
PLIES_MAX = 250
KEPT_MOVES = 3


class Engine:
    def __init__(self, *command, options=()):
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)
        for option in options:
            self.send("setoption " + option)

    def send(self, line):
        self.process.stdin.write(line + "\n")

    def go(self, fen, moves, go="go"):
        self.send(f"position fen {fen} moves " + " ".join(moves))
        self.send(go)
        said = []
        while True:
            said.append(self.process.stdout.readline().rstrip("\n"))
            if said[-1].startswith("bestmove"):
                return said, said[-1].split()[1]


def fen_board(fen):
    board, square = {}, 56
    for c in fen.split()[0]:
        if c == "/":
            square -= 16
        elif c.isdigit():
            square += int(c)
        else:
            board[square] = c
            square += 1
    return board


def square_of(text):
    return ord(text[0]) - ord("a") + 8 * (int(text[1]) - 1)


def make(board, move):
    """Makes a move (no castling); returns the captured man or None."""
    a, b = square_of(move[:2]), square_of(move[2:4])
    man = board.pop(a)
    captured = board.pop(b, None)
    if man in "Pp" and (a - b) % 8 and captured is None:
        captured = board.pop(b - 8 if man == "P" else b + 8)
    board[b] = (move[4].upper() if man == "P" else move[4]) if len(move) > 4 else man
    return captured


def board_fen(board, side, clock):
    rows = []
    for rank in range(7, -1, -1):
        row, gap = "", 0
        for square in range(8 * rank, 8 * rank + 8):
            if square in board:
                row += (str(gap) if gap else "") + board[square]
                gap = 0
            else:
                gap += 1
        rows.append(row + (str(gap) if gap else ""))
    return "/".join(rows) + f" {side} - - {clock} 1"


class Prober:
    def __init__(self, cltb, folder):
        self.command = [cltb, "probe", "--format", "json", "--dir", folder, "-"]

    def __call__(self, fens):
        done = subprocess.run(self.command, input="\n".join(fens) + "\n", stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, text=True, check=False)
        return json.loads(done.stdout)

    def won(self, fens):
        command = [word if word != "json" else "tsv" for word in self.command]
        done = subprocess.run(command, input="\n".join(fens) + "\n", stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, text=True, check=False)
        return [line.split("\t")[0] for line in done.stdout.splitlines() if "\twin\t" in line]


def sample(prober, names, wanted, generator):
    found = []
    while len(found) < wanted:
        fens = []
        for _ in range(4 * wanted):
            name = generator.choice(names)
            men = [c for c in name.split("v")[0]] + [c.lower() for c in name.split("v")[1]]
            if generator.random() < 0.5:
                men = [c.swapcase() for c in men]
            squares = generator.sample(range(64), len(men))
            if any(c in "Pp" and not 8 <= s < 56 for c, s in zip(men, squares)):
                continue
            fens.append(board_fen(dict(zip(squares, men)), "w", 0))
        for fen in prober.won(fens):
            if len(found) < wanted:
                found.append(fen)
    return found


def after(board, move):
    copy = dict(board)
    make(copy, move)
    return copy


def needless(prober, board, clock, played=None, depth=KEPT_MOVES):
    """Could White have kept all men and the win, without the move that was played?"""
    moves = [m for m in prober([board_fen(board, "w", clock)])[0]["moves"] if m["outcome"] == "win"]
    for move in moves:
        if move["uci"] == played:
            continue
        if move["mate"]:
            return True
        then = after(board, move["uci"])
        replies = [r["uci"] for r in prober([board_fen(then, "b", clock + 1)])[0]["moves"]]
        if any(then.get(square_of(reply[2:4]), "").isupper() for reply in replies):
            continue
        if depth == 1 or all(needless(prober, after(then, reply), clock + 2, None, depth - 1) for reply in replies):
            return True
    return False


def balance(board):
    return sum(WORTH.get(c.upper(), 0) * (1 if c.isupper() else -1) for c in board.values())


def play(engine, prober, fen, go="go", judge=True):
    """Returns (plies or None, needless gifts) of a game of an engine against itself."""
    board, moves, clock, gifts, before, mates, taken = fen_board(fen), [], 0, 0, None, False, None
    while len(moves) < PLIES_MAX:
        said, move = engine.go(fen, moves, go)
        if move == "(none)":
            return (len(moves) if any("mate 0" in line for line in said) else None), gifts
        white = len(moves) % 2 == 0
        last, mated = before, mates
        if white:
            before = (dict(board), clock, move)
            mates = any(" score mate " in line for line in said)
        man = board[square_of(move[:2])]
        captured = make(board, move)
        clock = 0 if captured or man in "Pp" else clock + 1
        if clock > 100:
            return None, gifts
        if white and taken and judge and not mated and balance(board) < balance(last[0]) and needless(prober, *last):
            gifts += 1
            print("given up:", board_fen(last[0], "w", last[1]), last[2], taken, "of", fen)
        taken = move if not white and captured else None
        moves.append(move)
    return None, gifts


def announced(engine, fen):
    """Plies to mate by the engine's score."""
    mate = re.search(r" score mate (\d+) ", " ".join(engine.go(fen, [])[0]))
    return mate and 2 * int(mate[1]) - 1


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("cltb")
    parser.add_argument("folder")
    parser.add_argument("--positions", type=int, default=200)
    parser.add_argument("--seed", type=int, default=59)
    parser.add_argument("--names", default="")
    parser.add_argument("--fens", default="", help="positions instead of a sample, separated by ';'")
    parser.add_argument("--mates", action="store_true")
    parser.add_argument("--stockfish", nargs=2)
    a = parser.parse_args()
    names = a.names.split(",") if a.names else sorted(p.name[:-5] for p in pathlib.Path(a.folder).glob("K*v*.cltb")
                                                      if p.name.count(".") == 1 and p.name != "KBBvKN.cltb")
    prober = Prober(a.cltb, a.folder)
    fens = a.fens.split(";") if a.fens else sample(prober, names, a.positions, random.Random(a.seed))
    engine = Engine(a.cltb, "uci", "--dir", a.folder)
    other = None
    if a.stockfish:
        other = Engine(a.stockfish[0], options=["name Hash value 16", "name Threads value 1",
                                                f"name SyzygyPath value {a.stockfish[1]}"])
    plies = peers = gifts = lost = peers_lost = longer = 0
    for fen in fens:
        mine, given = play(engine, prober, fen)
        gifts += given
        lost += mine is None
        if mine is None:
            print("not mated:", fen)
        if a.mates:
            shortest, said = prober([fen])[0]["dtm"], announced(engine, fen)
            if not mine == shortest == said:
                longer += 1
                print("not the shortest mate:", fen, "has", shortest, "plies, announced", said, "played", mine)
        peer = None
        if other:
            other.send("ucinewgame")
            peer, _ = play(other, prober, fen, "go depth 12", judge=False)
            peers_lost += peer is None
        if mine is not None and (peer is not None or not other):
            plies += mine
            peers += peer or 0
        print(mine, peer, fen, flush=True)
    engine.send("quit")
    print(f"{len(fens)} positions: {lost} not mated, {gifts} men given up without need, {plies} plies to mate" +
          (f", {longer} not the shortest" if a.mates else "") +
          (f"; Stockfish: {peers_lost} not mated, {peers} plies, ratio {plies / max(peers, 1):.2f}" if other else ""))
    return 1 if lost or gifts or longer else 0


if __name__ == "__main__":
    sys.exit(main())
