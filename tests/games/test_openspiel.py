"""The games of OpenSpiel: all that can be played by their names alone, and the errors of the others."""

from __future__ import annotations

import random
import sys

import pytest

from fiedler import games
from fiedler.games.errors import IllegalMoveError, PositionError
from fiedler.games.openspiel import TURNLESS, SpielGame, loaded_game
from fiedler.games.openspiel_library import PREFIX, playable_names
from fiedler.games.rules_check import check_rules
from fiedler.support.errors import UsageError
from tests.patience import PATIENCE

NAMES = playable_names()
PLIES = 300


def spiel(name: str) -> SpielGame:
    return loaded_game(PREFIX + name)


def random_moves(game: SpielGame, seed: int, most: int = PLIES) -> list[str]:
    """Return the moves of a random game, or their beginning."""
    position, rng, moves = game.position(), random.Random(seed), list[str]()
    while position.result is None and len(moves) < most:
        move = rng.choice(position.legal_moves())
        moves.append(position.move_text(move))
        position.play(move)
    return moves


def test_thirty_one_games_need_no_parameter() -> None:
    assert len(NAMES) == 31
    assert {"breakthrough", "chess", "go", "hex", "othello"} <= set(NAMES)
    assert set(NAMES) > TURNLESS


@pytest.mark.parametrize("name", NAMES)
def test_a_random_game_by_its_words(name: str) -> None:
    game = spiel(name)
    moves, position, sides = random_moves(game, 7), game.position(), list[int]()
    assert position.side_to_move == 0
    assert (str(position), position.result) == ("startpos", None)
    for move in moves:
        texts = list(map(position.move_text, position.legal_moves()))
        assert len(set(texts)) == len(texts), "each name has one move"
        assert all(text.isprintable() and text.isascii() and [text] == text.split() for text in texts)
        sides.append(position.side_to_move)
        twin = position.copy()
        position.play(position.parse_move(move))
        assert str(twin) != str(position), "the copy is left alone"
    assert game.most_plies is not None
    assert len(moves) <= game.most_plies
    if game.takes_turns:
        assert sides == [ply % 2 for ply in range(len(sides))]
    again = game.position(str(position))
    assert (str(again), again.result, again.side_to_move) == (str(position), position.result, position.side_to_move)
    assert game.draw(again) == game.draw(position)
    assert all(line.isprintable() for line in game.draw(position).splitlines())
    assert game.parse_position("startpos moves " + " ".join(moves)).result == position.result
    assert game.parse_position(str(position)).side_to_move == position.side_to_move
    if position.result is not None:
        assert position.legal_moves() == []
        assert game.result_text(position)
        with pytest.raises(IllegalMoveError, match=r"^move: expected none, the game is over, got 'x' in "):
            position.parse_move("x")


@pytest.mark.parametrize("name", sorted(TURNLESS))
def test_a_side_may_move_twice(name: str) -> None:
    game = spiel(name)
    assert not game.takes_turns
    for seed in range(50):
        position, last = game.position(), -1
        for move in random_moves(game, seed):
            if position.side_to_move == last:
                return
            last = position.side_to_move
            position.play(position.parse_move(move))
    pytest.fail("the sides take turns in 50 games")


def test_the_results_are_those_of_the_library() -> None:
    for name in ("tic_tac_toe", "antichess", "breakthrough", "go(board_size=5)"):
        game, seen = spiel(name), set[int]()
        for seed in range(10):
            position = game.position(moves=random_moves(game, seed, 1000))
            if position.result is None:
                continue
            first, second = position.state.returns()
            black = game.library.new_initial_state().current_player()
            assert position.result == (second if black else first)
            assert position.result == 0 or (first > 0) != (second > 0)
            seen.add(position.result)
        assert len(seen) > 1, name


def test_the_side_that_begins_is_the_first_player() -> None:
    chess = spiel("chess").position()
    assert chess.state.current_player() == 1, "the library counts Black first"
    assert chess.side_to_move == 0
    mated = spiel("chess").position(moves=["f3", "e5", "g4", "Qh4#"])
    assert (mated.result, mated.side_to_move) == (-1, 0)
    assert spiel("chess").result_text(mated) == "Second wins by checkmate"
    assert spiel("go(handicap=2)").position().side_to_move == 0


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("kuhn_poker", "openspiel:kuhn_poker: expected a game without chance"),
        ("chess(chess960=True)", "openspiel:chess(chess960=True): expected a game without chance"),
        (
            "misere(game=havannah(board_size=-1))",
            "openspiel:misere(game=havannah(board_size=-1)): expected a game with rules of its own",
        ),
        (
            "efg_game(filename=/dev/zero)",
            "openspiel:efg_game(filename=/dev/zero): expected a game with rules of its own",
        ),
        ("catch", "openspiel:catch: expected a game of two players, got one of 1"),
        (
            "chinese_checkers(players=3)",
            "openspiel:chinese_checkers(players=3): expected a game of two players, got one of 3",
        ),
        (
            "matrix_pd",
            "openspiel:matrix_pd: expected a game in which one player moves at a time, got simultaneous moves",
        ),
        ("kriegspiel", "openspiel:kriegspiel: expected a game of complete information, got hidden information"),
        (
            "breakthrough(rowz=6)",
            "openspiel:breakthrough(rowz=6): unknown parameter 'rowz'; did you mean 'rows'? (known: columns, rows)",
        ),
        ("othello(size=6)", "openspiel:othello(size=6): unknown parameter 'size' (known: none)"),
        ("breakthrough(rows=1)", "openspiel:breakthrough(rows=1): a parameter is wrong: rows_ > 1"),
        ("hex(board_size=-1)", "openspiel:hex(board_size=-1): board_size: expected 1 to 100, got -1"),
        ("hex(board_size=101)", "openspiel:hex(board_size=101): board_size: expected 1 to 100, got 101"),
        ("connect_four(rows=0)", "openspiel:connect_four(rows=0): rows: expected 1 to 100, got 0"),
        ("gomoku(dims=7)", "openspiel:gomoku(dims=7): dims: expected 1 to 3, got 7"),
        (
            "gomoku(size=60,dims=3)",
            "openspiel:gomoku(size=60,dims=3): expected at most 100000 different moves, got 216000",
        ),
        (
            "hex(board_size=1)",
            "openspiel:hex(board_size=1): a parameter is wrong: the game has no move 2, and no result",
        ),
        ("hex(", "openspiel:hex(: expected NAME(KEY=VALUE,…): Missing closing bracket ')'."),
        (
            "hex(board_size=9, swap=True)",
            "expected openspiel:NAME or openspiel:NAME(KEY=VALUE,…), without blanks, got "
            "'openspiel:hex(board_size=9, swap=True)'",
        ),
        (
            "hex(board_size=5)x",
            "openspiel:hex(board_size=5)x: expected NAME(KEY=VALUE,…): nothing behind the parenthesis, got 'x'",
        ),
        (
            "hex(board_size=5)(board_size=4)",
            "openspiel:hex(board_size=5)(board_size=4): expected NAME(KEY=VALUE,…): nothing behind the parenthesis, "
            "got '(board_size=4)'",
        ),
        (
            "hex(board_size=5,board_size=4)",
            "openspiel:hex(board_size=5,board_size=4): expected NAME(KEY=VALUE,…): got board_size twice",
        ),
        (
            "breakthrough(rows)",
            "openspiel:breakthrough(rows): expected NAME(KEY=VALUE,…): got 'rows' without a value",
        ),
        (
            "hex(board_size=)",
            "openspiel:hex(board_size=): expected NAME(KEY=VALUE,…): got 'board_size=' without a value",
        ),
        ("hex(=5)", "openspiel:hex(=5): expected NAME(KEY=VALUE,…): got '=5' without a name"),
        ("hex(board_size=5,)", "openspiel:hex(board_size=5,): expected NAME(KEY=VALUE,…): got '' without a name"),
        (
            "breakthrogh",
            "unknown game 'openspiel:breakthrogh'; did you mean 'breakthrough'? (known: `engine games --openspiel`)",
        ),
    ],
)
def test_what_cannot_be_played_is_refused_in_a_line(name: str, why: str, capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(UsageError) as refused:
        games.any_game(PREFIX + name)
    assert str(refused.value) == why
    assert capfd.readouterr().err == "", "the library prints its errors itself"


def test_the_words_of_others_on_standard_error_are_kept(capfd: pytest.CaptureFixture[str]) -> None:
    assert "quoridor" in NAMES
    loaded_game.cache_clear()
    assert loaded_game("openspiel:quoridor").caution == "OpenSpiel's quoridor has known issues"
    assert not loaded_game("openspiel:hex").caution
    print("mine", file=sys.stderr)
    assert capfd.readouterr().err == "mine\n"


def test_the_warning_about_a_game_comes_once(capfd: pytest.CaptureFixture[str]) -> None:
    from fiedler.games.openspiel import spiel_game

    spiel_game.cache_clear()
    games.REGISTERED.pop("openspiel:quoridor", None)
    for _ in range(2):
        games.any_game("openspiel:quoridor")
    assert capfd.readouterr().err == "warning: openspiel:quoridor: OpenSpiel's quoridor has known issues\n"


def test_a_missing_library_is_named_with_its_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyspiel", None)
    loaded_game.cache_clear()
    with pytest.raises(UsageError) as refused:
        loaded_game("openspiel:hex")
    assert (
        str(refused.value)
        == "openspiel:hex: the games of OpenSpiel need the extra openspiel: pip install 'fiedler[openspiel]'"
    )


def test_positions_of_a_user() -> None:
    game = spiel("gomoku")
    assert game.start_and_moves("") == ("startpos", [])
    assert game.start_and_moves("2,4 9,11") == ("startpos", ["2,4", "9,11"])
    assert game.start_and_moves("2,4") == ("startpos", ["2,4"]), "a move"
    assert game.start_and_moves("2,4 moves 9,11") == ("2,4", ["9,11"]), "a position"
    assert game.start_and_moves("moves 2,4") == ("startpos", ["2,4"])
    assert game.start_and_moves("startpos moves 2,4") == ("startpos", ["2,4"])
    assert spiel("oware").start_and_moves("B e") == ("startpos", ["B", "e"]), "capitals mean something"
    assert spiel("hex").start_and_moves("0,15,7") == ("0,15,7", [])
    with pytest.raises(UsageError, match=r"^position: expected 'moves' after the position, got 'a1'$"):
        game.start_and_moves("startpos a1")
    with pytest.raises(UsageError, match=r"^position: move 2: expected a legal move such as b1, got 'a1'$"):
        spiel("hex").parse_position("a1 a1")
    for text, why in (
        ("x", "expected startpos or actions such as 0,15,7, got 'x'"),
        ("0,0", "action 2: expected a legal one, got 0"),
        ("999999", "action 1: expected a legal one, got 999999"),
        ("1" * 5000, "expected startpos or actions such as 0,15,7, got '1111.*"),
    ):
        with pytest.raises(PositionError, match=f"^position: {why}$"):
            spiel("hex").position(text)


def test_an_illegal_move_changes_nothing() -> None:
    position = spiel("hex").position("0,15")
    for move in (0, -1, 121, 2**70):
        with pytest.raises(IllegalMoveError, match=r"^move: expected one of 119 legal moves, got .* in 0,15$"):
            position.play(move)
    with pytest.raises(IllegalMoveError, match=r"^move: expected a legal move such as b1, got 'A1' in 0,15$"):
        position.parse_move("A1")
    assert str(position) == "0,15"
    position.play(1)
    assert str(position) == "0,15,1"


def test_boards_have_no_colours_and_a_long_line_is_cut() -> None:
    assert "\x1b" not in spiel("twixt").draw(spiel("twixt").position())
    hive = spiel("hive")
    assert len(hive.draw(hive.position(moves=random_moves(hive, 1, 100)))) <= 300


@pytest.mark.slow
@pytest.mark.parametrize(
    "name",
    [name if (spiel(name).most_plies or 0) <= PLIES else pytest.param(name, marks=pytest.mark.soak) for name in NAMES],
)
def test_a_random_game_proves_the_rules(name: str) -> None:
    report = check_rules(spiel(name), 1, 3, seconds=10 * PATIENCE)
    assert report.passed, report.text
