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


def choose(opponent: str, legal: list[str]) -> str:  # noqa: ARG001
    """Return the move to play. This is the place for a better idea."""
    return random.choice(legal)


def main() -> None:
    """Play one game."""
    for opponent in sys.stdin:
        legal = [input() for _ in range(int(input()))]
        print(choose(opponent, legal), flush=True)  # at once: the manager waits for it


if __name__ == "__main__":
    main()
