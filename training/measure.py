"""The strength of a network: a match of it, trained or not, against another player."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from games import Game, game
from games.score import score_text
from players import Factory, create
from players.checkpoint import CheckpointFactory
from players.model import Model, load, load_bytes, metadata
from support.errors import UsageError
from training.match import Score, openings, play_match, score
from training.recipe import Recipe


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


@dataclass(frozen=True, slots=True)
class Measurement:
    """What came out."""

    setup: Setup
    game: str
    score: Score
    seconds: float
    mean_batch: float
    """Leaves in a batch of our network, on average."""

    def document(self) -> dict[str, Any]:
        """Return it for programs: scores 0 to 1, `low` and `high` the 95 % interval."""
        s, (low, high) = self.score, self.score.interval
        return {
            "model": str(self.setup.model),
            "untrained": self.setup.untrained,
            "against": self.setup.against,
            "game": self.game,
            "games": s.games,
            "simulations": self.setup.simulations,
            "plies": self.setup.plies,
            "seed": self.setup.seed,
            "wins": s.wins,
            "draws": s.draws,
            "losses": s.losses,
            "score": round(s.mean, 4),
            "low": round(low, 4),
            "high": round(high, 4),
            "pairs": {str(points): s.pairs[points] for points in (0.0, 0.5, 1.0, 1.5, 2.0)},
            "seconds": round(self.seconds, 1),
            "mean_batch": round(self.mean_batch, 2),
        }

    def sentence(self) -> str:
        """Return it for people."""
        s, setup = self.score, self.setup
        options = " ".join(setup.options) or "no options"
        who = f"{setup.model}{' (untrained)' if setup.untrained else ''}"
        return (
            f"{who} against {setup.against}: {score_text(s.mean, s.interval, 1)} "
            f"(+{s.wins} ={s.draws} -{s.losses}) in {s.games} games of {self.game}, "
            f"{setup.simulations} simulations a move, {options}, "
            f"openings of {setup.plies} plies, seed {setup.seed}, {self.seconds:.0f} s"
        )


def measure(setup: Setup) -> Measurement:
    """Play the match; raises UsageError for a wrong setup."""
    played = _game_of(setup.model)
    lines = openings(played, setup.plies, setup.games // 2, setup.seed)
    theirs = _opponent(setup, played)
    ours = CheckpointFactory(played, {"simulations": str(setup.simulations)}, _network(setup, played))
    began = time.monotonic()
    try:
        result = score(play_match(ours, theirs, lines, seed=setup.seed))
        used = ours.network.stats()
    finally:
        ours.close()
        theirs.close()
    mean_batch = used.evaluations / max(used.batches, 1)
    return Measurement(setup, played.id, result, time.monotonic() - began, mean_batch)


def _game_of(path: Path) -> Game:
    """Return the game that a network is for, whichever it is."""
    about = metadata(path)
    if "game" not in about:
        raise UsageError(f"model {path}: not one of this project's: its metadata has no entry 'game'")
    return game(about["game"])


def _network(setup: Setup, played: Game) -> Model:
    model = load(setup.model, played, device="cpu")
    if not setup.untrained:
        return model
    from training.export import to_onnx
    from training.net import fresh

    recipe = Recipe.from_json(model.about.get("recipe", ""))
    return load_bytes(to_onnx(fresh(recipe), recipe), played, device="cpu", name=f"{setup.model} untrained")


def _opponent(setup: Setup, played: Game) -> Factory:
    values = dict(_pair(text) for text in setup.options)
    if setup.against.endswith(".onnx"):
        values = {"model": setup.against, "simulations": str(setup.simulations), "device": "cpu"} | values
        return create(played, "checkpoint", values)
    return create(played, setup.against, values)


def _pair(text: str) -> tuple[str, str]:
    key, sign, value = text.partition("=")
    if not sign:
        raise UsageError(f"--set: expected KEY=VALUE, got {text!r}")
    return key, value
