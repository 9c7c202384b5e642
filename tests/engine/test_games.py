"""The uses of an engine, by persons and programs, work in every game."""

from __future__ import annotations

import json
from collections.abc import Sequence

import pytest

from fiedler.engine.person.opponent import LocalOpponent, Reply
from fiedler.engine.person.play import Terminal
from fiedler.games import GAMES, Game
from fiedler.games.position import Position
from fiedler.players import create
from tests.engine.engine_driver import Conversation
from tests.engine.engine_process import engine

EVERY = pytest.mark.parametrize("game", GAMES.values(), ids=GAMES.keys())


def some_moves(game: Game, plies: int) -> list[str]:
    """The first legal moves that do not end the game."""
    position, moves = game.position(), []
    for _ in range(plies):
        for move in position.legal_moves():
            after = position.copy()
            after.play(move)
            if after.result is None:
                moves.append(position.move_text(move))
                position = after
                break
    return moves


def bad_words(game: Game) -> list[str]:
    start = str(game.position())
    full = start[:2] + start[2:].replace(".", "X")
    turned = ["O" + start[1:]] if game.position().fills_cells else []
    words = [start[:-1], start + ".", *turned, full, start.replace(".", "?", 1), "X;", "startposs"]
    return [word for word in words if word != start]  # a FEN has no dots


@EVERY
def test_a_wrong_position_gives_one_line_and_changes_nothing(game: Game) -> None:
    talk = Conversation(game.id, "random", seed="1")
    talk.say("ugi", "position startpos moves " + " ".join(some_moves(game, 3)))
    before = talk.say("query position")
    wrong = [f"position fen {word}" for word in bad_words(game)]
    wrong += [f"position startpos moves {name}" for name in ("zz", "a99", "0", some_moves(game, 1)[0] + "x")]
    if game.id != "connect4":
        wrong.append(f"position startpos moves {' '.join(some_moves(game, 1) * 2)}")  # a cell that is taken
    for line in wrong:
        (answer,) = talk.say(line)
        assert answer.startswith("info string error: "), line
        assert len(answer) < 500
        assert talk.say("query position") == before


@EVERY
def test_queries_return_the_position_and_its_board(game: Game) -> None:
    moves = some_moves(game, 4)
    talk = Conversation(game.id, "random", seed="1")
    talk.say("ugi", f"position startpos moves {' '.join(moves)}")
    (response,) = talk.say("query position")
    again = Conversation(game.id, "random", seed="1")
    again.say("ugi", f"position fen {response.removeprefix('response ')}")
    assert again.say("query legalmoves") == talk.say("query legalmoves")
    *rows, done = talk.say("query board")
    assert done == "response ok"
    before, after = game.position(moves=moves[:-1]), game.position(moves=moves)
    drawn = game.draw(after, before.parse_move(moves[-1]))
    assert [row.removeprefix("info string ") for row in rows] == drawn.splitlines()
    assert again.ask("go nodes 50")[-1].startswith("bestmove ")


class Echo:
    """Plays the first legal move."""

    title = "echo"

    def answer(self, position: Position, start: Position, moves: Sequence[str]) -> Reply:
        opponent = LocalOpponent(create(GAMES[position.game], "random", {"seed": "3"}).player(), 0.1)
        return opponent.answer(position, start, moves)

    def new_game(self) -> None:
        pass

    def close(self) -> None:
        pass


@EVERY
def test_a_person_plays(game: Game) -> None:
    shown: list[str] = []

    def ask(prompt: str) -> str | None:
        shown.append(prompt)
        return some_moves(game, 1)[0] if len(shown) < 5 else None

    Terminal(game, Echo(), 0, ask=ask, say=shown.append).play()
    assert shown[0].startswith(f"{game.name}: you are {game.sides[0]}, echo is {game.sides[1]}")
    for side in (0, 1):
        assert any(f"[{piece.sign}]" in "\n".join(shown) for piece in game.pieces if piece.side == side)


@EVERY
def test_analyze_names_every_move(game: Game) -> None:
    moves = some_moves(game, 6)
    words = ("analyze", "--game", game.id, "--player", "negamax", "--set", "depth=2", "--json")
    done = engine(*words, "--position", f"startpos moves {' '.join(moves)}", "--nodes", "500")
    document = json.loads(done.stdout)
    position = game.position(moves=moves)
    assert {one["move"] for one in document["moves"]} == set(map(position.move_text, position.legal_moves()))
    assert document["pv"][0] == document["moves"][0]["move"]
    assert document["side_to_move"] == game.sides[0]
    assert done.stderr == ""


def test_games_are_listed_with_their_notation() -> None:
    listed = json.loads(engine("games", "--json").stdout)["games"]
    assert [one["id"] for one in listed] == list(GAMES)
    assert all(str(GAMES[one["id"]].position(one["notation"])) == one["notation"] for one in listed)
    lines = engine("games").stdout.splitlines()
    assert [line.split()[0] for line in lines] == list(GAMES)
