"""The numbers of the report about games and players."""

from __future__ import annotations

import math
from itertools import permutations, product
from pathlib import Path

import pytest

from fiedler.games import Game
from fiedler.games import game as game_of
from fiedler.games.openings import canonical_key
from fiedler.games.result import Result
from fiedler.tournament.ratings import PlayerRating
from fiedler.tournament.ratings.series import are_geometric, find_series
from fiedler.tournament.report.first_moves import first_moves, second_moves
from fiedler.tournament.report.opening_figure import opening_name
from fiedler.tournament.report.run import Run
from fiedler.tournament.report.statistics import GameTally, Outcomes, tally
from fiedler.tournament.run.store import AT_A_TIME, Store
from tests.tournament.report.made_runs import make_run


def player(name: str, elo: float = 0.0, games: int = 10) -> PlayerRating:
    return PlayerRating(name, elo, 20.0, 20.0, games, 0.5, 0.0, 0.0)


def test_checkpoints_are_numbered_names_of_one_stem() -> None:
    names = ["net-10", "net-2", "net-1", "net-30", "other-1", "other-2", "mcts", "net-40x"]
    (found,) = find_series(tuple(player(name, elo) for elo, name in enumerate(names)))
    assert found.stem == "net-"
    assert found.numbers == (1, 2, 10, 30)
    assert [one.name for one in found.players] == ["net-1", "net-2", "net-10", "net-30"]
    assert found.best is None, "nobody asked"


@pytest.mark.parametrize(
    ("names", "stem", "numbers"),
    [
        (["net-1k", "net-10k", "net-500", "net-2M"], "net-", (500, 1000, 10_000, 2_000_000)),
        ([f"nets/{step:06d}.onnx" for step in (0, 5, 10, 15)], "nets/….onnx", (0, 5, 10, 15)),
        ([f"{number}-net" for number in (1, 2, 10, 11)], "…-net", (1, 2, 10, 11)),
        ([f"v1.{number}" for number in range(4)], "v1.", (0, 1, 2, 3)),
        ([f"3km net-{number}mini" for number in range(4)], "3km net-…mini", (0, 1, 2, 3)),
        ([f"net_{number:04d}_v7" for number in (1, 2, 10, 11)], "net_…_v…", (1, 2, 10, 11)),
        ([f"epoch={n}-step={100 * n}" for n in (2, 10, 11, 12)], "epoch=…-step=…", (200, 1000, 1100, 1200)),
    ],
)
def test_the_number_may_stand_anywhere(names: list[str], stem: str, numbers: tuple[int, ...]) -> None:
    (found,) = find_series(tuple(player(name) for name in names))
    assert (found.stem, found.numbers) == (stem, numbers)


@pytest.mark.parametrize(
    "names",
    [
        ["a1", "b2", "c3", "d4"],
        ["size 9 depth 1", "size 8 depth 2", "size 7 depth 3", "size 6 depth 4"],  # one falls, one rises
        ["net-1x", "net-2y", "net-3z", "net-4"],
    ],
)
def test_other_names_have_no_order(names: list[str]) -> None:
    assert not find_series(tuple(player(name) for name in names))


def test_a_checkpoint_without_games_is_on_no_curve() -> None:
    assert not find_series((player("a1"), player("a2"), player("a3"), player("a4", games=0)))


@pytest.mark.parametrize(("numbers", "geometric"), [([1, 2, 3, 4], False), ([100, 1000, 10000, 100000], True)])
def test_factors_and_steps_are_distinguished(numbers: list[int], geometric: bool) -> None:
    (found,) = find_series(tuple(player(f"net{number}") for number in numbers))
    assert are_geometric(found.numbers) == geometric


def test_curves_with_distant_numbers_share_an_axis() -> None:
    assert are_geometric([*range(1, 8), *(50 * 2**power for power in range(8))])
    assert not are_geometric([*range(10, 360, 10), *range(20, 300, 20)])
    assert not are_geometric([0, 1, 10, 100])


def test_a_score_has_the_error_of_its_games() -> None:
    outcomes = Outcomes()
    for result in [Result.FIRST_WIN] * 60 + [Result.SECOND_WIN] * 40:
        outcomes.add(result)
    assert outcomes.score == 0.6
    assert outcomes.error == pytest.approx(math.sqrt(0.24 / 100), rel=0.01)
    assert outcomes.sigmas == pytest.approx(2.04, abs=0.03)
    assert Outcomes(wins=2).error > 0.1, "two wins prove little"
    assert math.isnan(Outcomes().score)


def test_the_interval_of_a_score_stays_within_its_range() -> None:
    assert Outcomes(wins=7).text() == "100 % (65–100 %)"
    assert Outcomes(wins=50, losses=50).text(1) == "50.0 ± 9.6 %"
    assert Outcomes().text() == "?"


@pytest.mark.parametrize(
    ("name", "sizes"),
    [
        ("tictactoe", [1, 4, 4]),
        ("connect4", [1, 2, 2, 2]),
        ("cube", [8, 8, 24, 24]),
        ("uttt", [1, *[4] * 8, *[8] * 6]),
        ("uttt-majority", [1, *[4] * 8, *[8] * 6]),
        ("gomoku9", [1, *[4] * 8, *[8] * 6]),
        ("renju15", [1, *[4] * 14, *[8] * 21]),
    ],
)
def test_first_moves_fall_into_the_classes_of_the_board(name: str, sizes: list[int]) -> None:
    """In the cube only the 48 geometric symmetries count: the 192 of its lines map the centre to corners."""
    assert sorted(len(one.moves) for one in first_moves(game_of(name), {})) == sizes


def test_kinds_of_cells_have_names() -> None:
    found = {one.name: (len(one.moves), one.moves[-1]) for one in first_moves(game_of("cube"), {})}
    assert found == {"corner": (8, "4d1"), "edge": (24, "4c1"), "face": (24, "4c2"), "centre": (8, "3c2")}
    assert {one.name: len(one.moves) for one in first_moves(game_of("tictactoe"), {})} == {
        "corner": 4,
        "edge": 4,
        "centre": 1,
    }
    assert {one.name for one in first_moves(game_of("uttt"), {})} == {""}


def _pairs(game: Game) -> dict[tuple[str, ...], Outcomes]:
    """Every two first moves, each played once."""
    found: dict[tuple[str, ...], Outcomes] = {}
    start = game.position()
    for first in start.legal_moves():
        child = start.copy()
        child.play(first)
        for second in child.legal_moves():
            found[start.move_text(first), child.move_text(second)] = Outcomes(1, 0, 0)
    return found


@pytest.mark.parametrize("name", ["tictactoe", "connect4", "uttt", "gomoku9"])
def test_replies_with_equal_positions_are_one_class(name: str) -> None:
    """Checked another way: by the keys of the positions under every symmetry of the game and the board."""
    game = game_of(name)
    every = _pairs(game)
    found = second_moves(game, every)
    assert len(found) == len({canonical_key(game.position(moves=moves)) for moves in every})
    for one in found:
        assert one.outcomes.games == one.replies * len(one.first.moves), "the number of such pairs of moves"
    assert sum(one.outcomes.games for one in found) == len(every)


def test_replies_in_the_cube_keep_the_first_move_fixed() -> None:
    """Orbits of the cells under the rotations and reflections that keep a cell, found from coordinates alone."""
    game = game_of("cube")
    cells = list(product(range(4), repeat=3))
    moves = [
        [tuple(3 - at[axis] if turned else at[axis] for axis, turned in zip(axes, turns, strict=True)) for at in cells]
        for axes in permutations(range(3))
        for turns in product([False, True], repeat=3)
    ]
    classes: dict[str, list[int]] = {}
    for name, first in (("corner", (0, 0, 0)), ("edge", (0, 0, 1)), ("face", (0, 1, 1)), ("centre", (1, 1, 1))):
        keeping = [image for image in moves if image[cells.index(first)] == first]
        orbits = {frozenset(image[cells.index(cell)] for image in keeping) for cell in cells if cell != first}
        classes[name] = sorted(map(len, orbits))
    found = second_moves(game, _pairs(game))
    assert {name: sorted(one.replies for one in found if one.first.name == name) for name in classes} == classes
    assert len(found) == sum(map(len, classes.values()))


def test_symmetric_first_moves_are_counted_together() -> None:
    game = game_of("tictactoe")
    beginnings: dict[tuple[str, ...], Outcomes] = {}
    beginnings |= {("a1", "b2"): Outcomes(3, 1, 0), ("c3", "b2"): Outcomes(2, 0, 0), ("b2", "a1"): Outcomes(0, 0, 5)}
    corner, middle = (one for one in first_moves(game, beginnings) if one.outcomes.games)
    assert set(corner.moves) == {"a1", "a3", "c1", "c3"}
    assert corner.outcomes == Outcomes(5, 1, 0)
    assert middle.moves == ("b2",)
    most, less = second_moves(game, beginnings)
    assert most.outcomes == Outcomes(5, 1, 0)
    assert most.moves == ("a1", "b2")
    assert (most.replies, less.replies) == (1, 4)
    assert (most.first.name, less.first.name) == ("corner", "centre")
    assert less.outcomes == Outcomes(0, 0, 5)


def test_openings_are_sorted_by_how_one_sided_they_are() -> None:
    found = GameTally([])
    found.openings.update({"even": Outcomes(50, 0, 50), "lost": Outcomes(0, 2, 98), "few": Outcomes(2, 0, 0)})
    assert [moves for moves, _ in found.one_sided()] == ["lost", "few", "even"]


def test_games_are_read_one_by_one_as_of_one_moment(tmp_path: Path) -> None:
    folder = make_run(tmp_path / "trial", ["a", "b", "c"], game="tictactoe", games_per_pair=400)
    run = Run.read(folder)
    numbers = [game.number for game in run.games()]
    assert len(numbers) == 1200 > 2 * AT_A_TIME
    assert numbers == sorted(set(numbers))
    with Store.open(folder) as store:
        assert list(store.each_game()) == store.games()
    fewer = Run(**{**vars(run), "finished": frozenset({3, 700})})
    assert [game.number for game in fewer.games()] == [3, 700]
    counted = tally(run.games(), run.players)
    assert counted.outcomes.games == run.results.games


@pytest.mark.parametrize(
    ("name", "text", "shown"),
    [
        ("chess", "", ""),
        ("chess", "e2e4 e7e5 g1f3", "1. e4 e5 2. Nf3"),
        ("chess", "4k3/8/8/8/8/8/8/4K2R_w_K_-_0_1 e1g1", "4k3/8/8/8/8/8/8/4K2R w K - 0 1 O-O"),
        ("chess", "4k3/8/8/8/8/8/8/4K2R_w_K_-_0_1", "4k3/8/8/8/8/8/8/4K2R w K - 0 1"),
        ("go9", "e5 pass", "e5 pass"),
    ],
)
def test_an_opening_has_the_names_of_its_moves(name: str, text: str, shown: str) -> None:
    assert opening_name(game_of(name), text) == shown
