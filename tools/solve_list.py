#!/usr/bin/env python3
"""Solves the positions of a list, tests/data/endings-*.tsv, and compares the outcomes with what their sources claim.

    tools/solve_list.py [--seconds 60] [--every N] [--from K] [--cltb PATH] LIST [options of `cltb solve`]

Prints a line for each position: ok, DIFFERS, or - (not decided), its seconds, the outcome, the claim and the FEN; then
how many were decided, and the median of the seconds.
"""
import argparse
import csv
import statistics
import subprocess
import sys
import time

DECIDED = ("win", "cursed-win", "draw", "blessed-loss", "loss")


def solve(cltb, fen, seconds, options):
    """The outcome, or why there is none."""
    command = [cltb, "solve", fen, "--quiet", "--format", "tsv", *options]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=seconds, check=False)
    except subprocess.TimeoutExpired:
        return "time"
    return done.stdout.rstrip("\n").split("\t")[1] if done.returncode == 0 else done.stderr.strip()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--from", type=int, default=0, dest="first")
    parser.add_argument("--cltb", default="build/release/cltb")
    parser.add_argument("list")
    arguments, options = parser.parse_known_args()
    with open(arguments.list, encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))[arguments.first :: arguments.every]
    decided = []
    for row in rows:
        start = time.monotonic()
        outcome = solve(arguments.cltb, row["fen"], arguments.seconds, options)
        seconds = time.monotonic() - start
        word = "-"
        if outcome in DECIDED:
            decided.append(seconds)
            word = "ok" if row["claim"].rstrip("?") in (outcome, outcome + "s") else "DIFFERS"
        print(f"{word:7} {seconds:6.1f} {outcome:12.60} {row['claim']:6} {row['fen']}", flush=True)
    median = f", in {statistics.median(decided):.1f} s (median)" if decided else ""
    print(f"{len(decided)} of {len(rows)} decided{median}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
