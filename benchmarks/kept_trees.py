"""The kept trees of a recipe by episodes: size, memory, time, and the score of the model against random and osp.

    python -m benchmarks.kept_trees configs/training/connect4-table.toml results/connect4-table

writes curve.csv and curve.svg into the folder, and the last model as NAME.table. The scores come from games from the
start, and from random openings of four plies, distinct up to symmetry; every opening is played with both colours.
"""

from __future__ import annotations

import csv
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from fiedler.games import Game, game
from fiedler.games.openings import Opening
from fiedler.players import Player, create
from fiedler.players.table import TableFactory, TablePlayer
from fiedler.support.drawing import Drawing, Plot, nice
from fiedler.support.provenance import commit
from fiedler.training.judge.match import Score, openings, play_match, score
from fiedler.training.recipe.registry import load, new_system
from fiedler.training.recipe.system import Stamp
from fiedler.training.table.entry import TableEntry
from fiedler.training.table.recipe import TableRecipe

PAIRS = 200
"""Pairs of games against each opponent, from the start and from openings."""
PLIES = 4
"""Random plies of an opening."""
SEED = 1
OPPONENTS = ("random", "osp")
STARTS = ("start", "openings")
COLUMNS = ("episodes", "nodes", "memory_mib", "play_seconds", "tree_plies", "opponent", "start",
           "games", "wins", "draws", "losses", "score", "low", "high", "table_share")  # fmt: skip
WIDE, HIGH, LEFT = 900.0, 640.0, 68.0


class Watched(TableFactory):
    """Remembers its players, which count their moves."""

    def __init__(self, game: Game, model: Path) -> None:
        super().__init__(game, {"model": str(model)})
        self.made: list[TablePlayer] = []

    def player(self) -> Player:
        """Return a new player."""
        player = super().player()
        assert isinstance(player, TablePlayer)
        self.made.append(player)
        return player

    @property
    def share(self) -> float:
        """The share of the moves that the table gave."""
        return sum(one.table_moves for one in self.made) / sum(one.moves for one in self.made)


@dataclass(frozen=True, slots=True)
class Match:
    """One opponent, from the start or from openings."""

    opponent: str
    start: str
    score: Score
    share: float
    """The share of the moves that the table gave."""


Point = tuple[TableEntry, list[Match]]


def match(played: Game, model: Path, opponent: str, start: str) -> Match:
    """Play the match."""
    ours = Watched(played, model)
    lines: list[Opening] = openings(played, PLIES, PAIRS, SEED) if start == "openings" else [Opening()] * PAIRS
    found = score(play_match(ours, create(played, opponent), lines, seed=SEED, threads=1))
    return Match(opponent, start, found, ours.share)


def points(recipe: TableRecipe, model: Path) -> Iterator[Point]:
    """Yield the trees and the matches after each iteration; the last model stays in the file."""
    system, played, seconds = new_system(recipe), game(recipe.game), 0.0
    for iteration in range(recipe.iterations):
        entry = system.iterate(iteration, lambda *_: None)
        assert isinstance(entry, TableEntry)
        seconds += entry.play_seconds
        model.write_bytes(system.export(Stamp(seconds, commit() or "unknown")))
        matches = [match(played, model, opponent, start) for start in STARTS for opponent in OPPONENTS]
        texts = (f"{one.opponent} ({one.start}) {one.score.mean:.3f}" for one in matches)
        print(entry.summary(), f"{seconds:.2f} s", *texts, sep=", ", flush=True)
        yield entry, matches


def write_csv(path: Path, found: Sequence[Point]) -> None:
    """Write one row for each match."""
    with path.open("w", encoding="utf-8", newline="") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(COLUMNS)
        for entry, matches in found:
            trees = (entry.episodes, entry.first_nodes + entry.second_nodes, entry.memory_mb, entry.play_seconds)
            for one in matches:
                s, (low, high) = one.score, one.score.interval
                counts = (s.games, s.wins, s.draws, s.losses, round(s.mean, 4), round(low, 4), round(high, 4))
                table.writerow((*trees, entry.tree_plies, one.opponent, one.start, *counts, round(one.share, 4)))


def write_svg(path: Path, recipe: TableRecipe, found: Sequence[Point]) -> None:
    """Draw the scores, and the memory below, by episodes."""
    page = Drawing(WIDE, HIGH, f"{recipe.name}: strength and memory by episodes", "scores with 95 % intervals")
    page.text((8, 18), f"{recipe.name}: strength and memory by episodes", size=13, kind="title")
    episodes = [entry.episodes for entry, _ in found]
    marks = [10**power for power in range(10) if min(episodes) <= 10**power <= max(episodes)]
    scores = Plot(
        (WIDE, HIGH), "", x=(min(episodes), max(episodes)), y=(0.4, 1.02), margins=(72, 24, 270, LEFT), geometric=True
    )
    scores.y_axis("score", percent=True)
    scores.x_axis("episodes", at=marks)
    for place in range(len(found[0][1])):
        draw_match(scores, place, [(entry.episodes, matches[place]) for entry, matches in found])
    page.include(scores)
    memory = [entry.memory_mb for entry, _ in found]
    below = Plot(
        (WIDE, HIGH), "", x=(min(episodes), max(episodes)), y=(0, 1.1 * max(memory)), margins=(430, 24, 60, LEFT),
        geometric=True,
    )  # fmt: skip
    below.y_axis("memory of both trees, MiB")
    below.x_axis("episodes", at=marks)
    spots = [below.spot(*spot) for spot in zip(episodes, memory, strict=True)]
    below.path(spots, kind="line own0")
    for spot, (entry, _) in zip(spots, found, strict=True):
        nodes = entry.first_nodes + entry.second_nodes
        below.circle(spot, 3, kind="fill0", tooltip=f"{nodes} nodes in {nice(entry.memory_mb)} MiB")
    page.include(below)
    path.write_text(page.svg(), encoding="utf-8")


def draw_match(plot: Plot, place: int, line: Sequence[tuple[int, Match]]) -> None:
    """Draw the scores of one match with their band, and its name above."""
    bounds = [(episodes, *one.score.interval) for episodes, one in line]
    band = [plot.spot(x, high) for x, _, high in bounds] + [plot.spot(x, low) for x, low, _ in reversed(bounds)]
    plot.path(band, kind=f"band fill{place}", closed=True)
    plot.path([plot.spot(x, one.score.mean) for x, one in line], kind=f"line own{place}")
    last = line[-1][1]
    name = f"{last.opponent}, {'from the start' if last.start == 'start' else f'openings of {PLIES} plies'}"
    at = (LEFT + 300 * (place % 2), 38 + 18 * (place // 2))
    plot.path([at, (at[0] + 18, at[1])], kind=f"line own{place}")
    plot.text((at[0] + 24, at[1]), f"{name}: {100 * last.score.mean:.1f} %", size=11)


def main(recipe_file: str, folder: str) -> None:
    """Measure, write the curve and the model."""
    recipe, out = load(Path(recipe_file)), Path(folder)
    assert isinstance(recipe, TableRecipe)
    out.mkdir(parents=True, exist_ok=True)
    found = list(points(recipe, out / f"{recipe.name}.table"))
    write_csv(out / "curve.csv", found)
    write_svg(out / "curve.svg", recipe, found)


if __name__ == "__main__":
    main(*sys.argv[1:])
