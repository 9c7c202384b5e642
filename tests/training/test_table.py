"""The system table: runs that resume, models that play, recipes that are refused."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from fiedler.games import game
from fiedler.native import Limits, Negamax, StopFlag
from fiedler.players import about, create, table_file
from fiedler.support.errors import UsageError
from fiedler.training.judge.measure import Setup, measure
from fiedler.training.loop.folder import TrainingFolder
from fiedler.training.loop.run import Run
from fiedler.training.recipe.entry import Entry
from fiedler.training.recipe.registry import load, new_system
from fiedler.training.recipe.system import Stamp
from fiedler.training.table.entry import TableEntry
from fiedler.training.table.recipe import TableRecipe
from tests.native.positions import random_positions
from tests.training.recipes import RECIPES

MOVES = 2096
"""The moves of tic-tac-toe between its 765 positions, all up to symmetry."""


def recipe(**changes: object) -> TableRecipe:
    loaded = load(RECIPES / "tictactoe-table-tiny.toml")
    assert isinstance(loaded, TableRecipe)
    return msgspec.structs.replace(loaded, **changes)


class StoppedError(Exception):
    """Ends a run."""


def trained(recipe: TableRecipe, path: Path, stop_after: int = 0) -> Run:
    def stop(entry: Entry) -> None:
        if entry.iteration == stop_after:
            raise StoppedError

    run = Run(recipe, TrainingFolder(path))
    run.run(lambda *_: None, stop)
    return run


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    return trained(recipe(), tmp_path_factory.mktemp("runs") / "run")


@pytest.mark.programs
def test_the_log_shows_the_growth_of_the_trees(run: Run) -> None:
    entries = [entry for entry in run.folder.log() if isinstance(entry, TableEntry)]
    assert [entry.episodes for entry in entries] == [1000, 3684, 13572, 50000]
    sizes = [entry.first_nodes + entry.second_nodes for entry in entries]
    assert sizes == sorted(sizes)
    assert 0.9 * MOVES < sizes[-1] <= MOVES
    assert all(entry.memory_mb == 4 and 0.5 < entry.first_score < 1 for entry in entries)
    assert entries[-1].summary().startswith(f"50000 episodes, {sizes[-1]} nodes, 4 MiB; osp ")


@pytest.mark.programs
def test_the_model_holds_the_most_visited_nodes(run: Run) -> None:
    model = table_file.load_bytes(run.model.read_bytes(), "model")
    assert (model.about["player"], model.about["recipe"]) == ("table", run.recipe.json())
    assert about(run.model) == model.about
    small = new_system(recipe(kept=20))
    small.restore(run.system.state())
    few = table_file.load_bytes(small.export(Stamp()), "model").arrays
    assert len(few["first_keys"]) + len(few["second_keys"]) == 20
    assert min(few["first_visits"].min(), few["second_visits"].min()) > 100


@pytest.mark.programs
def test_its_player_plays_well(run: Run) -> None:
    """Against random, from openings that may be lost; and in nine of ten positions it keeps the value of a solver."""
    assert measure(Setup(run.model, "random", (), 24, 1, 2, 1, False)).score.mean > 0.85
    player = create(game("tictactoe"), "table", {"model": str(run.model), "seed": "1"}).player()
    positions = [one for one in random_positions("tictactoe", 100, seed=1) if one.result is None]
    solver, kept = Negamax("tictactoe"), 0
    for position in positions:
        best = player.search(position, Limits(), StopFlag()).best
        value, child = solver.search(position, Limits(), StopFlag()).score, position.copy()
        assert best is not None
        child.play(best)
        if child.result is None:
            kept += 1 - solver.search(child, Limits(), StopFlag()).score == value
        else:
            kept += (1 + child.result * (1 - 2 * position.side_to_move)) / 2 == value
    assert kept >= 0.9 * len(positions)


@pytest.mark.programs
def test_a_run_that_was_interrupted_ends_with_the_same_model(run: Run, tmp_path: Path) -> None:
    with pytest.raises(StoppedError):
        trained(recipe(), tmp_path / "halves", stop_after=2)
    resumed = trained(recipe(), tmp_path / "halves")
    assert resumed.system.state() == run.system.state()
    assert resumed.system.export(Stamp()) == run.system.export(Stamp())


@pytest.mark.programs
def test_a_damaged_state_is_refused(run: Run) -> None:
    with pytest.raises(ValueError, match="trees: the dump is"):
        new_system(recipe()).restore(run.system.state()[:-1])


@pytest.mark.parametrize(("iterations", "totals"), [(1, [50000]), (2, [1000, 50000]), (3, [1000, 7071, 50000])])
def test_the_totals_are_spaced_by_their_logarithm(iterations: int, totals: list[int]) -> None:
    made = recipe(iterations=iterations)
    assert [made.total(iteration) for iteration in range(iterations)] == totals


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("episodes = 50000", "episodes = 999", ": first_episodes: expected at most 999 "),
        ("kept = 10000", "kept = 0", ": kept: "),
        ("kept = 10000", "kept = 1\nrollout = 'wild'", ": rollout: "),
        ("kept = 10000", "kept = 1\nhash_mb = 1", ": hash_mb: "),
    ],
)
def test_a_wrong_recipe_is_refused(tmp_path: Path, old: str, new: str, message: str) -> None:
    text = (RECIPES / "tictactoe-table-tiny.toml").read_text("utf-8")
    path = tmp_path / "recipe.toml"
    path.write_text(text.replace(f"\n{old}", f"\n{new}"), encoding="utf-8")
    with pytest.raises(UsageError, match=message):
        load(path)
