"""A player of breakthrough over UGI that moves at random; it takes the rules from `breakthrough.py` beside it."""

import random
import sys
from collections.abc import Callable

from breakthrough import Position


def choose(position: Position) -> int:
    """Return the move to play. This is the place for a better idea."""
    chosen: int = random.choice(position.legal_moves())
    return chosen


def read(words: list[str]) -> Position:
    """Read the words after `position`: `startpos` or `fen TEXT`, then perhaps `moves m1 m2 …`."""
    start, _, moves = " ".join(words).partition(" moves ")
    position = Position(start.removeprefix("fen ")) if start != "startpos" else Position()
    for name in moves.split():
        position.play({position.move_text(move): move for move in position.legal_moves()}[name])
    return position


def answer(query: str, position: Position) -> str:
    """Answer a query about the position."""
    match query:
        case "gameover":
            return "false" if position.result is None else "true"
        case "p1turn":
            return "true" if position.side_to_move == 0 else "false"
        case "result":
            return {None: "none", 1: "p1win", -1: "p2win"}[position.result]
    return "unknown"


def serve(name: str, choose: Callable[[Position], int]) -> None:
    """Speak UGI until `quit` or the end of the input."""
    position = Position()
    for line in (data.decode(errors="replace") for data in sys.stdin.buffer):  # binary input is a wrong line
        match line.split():
            case ["ugi"]:
                say(f"id name {name}", "option name seed type spin default 0 min 0 max 2147483647", "ugiok")
            case ["isready"]:
                say("readyok")
            case ["setoption", "name", "seed", "value", number]:
                random.seed(number)
            case ["position", *words]:
                try:
                    position = read(words)
                except (ValueError, KeyError) as error:
                    say(f"info string error: {error}")
            case ["query", query]:
                say(f"response {answer(query, position)}")
            case ["go", *_]:
                moves = position.legal_moves()
                say(f"bestmove {position.move_text(choose(position)) if moves else 'none'}")
            case ["quit"]:
                return


def say(*lines: str) -> None:
    """Print lines at once: a manager waits for them."""
    print(*lines, sep="\n", flush=True)


if __name__ == "__main__":
    serve("breakthrough_random", choose)
