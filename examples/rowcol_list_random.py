"""A complete tournament player that knows no rules: random ultimate tic-tac-toe over rowcol-list.

Each turn is the opponent's move as a row and a column, 0 to 8 from the top left (`-1 -1` before the first move of the
game), then the number of legal moves, then they, one a line. The answer is one of them. Its entry in a schedule:

    [[players]]
    name = "mine"
    command = ["python3", "rowcol_list_random.py"]
    protocol = "rowcol-list"
"""

import random
import sys
from itertools import islice

CELLS = [["-1", "-1"], *([str(row), str(column)] for row in range(9) for column in range(9))]


def choose(opponent: str, legal: list[str]) -> str:  # noqa: ARG001
    """Return the move to play. This is the place for a better idea."""
    return random.choice(legal)


def main() -> None:
    """Play one game."""
    lines = (data.decode(errors="replace") for data in sys.stdin.buffer)
    for opponent in lines:
        if opponent.split() not in CELLS:
            print("error: expected ROW COLUMN", flush=True)
            continue
        count = next(lines, "").strip()
        legal = [line.strip() for line in islice(lines, int(count) if count.isdecimal() else 0)]
        if legal:
            print(choose(opponent, legal), flush=True)  # at once: the manager waits for it


if __name__ == "__main__":
    main()
