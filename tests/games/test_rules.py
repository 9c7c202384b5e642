"""A user's game: the members that it must have, its errors, and its form for the house."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from fiedler import games
from fiedler.games import AnyGame, others
from fiedler.games.errors import IllegalMoveError, PositionError
from fiedler.games.geometry import geometry
from fiedler.games.openings import candidates
from fiedler.games.replay import TextReplay, replay
from fiedler.games.rules import POSITION, RULES, RulesError, game_of
from fiedler.support.errors import UsageError
from tests.folders import ROOT
from tests.own_games import BREAKTHROUGH, forgotten, written
from tests.take import TAKE

pytestmark = pytest.mark.usefixtures("_forget")


@pytest.fixture
def _forget() -> Iterator[None]:
    with forgotten():
        yield


@pytest.fixture
def game() -> AnyGame:
    return games.game_at(BREAKTHROUGH)


@pytest.fixture
def module(game: AnyGame) -> ModuleType:
    """The example; each test may change it."""
    return sys.modules["breakthrough"]


def test_the_house_sees_a_game_like_any_other(game: AnyGame) -> None:
    assert games.any_game("breakthrough") is games.game_at(BREAKTHROUGH) is game
    position = game.position()
    assert (position.game, position.side_to_move, position.result) == ("breakthrough", 0, None)
    end = game.position(moves=game.example.split()[2:])
    assert game.result_text(end) == "White (♙) wins by a pawn on the last row"
    assert str(game.position(str(end))) == str(end)
    assert game.draw(position).splitlines()[0] == " 6  ♟  ♟  ♟  ♟  ♟  ♟"
    with pytest.raises(IllegalMoveError, match=r"^move: expected a legal move, got 'a1a2' in X;o"):
        position.parse_move("a1a2")
    with pytest.raises(IllegalMoveError, match=r"^move: no legal move: 7 in X;o"):
        position.play(7)
    with pytest.raises(PositionError, match=r"^position: expected X or O, a semicolon, and 36 of x, o and a point"):
        game.position("X;ooo")


def test_a_symmetry_makes_openings_distinct(game: AnyGame) -> None:
    assert len(game.position().legal_moves()) == 16
    assert len(list(candidates(game, 1, 1))) == 8, "each has a mirror image"


def test_a_replay_has_the_cells_of_a_board(game: AnyGame) -> None:
    shown = replay(game, ["a2b3", "e5d4", "b3b4"])
    assert not isinstance(shown, TextReplay)
    assert shown.changes == (((19, 1), (24, 0)), ((15, 2), (10, 0)), ((13, 1), (19, 0)))
    assert bytes(shown.last_cells) == game.position(moves=shown.moves).cells  # type: ignore[attr-defined]
    assert [(one.sign, one.name) for one in geometry(game).pieces] == [("♙", "White (♙)"), ("♟", "Black (♟)")]


def test_a_game_without_a_board_is_text(tmp_path: Path) -> None:
    game = games.game_at(written(tmp_path / "own_rules.py", "board = (SIZE, SIZE)", ""))
    assert not game.has_cells
    shown = replay(game, ["a2a3"])
    assert isinstance(shown, TextReplay)
    assert shown.boards == ("X;oooooooooooo............xxxxxxxxxxxx", "O;oooooooooooo......x......xxxxxxxxxxx")


def test_the_drawing_of_the_rules_comes_first(module: ModuleType) -> None:
    own = module.Breakthrough()
    own.draw = lambda position, last: f"{position}\nlast {last}"
    game = game_of(own, "b.py:GAME")
    assert game.draw(game.position(), 7) == "X;oooooooooooo............xxxxxxxxxxxx\nlast 7"


LACKS: dict[str, tuple[Callable[[Any], object], str]] = {
    "no member": (lambda own: delattr(type(own), "most_plies"), "lacks most_plies"),
    "an id with blanks": (
        lambda own: setattr(own, "id", "my game"),
        "id: expected up to 40 small letters, digits, '.', '_', '-', got 'my game'",
    ),
    "one side": (lambda own: setattr(own, "sides", ("a", "a")), "sides: expected two different names"),
    "a name of two lines": (lambda own: setattr(own, "name", "a\nb"), "name: expected a line, got"),
    "plies": (lambda own: setattr(own, "most_plies", 0), "most_plies: expected a number from 1 on or None, got 0"),
    "turns": (lambda own: setattr(own, "takes_turns", 1), "takes_turns: expected True or False, got 1"),
    "a board of many": (lambda own: setattr(own, "board", (6, 27)), "board: expected rows and columns, from 1 to 26"),
    "a board of another size": (
        lambda own: setattr(own, "board", (6, 5)),
        "the rules of breakthrough (b.py:GAME) failed: cells: expected 30 numbers from 0 to 2, got [2, 2, 2,",
    ),
    "one sign for two": (
        lambda own: setattr(own, "pieces", (("x", 0), ("x", 1))),
        "pieces: expected pairs of a sign and a side, 0 or 1, with different signs, got (('x', 0), ('x', 1))",
    ),
    "signs alone": (lambda own: setattr(own, "pieces", "xo"), "pieces: expected pairs of a sign and a side"),
    "a position of nothing": (
        lambda own: setattr(own, "position", lambda _: object()),
        f"its position: lacks {', '.join(POSITION)}",
    ),
    "a start that fails": (
        lambda own: setattr(own, "position", lambda _: 1 // 0),
        "cannot be used: ZeroDivisionError: integer division or modulo by zero (test_rules.py, line ",
    ),
}


@pytest.mark.parametrize(("spoil", "wrong"), LACKS.values(), ids=LACKS)
def test_what_a_game_lacks_is_one_line(module: ModuleType, spoil: Callable[[Any], object], wrong: str) -> None:
    own = module.Breakthrough()
    spoil(own)
    with pytest.raises(UsageError) as error:
        game_of(own, "b.py:GAME")
    assert str(error.value).startswith(f"b.py:GAME: {wrong}") or wrong in str(error.value)
    assert "\n" not in str(error.value)


def test_an_object_that_is_no_game_lacks_all() -> None:
    with pytest.raises(UsageError, match=rf"^x:y: lacks {', '.join(RULES)}$"):
        game_of(object(), "x:y")


def test_a_class_in_place_of_an_object_is_named(module: ModuleType) -> None:
    advice = r"a line GAME = Breakthrough\(\) makes one"
    with pytest.raises(
        UsageError, match=rf"^x:y: expected an object with the rules, got the class Breakthrough; {advice}$"
    ):
        game_of(module.Breakthrough, "x:y")


def test_a_game_of_ours_stays_as_it_is() -> None:
    assert game_of(TAKE, "x:y") is TAKE


def fails(*_: object) -> Any:
    raise LookupError("no piece\nthere")


FAILURES: dict[str, Callable[[AnyGame], object]] = {
    "legal_moves": lambda game: game.position().legal_moves(),
    "copy": lambda game: game.position().copy(),
    "move_text": lambda game: game.position().move_text(0),
    "__str__": lambda game: str(game.position()),
    "play": lambda game: game.position().play(game.position().legal_moves()[0]),
    "transformed": lambda game: list(candidates(game, 1, 1)),
}


@pytest.mark.parametrize(("name", "use"), FAILURES.items(), ids=FAILURES)
def test_a_failure_names_the_rules_and_the_last_line(
    game: AnyGame, module: ModuleType, monkeypatch: pytest.MonkeyPatch, name: str, use: Callable[[AnyGame], object]
) -> None:
    monkeypatch.setattr(module.Position, name, fails)
    with pytest.raises(RulesError) as error:
        use(game)
    assert str(error.value).startswith(
        "the rules of breakthrough (breakthrough.py:GAME) failed: LookupError: no piece there (test_rules.py, line "
    )


def test_an_error_about_a_legal_move_is_a_failure(
    game: AnyGame, module: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A ValueError from the middle of a legal move is no illegal move of a player."""
    monkeypatch.setattr(module, "divmod", lambda *_: "".index("x"), raising=False)
    with pytest.raises(RulesError, match="ValueError: substring not found"):
        game.position().play(game.position().legal_moves()[0])


@pytest.mark.parametrize(("name", "value"), [("side_to_move", 2), ("result", "won"), ("result", False)])
def test_an_answer_that_no_rules_give_is_a_failure(
    game: AnyGame, module: ModuleType, monkeypatch: pytest.MonkeyPatch, name: str, value: object
) -> None:
    position = game.position()
    monkeypatch.setattr(module.Position, name, property(lambda _: value, lambda *_: None), raising=False)
    with pytest.raises(RulesError, match=rf"failed: {name}: expected "):
        getattr(position, name)


@pytest.mark.parametrize("name", ["", "a b"])
def test_the_name_of_a_move_is_one_word(
    game: AnyGame, module: ModuleType, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setattr(module.Position, "move_text", lambda *_: name)
    with pytest.raises(RulesError, match="failed: move_text: expected one word, got "):
        game.position().move_text(game.position().legal_moves()[0])


def test_sys_exit_of_rules_does_not_end_the_process(
    game: AnyGame, module: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module.Position, "legal_moves", lambda _: exit(3))
    with pytest.raises(RulesError, match="SystemExit: 3"):
        game.position().legal_moves()


PLACES: dict[str, tuple[str, str]] = {
    "no such file": ("{folder}/no.py:GAME", "no such file: "),
    "no such object": (BREAKTHROUGH.replace("GAME", "GAMES"), "there is no GAMES in breakthrough.py"),
    "no such module": (
        "no_such_module:GAME",
        "there is no module no_such_module; the rules in a file are no_such_module.py:GAME",
    ),
    "a module that it lacks": (
        "{folder}/needs.py:GAME",
        "needs.py:GAME: cannot be loaded: ModuleNotFoundError: No module named 'no_such_module' (needs.py, line 1)",
    ),
    "a module that fails": ("{folder}/fails.py:GAME", "ZeroDivisionError: division by zero (fails.py, line 2)"),
    "no Python": ("{folder}/broken.py:GAME", "SyntaxError: invalid syntax (broken.py, line 1)"),
    "it exits": ("{folder}/exits.py:GAME", "SystemExit: 4 (exits.py, line 1)"),
    "the id of another": ("{folder}/uttt.py:GAME", "id: expected a new one, since there is a game 'uttt' already"),
    "a short name of ours": ("{folder}/short.py:GAME", "id: expected a new one, since there is a game 'c4' already"),
}


@pytest.mark.parametrize(("place", "wrong"), PLACES.values(), ids=PLACES)
def test_a_place_without_a_game_is_one_line(place: str, wrong: str, tmp_path: Path) -> None:
    (tmp_path / "fails.py").write_text("x = 0\ny = 1 / x\n", "utf-8")
    (tmp_path / "broken.py").write_text("def\n", "utf-8")
    (tmp_path / "exits.py").write_text("raise SystemExit(4)\n", "utf-8")
    (tmp_path / "needs.py").write_text("import no_such_module\n", "utf-8")
    written(tmp_path / "uttt.py", 'id = "breakthrough"', 'id = "uttt"')
    written(tmp_path / "short.py", 'id = "breakthrough"', 'id = "c4"')
    with pytest.raises(UsageError) as error:
        games.named_game(place.format(folder=tmp_path))
    assert wrong in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("name", ["own_rules", "own_rules.py", "no.py"])
def test_a_file_without_its_object_is_named_with_one(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written(tmp_path / "own_rules.py")
    monkeypatch.chdir(tmp_path)
    file = name if name.endswith(".py") else f"{name}.py"
    advice = f"; the rules in a file are {file}:OBJECT, with the name of their object (known: tictactoe, "
    with pytest.raises(UsageError) as error:
        games.named_game(name)
    assert str(error.value).startswith(f"unknown game {name!r}{advice}")


def test_an_unknown_game_has_the_other_ways_to_name_one() -> None:
    with pytest.raises(UsageError) as error:
        games.named_game("xx")
    ways = "generic; openspiel:NAME; rules of your own: FILE.py:OBJECT, or in FIEDLER_GAMES)"
    assert str(error.value).endswith(ways)


def test_the_name_of_a_stored_run_loads_no_file(tmp_path: Path) -> None:
    mark = tmp_path / "executed"
    (tmp_path / "evil.py").write_text(f"import pathlib\npathlib.Path({str(mark)!r}).touch()\n", "utf-8")
    place = f"{tmp_path}/evil.py:GAME"
    assert games.known_game(place) is None
    with pytest.raises(UsageError, match="unknown game"):
        games.any_game(place)
    assert not mark.exists()
    with pytest.raises(UsageError, match=r"there is no GAME in evil\.py"):
        games.named_game(place)
    assert mark.exists(), "a person that names the file executes it"


def test_the_variable_names_games_for_every_command(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(UsageError, match="unknown game 'breakthrough'"):
        games.any_game("breakthrough")
    monkeypatch.setenv(others.VARIABLE, f" {BREAKTHROUGH},")
    assert games.any_game("breakthrough").id == "breakthrough"
    assert others.environment("x:y")[others.VARIABLE] == f"x:y,{BREAKTHROUGH}"
    monkeypatch.setenv(others.VARIABLE, "breakthrough.py")
    with pytest.raises(UsageError, match=r"^FIEDLER_GAMES: expected FILE\.py:OBJECT or MODULE:OBJECT, got 'break"):
        games.any_game("nothing")


def test_a_place_may_have_commas(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "a,b,,c"
    folder.mkdir()
    place = written(folder / "own_rules.py", 'id = "breakthrough"', 'id = "in-commas"')
    monkeypatch.setenv(others.VARIABLE, BREAKTHROUGH)
    monkeypatch.setenv(others.VARIABLE, others.environment(place)[others.VARIABLE])
    assert others.from_environment() == [place, BREAKTHROUGH]
    assert {"in-commas", "breakthrough"} <= {*games.every_id()}


def install(folder: Path, package: str, value: str, name: str = "breakthrough") -> None:
    """Write the metadata of an installed package with an entry point."""
    about = folder / f"{package.replace('-', '_')}-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n", "utf-8")
    (about / "entry_points.txt").write_text(f"[fiedler.games]\n{name} = {value}\n", "utf-8")


def test_an_entry_point_names_a_game(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    written(tmp_path / "own_rules.py")
    install(tmp_path, "my-game", "own_rules:GAME")
    monkeypatch.syspath_prepend(tmp_path)
    assert "breakthrough" in games.every_id()
    assert games.any_game("breakthrough").name == "breakthrough on 6×6"
    with pytest.raises(UsageError, match=r"^expected a game of the core, got 'breakthrough'$"):
        games.game("breakthrough")


ENTRIES: dict[str, tuple[str, str, str]] = {
    "module": ("no_such:GAME", "breakthrough", "cannot be loaded: ModuleNotFoundError: No module named 'no_such'"),
    "object": ("own_rules:NO", "breakthrough", "cannot be loaded: AttributeError: module 'own_rules' has no"),
    "other": ("own_rules:GAME", "other", "expected the id 'other', which is its name, got 'breakthrough'"),
    "members": ("own_rules:START", "breakthrough", "lacks id, name, sides"),
}


@pytest.mark.parametrize(("value", "name", "wrong"), ENTRIES.values(), ids=ENTRIES)
def test_an_entry_point_without_a_game_is_one_line(
    value: str, name: str, wrong: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written(tmp_path / "own_rules.py")
    install(tmp_path, "my-game", value, name)
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(UsageError) as error:
        games.any_game(name)
    assert str(error.value).startswith(f"entry point {name} of my-game 1.0 ({value}): {wrong}")
    assert games.known_game(name) is None


def test_two_packages_with_one_id_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(tmp_path, "my-game", "a:GAME")
    install(tmp_path, "their-game", "b:GAME")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(UsageError) as error:
        games.any_game("breakthrough")
    assert str(error.value).startswith("two packages have a game 'breakthrough': entry point breakthrough of ")
    assert all(place in str(error.value) for place in ("my-game 1.0 (a:GAME)", "their-game 1.0 (b:GAME)"))


def test_the_example_imports_nothing_of_ours() -> None:
    lines = (ROOT / "examples" / "breakthrough.py").read_text("utf-8").splitlines()
    assert [line for line in lines if line.startswith(("import", "from"))] == []
