"""A complete tournament player in one file: random gomoku over GTP on standard input and output.

Nothing is imported but Python's own library: copy it, put your own idea into `choose`, and name it in a schedule:

    [[players]]
    name = "mine"
    command = ["python3", "gtp_random.py"]
    protocol = "gtp"

Points are named A1 (bottom left), B1, …; the letter I is skipped. A finished game has only passes, by which programs
such as gogui-twogtp recognise its end.
"""

import random
import sys

LETTERS = "ABCDEFGHJKLMNOPQRSTUVWXYZ"


class Game:
    """The stones by their points, and the winner, if a stone made five or more in a row."""

    def __init__(self) -> None:
        self.clear(9)

    def clear(self, size: int) -> None:
        """Begin a game on a board of `size` points."""
        self.size = size
        self.stones: dict[tuple[int, int], str] = {}
        self.winner = ""

    def play(self, color: str, column: int, row: int) -> None:
        """Put a stone of a color, B or W."""
        self.stones[column, row] = color
        for right, up in ((1, 0), (0, 1), (1, 1), (1, -1)):
            if self.run(color, column, row, right, up) + self.run(color, column, row, -right, -up) >= 4:
                self.winner = color

    def run(self, color: str, column: int, row: int, right: int, up: int) -> int:
        """Count the stones of a color behind a point in one direction."""
        count = 0
        while self.stones.get((column + (count + 1) * right, row + (count + 1) * up)) == color:
            count += 1
        return count

    def free(self) -> list[tuple[int, int]]:
        """Return the points that may be played; none when the game is over."""
        points = [(column, row) for column in range(self.size) for row in range(self.size)]
        return [] if self.winner else [point for point in points if point not in self.stones]


def choose(game: Game) -> tuple[int, int]:
    """Return the point to play. This is the place for a better idea."""
    return random.choice(game.free())


def play(game: Game, color: str, vertex: str) -> None:
    """Play the move of the other side, or a pass after the end; ValueError for any other."""
    if vertex.upper() == "PASS" and not game.free():
        return
    check_side(game, color)
    point = LETTERS.index(vertex[0].upper()), int(vertex[1:]) - 1
    if point not in game.free():
        raise ValueError("illegal move")
    game.play(color[0].upper(), *point)


def check_side(game: Game, color: str) -> None:
    """Raise ValueError if the other side is to move; Black, `b` or `black`, begins."""
    side = "BW"[len(game.stones) % 2]
    if color[0].upper() != side:
        raise ValueError(f"not {color[0].upper()}'s turn")


def genmove(game: Game, color: str) -> str:
    """Play a move of our own, and return its point."""
    if not game.free():
        return "PASS"
    check_side(game, color)
    column, row = choose(game)
    game.play(color[0].upper(), column, row)
    return f"{LETTERS[column]}{row + 1}"


def final_score(game: Game) -> str:
    """Return the result of a finished game."""
    if game.free():
        raise ValueError("game is not over")
    return f"{game.winner}+1" if game.winner else "0"


def answer(game: Game, words: list[str]) -> str:
    """Return the answer to a command; ValueError for a bad one."""
    match words:
        case [name] if name in ABOUT:
            return ABOUT[name]
        case ["boardsize", size] if 5 <= int(size) <= len(LETTERS):
            game.clear(int(size))
        case ["boardsize", _]:
            raise ValueError("unacceptable size")
        case ["clear_board"]:
            game.clear(game.size)
        case ["play", color, vertex]:
            play(game, color, vertex)
        case ["genmove", color]:
            return genmove(game, color)
        case ["final_score"]:
            return final_score(game)
        case ["seed", number]:
            random.seed(int(number))
        case _:
            raise ValueError("unknown command")
    return ""


ABOUT = {
    "name": "gtp_random",
    "version": "1",
    "protocol_version": "2",
    "list_commands": "name\nversion\nprotocol_version\nlist_commands\nquit\n"
    "boardsize\nclear_board\nplay\ngenmove\nfinal_score\nseed",
    "quit": "",
}


def main() -> None:
    """Answer commands until `quit` or the end of the input."""
    game = Game()
    for line in (data.decode(errors="replace") for data in sys.stdin.buffer):  # binary input is a wrong line
        words = line.partition("#")[0].split()
        if not words:
            continue
        number = words.pop(0) if words[0].isdigit() else ""
        try:
            text = f"={number} {answer(game, words)}"
        except (ValueError, IndexError) as error:
            text = f"?{number} {error}"
        print(text, end="\n\n", flush=True)  # at once: the controller waits for it
        if words == ["quit"]:
            return


if __name__ == "__main__":
    main()
