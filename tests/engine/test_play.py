"""A person plays, in the terminal: the words of a person, and the board."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from fiedler.engine.person.opponent import Reply
from fiedler.engine.person.play import Terminal
from fiedler.games import AnyGame, any_game, game
from fiedler.games.position import Position
from fiedler.protocol import Info
from fiedler.support.errors import printable
from fiedler.tournament.ratings.files import read_pgn
from tests.engine.engine_process import engine

AFTER = "new, undo, save FILE or quit: "
"""The prompt after a game."""


class Scripted:
    """Plays given moves, or resigns by `resign`."""

    title = "script"

    def __init__(self, *moves: str) -> None:
        self._moves = iter(moves)
        self.games = 1

    def answer(self, position: Position, start: Position, moves: Sequence[str]) -> Reply:
        assert str(any_game(start.game).position(str(start), moves)) == str(position)
        move = next(self._moves)
        return Reply(None if move == "resign" else position.parse_move(move), Info(nodes=5, score_cp=-30))

    def new_game(self) -> None:
        self.games += 1

    def close(self) -> None:
        pass


def sitting(
    typed: list[str],
    replies: list[str] | Scripted,
    side: int = 0,
    start: Position | None = None,
    level: str = "",
    played: AnyGame = game("tictactoe"),
) -> str:
    """Return the output of a game with this input and these replies."""
    opponent = replies if isinstance(replies, Scripted) else Scripted(*replies)
    shown: list[str] = []
    lines: Iterator[str] = iter(typed)

    def ask(prompt: str) -> str | None:
        shown.append(prompt)
        return next(lines, None)

    Terminal(played, opponent, side, start, ask, shown.append, level=level).play()
    return "\n".join(shown)


def test_a_game_to_its_end() -> None:
    shown = sitting(["a1", "a2", "a3"], ["b1", "b2"])
    assert shown.startswith("tic-tac-toe: you are X, script is O\ntype a move such as a3; help lists the commands")
    assert "script plays b1 (54 % for you, 5 nodes)" in shown
    board = " 3 [X] .  .\n 2 [X] O  .\n 1 [X] O  .\n    a  b  c\n"
    assert shown.endswith(f"{board}you won: X wins by three in a row\n{AFTER}\n\nbye")


def test_the_other_side_begins() -> None:
    shown = sitting(["b1", "b2"], ["a1", "a2", "a3"], side=1)
    assert shown.startswith("tic-tac-toe: you are O, script is X")
    assert f"\nyou lost: X wins by three in a row\n{AFTER}" in shown


def test_a_draw_has_a_reason() -> None:
    shown = sitting(["b2", "a3", "b1", "c2", "c3"], ["a1", "c1", "b3", "a2"])
    assert f"\ndraw: no legal move is left\n{AFTER}" in shown


def test_a_hint_is_a_move_for_the_own_side_and_is_not_played() -> None:
    shown = sitting(["a1", "hint", "moves"], ["b1", "c3"])
    assert "script would play c3 (46 % for you, 5 nodes)\nX to move: \na3 b3 c3 a2 b2 c2 c1\n" in shown


def test_a_person_may_resign_and_think_better_of_it() -> None:
    shown = sitting(["a1", "resign", "b2", "hint", "undo", "a2"], ["b1", "c1"])
    assert f"you lost: you resigned\n{AFTER}\nthe game is over; new begins another one\n{AFTER}\nthe game" in shown
    assert "script plays c1" in shown
    second = sitting(["resign"], ["a1"], side=1)
    assert f"you lost: you resigned\n{AFTER}" in second


def test_an_opponent_that_resigns_has_lost() -> None:
    shown = sitting(["a1", "undo", "b2"], ["resign", "c1"])
    assert f"you won: script resigned\n{AFTER}\n 3  .  .  .\n 2  .  .  .\n 1  .  .  ." in shown
    assert "script plays c1" in shown


def test_undo_after_the_end_takes_back_the_last_move() -> None:
    won = sitting(["a1", "a2", "a3", "undo", "quit"], ["b1", "b2"])
    assert won.endswith(" 3  .  .  .\n 2  X [O] .\n 1  X  O  .\n    a  b  c\nX to move: \nbye")
    lost = sitting(["a1", "a2", "c3", "undo", "quit"], ["b1", "b2", "b3"])
    assert lost.endswith(" 3  .  .  .\n 2  X [O] .\n 1  X  O  .\n    a  b  c\nX to move: \nbye")


def test_new_announces_another_game_to_the_opponent() -> None:
    opponent = Scripted("b1", "c3")
    shown = sitting(["a1", "new", "b2", "quit"], opponent)
    assert opponent.games == 2
    assert shown.endswith(" 3  .  . [O]\n 2  .  X  .\n 1  .  .  .\n    a  b  c\nX to move: \nbye")


def test_the_board_is_shown_again() -> None:
    shown = sitting(["a1", "BOARD", "quit"], ["b1"])
    assert shown.endswith("X to move: \n 3  .  .  .\n 2  .  .  .\n 1  X [O] .\n    a  b  c\nX to move: \nbye")


def test_a_saved_line_resumes_the_game(tmp_path: Path) -> None:
    file = tmp_path / "Game 1.txt"
    shown = sitting(["a1", f"save {file}", f"save {file}", "save", f"save {tmp_path}/no/x", "save \0"], ["b1"])
    assert file.read_text("utf-8") == "startpos moves a1 b1\n"
    assert f"saved {file}\nX to move: \n{file} exists; name another file\n" in shown
    assert "expected save FILE, such as save game.pgn" in shown
    assert f"cannot write {tmp_path}/no/x: no such file or directory" in shown
    assert "cannot write \0: embedded null" in shown
    done = engine("play", "--game", "tictactoe", "--player", "osp", "--position", file.read_text("utf-8"))
    assert " 1  X  O  ." in done.stdout
    start = game("tictactoe").position("O;.../.X./...")
    sitting(["a1", f"save {tmp_path / 'second'}"], ["b1"], side=1, start=start)
    assert (tmp_path / "second").read_text("utf-8") == "O;.../.X./... moves a1 b1\n"


def test_a_saved_pgn_is_ranked(tmp_path: Path) -> None:
    file = tmp_path / "game.PGN"
    sitting(["b1", "b2", f"save {file}"], ["a1", "a2", "a3"], side=1)
    text = file.read_text("utf-8")
    end = '[Result "1-0"]\n[Termination "normal"]\n[TerminationDetail "rules"]\n[Game "tictactoe"]\n'
    assert f'[White "script"]\n[Black "you"]\n{end}\n1. a1 b1 2. a2 b2 3. a3 1-0\n' in text
    reading = read_pgn(file)
    assert (reading.results.names, reading.skipped) == (("script", "you"), 0)
    start = game("tictactoe").position("O;.../.X./...")
    sitting(["a1", "resign", f"save {tmp_path / 'b.pgn'}"], ["b1"], side=1, start=start)
    later = (tmp_path / "b.pgn").read_text("utf-8")
    assert '[SetUp "1"]\n[FEN "O;.../.X./..."]\n\n1... a1 2. b1 1-0\n' in later
    assert '[Termination "normal"]\n[TerminationDetail "resignation"]\n' in later


def test_a_saved_pgn_has_the_level_and_the_state_of_the_game(tmp_path: Path) -> None:
    sitting(["a1", f"save {tmp_path / 'a.pgn'}"], ["b1"], level="easy")
    assert '[Result "*"]\n[Termination "unterminated"]\n[Level "easy"]\n[Game "tictactoe"]\n' in (
        tmp_path / "a.pgn"
    ).read_text("utf-8")


@pytest.mark.parametrize(("name", "variant"), [("chess", ""), ("chess960", '[Variant "Chess960"]\n')])
def test_a_saved_pgn_names_the_variant(name: str, variant: str, tmp_path: Path) -> None:
    sitting(["e2e4", f"save {tmp_path / 'a.pgn'}"], ["e7e5"], played=game(name))
    assert f'[Game "{name}"]\n{variant}\n1. e4 e5 *\n' in (tmp_path / "a.pgn").read_text("utf-8")


def left_at(typed: list[str], replies: list[str], side: int = 0) -> list[str]:
    """Return the notes of an interrupt that comes after this input."""
    lines = iter(typed)

    def ask(_: str) -> str:
        if (line := next(lines, None)) is None:
            raise KeyboardInterrupt
        return line

    terminal = Terminal(game("tictactoe"), Scripted(*replies), side, None, ask, lambda _: None)
    with pytest.raises(KeyboardInterrupt) as leaving:
        terminal.play()
    return getattr(leaving.value, "__notes__", [])


def test_an_interrupt_tells_the_moves_that_were_not_saved(tmp_path: Path) -> None:
    file = f"save {tmp_path / 'game'}"
    how = "(save FILE saves a game)"
    again = f"{how}; --position 'startpos moves a1 b1 a2 b2' resumes the game"
    assert left_at([], []) == left_at(["a1", file], ["b1"]) == left_at(["a1", "undo"], ["b1"]) == []
    assert left_at(["a1", "a2"], ["b1", "b2"]) == [f"4 moves were not saved {again}"]
    assert left_at(["a1", f"{file}2", "a2"], ["b1", "b2"]) == [f"2 moves were not saved {again}"]
    assert left_at(["a1", file, "a2"], ["b1", "b2"]) == [f"4 moves were not saved {again}"], "the file was there"
    assert left_at(["a1", f"{file}3", "undo", "a1", "a2"], ["b1", "c1", "b2"])[0].startswith("3 moves were not saved")
    assert left_at(["a1", f"{file}4", "new", "a1"], ["b1", "b1"])[0].startswith("2 moves were not saved")
    assert left_at([], ["a1"], 1) == [f"1 move was not saved {how}; --position 'startpos moves a1' resumes the game"]
    assert left_at(["a1", "a2", "a3"], ["b1", "b2"]) == [f"5 moves were not saved {how}"], "the game is over"


@pytest.mark.parametrize("typed", ["z9", "A1 b2", "b1", "💥", "9" * 1000])
def test_bad_moves_are_answered_and_asked_again(typed: str) -> None:
    shown = sitting(["a1", typed, "quit"], ["b1"])
    assert "moves lists the legal moves, help the commands\nX to move: \nbye" in shown
    assert shown.endswith("bye")


def test_capitals_and_blanks_are_accepted() -> None:
    assert "script plays b1" in sitting(["A1"], ["b1"])


def test_undo_takes_back_the_own_move_and_the_answer() -> None:
    shown = sitting(["a1", "a2", "undo", "undo", "undo", "c3"], ["b1", "b2", "c1"])
    assert shown.count("nothing to take back") == 1
    boards = shown.split("X to move: \n")
    assert " 3  .  . [X]\n 2  .  .  .\n 1  .  .  ." in boards[-2]


def test_undo_on_the_second_side_keeps_the_others_first_move() -> None:
    shown = sitting(["undo", "b1", "undo", "quit"], ["a1", "a2"], side=1)
    assert shown.count("nothing to take back") == 1
    assert shown.endswith("\n 1 [X] .  .\n    a  b  c\nO to move: \nbye")


def test_a_game_from_a_position() -> None:
    """The side to move begins; earlier moves cannot be taken back."""
    start = game("tictactoe").position("O;.../.X./...")
    shown = sitting(["undo", "a3", "undo", "quit"], ["a1", "b1"], side=0, start=start)
    assert " 2  .  X  .\n 1  .  .  ." in shown.split("script plays a1")[0]
    assert shown.count("nothing to take back") == 1
    assert "type a move such as a3;" in shown
    assert sitting(["undo", "a1", "undo", "quit"], ["b1"], side=1, start=start).count("nothing to take back") == 1


def test_moves_and_help_are_printed() -> None:
    shown = sitting(["a1", "moves", "help", ""], ["b1"])
    assert "a3 b3 c3 a2 b2 c2 c1" in shown
    assert shown.count("type a move such as") == 3


@pytest.mark.parametrize("word", ["quit", "exit", "q", "QUIT"])
def test_a_person_may_leave(word: str) -> None:
    assert sitting([word], []).endswith("bye")


def test_the_end_of_the_input_is_a_goodbye() -> None:
    assert sitting([], []).endswith("\nbye")


def test_printable_text_is_shown_unchanged() -> None:
    assert printable("Fiedler 'mcts' \\ é 💥") == "Fiedler 'mcts' \\ é 💥"


def test_a_draw_names_the_level() -> None:
    shown: list[str] = []
    lines = iter(["b2", "c1", "a2", "b3", "c3"])
    opponent = Scripted("a1", "a3", "c2", "b1")
    Terminal(game("tictactoe"), opponent, 0, None, lambda _: next(lines, None), shown.append, level="easy").play()
    assert "draw against level easy: no legal move is left" in shown


def test_a_game_whose_sides_do_not_take_turns(tmp_path: Path) -> None:
    file = tmp_path / "game.pgn"
    typed = ["3", "undo", "3", "1", f"save {file}", "undo", "quit"]
    shown = sitting(typed, ["10", "8"], played=any_game("openspiel:mancala"))
    assert shown.startswith(
        "Mancala: you are First, script is Second\ntype a move such as 1; help lists the commands\n-4-4"
    )
    assert shown.count("script plays") == 2, "it has two turns in a row"
    assert "\n\n1. 3 1. 1 10 1... 8 *\n" in file.read_text("utf-8")


def test_moves_with_capitals_that_depend_on_the_position() -> None:
    chess = any_game("openspiel:chess")
    shown = sitting(["E4", "nf3", "Nc4", "bb5", "undo", "Bb5", "quit"], ["e5", "Nc6", "a6", "a6"], played=chess)
    assert "script plays Nc6" in shown
    assert shown.count("script plays a6") == 2
    assert "move: expected a legal move such as a3, got 'nc4'; moves lists the legal moves, help the commands" in shown


def test_a_draw_without_a_reason_has_none() -> None:
    typed = ["x(1,1)", "x(0,1)", "x(1,0)", "x(0,2)", "x(2,2)"]
    shown = sitting(typed, ["o(0,0)", "o(2,1)", "o(1,2)", "o(2,0)"], played=any_game("openspiel:tic_tac_toe"))
    assert f"oxx\nxxo\noox\ndraw\n{AFTER}\n\nbye" in shown


def test_a_line_of_a_game_without_a_core_resumes_it(tmp_path: Path) -> None:
    game = any_game("openspiel:breakthrough(rows=6,columns=6)")
    start = game.position("88,306")
    sitting(["a6b5", f"save {tmp_path / 'game'}"], ["c2d3"], played=game, start=start)
    line = (tmp_path / "game").read_text("utf-8")
    assert line == "88,306 moves a6b5 c2d3\n"
    assert game.parse_position(line).side_to_move == 0
