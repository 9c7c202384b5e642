"""A player over UGI that knows a game: `agree.py [WISH [FAULT [PLY]]]`. It imports nothing of the project.

A heap of 11 counters: each takes 1, 2 or 3, and who takes 2 moves again. To take the last one wins; a heap of one is a
draw. It takes the `least`, the `most`, or `two` if it can; any other wish is its move.

From PLY moves of a game on, by default 0, FAULT changes its answers: `lies:QUERY` turns one round, `says:QUERY:TEXT`
answers that, `skips:QUERY` leaves it out, `silent:QUERY` never answers anything again, `crashes:QUERY` ends, and
`held:QUERY` waits for a file `released`; it says with a file `holding` that it waits. With `plain` it knows the three
published queries alone.
"""

import sys
import time
from pathlib import Path

HEAP = 11
LIES = {"true": "false", "false": "true", "p1win": "p2win", "p2win": "p1win", "draw": "p1win"}


class Heap:
    def __init__(self, taken: list[int]) -> None:
        self.taken = taken
        self.left, self.side, self.winner = HEAP, 0, ""
        for number in taken:
            self.left -= number
            if not self.left:
                self.winner = f"p{self.side + 1}win"
            self.side = self.side if number == 2 else 1 - self.side

    def legal(self) -> list[int]:
        return [] if self.over() else [number for number in (1, 2, 3) if number <= self.left]

    def over(self) -> bool:
        return self.left <= 1

    def answer(self, query: str) -> str:
        over = self.over()
        answers = {
            "gameover": "true" if over else "false",
            "p1turn": "true" if self.side == 0 else "false",
            "result": (self.winner or "draw") if over else "none",
            "legalmoves": " ".join(map(str, self.legal())),
            "capabilities": "legalmoves",
        }
        return answers[query]


class Player:
    def __init__(self, wish: str = "least", fault: str = "fine", ply: str = "0") -> None:
        self.wish, self.ply = wish, int(ply)
        self.fault, _, rest = fault.partition(":")
        self.query, _, self.text = rest.partition(":")
        self.heap = Heap([])

    def answer(self, query: str) -> None:
        """Answer a query, or not."""
        published = query in ("gameover", "p1turn", "result")
        if query not in ("legalmoves", "capabilities") and not published:
            return say("response unknown")
        if self.fault == "plain":
            return say(f"response {self.heap.answer(query)}" if published else "info string error: no such query")
        answer = self.heap.answer(query)
        if query == self.query and len(self.heap.taken) >= self.ply:
            if self.fault == "crashes":
                print("KeyError: no idea", file=sys.stderr, flush=True)
                sys.exit(3)
            if self.fault == "silent":
                time.sleep(3600)
            if self.fault == "held":
                Path("holding").touch()
                while not Path("released").exists():
                    time.sleep(0.005)
            if self.fault == "skips":
                return None
            if self.fault == "lies":
                answer = LIES.get(answer, "")
            if self.fault == "says":
                answer = self.text
        return say(f"response {answer}".rstrip())

    def choose(self) -> str:
        """Return a number to take, or the wish itself if it is none of the three."""
        legal = self.heap.legal()
        chosen = {"least": min(legal), "most": max(legal), "two": 2 if 2 in legal else 1}
        return str(chosen.get(self.wish, self.wish))

    def run(self) -> None:
        for line in sys.stdin:
            match line.split():
                case ["ugi"]:
                    say("id name agree", "ugiok")
                case ["isready"]:
                    say("readyok")
                case ["position", "startpos", *words]:
                    self.heap = Heap([int(word) for word in words[1:]])
                case ["query", query]:
                    self.answer(query)
                case ["go", *_]:
                    say(f"bestmove {self.choose()}")
                case ["quit"]:
                    return


def say(*lines: str) -> None:
    print(*lines, sep="\n", flush=True)


if __name__ == "__main__":
    Player(*sys.argv[1:]).run()
