"""A player of the games of tests/flip.py over UGI: it plays the `first` or the `last` legal move.

From the ply `held` on, it waits for a file `released`; it says with a file `holding` that it waits.
"""

import sys
import time
from pathlib import Path

from tests.flip import FLIP, SKIP


def main(wish: str, held: int, name: str) -> None:
    """Answer until the manager ends the player."""
    game = SKIP if name == SKIP.id else FLIP
    position, plies = game.position(), 0
    for line in sys.stdin:
        match line.split():
            case ["ugi"]:
                print("id name flip\nugiok", flush=True)
            case ["isready"]:
                print("readyok", flush=True)
            case ["position", "startpos", *words]:
                position, plies = game.position(moves=words[1:]), len(words) - 1
            case ["query", _]:
                print("response unknown", flush=True)
            case ["go", *_]:
                if plies >= held:
                    hold()
                move = position.legal_moves()[0 if wish == "first" else -1]
                print(f"bestmove {position.move_text(move)}", flush=True)
            case ["quit"]:
                return


def hold() -> None:
    Path("holding").touch()
    while not Path("released").exists():
        time.sleep(0.005)
