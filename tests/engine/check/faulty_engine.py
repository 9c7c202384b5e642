"""A tic-tac-toe engine over UGI that has one fault: `faulty_engine.py FAULT`. It plays the first free square.

The faults are those that authors make; each concerns one step of `engine check`.
"""

import os
import sys
import time
from pathlib import Path

SQUARES = [column + row for row in "123" for column in "abc"]
LACKING = {
    "no default": "option name seed type spin min 0 max 9",
    "no max": "option name seed type spin default 0 min 0",
    "far default": "option name seed type spin default 500 min 1 max 100",
    "no state": "option name deep type check",
    "default is no var": "option name style type combo default c var a var b",
}
LOCK = Path("locked")
FAULT = sys.argv[1]


def say(*lines: str) -> None:
    os.write(1, "".join(f"{line}\n" for line in lines).encode())


class Engine:
    def __init__(self) -> None:
        self.moves: list[str] = []
        self.games = 0
        self.later: list[str] = []
        """A wrong position that counts after the next move: a bot that plays at random may hide it for long."""

    def handle(self, line: str) -> None:
        match line.split():
            case ["ugi" | "uci" as hello] if (hello == "uci") == (FAULT == "uci"):
                self.greet()
            case ["isready"] if FAULT != "no new game" or not self.games:
                say("readyok")
            case ["uginewgame"]:
                self.games += 1
            case ["position", "startpos", *words]:
                self.set_position(words[1:])
            case ["query", _] if FAULT == "knows one answer":
                say("response false")
            case ["go", *limit]:
                self.go(limit)
            case ["stop"] if FAULT == "two moves after stop":
                say("bestmove a1")
            case ["quit"]:
                if FAULT != "stays at quit":
                    raise SystemExit(0)
            case [word, *_]:
                self.handle_unknown(word)

    def handle_unknown(self, word: str) -> None:
        while FAULT == "floods at unknown command" and word == "xyzzy":
            os.write(1, b"x" * 65536)
        if FAULT == "exits at unknown command" and word == "xyzzy":
            raise SystemExit("KeyError: 'xyzzy'")
        if FAULT == "exits at binary" and not word.isascii():
            raise SystemExit("UnicodeDecodeError")

    def greet(self) -> None:
        if FAULT == "bad option":
            say("option name level type number default 3")
        if FAULT in LACKING:
            say(LACKING[FAULT])
        if FAULT == "one session":
            if LOCK.exists():
                raise SystemExit("error: already running")
            LOCK.touch()
        answer = {"shouts": "UGIOK", "uci": "uciok"}.get(FAULT, "ugiok")
        say("id name faulty", "option name level type spin default 3 min 0 max 9", answer)

    def set_position(self, moves: list[str]) -> None:
        if all(move in SQUARES for move in moves):
            self.moves = moves
        elif FAULT == "takes any position":
            self.later = moves
        else:
            say("info string error: wrong move")
            if FAULT == "forgets at bad position":
                self.moves = []

    def go(self, limit: list[str]) -> None:
        if FAULT == "slow" and limit[:2] == ["movetime", "200"]:
            time.sleep(0.35)
        move = next(square for square in SQUARES if square not in self.moves)
        self.moves, self.later = self.later or self.moves, []
        if FAULT == "capitals":
            move = move.upper()
        elif FAULT == "row first":
            move = f"{SQUARES.index(move) // 3} {SQUARES.index(move) % 3}"
        elif FAULT == "wrong in the end" and len(self.moves) >= 6:
            move = self.moves[0]
        say(f"bestmov {move}" if FAULT == "misspells" else f"bestmove {move}")

    def end_of_input(self) -> None:
        while FAULT == "stays at the end of its input":
            time.sleep(0.05)


def received() -> bytes:
    try:
        return os.read(0, 65536)
    except ConnectionResetError:
        return b""


def main() -> None:
    if FAULT == "mute":
        time.sleep(3600)
    engine, rest = Engine(), b""
    while data := received():
        if FAULT == "half lines" and data.startswith(b"go") and not data.endswith(b"\n"):
            data += b"\n"
        *lines, rest = (rest + data).split(b"\n")
        for line in lines:
            engine.handle(line.decode("latin-1"))
    if FAULT == "takes the server down":
        os._exit(9)
    engine.end_of_input()


if __name__ == "__main__":
    try:
        main()
    finally:
        if FAULT == "one session":
            LOCK.unlink(missing_ok=True)
