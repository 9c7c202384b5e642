"""A training run: self-play and learning in turn, AlphaZero's loop (Silver et al. 2017)."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from games import Game, game
from native import EvaluationError, Samples, SelfPlay, SelfPlayStats
from players.model import load_bytes
from players.network import Network
from support.errors import UsageError, WorkError
from support.provenance import commit
from training.export import to_onnx
from training.folder import Entry, RunFolder
from training.learner import Learner
from training.net import fresh
from training.recipe import Recipe

CHUNK = 500
"""Samples between two looks at progress and interruptions."""

OnProgress = Callable[[int, int], None]
"""Hears of the samples played in this iteration and of those wanted."""
OnIteration = Callable[[Entry], None]


@dataclass
class Played:
    """Self-play of one iteration."""

    games: int = 0
    plies: int = 0
    samples: int = 0
    simulations: int = 0
    first_wins: int = 0
    draws: int = 0

    def add(self, stats: SelfPlayStats) -> None:
        """Count what one call played."""
        for name in vars(self):
            setattr(self, name, getattr(self, name) + getattr(stats, name))


class Run:
    """One run in its folder.

    The same recipe on the same machine gives the same network; a resumed run begins new games, so it goes on well but
    not move for move.
    """

    def __init__(self, recipe: Recipe, folder: RunFolder) -> None:
        """Begin, or go on with what the folder holds; raises UsageError if that is another recipe's or damaged."""
        self.recipe = recipe
        self.folder = folder
        self.game: Game = game(recipe.game)
        self.learner = Learner(fresh(recipe), recipe)
        self.samples = Samples(recipe.game, recipe.learning.capacity)
        self.iteration, self.seconds, self.commit = 0, 0.0, commit() or "unknown"
        if folder.exists:
            self._go_on()
        else:
            folder.begin(recipe)

    def _go_on(self) -> None:
        changed = self.folder.recipe().differences(self.recipe)
        if changed:
            raise UsageError(f"{self.folder.path}: begun with another recipe (different: {', '.join(changed)})")
        if state := self.folder.restore(self.samples):
            self.learner.restore(state)
            self.iteration, self.seconds, self.commit = state["iteration"], state["seconds"], state["commit"]

    @property
    def finished(self) -> bool:
        """Tell whether all iterations are done."""
        return self.iteration >= self.recipe.iterations

    def export(self) -> bytes:
        """Return the network as it is now, as an ONNX file."""
        return to_onnx(self.learner.net, self.recipe, seconds=self.seconds, made_by=self.commit)

    def run(self, on_progress: OnProgress, on_iteration: OnIteration) -> None:
        """Go on to the end; raises WorkError if the network cannot be evaluated."""
        settings = self.recipe.selfplay
        model = load_bytes(self.export(), self.game, device="cpu", name=self.recipe.name)
        network = Network(self.game, model, rows=settings.games, evaluators=settings.workers)
        try:
            play = self._selfplay(network)
            while not self.finished:
                on_iteration(self._iterate(network, play, on_progress))
            self.folder.write(self.folder.model.name, self.export())
        except EvaluationError as error:
            raise WorkError(str(error)) from None
        finally:
            network.close()

    def _selfplay(self, network: Network) -> SelfPlay:
        s = self.recipe.selfplay
        settings = {name: getattr(s, name) for name in s.__struct_fields__}
        return SelfPlay(self.game.id, network.batcher, seed=self.recipe.seed + 1_000_003 * self.iteration, **settings)

    def _iterate(self, network: Network, play: SelfPlay, on_progress: OnProgress) -> Entry:
        began, evaluated = time.monotonic(), network.stats().evaluations
        played = self._play(play, on_progress)
        ended = time.monotonic()
        losses = self.learner.learn(self.samples, played.samples, self.iteration)
        self.iteration, self.commit = self.iteration + 1, commit() or "unknown"
        learned = time.monotonic()
        self.seconds += learned - began
        data = self.export()
        network.replace(load_bytes(data, self.game, device="cpu", name=self.recipe.name))
        entry = Entry(
            iteration=self.iteration,
            seconds=round(self.seconds, 2),
            **vars(played),
            evaluations=network.stats().evaluations - evaluated,
            selfplay_seconds=round(ended - began, 3),
            learning_seconds=round(learned - ended, 3),
            policy_loss=round(losses.policy, 5),
            value_loss=round(losses.value, 5),
            steps=losses.steps,
            rate=losses.rate,
        )
        self.folder.write(self.folder.model.name, data)
        self.folder.save({"commit": self.commit, **self.learner.state()}, self.samples, entry)
        return entry

    def _play(self, play: SelfPlay, on_progress: OnProgress) -> Played:
        played, wanted = Played(), self.recipe.learning.samples
        while played.samples < wanted:
            played.add(play.play(min(CHUNK, wanted - played.samples), self.samples))
            on_progress(min(played.samples, wanted), wanted)
        return played
