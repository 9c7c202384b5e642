"""A complete tournament player in one file: random Connect 4 over UCI on standard input and output.

It imports only the standard library: copy it, put your own idea into `choose`, and name it in a schedule:

    [[players]]
    name = "mine"
    command = ["python3", "uci_random.py"]
    protocol = "uci"

A move is its column, a to g. Nobody is asked for a move after the end of a game, so the bot need not see the end.
"""

import random
import sys
from itertools import pairwise

COLUMNS = "abcdefg"
ROWS = 6


def legal_moves(moves: list[str]) -> list[str]:
    """Return the columns that are not full."""
    return [column for column in COLUMNS if moves.count(column) < ROWS]


def choose(moves: list[str], seconds: float) -> str:  # noqa: ARG001
    """Return the move after `moves`, found within `seconds`. This is the place for a better idea."""
    return random.choice(legal_moves(moves) or ["(none)"])


def read_moves(words: list[str]) -> list[str]:
    """Return the moves of the words after `position`: `startpos`, then perhaps `moves m1 m2 …`."""
    if words[:1] != ["startpos"] or words[1:2] not in ([], ["moves"]):
        raise ValueError("expected startpos [moves M …]")
    for at, move in enumerate(words[2:], start=2):
        if move not in legal_moves(words[2:at]):
            raise ValueError(f"illegal move: {move}")
    return words[2:]


def read_seconds(words: list[str], side: int) -> float:
    """Return the time for a move from the words after `go`: its own, or a part of the clock of our side."""
    numbers = {name: int(value) for name, value in pairwise(words) if value.isdecimal()}
    clock = numbers.get(("wtime", "btime")[side], 1000) / 20 + numbers.get(("winc", "binc")[side], 0) / 2
    return numbers.get("movetime", clock) / 1000


def main() -> None:
    """Speak UCI until `quit` or the end of the input; unknown lines mean nothing."""
    moves: list[str] = []
    for line in (data.decode(errors="replace") for data in sys.stdin.buffer):  # binary input is a wrong line
        match line.split():
            case ["uci"]:
                say("id name uci_random", "id author Fiedler")
                say("option name seed type spin default 0 min 0 max 2147483647", "uciok")
            case ["isready"]:
                say("readyok")
            case ["setoption", "name", "seed", "value", number]:
                random.seed(number)
            case ["ucinewgame"]:
                moves = []
            case ["position", *words]:
                try:
                    moves = read_moves(words)
                except ValueError as error:
                    say(f"info string error: {error}")
            case ["go", *words]:
                say(f"bestmove {choose(moves, read_seconds(words, len(moves) % 2))}")
            case ["quit"]:
                return


def say(*lines: str) -> None:
    """Print lines at once: the manager waits for them."""
    print(*lines, sep="\n", flush=True)


if __name__ == "__main__":
    main()
