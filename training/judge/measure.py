"""The strength of a model, trained or not: a match of its player against another one."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fiedler.games import Game, game
from fiedler.games.score import score_text
from fiedler.players import Factory, about
from fiedler.support.player_spec import PlayerSpec, make_spec, read_options, read_player
from fiedler.support.text import counted
from fiedler.training.judge.match import Score, naming, openings, play_match, score
from fiedler.training.judge.sides import ending, model_player, opponent
from fiedler.training.judge.walk import GameWalk, walk
from fiedler.training.recipe.needs import need
from fiedler.training.recipe.registry import from_json, untrained_model


@dataclass(frozen=True, slots=True)
class Setup:
    """One measurement; the fields are the options of `train match`."""

    model: Path
    against: str
    options: tuple[str, ...]
    games: int
    simulations: int
    plies: int
    seed: int
    untrained: bool
    own: tuple[str, ...] = ()
    """Options of the model's player, KEY=VALUE."""


UNTRAINED = "untrained"
"""The opponent that is the untrained model of the same recipe, with the same options."""


@dataclass(frozen=True, slots=True)
class Measurement:
    """The result of a measurement."""

    setup: Setup
    game: str
    score: Score
    seconds: float
    mean_batch: float | None
    """The mean number of leaves in a batch of our network; None for a model without a network."""

    def document(self) -> dict[str, Any]:
        """Return it for programs: scores 0 to 1, `low` and `high` the 95 % interval."""
        s, (low, high) = self.score, self.score.interval
        return {
            "model": str(self.setup.model),
            "untrained": self.setup.untrained,
            "against": self.setup.against,
            "game": self.game,
            "own": list(self.setup.own),
            "options": list(self.setup.options),
            "games": s.games,
            "simulations": self.setup.simulations,
            "plies": self.setup.plies,
            "seed": self.setup.seed,
            "wins": s.wins,
            "draws": s.draws,
            "losses": s.losses,
            "score": round(s.mean, 4),
            "as_first": round(s.sides[0], 4),
            "as_second": round(s.sides[1], 4),
            "low": round(low, 4),
            "high": round(high, 4),
            "pairs": {str(points): s.pairs[points] for points in (0.0, 0.5, 1.0, 1.5, 2.0)},
            "seconds": round(self.seconds, 1),
            "mean_batch": None if self.mean_batch is None else round(self.mean_batch, 2),
        }

    def sentence(self) -> str:
        """Return it as a sentence."""
        s, setup = self.score, self.setup
        whom = " ".join([setup.against, *setup.options])
        who = " ".join([str(setup.model), *(["(untrained)"] if setup.untrained else []), *setup.own])
        return (
            f"{who} against {whom}: {score_text(s.mean, s.interval, 1)} "
            f"(+{s.wins} ={s.draws} -{s.losses}; first {s.sides[0]:.1%}, second {s.sides[1]:.1%}) "
            f"in {counted(s.games, 'game')} of {self.game}, "
            f"{setup.simulations} simulations a move of a model that searches, "
            f"openings of {counted(setup.plies, 'ply')}, seed {setup.seed}, {self.seconds:.0f} s"
        )


def measure(setup: Setup) -> Measurement:
    """Play the match.

    Raises:
        UsageError: The setup is wrong.
    """
    entries = about(setup.model)
    played = game(entries["game"])
    lines = openings(played, setup.plies, setup.games // 2, setup.seed)
    own = _options("--own", setup.own)
    began = time.monotonic()
    with (
        _opponent(setup, played) as theirs,
        model_file(setup.model, untrained=setup.untrained) as model,
        closing(model_player(model, played, setup.simulations, own)) as ours,
    ):
        result = score(play_match(ours, theirs, lines, seed=setup.seed))
        used = ours.evaluations()
    mean_batch = None if used is None else used.evaluations / max(used.batches, 1)
    return Measurement(setup, played.id, result, time.monotonic() - began, mean_batch)


@contextmanager
def _opponent(setup: Setup, played: Game) -> Iterator[Factory]:
    """Give the players of the other side."""
    options = _options("--set", setup.options)
    if setup.against != UNTRAINED:
        found = opponent(_against(setup.against, options), played, setup.simulations)
        with closing(ending(found, setup.against)) as theirs:
            yield theirs
        return
    options = _options("--own", setup.own) | options
    with (
        model_file(setup.model, untrained=True) as path,
        closing(model_player(path, played, setup.simulations, options)) as theirs,
    ):
        yield theirs


def _against(text: str, options: Mapping[str, str]) -> PlayerSpec:
    """Return the opponent of --against; a file may have spaces in its name."""
    with naming("--against"):
        spec = PlayerSpec(model=text) if Path(text).is_file() else read_player(text)
        return make_spec(spec.kind, spec.model, {**spec.options, **options})


def _options(option: str, words: Iterable[str]) -> dict[str, str]:
    with naming(option):
        return read_options(words)


def walk_model(model: Path, simulations: int, *, untrained: bool = False) -> GameWalk:
    """Walk through the whole game of a model with its player, `simulations` a move if it searches.

    Raises:
        UsageError: The model is unfit, or its game has too many positions.
    """
    played = game(about(model)["game"])
    with model_file(model, untrained=untrained) as path, closing(model_player(path, played, simulations)) as ours:
        return walk(played, ours)


@contextmanager
def model_file(model: Path, *, untrained: bool) -> Iterator[Path]:
    """Give the file to measure: the model itself, or the untrained one of its recipe.

    Raises:
        UsageError: The untrained one is wanted, and the model has no recipe.
    """
    if not untrained:
        yield model
        return
    recipe = from_json(about(model).get("recipe", ""))
    need(*recipe.needs)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / recipe.model
        path.write_bytes(untrained_model(recipe))
        yield path
