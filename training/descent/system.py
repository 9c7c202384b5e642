"""Self-play and learning in turn: Descent with tree learning (Cohen-Solal 2020)."""

from __future__ import annotations

import copy
import time
from collections import deque
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fiedler.games import Game, game
from fiedler.native import DescentPlay, PatternNet, Samples
from fiedler.players.descent import DescentFactory
from fiedler.players.incremental import IncrementalNet, read_patterns
from fiedler.training.descent.entry import DescentEntry
from fiedler.training.descent.export import to_onnx
from fiedler.training.descent.net import IncrementalValueNet, fresh
from fiedler.training.descent.recipe import DescentGate, DescentRecipe, ExpertsTable
from fiedler.training.judge.gate import Gate
from fiedler.training.judge.match import naming
from fiedler.training.model.selfplay import SelfPlayed
from fiedler.training.model.state_learner import Learned, StateLearner
from fiedler.training.model.torch_system import TorchSystem
from fiedler.training.recipe.system import OnProgress, Stamp

CHUNK = 20_000
"""Samples between two looks at progress and interruptions."""
Weights = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Version:
    """The network after an iteration."""

    weights: Weights
    net: PatternNet


@dataclass
class PlayedStates(SelfPlayed):
    """The games of an iteration; wins and losses are those of the network against an older version."""

    expansions: int = 0
    first_wins: int = 0
    draws: int = 0
    wins: int = 0
    losses: int = 0


class Descent(TorchSystem[DescentRecipe]):
    """Every state of the search trees becomes a sample."""

    def __init__(self, recipe: DescentRecipe) -> None:
        super().__init__(recipe)
        self.game: Game = game(recipe.game)
        self.samples = Samples(recipe.game, recipe.learning.capacity, "value")
        self.learner = StateLearner(fresh(recipe), recipe, recipe.learning)
        experts = recipe.experts or ExpertsTable(share=0)
        with naming("experts.models"):
            self._models = [read_patterns(self.game, Path(path)) for path in experts.models]
        self._older: deque[Version] = deque(maxlen=experts.own)
        self._gate = Gate(recipe, recipe.gate) if recipe.gate else None
        self._versions: deque[Weights] = deque(maxlen=recipe.selfplay.opponent_age)  # a network takes 85 MiB
        self._now = self._version()

    @classmethod
    def untrained(cls, recipe: DescentRecipe) -> bytes:
        """Return the network before its first iteration; see System."""
        return to_onnx(fresh(recipe), recipe)

    @property
    def memory(self) -> Samples:
        """The newest states."""
        return self.samples

    def iterate(self, iteration: int, on_progress: OnProgress) -> DescentEntry:
        """Play with the present network, then learn from the newest states; see System."""
        part = iteration / max(self.recipe.iterations - 1, 1)
        began = time.monotonic()
        greedy, share = self._greedy(part), self._expert_share(part)
        played = self._play(iteration, greedy, share, on_progress)
        ended = time.monotonic()
        opposed = bool(self._versions)
        score = (played.wins + (played.games - played.wins - played.losses) / 2) / played.games
        learned, gate, accepted = self._learn(played.samples, iteration)
        return DescentEntry(
            games=played.games,
            plies=played.plies,
            samples=played.samples,
            expansions=played.expansions,
            first_wins=played.first_wins,
            draws=played.draws,
            selfplay_seconds=round(ended - began, 3),
            learning_seconds=round(time.monotonic() - ended, 3),
            value_loss=round(learned.loss, 5),
            steps=learned.steps,
            rate=learned.rate,
            greedy=round(greedy, 4),
            expert_share=round(share, 4),
            opponent_score=round(score, 4) if opposed else None,
            gate_score=gate,
            accepted=accepted,
        )

    def _greedy(self, part: float) -> float:
        s = self.recipe.selfplay
        return s.greedy + part * (s.final_greedy - s.greedy)

    def _expert_share(self, part: float) -> float:
        """Return the share of the experts, 0 if there are none yet."""
        table = self.recipe.experts
        if table is None or not (self._models or self._older):
            return 0.0
        return table.share * max(0.0, 1 - part / table.until)

    def _play(self, iteration: int, greedy: float, expert_share: float, on_progress: OnProgress) -> PlayedStates:
        wanted, seed = self.recipe.learning.samples, self.recipe.seed + 1_000_003 * iteration
        play = self_play(self.recipe, seed, greedy=greedy, expert_share=expert_share)
        experts = [*self._models, *(version.net for version in self._older)] if expert_share else []
        opponent = self._version(self._versions[0]).net if self._versions else None
        played, own = PlayedStates(), self._now.net
        played.collect(lambda count: play.play(own, experts, opponent, count, self.samples), wanted, CHUNK, on_progress)
        return played

    def _learn(self, new: int, iteration: int) -> tuple[Learned, float | None, bool]:
        """Learn from the states; return to the network before if the gate finds the new one weaker."""
        before = copy.deepcopy(self.learner.state()) if self._gate else {}
        old = self._now
        learned = self.learner.learn(self.samples, new, iteration)
        self._now = self._version()
        score, accepted = None, True
        table = self.recipe.gate
        if self._gate is not None and table is not None:
            with closing(self._player(self._now.net, table)) as ours, closing(self._player(old.net, table)) as theirs:
                score = round(self._gate.score(ours, theirs, self.recipe.seed, threads=1), 4)
            accepted = score >= table.score
            if not accepted:
                self.learner.restore(before)
                self._now = old
        self._versions.append(old.weights)
        experts = self.recipe.experts
        if experts is not None and experts.own and (iteration + 1) % experts.every == 0:
            self._older.append(self._now)
        return learned, score, accepted

    def _player(self, net: PatternNet, table: DescentGate) -> DescentFactory:
        options = {"evaluations": str(table.expansions)}
        return DescentFactory(self.game, options, IncrementalNet(net, self.recipe.name, {}))

    def _version(self, weights: Weights | None = None) -> Version:
        """Return the network as it is, or with other weights."""
        net = self.learner.net
        if weights is not None:
            net = IncrementalValueNet(self.recipe)
            net.load_state_dict(weights)
        return Version(copy.deepcopy(net.state_dict()), net.native(self.game.id))

    def export(self, stamp: Stamp) -> bytes:
        """Return the network as an ONNX file."""
        return to_onnx(self.learner.net, self.recipe, stamp)

    def _parts(self) -> dict[str, Any]:
        older = [version.weights for version in self._older]
        return self.learner.state() | {"older": older, "versions": list(self._versions)}

    def _restore_parts(self, parts: dict[str, Any]) -> None:
        self.learner.restore(parts)
        self._older.extend(self._version(weights) for weights in parts["older"])
        self._versions.extend(parts["versions"])
        self._now = self._version()


def self_play(recipe: DescentRecipe, seed: int, *, greedy: float, expert_share: float = 0.0) -> DescentPlay:
    """Return the self-play of a recipe."""
    s = recipe.selfplay
    return DescentPlay(
        game(recipe.game).id,
        workers=s.workers,
        expansions=s.expansions,
        mean_share=s.mean_share,
        exploration=s.exploration,
        to_the_end=s.search == "descent",
        replies=s.replies,
        greedy=greedy,
        opening_plies=s.opening_plies,
        opening_share=s.opening_share,
        least_visits=s.least_visits,
        proven_states=s.proven_states,
        result_share=s.result_share,
        expert_share=expert_share,
        winners_only=s.winners_only,
        seed=seed,
    )
