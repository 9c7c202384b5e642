from __future__ import annotations

import socket
import subprocess
import threading
from collections.abc import Iterator, Sequence

import pytest

from engine.address import Address
from engine.opponent import Answer, LocalOpponent, RemoteOpponent, shown
from engine.play import Table
from games import UsageError, WorkError, game
from native import Position
from players import create
from protocol import Info
from tests.engine.engine_process import ENGINE, engine, serving


class Scripted:
    """Plays given moves."""

    title = "script"

    def __init__(self, *moves: str) -> None:
        self._moves = iter(moves)

    def answer(self, position: Position, start: Position, moves: Sequence[str]) -> Answer:
        assert game(start.game).position(str(start), moves) == position
        return Answer(position.parse_move(next(self._moves)), Info(nodes=5, score_cp=-30))

    def close(self) -> None:
        pass


def sitting(typed: list[str], replies: list[str], side: int = 0, start: Position | None = None) -> str:
    """Return everything that a person who types so sees against such replies."""
    shown: list[str] = []
    lines: Iterator[str] = iter(typed)

    def ask(prompt: str) -> str | None:
        shown.append(prompt)
        return next(lines, None)

    Table(game("tictactoe"), Scripted(*replies), side, start, ask, shown.append).play()
    return "\n".join(shown)


def test_a_game_to_its_end() -> None:
    shown = sitting(["a1", "a2", "a3"], ["b1", "b2"])
    assert shown.startswith("tic-tac-toe: you are X, script is O\ntype a move such as a3, or: moves")
    assert "script plays b1 (score -30, 5 nodes)" in shown
    assert shown.endswith(" 3 [X] .  .\n 2  X  O  .\n 1  X  O  .\n    a  b  c\nX wins by three in a row")


def test_the_other_side_begins() -> None:
    shown = sitting(["b1", "b2"], ["a1", "a2", "a3"], side=1)
    assert shown.startswith("tic-tac-toe: you are O, script is X")
    assert shown.endswith("X wins by three in a row")


@pytest.mark.parametrize("typed", ["z9", "A1 b2", "b1", "💥", "9" * 1000])
def test_bad_moves_are_answered_and_asked_again(typed: str) -> None:
    shown = sitting(["a1", typed, "quit"], ["b1"])
    assert "type moves for what is legal, help for more\nX to move: \nbye" in shown
    assert shown.endswith("bye")


def test_capitals_and_blanks_are_no_mistake() -> None:
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
    """The side to move begins, whoever it is; what was played before cannot be taken back."""
    start = Position("tictactoe", "O;.../.X./...")
    shown = sitting(["undo", "a3", "undo", "quit"], ["a1", "b1"], side=0, start=start)
    assert " 2  .  X  .\n 1  .  .  ." in shown.split("script plays a1")[0]
    assert shown.count("nothing to take back") == 1
    assert "type a move such as a3" in shown
    assert sitting(["undo", "a1", "undo", "quit"], ["b1"], side=1, start=start).count("nothing to take back") == 1


def test_moves_and_help_are_told() -> None:
    shown = sitting(["a1", "moves", "help", ""], ["b1"])
    assert "a3 b3 c3 a2 b2 c2 c1" in shown
    assert shown.count("type a move such as") == 3


@pytest.mark.parametrize("word", ["quit", "exit", "q", "QUIT"])
def test_a_person_may_leave(word: str) -> None:
    assert sitting([word], []).endswith("bye")


def test_the_end_of_the_input_is_a_goodbye() -> None:
    assert sitting([], []).endswith("\nbye")


def test_a_player_of_this_process() -> None:
    opponent = LocalOpponent(create(game("tictactoe"), "negamax").player(), 1.0)
    position = game("tictactoe").position("startpos", ["a1", "b1", "a2", "b2"])
    answer = opponent.answer(position, position, [])
    opponent.close()
    assert position.move_text(answer.move) == "a3"
    assert answer.info.mate == 1


def test_an_engine_behind_a_port() -> None:
    with serving("--game", "tictactoe", "--player", "negamax") as server:
        opponent = RemoteOpponent(Address("127.0.0.1", server.port), "tictactoe", 1.0)
        assert opponent.title == "Fiedler negamax"
        start, moves = game("tictactoe").position(), ["a1", "b1", "a2", "b2"]
        answer = opponent.answer(game("tictactoe").position("startpos", moves), start, moves)
        below = Position("tictactoe", "X;XO./.../...")
        later = opponent.answer(game("tictactoe").position(str(below), moves[2:]), below, moves[2:])
        opponent.close()
    assert start.move_text(answer.move) == "a3"
    assert answer.info.mate == 1
    assert start.move_text(later.move) == "a1"


def test_an_engine_of_another_game_is_told_apart() -> None:
    start = game("tictactoe").position()
    with serving("--game", "connect4", "--player", "random") as server:
        with pytest.raises(UsageError, match="plays another game than tictactoe: X;"):
            RemoteOpponent(Address("127.0.0.1", server.port), "tictactoe", 1.0)
        opponent = RemoteOpponent(Address("127.0.0.1", server.port), "connect4", 1.0)
        with pytest.raises(WorkError, match="broke the rules: move: expected a1 to c3, got "):
            opponent.answer(start, start, [])
        with pytest.raises(WorkError, match="refused: move: "):
            opponent.answer(game("tictactoe").position("startpos", ["b2"]), start, ["b2"])
        opponent.close()


def test_an_engine_that_goes_away_is_one_line() -> None:
    start = game("tictactoe").position()
    with serving("--game", "tictactoe", "--player", "random") as server:
        opponent = RemoteOpponent(Address("127.0.0.1", server.port), "tictactoe", 1.0)
        server.end()
        with pytest.raises(WorkError, match=server.address):
            opponent.answer(start, start, [])
        opponent.close()


def test_what_a_remote_engine_says_does_not_steer_the_terminal() -> None:
    start = game("tictactoe").position()

    def serve(server: socket.socket) -> None:
        with server, server.accept()[0] as link:
            link.recv(100)
            link.sendall(b"id name \x1b[2Jnice\x07 engine\nugiok\n")
            link.recv(100)
            link.sendall("info string error: \x1b]0;x\x9b \u202ebad\n".encode())
            link.recv(100)

    server = socket.create_server(("127.0.0.1", 0))
    port = server.getsockname()[1]
    thread = threading.Thread(target=serve, args=(server,))
    thread.start()
    opponent = RemoteOpponent(Address("127.0.0.1", port), "tictactoe", 1.0)
    assert opponent.title == r"\x1b[2Jnice\x07 engine"
    with pytest.raises(WorkError) as refused:
        opponent.answer(start, start, [])
    assert str(refused.value).endswith(r"refused: \x1b]0;x\x9b \u202ebad")
    opponent.close()
    thread.join()


def test_text_for_people_is_shown_as_it_is() -> None:
    assert shown("Fiedler 'mcts' \\ é 💥") == "Fiedler 'mcts' \\ é 💥"


def test_through_pipes() -> None:
    done = engine("play", "--game", "tictactoe", "--player", "hsp", "--set", "seed=1", said="b2\nb2\nundo\nquit\n")
    assert (done.returncode, done.stderr) == (0, "")
    assert "tic-tac-toe: you are X, hsp is O" in done.stdout
    assert "move b2: not legal; type moves" in done.stdout
    assert "X to move: \n 3  " in done.stdout
    assert done.stdout.endswith("X to move: \nbye\n")


def test_a_position_and_moves_from_the_command_line() -> None:
    words = ("play", "--game", "renju15", "--player", "hsp", "--set", "seed=1", "--position")
    done = engine(*words, "startpos moves g8 j5 f8 k6 h9 d12 h10 e4", said="h8\nquit\n")
    assert (done.returncode, done.stderr) == (0, "")
    assert " 8  .  .  .  .  .  X  X  !  .  .  .  .  .  .  .\n" in done.stdout
    assert "move h8: not legal (double three); type moves for what is legal" in done.stdout
    done = engine("play", "--game", "tictactoe", "--player", "osp", "--position", "O;XX./OO./X..")
    assert "\nosp plays c2\n" in done.stdout
    assert done.stdout.endswith("O wins by three in a row\n")


def test_through_pipes_against_a_port() -> None:
    with serving("--game", "uttt", "--player", "mcts", "--set", "simulations=50") as server:
        words = ("play", "--game", "uttt", "--address", server.address, "--side", "second", "--movetime", "0.1")
        done = engine(*words)
    assert (done.returncode, done.stderr) == (0, "")
    assert "Fiedler mcts plays " in done.stdout
    assert done.stdout.endswith("O to move: \nbye\n")


def test_bytes_that_are_no_text_are_no_move() -> None:
    done = subprocess.run(
        [ENGINE, "play", "--game", "tictactoe", "--player", "osp"],
        input=b"\xff\xfe\nquit\n",
        capture_output=True,
        check=True,
    )
    assert b"expected a1 to c3" in done.stdout
    assert done.stdout.endswith(b"bye\n")
