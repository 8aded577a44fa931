# serve_client.py CLTB DIR POSITIONS URLS CLIENTS - starts `cltb serve` and sends it all kinds of requests, URLS of them
# random while CLIENTS clients pause in the middle of theirs
import atexit
import http.client
import json
import os
import random
import re
import resource
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.parse

CLTB, FOLDER, POSITIONS, URLS, CLIENTS = sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4]), int(sys.argv[5])
WITHOUT_STATISTICS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../data/no-statistics/KRvK.cltb")
FIELDS = ["checkmate", "stalemate", "variant_win", "variant_loss", "insufficient_material", "dtz", "precise_dtz",
          "dtm", "dtw", "dtc", "category"]
ORDER = ["loss", "unknown", "syzygy-loss", "blessed-loss", "draw", "cursed-win", "syzygy-win", "win"]
OTHER = dict(zip(ORDER, ["win", "unknown", "syzygy-win", "cursed-win", "draw", "blessed-loss", "syzygy-loss", "loss"]))


def need(condition, *what):
    if not condition:
        sys.exit("FAILED: " + " ".join(map(str, what)))


class Server:
    def __init__(self, *options, threads=2, descriptors=None, **how):
        def limit():
            if descriptors:
                resource.setrlimit(resource.RLIMIT_NOFILE, (descriptors, descriptors))
        command = [CLTB, "serve", "--listen", "127.0.0.1:0", "--threads", str(threads), *options]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                        preexec_fn=limit, **how)
        atexit.register(self.process.kill)  # of a check that fails
        said = re.search(r":(\d+)$", self.process.stdout.readline().strip())
        self.port = int(said[1]) if said else None

    def ask(self, path, method="GET", headers={}):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        connection.request(method, path, headers=headers)
        answer = connection.getresponse()
        body = answer.read().decode()
        connection.close()
        need(answer.headers["X-Content-Type-Options"] == "nosniff", method, path, answer.headers)
        need(os.getcwd() not in body, "a path of the host in the answer to", path, body[:300])
        return answer.status, body, answer.headers

    def get(self, path, fen):
        status, body, _ = self.ask(f"{path}?fen={urllib.parse.quote(fen)}")
        need(status == 200, path, fen, status, body)
        return json.loads(body)

    def raw(self, text, wait=True):
        s = socket.create_connection(("127.0.0.1", self.port), timeout=60)
        try:
            s.sendall(text)
            return s.recv(200) if wait else s
        except (BrokenPipeError, ConnectionResetError):
            return b""

    def memory_kb(self):
        with open(f"/proc/{self.process.pid}/status", encoding="ascii") as lines:
            return int(re.search(r"VmRSS:\s+(\d+)", lines.read())[1])

    def end(self):
        begin = time.time()
        self.process.send_signal(signal.SIGTERM)
        errors = self.process.communicate(timeout=60)[1]
        need(self.process.returncode == 0, "the exit status is", self.process.returncode, errors)
        need(time.time() - begin < 30, "it does not end")
        return errors.splitlines()


def check_values(server):
    """Positions whose outcome and distance another program has given, and the form of every answer."""
    checked = 0
    with open(POSITIONS, encoding="ascii") as lines:
        for line in lines:
            material, fen, outcome, plies = line.rstrip("\n").split("\t")[:4]
            if material not in ("KQvKR", "KBNvK", "KPvK", "KQvK", "KRvK"):
                continue
            answer = server.get("/standard", fen)
            need(list(answer) == FIELDS + ["moves"], list(answer))
            need(answer["dtc"] is None and answer["dtw"] is None, "no table has these", answer)
            dtz = 1 if answer["checkmate"] else int(plies or 0)
            need(answer["category"] == outcome and abs(answer["dtz"]) == dtz, fen, outcome, plies, answer)
            moves = answer["moves"]
            ranks = [ORDER.index(move["category"]) for move in moves]
            need(ranks == sorted(ranks), fen, "moves out of order")
            for move in moves:
                need(list(move) == ["uci", "san", "zeroing", "conversion"] + FIELDS, list(move))
                need(move["checkmate"] == move["san"].endswith("#"), fen, move)
                after = {"loss": -1, "win": 1, "draw": 0}.get(move["category"])
                need(after is None or (move["dtz"] > 0) - (move["dtz"] < 0) == after, fen, move)
            if moves:
                need(OTHER[moves[0]["category"]] == outcome, fen, moves[0])
                if outcome in ("win", "loss") and not moves[0]["zeroing"] and not moves[0]["checkmate"]:
                    need(abs(moves[0]["dtz"]) == dtz - 1, fen, dtz, moves[0])
            checked += 1
    need(checked >= 50, "only", checked, "positions")


def check_rules(server):
    fen = "4k3/6KP/8/8/8/8/7p/8_w_-_-_0_1"  # KPvKP: its table is missing
    answer = server.get("/standard", fen)
    need(answer["category"] == "unknown" and answer["dtz"] is None, answer)
    for path in (f"/standard?fen={fen}", f"/standard/batch?fen={fen}", f"/standard/mainline?fen={fen}"):
        headers = server.ask(path)[2]
        need(headers["Cache-Control"] == "no-store" and headers["ETag"] is None, path, headers)
    answer = server.get("/standard", "1k6/1r6/2K5/Q7/8/8/8/8 w - - 86 60")
    need(answer["category"] == "cursed-win" and answer["dtz"] == 15, answer)
    mate = server.get("/standard", "7k/8/5K2/8/8/8/8/6Q1 w - - 99 80")
    need(mate["moves"][0]["san"] == "Qg7#" and mate["moves"][0]["dtz"] == -1 and mate["category"] == "win", mate)
    mate = server.get("/standard", "7k/8/5K2/8/8/8/8/6Q1 w - - 100 80")
    need(mate["category"] == "cursed-win" and mate["moves"][0]["category"] == "blessed-loss", mate)
    need(server.get("/standard", "7k/6Q1/5K2/8/8/8/8/8 b - - 0 1")["checkmate"], "checkmate")
    for clock, won, lost in ((98, "win", "loss"), (99, "win", "blessed-loss"), (100, "cursed-win", "blessed-loss"),
                             (101, "cursed-win", "blessed-loss"), (70000, "cursed-win", "blessed-loss")):
        # A mate in one; a mate in two; mated, by a move at the clock before; a pawn that promotes.
        for fen, wanted in (("7k/8/5K2/8/8/8/8/6Q1 w", won), ("k7/8/1K6/8/8/8/8/7R b", lost),
                            ("6k1/6Q1/6K1/8/8/8/8/8 b", "loss" if clock <= 100 else "blessed-loss"),
                            ("8/4P3/8/8/8/2k5/8/K7 w", won), ("7k/8/5K2/8/8/8/8/6B1 b", "draw")):
            answer = server.get("/standard", f"{fen} - - {clock} 100")
            need(answer["category"] == wanted, fen, clock, wanted, answer)
    need(server.get("/standard", "7k/5Q2/5K2/8/8/8/8/8 b - - 0 1")["stalemate"], "stalemate")
    for fen, bare in (("7k/8/5K2/8/8/8/8/6B1 w - - 0 1", True), ("7k/8/5K2/8/8/8/8/5NN1 w - - 0 1", False),
                      ("7k/8/5K1b/8/8/8/8/6B1 w - - 0 1", True), ("7k/8/5K2/7b/8/8/8/6B1 w - - 0 1", False)):
        need(server.get("/standard", fen)["insufficient_material"] == bare, fen)
    # Castling rights that cannot be are ignored; with others up to four men are answered.
    need(server.get("/standard", "1k6/1r6/2K5/Q7/8/8/8/8 w KQkq e3 0 1")["dtz"] == 15, "impossible rights")
    for fen, capture in (("8/8/8/8/2pP4/2K5/4k3/8_b_k_d3_0_1", ["cxd3"]), ("8/8/8/8/2pP4/2K5/4k3/8_b_-_d3", ["cxd3"]),
                         ("8/8/8/8/2pP4/2K5/4k3/8_b_HAha_d3", ["cxd3"]), ("8/8/8/8/2pP4/2K5/4k3/8_b_k_e3_0_1", []),
                         ("8/8/4k3/3pP3/8/8/8/K7_w_KQkq_d6_7_9", ["exd6"]),
                         ("8/8/8/8/2pP4/2K5/4k3/8_w_-_d3_0_1", [])):
        moves = [move["san"] for move in server.get("/standard", fen)["moves"]]
        need([move for move in moves if re.match("[a-h]x", move)] == capture, fen, moves)
    won = server.get("/standard", "8/8/8/8/2pP4/2K5/4k3/8_b_k_d3_0_1")  # its table is missing, but not that of KPvK
    need(won["category"] == "win" and won["moves"][0]["san"] == "cxd3", "en passant with a stale right", won)
    castling = server.get("/standard", "4k3/8/8/8/8/8/8/R3K3 w Q - 0 1")
    need((castling["category"], castling["dtz"]) == ("win", 23), castling)
    for fen, uci in (("8/8/8/8/8/8/1q6/k3K2R w K - 0 1", "e1g1"), ("8/8/8/8/8/8/1q6/k4K1R w H - 0 1", "f1h1")):
        castling = server.get("/standard", fen)
        need((castling["category"], castling["moves"][0]["uci"]) == ("draw", uci), castling)
        need(castling["moves"][0]["category"] == "draw" and castling["moves"][1]["category"] == "win", castling)
    line = server.get("/standard/mainline", "4k3/8/8/8/8/8/8/R3K3 w Q - 0 1")
    need((line["dtz"], len(line["mainline"]), line["winner"]) == (23, 23, "w"), line)
    five = server.get("/standard", "4k3/8/8/8/8/8/1b6/R3KN2 w Q - 0 1")
    need((five["category"], five["dtz"]) == ("unknown", None), five)
    start = server.get("/standard", "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1")
    need(start["category"] == "unknown" and len(start["moves"]) == 20, "the start")


def check_mainline(server):
    line = server.get("/standard/mainline", "7k/8/8/8/8/3K4/8/6Q1 w - - 0 1")
    need(line["winner"] == "w" and line["mainline"][-1]["san"].endswith("#"), line)
    need([abs(step["dtz"]) for step in line["mainline"]][:-1] == list(range(line["dtz"] - 1, 0, -1)), line)
    need(server.get("/standard/mainline", "7k/8/8/8/8/3K4/8/8 w - - 0 1")["mainline"] == [], "a draw")
    # The least DTZ is that to the loss of a queen or a rook.
    for fen, most in (("8/8/8/8/8/2k5/8/2K2QQ1 w - - 0 1", 3), ("8/8/8/3k4/8/8/8/KRR5 w - - 0 1", 30)):
        line = server.get("/standard/mainline", fen)
        steps = [step["san"] for step in line["mainline"]]
        need(line["winner"] == "w" and len(steps) <= most, fen, line)
        need(not any("x" in step for step in steps), fen, "a man is given away", steps)
    for fen in ("4k3/8/8/8/8/8/1b6/R3KN2 w Q - 0 1", "4k3/6KP/8/8/8/8/7p/8 w - - 0 1"):
        need(server.ask("/standard/mainline?fen=" + urllib.parse.quote(fen))[0] == 404, fen)


def check_page(server):
    for path, kind in (("/", "text/html"), ("/?fen=x", "text/html"), ("/page.js", "text/javascript"),
                       ("/page.css", "text/css"), ("/build.html", "text/html"),
                       ("/dobutsu.html", "text/html"), ("/dobutsu.js", "text/javascript"),
                       ("/pieces.svg", "image/svg+xml")):
        status, body, headers = server.ask(path)
        need(status == 200 and headers["Content-Type"].startswith(kind) and len(body) > 500, path, status, headers)
        need("default-src 'self'" in headers["Content-Security-Policy"], path, headers)
        need(headers["Cache-Control"] == "no-cache", path, headers)
        need(server.ask(path, headers={"If-None-Match": headers["ETag"]})[0] == 304, path, "ETag")
    for path in ("//", "/page", "/page.js/", "/../page.js", "/main.js", "/KQvKR.cltb"):
        need(server.ask(path)[0] == 404, path)


def check_http(server):
    path = "/standard?fen=1k6/1r6/2K5/Q7/8/8/8/8_w_-_-_0_1"
    status, body, headers = server.ask(path)
    need(status == 200 and headers["Content-Type"] == "application/json" and "max-age" in headers["Cache-Control"],
         headers)
    need(server.ask(path, headers={"If-None-Match": headers["ETag"]})[0] == 304, "ETag")
    need(server.ask(path, "HEAD")[:2] == (200, ""), "HEAD")
    # The answer to HEAD has the length of the body, not the body, so that the next answer begins behind it.
    for target, wanted in (("/about", 200), ("/nothing", 404)):
        both = (f"HEAD {target} HTTP/1.1\r\nHost: x\r\n\r\n"
                f"GET {target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
        with server.raw(both.encode(), wait=False) as connection, connection.makefile("rb") as answers:
            text = answers.read().decode()
        head, _, rest = text.partition("\r\n\r\n")
        sent = rest.partition("\r\n\r\n")[2]
        need(head.startswith(f"HTTP/1.1 {wanted}") and rest.startswith(f"HTTP/1.1 {wanted}") and sent != "", text)
        need(f"Content-Length: {len(sent)}" in head, text)
    need(server.ask(path, "OPTIONS")[0] == 204, "OPTIONS")
    for method in ("POST", "PUT", "DELETE", "TRACE"):
        need(server.ask(path, method)[0] == 405, method)
    need(json.loads(body) == json.loads(server.ask(path.replace("_", "+"))[1]), "'+' for a blank")
    fens = ["7k/8/5K2/8/8/8/8/6Q1 w - - 0 1", "nonsense", "7k/8/5K2/8/8/8/8/6R1 w - - 0 1"]
    status, body, _ = server.ask("/standard/batch?" + "&".join("fen=" + urllib.parse.quote(fen) for fen in fens))
    answers = json.loads(body)
    need(status == 200 and len(answers) == 3 and answers[1]["fen"] == "nonsense" and "error" in answers[1], body)
    need([answers[i] for i in (0, 2)] == [server.get("/standard", fens[i]) for i in (0, 2)], "batch")
    need(server.ask("/standard/batch?" + "fen=x&" * 101)[0] == 400, "too many positions")
    table = tables_of(server)["KQvKR"]
    need(table["white"]["outcomes"]["win"] == {"positions": 8863768, "longest": 61}, "outcomes", table)
    need(table["black"]["outcomes"]["loss"] == {"positions": 7062680, "longest": 62}, "outcomes", table)
    stats = json.loads(command("stats", "KQvKR", "--format", "json"))
    need(table["longest"] == stats["longest"] and tables_of(server)["KQvKR"] == table, "longest", table)
    about = json.loads(server.ask("/about")[1])
    version = subprocess.run([CLTB, "--version"], stdout=subprocess.PIPE, text=True, timeout=60, check=True).stdout
    need(version.split() == ["cltb", about["version"]] and about["watches"], about)
    need(server.ask("/monitor")[1].startswith("tablebase requests="), "monitor")
    need("Disallow" in server.ask("/robots.txt")[1], "robots.txt")
    for path, wanted in (("/standard", 400), ("/standard?fen=", 400), ("/standard?fen=8/8/8/8/8/8/8/8_w", 400),
                         ("/standard?fen=%00", 400), ("/standard?fen=7k/8/5K2/8/8/8/8/6Q1_w%00x", 400),
                         ("/standard?fen=%zz%", 400), ("/nothing", 404),
                         ("/standard?fen=rk6/8/8/8/8/8/8/5K2_b_a_-_0_1", 200),
                         ("/standard?fen=4k3/8/8/8/8/8/5K2/6R1_w_G_-_0_1", 200),
                         ("/../../../../etc/passwd", 404), ("/standard/../../etc/passwd", 404),
                         ("/dobutsu?fen=x", 404), ("/standard?fen=" + "x" * 9000, 400)):
        status, body, _ = server.ask(path)
        need(status == wanted and "root:" not in body, path[:60], status, body[:200])


def wait_for(server, path):
    """What takes long: 202 until it is there."""
    end = time.time() + 120
    while time.time() < end:
        status, body, headers = server.ask(path)
        if status != 202:
            wanted = "no-cache" if path == "/manifest" else "max-age"
            need(status != 200 or wanted in headers["Cache-Control"], path, headers)
            return status, body
        need(headers["Retry-After"] == "1" and 0 <= json.loads(body)["share"] <= 1, path, headers, body)
        time.sleep(0.1)
    return need(False, path, "takes too long")


def command(*words):
    return subprocess.run([CLTB, *words, "--dir", FOLDER], stdout=subprocess.PIPE, text=True, timeout=120,
                          check=True).stdout


def tables_of(server):
    return {table["material"]: table for table in json.loads(server.ask("/endgames")[1])}


def check_stats(server):
    status, body = wait_for(server, "/stats/KPvK.json")
    need(status == 200 and body == command("stats", "KPvK", "--format", "json", "--zugzwangs"), "statistics", body)
    status, _, headers = server.ask("/stats/kkp.json")
    need((status, headers["Location"]) == (301, "/stats/KPvK.json"), "another spelling", headers)
    for name in ("KPvKP.json", "KQQQvKQ.json", "KPvK", "KPvK.json/", "KPvK.cltb", "../KPvK.json", "x.json",
                 ".json", "", "K" * 500 + ".json"):
        need(server.ask("/stats/" + name)[0] == 404, "/stats/" + name)
    if "CLTB_TEST_LIBMD" in os.environ:
        status, body = wait_for(server, "/manifest")
        need(status == 200 and body == command("manifest"), "checksums", body)


def check_kept():
    """Materials of more men than are counted."""
    os.makedirs("kept", exist_ok=True)
    shutil.copy(f"{FOLDER}/KQvK.cltb", "kept")
    shutil.copy(WITHOUT_STATISTICS, "kept")
    expected = subprocess.run([CLTB, "stats", "KQvK", "--recount", "--format", "json", "--zugzwangs", "--dir", "kept"],
                              stdout=subprocess.PIPE, text=True, timeout=120, check=True).stdout
    server = Server("--dir", "kept", "--count", "2")
    need(server.ask("/stats/KQvK.json")[:2] == (200, expected), "statistics that are kept")
    need("longest" in tables_of(server)["KQvK"] and "longest" not in tables_of(server)["KRvK"], "kept or not")
    os.remove("kept/KQvK.cltb")
    need(list(tables_of(server)) == ["KRvK"], "the list of tables after a change")
    status, body = wait_for(server, "/stats/KRvK.json")
    need(status == 404 and "keeps no statistics" in body, "statistics that are not kept", status, body)
    server.end()


def check_mates():
    """Distances to mate, where there are tables of them."""
    subprocess.run([CLTB, "build", "KQvKR", "--metric", "dtm", "--dir", "mates", "--device", "cpu", "--quiet"],
                   timeout=120, check=True)
    server = Server("--dir", f"{FOLDER}:mates")
    fen = "8/8/8/8/2r5/8/2k5/K6Q w - - 0 1" # the longest win: 69 plies, by one move
    answer = server.get("/standard", fen)
    need((answer["category"], answer["dtm"]) == ("win", 69), answer)
    dtm = [move["dtm"] for move in answer["moves"] if move["category"] == "loss"]
    need(dtm[0] == -68 and dtm == sorted(dtm, reverse=True), "order by distances to mate", answer)
    need({move["dtm"] for move in answer["moves"] if move["category"] == "draw"} == {0}, "draws", answer)
    line = server.get("/standard/mainline", fen)
    need(len(line["mainline"]) == 69 and line["winner"] == "w", "a line to mate", line)
    mate = server.get("/standard", "7k/6Q1/6K1/8/8/8/8/8 b - - 0 1")
    need(mate["checkmate"] and mate["dtm"] is None, mate)
    need(server.get("/standard", "8/8/8/8/8/2k5/8/KBN5 w - - 0 1")["dtm"] is None, "a table of DTZ alone")
    status, body = wait_for(server, "/stats/KRvK.dtm.json")
    stats = json.loads(body)
    need(status == 200 and stats["metric"] == "dtm" and stats["longest"][0]["plies"] == 32, "longest mate", stats)
    need(sum(entry["count"] for entry in stats["white"]) == 175168 and stats["white"][0]["dtm"] == 1, "counts", stats)
    need(server.ask("/stats/KBNvK.dtm.json")[0] == 404, "statistics of a missing table")
    need(server.end() == [], "a missing table of distances to mate is no fault")


def check_outcomes():
    """Syzygy files of outcomes alone: categories without distances."""
    subprocess.run([CLTB, "export", "KPvK", "--wdl", "--to", "outcomes", "--dir", FOLDER], stdout=subprocess.DEVNULL,
                   timeout=120, check=True)
    server = Server("--syzygy", "outcomes")
    exact = Server("--dir", FOLDER)
    fens = ["8/8/8/8/8/2k5/8/2K3Q1 w - - 0 1", "8/8/8/8/8/2k5/8/2K3Q1 b - - 0 1", "8/8/8/8/8/2k5/4P3/4K3 w - - 0 1",
            "8/8/8/8/8/2k5/4P3/4K3 b - - 0 1", "8/4P3/8/8/8/2k5/8/K7 w - - 0 1", "7k/8/5K2/8/8/8/8/6Q1 w - - 0 1",
            "8/8/8/8/8/2k5/8/2K3Q1 w - - 100 90"]
    answers = json.loads(server.ask("/standard/batch?" + "&".join("fen=" + urllib.parse.quote(f) for f in fens))[1])
    for fen, answer in zip(fens, answers):
        need(answer == server.get("/standard", fen), fen, "batch", answer)
        known = exact.get("/standard", fen)
        need(answer["category"] == known["category"], fen, answer)
        need(answer["dtz"] in (None, known["dtz"]), fen, answer)
        category = {move["uci"]: move["category"] for move in known["moves"]}
        need(category == {move["uci"]: move["category"] for move in answer["moves"]}, fen, answer)
        ranks = [ORDER.index(move["category"]) for move in answer["moves"]]
        need(ranks == sorted(ranks), fen, "moves out of order", answer)
    # What the clock leaves of a win is known only while it is young, or where a move of a pawn sets it back.
    for fen, category in (("8/8/8/8/8/2k5/8/2K3Q1 w - - 40 90", "syzygy-win"),
                          ("8/8/8/8/8/2k5/8/2K3Q1 b - - 40 90", "syzygy-loss"),
                          ("8/4P3/8/8/8/2k5/8/K7 w - - 99 90", "win")):
        need(server.get("/standard", fen)["category"] == category, fen, server.get("/standard", fen))
    need(server.ask("/standard?fen=" + urllib.parse.quote(fens[0]))[2]["Cache-Control"] == "no-store", "no distance")
    line = server.get("/standard/mainline", fens[0])
    need(line["dtz"] is None and line["winner"] == "w" and line["mainline"][0]["dtz"] is None, line)
    need(exact.end() == [] and all("outcomes only" in said for said in server.end()), "faults")


def check_build(server, path):
    need(server.ask("/build")[:2] == (200, ""), "a build that has not begun")
    with open(path, "w", encoding="ascii") as file:
        file.write('{"event": "start"}\n{"event": "pl')
    for query, text, begin in (("", '{"event": "start"}\n', "0"), ("?from=3", 'vent": "start"}\n', "3"),
                               ("?from=19", "", "19"), ("?from=1000", '{"event": "start"}\n', "0")):
        status, body, headers = server.ask("/build" + query)
        need((status, body, headers["Cltb-From"]) == (200, text, begin), query, body, headers)
        need(headers["Cache-Control"] == "no-store", headers)
    for query in ("?from=", "?from=-1", "?from=x", "?from=" + "9" * 30):
        need(server.ask("/build" + query)[0] == 400, query)
    os.remove(path)
    os.mkfifo(path)
    need(server.ask("/build")[0] == 500, "a pipe")
    os.remove(path)


def check_hostile(server):
    """Half a request, too much of one, and rubbish; meanwhile others are answered."""
    idle = [server.raw(b"GET /standard?fen=", wait=False) for _ in range(CLIENTS)]
    for s in idle[::2]:
        s.sendall(b"1k6/1r6/2K5/")
    begin = time.time()
    server.get("/standard", "1k6/1r6/2K5/Q7/8/8/8/8 w - - 0 1")
    need(time.time() - begin < 5, "slow clients keep others waiting")
    need(b"200" not in server.raw(b"GET /monitor HTTP/1.1\r\nX: " + b"y" * 10_000_000 + b"\r\n\r\n")[:20], "10 MB")
    need(b"200" not in server.raw(b"\x00\xff\r\n\r\n")[:20], "rubbish")
    dice = random.Random(int(os.environ.get("CLTB_SEED", "1")))
    words = ["/standard", "/standard/", "mainline", "/batch", "?fen=", "&fen=", "%", "%2", "%41", "%ff", "..", "//",
             "?", "=", "&", "8/8/8/8/8/2k5/8/2K1Q3", "_w_-_-_0_1", "+b+-+-+99+60", " ", "\t", "\x7f", "KQkq",
             "/dobutsu", "/endgames", "/stats/KPvK.json", "/stats/KQ", "/manifest", "/build", "?from=",
             "#", "e3", "-1", "99999999999", "kkkkkkkk/KKKKKKKK/8/8/8/8/8/8"]
    growth = 0
    for i in range(URLS):
        path = "".join(dice.choice(words) for _ in range(dice.randint(1, 8)))
        path = path.replace(" ", "").replace("\t", "")
        said = server.raw(f"GET /{path.lstrip('/')} HTTP/1.0\r\n\r\n".encode("latin-1"))
        need(said == b"" or said.startswith(b"HTTP/1."), path, said)
        need(not said.startswith((b"HTTP/1.0 5", b"HTTP/1.1 5")), path, said)
        if i == URLS // 3:
            growth = -server.memory_kb()
    growth += server.memory_kb()
    # The address sanitizer keeps what is freed for a while: 256 MB.
    most = 400_000 if "CLTB_TEST_SANITIZED" in os.environ else 30_000
    need(growth < most, "memory grows by", growth, "kB")
    for s in idle:
        s.close()


def check_read_ahead():
    """Requests whose answers nobody reads do not fill the memory, and as many in a row as one likes are answered."""
    server = Server("--dir", FOLDER, threads=1)
    request = b"GET /page.js HTTP/1.1\r\nHost: x\r\n\r\n"
    before = server.memory_kb()
    with socket.socket() as s:
        s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
        s.connect(("127.0.0.1", server.port))
        s.settimeout(2)
        try:
            for _ in range(600):
                s.sendall(request * 4000)  # 140 kB
        except (TimeoutError, socket.timeout, BrokenPipeError, ConnectionResetError):
            pass
        need(server.memory_kb() - before < 40_000, "memory grows by", server.memory_kb() - before, "kB")
    with server.raw(b"GET /robots.txt HTTP/1.1\r\nHost: x\r\n\r\n" * 1000, wait=False) as s:
        got = b""
        while got.count(b"Disallow") < 1000:
            more = s.recv(1 << 16)
            need(more, "only", got.count(b"Disallow"), "answers of 1000")
            got += more
    need(server.end() == [], "it says something")


def check_descriptors():
    """Out of descriptors it says so once, and goes on when there are some again."""
    server = Server("--dir", FOLDER, threads=1, descriptors=40)
    idle = [socket.create_connection(("127.0.0.1", server.port), timeout=60) for _ in range(60)]
    time.sleep(1)
    for s in idle:
        s.close()
    need(server.ask("/monitor")[0] == 200, "no answer after a lack of descriptors")
    said = server.end()
    need(len(said) == 1 and "Too many open files" in said[0], said[:5])


class Drip(threading.Thread):
    """Sends one byte of a header a second until the server closes the connection."""
    def __init__(self, server):
        super().__init__(daemon=True)
        self.connection = server.raw(b"GET /monitor HTTP/1.1\r\nX: ", wait=False)
        self.start()

    def run(self):
        self.connection.settimeout(1)
        try:
            while True:
                try:
                    if self.connection.recv(1) == b"":
                        break
                except (TimeoutError, socket.timeout):
                    self.connection.sendall(b"y")
        except OSError:
            pass


def check_short_memory():
    """SIGTERM ends it also when memory is short, from any allocation on."""
    if not os.environ.get("FAULTS") or "CLTB_TEST_SANITIZED" in os.environ:
        return
    for first in range(300, 2400, 300):
        faults = {"LD_PRELOAD": os.environ["FAULTS"], "FAULT_CALL": "malloc", "FAULT_KIND": "ENOMEM",
                  "FAULT_NTH": str(first), "FAULT_FROM": "1"}
        server = Server("--dir", FOLDER, threads=1, env={**os.environ, **faults})
        for _ in range(20 if server.port else 0):
            try:
                server.raw(b"GET /standard?fen=7k/8/5K2/8/8/8/8/6Q1_w HTTP/1.0\r\n\r\n")
            except (ConnectionRefusedError, ConnectionResetError):
                break
        server.process.send_signal(signal.SIGTERM)
        try:
            server.process.communicate(timeout=60)
        except subprocess.TimeoutExpired:
            need(False, "it does not end without memory from allocation", first)
        need(server.process.returncode in (0, 1), "the exit status is", server.process.returncode, first)


def wait_until(condition, *what):
    end = time.time() + 60
    while not condition():
        need(time.time() < end, *what)
        time.sleep(0.2)


def check_later():
    """A table that is made or repaired while the server runs is seen, and only then may caches keep the answer."""
    os.makedirs("later", exist_ok=True)
    for name in ("KQvK", "KRvK"):
        shutil.copy(f"{FOLDER}/{name}.cltb", "later")
    with open("later/KRvK.cltb", "r+b") as file:
        file.truncate(3000)
    server = Server("--dir", os.path.abspath("later"))
    # One is missing, one is cut short, and one is missing that leads to that.
    fens = ("8/8/8/8/8/2k5/7P/2K5", "8/8/8/8/8/2k5/8/2K4R", "8/8/8/7Q/8/2k5/8/1K4r1")
    paths = [f"/standard?fen={fen}_w" for fen in fens]
    for path in paths:
        status, body, headers = server.ask(path)
        need(status == 200 and "unknown" in body, path, body)
        need(headers["Cache-Control"] == "no-store" and headers["ETag"] is None, path, headers)
    sums = "CLTB_TEST_LIBMD" in os.environ
    need(not sums or "KPvK" not in wait_for(server, "/manifest")[1], "checksums before")
    need(server.ask("/stats/KRvK.json")[0] == 500 and server.ask("/stats/KPvK.json")[0] == 404, "statistics")
    for name in ("KRvK", "KPvK", "KBvK", "KNvK", "KQvKR"):
        shutil.copy(f"{FOLDER}/{name}.cltb", "later")
    for path in paths + ["/stats/KRvK.json", "/stats/KPvK.json"]:
        wait_until(lambda: server.ask(path)[0] == 200 and "unknown" not in server.ask(path)[1], path, "is not seen")
        headers = server.ask(path)[2]
        need("max-age" in headers["Cache-Control"] and headers["ETag"], path, headers)
    need(not sums or "KPvK" in wait_for(server, "/manifest")[1], "checksums after")
    tables = tables_of(server)
    need(all("outcomes" in tables[name]["white"] for name in ("KPvK", "KRvK", "KQvKR")), tables)
    server.end()


def check_pasted():
    """The commands of docs/serve.md that watch a build, with fewer men, and the server first."""
    document = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../docs/serve.md")
    with open(document, encoding="utf-8") as file:
        build, serve = re.findall(r"\$ cltb (build .*) >build.jsonl &\n *\$ cltb serve (--.*)\n", file.read())[0]
    os.makedirs("pasted", exist_ok=True)
    server = Server(*serve.split(), cwd="pasted")
    fen = "8/8/8/8/8/2k5/8/2K4R_w"
    need(server.ask("/endgames")[:2] == (200, "[]\n"), "tables before the build")
    need("unknown" in server.ask(f"/standard?fen={fen}")[1], "a position before the build")
    with open("pasted/build.jsonl", "wb") as events:
        subprocess.run([CLTB, *build.replace("--men 4", "--men 3").split(), "--device", "cpu"], cwd="pasted",
                       stdout=events, check=True, timeout=300)
    wait_until(lambda: server.get("/standard", fen)["dtz"] is not None, "the table is not seen")
    need("KRvK" in tables_of(server) and '"event"' in server.ask("/build")[1], "the list of tables, events")
    server.end()


def check_damaged():
    """A damaged table: "unknown", one line that names it, and the other tables as before. The end while one counts."""
    os.makedirs("damaged", exist_ok=True)
    for name in ("KQvKR", "KQvK"):
        shutil.copy(f"{FOLDER}/{name}.cltb", "damaged")
    shutil.copy(WITHOUT_STATISTICS, "damaged")
    with open("damaged/KQvKR.cltb", "r+b") as file:
        size = file.seek(0, os.SEEK_END)
        file.seek(16)
        head = int.from_bytes(file.read(8), "little")
        file.seek(head + (size - head) // 20)
        file.write(b"\x55" * ((size - head) * 9 // 10))
    server = Server("--dir", os.path.abspath("damaged"))
    unknown = 0
    for row in ("Q7", "2Q5", "3Q4", "5Q2", "6Q1", "7Q"):
        fen = f"1k6/1r6/2K5/{row}/8/8/8/8_w_-_-_0_1"
        answer = server.get("/standard", fen)
        need(answer["category"] != "unknown" or answer["dtz"] is None, answer)
        unsure = any(values["dtz"] is None for values in (answer, *answer["moves"]))
        need(server.ask(f"/standard?fen={fen}")[2]["Cache-Control"] == "no-store" or not unsure, fen, answer)
        unknown += answer["dtz"] is None
    need(unknown > 0, "the damage is not noticed")
    need(server.get("/standard", "7k/8/5K2/8/8/8/8/6Q1 w - - 0 1")["category"] == "win", "another table")
    need("outcomes" in tables_of(server)["KQvK"]["white"], "the list of tables beside a damaged one")
    need(server.ask("/stats/KRvK.json")[0] == 202, "a count")
    said = server.end()
    need(any("KQvKR.cltb" in line for line in said), "damage is not told", said)
    need(len(said) == len(set(said)), "a fault is told twice", said)


def main():
    limit = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (limit, limit))
    events = "build.jsonl"
    server = Server("--dir", FOLDER, "--watch", events)
    again = subprocess.run([CLTB, "serve", "--dir", FOLDER, "--listen", f"127.0.0.1:{server.port}"],
                           stderr=subprocess.PIPE, text=True, timeout=60, check=False)
    need(again.returncode == 1 and "Address already in use" in again.stderr, "a second one takes the port", again)
    drips = [Drip(server) for _ in range(5)]
    for check in (check_values, check_rules, check_mainline, check_page, check_http, check_stats):
        check(server)
    check_build(server, events)
    check_hostile(server)
    for drip in drips:
        drip.join(60)
        need(not drip.is_alive(), "a request that comes byte by byte holds its connection")
    said = server.end()
    need(any("KPvKP" in line for line in said), "a missing table is not told", said)
    need(len(said) == len(set(said)), "a fault is told twice", said)
    for check in (check_damaged, check_kept, check_mates, check_outcomes, check_later, check_pasted, check_read_ahead,
                  check_descriptors, check_short_memory):
        check()


main()
