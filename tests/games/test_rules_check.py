"""The check of rules by random games: sound games pass, and each planted fault is found with the moves that show it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from fiedler import games
from fiedler.games import AnyGame
from fiedler.games.rules_check import MOST_KEYS, RulesReport, bounded, check_rules
from tests.own_games import BREAKTHROUGH, forgotten, written
from tests.patience import PATIENCE
from tests.take import TAKE


@pytest.fixture(autouse=True)
def _forget() -> Iterator[None]:
    with forgotten():
        yield


@pytest.mark.parametrize("name", ["tictactoe", "connect4", BREAKTHROUGH])
def test_a_sound_game_passes(name: str) -> None:
    report = check_rules(games.named_game(name), 12, seconds=PATIENCE)
    assert report.failures == []
    assert (report.games, report.finished) == (12, 12)
    assert report.first_wins + report.draws + report.second_wins == 12


@pytest.mark.parametrize("name", ["chess", "chess960"])
def test_a_game_whose_texts_lack_its_history_passes(name: str) -> None:
    """Some of these games end by a repetition, and texts with other counters have equal keys."""
    report = check_rules(games.game(name), 10, seconds=10 * PATIENCE)
    assert (report.failures, report.finished) == ([], 10)


def test_a_game_in_its_own_words_passes() -> None:
    report = check_rules(TAKE, 50, seconds=PATIENCE)
    assert report.text.splitlines()[1:] == ["no check failed"]
    assert 4 <= report.shortest <= report.longest <= 11
    assert report.draws > 0


def test_the_seed_makes_the_games() -> None:
    def results(seed: int) -> tuple[int, int, int]:
        report = check_rules(TAKE, 60, seed, seconds=PATIENCE)
        return report.first_wins, report.draws, report.plies

    assert results(1) == results(1) != results(2)


FAULTS: dict[str, tuple[str, str, str, str]] = {
    "no exception for an illegal move": (
        "        if move not in self.legal_moves():\n            raise ValueError",
        "        if move < 0:\n            raise ValueError",
        "illegal moves",
        "is not legal: expected ValueError, got",
    ),
    "an illegal move changes the position": (
        '            raise ValueError(f"no legal',
        '            self.side_to_move = 1 - self.side_to_move\n            raise ValueError(f"no legal',
        "illegal moves",
        "which is not legal, has changed the position: text: expected 'X;ooo",
    ),
    "another exception for an illegal move": (
        'raise ValueError(f"no legal',
        'raise KeyError(f"no legal',
        "exception",
        "KeyError: 'no legal move: ",
    ),
    "a shared copy": (
        "return Position(str(self))",
        "return self",
        "copy",
        "play on a copy changes the original: text: expected 'X;ooo",
    ),
    "a text that lacks the side": (
        "return f\"{'XO'[self.side_to_move]};{self.squares}\"",
        'return f"X;{self.squares}"',
        "text",
        "read again, side: expected 1, got 0",
    ),
    "no word": (
        "return f\"{'XO'[self.side_to_move]};{self.squares}\"",
        "return f\"{'XO'[self.side_to_move]}; {self.squares}\"",
        "text",
        "expected a word with ';', got 'X; ooo",
    ),
    "the same side again": (
        "self.side_to_move = 1 - self.side_to_move",
        "self.side_to_move = int(self.side_to_move == 0 and '.' not in self.squares[:6])",
        "turns",
        "side_to_move: expected 1, got 0",
    ),
    "one name for two moves": (
        "divmod(move, SIZE * SIZE))\n\n",
        "divmod(move, SIZE * SIZE))[:2]\n\n",
        "moves",
        "names",
    ),
    "a result of the loser": (
        "            return 1\n",
        "            return 2\n",
        "exception",
        "result: expected None, 1, -1 or 0, got 2",
    ),
    "a key of few bits": ("% (2**61 - 1)", "% 97", "key", "expected different keys of"),
    "a mirror that moves nothing": (
        "return SIZE * SIZE * start + end if symmetry else move",
        "return move",
        "symmetries",
        "symmetry 1: ",
    ),
    "too few plies": (
        "most_plies = 85",
        "most_plies = 5",
        "length",
        "expected an end within 5 plies, got a running game",
    ),
    "output": (
        "        squares = list(self.squares)\n",
        "        squares = list(self.squares)\n        print('here')\n",
        "output",
        "expected no output, got 'here",
    ),
    "input": (
        "        squares = list(self.squares)\n",
        "        squares = list(self.squares)\n        input()\n",
        "exception",
        "EOFError: EOF when reading a line (breakthrough.py, line ",
    ),
    "a drawing of nothing": (
        "    def won_by",
        "    def draw(self, position, last):\n        pass\n\n    def won_by",
        "exception",
        "TypeError: expected a text, got NoneType",
    ),
    "an example that is wrong": ("startpos moves a2b3", "startpos moves a2a6", "words", "example: position: move 1: "),
    "rules that draw lots": (
        "        self.side_to_move = 1 - self.side_to_move",
        "        import random\n        if random.random() < 0.5:\n"
        "            self.squares = self.transformed(1).squares\n"
        "        self.side_to_move = 1 - self.side_to_move",
        "end",
        "the same moves lead elsewhere",
    ),
}


def checked(folder: Path, old: str, new: str, count: int = 20, most_plies: int = 200) -> RulesReport:
    game: AnyGame = games.game_at(written(folder / "breakthrough.py", old, new))
    return check_rules(game, count, most_plies=most_plies, seconds=PATIENCE)


@pytest.mark.parametrize(("old", "new", "check", "wrong"), FAULTS.values(), ids=FAULTS)
def test_a_planted_fault_is_found(old: str, new: str, check: str, wrong: str, tmp_path: Path) -> None:
    report = checked(tmp_path, old, new)
    lines = {one.check: one.line for one in report.failures}
    assert check in lines, lines
    assert wrong in lines[check]
    assert not report.passed


def test_the_moves_of_a_failure_lead_to_it(tmp_path: Path) -> None:
    line = "        squares = list(self.squares)\n"
    report = checked(tmp_path, line, f"{line}        1 // (15 - squares.count('.'))\n")
    (failure,) = report.failures
    assert (failure.check, failure.times, report.finished) == ("exception", 20 - report.finished, 20 - failure.times)
    assert "ZeroDivisionError: integer division or modulo by zero (breakthrough.py, line " in failure.wrong
    with forgotten():
        position = games.game_at(BREAKTHROUGH).position(moves=failure.moves)
    assert str(position).count(".") == 15, "three pawns are taken, and the next move fails"
    assert f"{failure.line}; ".startswith(f"exception: {failure.wrong}, after {' '.join(failure.moves)}; ")


def test_a_game_without_an_end_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "endless.py").write_text(ENDLESS, "utf-8")
    game = games.game_at(f"{tmp_path}/endless.py:GAME")
    report = check_rules(game, 3, most_plies=50, seconds=PATIENCE)
    (failure,) = report.failures
    assert (failure.check, failure.times, len(failure.moves)) == ("length", 3, 50)
    assert failure.wrong == "expected an end within 50 plies, got a running game"
    assert report.finished == 0


@pytest.mark.slow
def test_a_game_without_an_end_in_its_time_is_no_hang(tmp_path: Path) -> None:
    (tmp_path / "endless.py").write_text(ENDLESS, "utf-8")
    game = games.game_at(f"{tmp_path}/endless.py:GAME")
    (failure,) = check_rules(game, 1, most_plies=10**9, seconds=20).failures
    plies = len(failure.moves)
    assert failure.check == "length"
    assert failure.wrong == f"expected an end, got a running game after {plies} plies in 20 s"
    assert failure.line.endswith(f", after {' '.join(['on'] * 10)} … {' '.join(['on'] * 10)} ({plies} plies)")


def test_the_keys_that_are_compared_take_bounded_memory() -> None:
    keys = dict.fromkeys(range(-MOST_KEYS, 0), "")
    assert check_rules(games.named_game(BREAKTHROUGH), 2, seconds=PATIENCE, keys=keys).passed
    assert len(keys) == MOST_KEYS


def test_a_game_that_hangs_is_not_followed(tmp_path: Path) -> None:
    hanging = ENDLESS.replace("self.ply += 1", "self.ply += 1\n        while self.ply == 3:\n            pass")
    (tmp_path / "hanging.py").write_text(hanging, "utf-8")
    report = check_rules(games.game_at(f"{tmp_path}/hanging.py:GAME"), 10, seconds=0.2)
    (failure,) = report.failures
    assert (failure.check, failure.wrong, failure.times) == ("time", "no answer within 0.2 s, by play(0)", 3)
    assert report.games == 3, "it ends after three"


def test_a_check_ends_after_three_games_of_any_kind_that_hang(tmp_path: Path) -> None:
    """By their first move they hang at once, or last for ever."""
    both = ENDLESS.replace("return [0]", "return [0] if self.ply else [0, 1]").replace('"on"', 'f"on{move}"')
    both = both.replace("if move:", "if move not in self.legal_moves():")
    both = both.replace(
        "self.ply += 1", "self.ply += 1 + 1000 * move\n        while self.ply == 1003:\n            pass"
    )
    (tmp_path / "both.py").write_text(both, "utf-8")
    report = check_rules(games.game_at(f"{tmp_path}/both.py:GAME"), 10, most_plies=10**9, seconds=1.0)
    assert report.games == 3
    assert sum(failure.times for failure in report.failures) == 3, report.text


def test_a_bound_gives_back_the_alarm_of_its_caller() -> None:
    import signal

    before = signal.getsignal(signal.SIGALRM)
    left, _ = signal.getitimer(signal.ITIMER_REAL)
    with bounded(PATIENCE):
        assert signal.getsignal(signal.SIGALRM) is not before
    assert signal.getsignal(signal.SIGALRM) is before
    assert bool(signal.getitimer(signal.ITIMER_REAL)[0]) == bool(left)


ENDLESS = """
class Position:
    def __init__(self, text="0;"):
        if not text.endswith(";"):
            raise ValueError("expected PLIES;")
        self.ply = int(text[:-1])
    result = None
    side_to_move = property(lambda self: self.ply % 2)
    def __str__(self): return f"{self.ply};"
    def copy(self): return Position(str(self))
    def legal_moves(self): return [0]
    def play(self, move):
        if move: raise ValueError("expected 0")
        self.ply += 1
    def move_text(self, move): return "on"

class Endless:
    id = "endless"
    name = description = "an endless game"
    sides = ("A", "B")
    most_plies = None
    takes_turns = True
    def position(self, text): return Position() if text == "startpos" else Position(text)

GAME = Endless()
"""
