"""Self-play and learning in turn: Descent with tree learning (Cohen-Solal 2020)."""

from __future__ import annotations

import copy
import time
from collections import deque
from pathlib import Path
from typing import Any

from games import Game, game
from native import DescentPlay, DescentPlayStats, PatternNet, Samples
from players.descent import DescentFactory
from players.incremental import IncrementalNet
from support.errors import UsageError
from training.descent.entry import DescentEntry
from training.descent.export import to_onnx
from training.descent.gate import VersionGate
from training.descent.learner import Learned, StateLearner
from training.descent.net import IncrementalValueNet, fresh
from training.descent.recipe import DescentRecipe, ExpertsTable
from training.system import OnProgress, Stamp, System
from training.torch_state import packed, unpacked

CHUNK = 20_000
"""Samples between two looks at progress and interruptions."""
Weights = dict[str, Any]


class Descent(System):
    """Every state of the search trees becomes a sample."""

    def __init__(self, recipe: DescentRecipe) -> None:
        self.recipe = recipe
        self.game: Game = game(recipe.game)
        self.samples = Samples(recipe.game, recipe.learning.capacity, "value")
        self.learner = StateLearner(fresh(recipe, self.samples.places), recipe)
        experts = recipe.experts or ExpertsTable(share=0)
        self._models = [_model(self.game, path) for path in experts.models]
        self._older: deque[Weights] = deque(maxlen=experts.own)
        self._gate = VersionGate(recipe, recipe.gate) if recipe.gate else None
        self._versions: deque[Weights] = deque(maxlen=max(recipe.selfplay.opponent_age, 1))

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
        opposed = bool(self.recipe.selfplay.opponent_age and self._versions)
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
        s, wanted = self.recipe.selfplay, self.recipe.learning.samples
        play = DescentPlay(
            self.game.id,
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
            seed=self.recipe.seed + 1_000_003 * iteration,
        )
        net = self.learner.net
        experts = [*self._models, *(self._with(weights) for weights in self._older)] if expert_share else []
        opponent = self._with(self._versions[0]) if s.opponent_age and self._versions else None
        played, own = PlayedStates(), net.native(self.game.id)
        while played.samples < wanted:
            played.add(play.play(own, experts, opponent, min(CHUNK, wanted - played.samples), self.samples))
            on_progress(min(played.samples, wanted), wanted)
        return played

    def _learn(self, new: int, iteration: int) -> tuple[Learned, float | None, bool]:
        """Learn from the states; return to the network before if the gate finds the new one weaker."""
        before = copy.deepcopy(self.learner.state())
        learned = self.learner.learn(self.samples, new, iteration)
        network = self.learner.net.native(self.game.id)  # also without a gate: weights may have grown too large
        score, accepted = None, True
        if self._gate is not None and self.recipe.gate is not None:
            score = round(self._gate.score(network, self._with(before["net"])), 4)
            accepted = score >= self.recipe.gate.score
            if not accepted:
                self.learner.restore(before)
        self._versions.append(before["net"])
        experts = self.recipe.experts
        if experts is not None and experts.own and (iteration + 1) % experts.every == 0:
            self._older.append(copy.deepcopy(self.learner.net.state_dict()))
        return learned, score, accepted

    def _with(self, weights: Weights) -> PatternNet:
        """Return the network with other weights."""
        net = IncrementalValueNet(self.recipe, self.samples.places)
        net.load_state_dict(weights)
        return net.native(self.game.id)

    def export(self, stamp: Stamp) -> bytes:
        """Return the network as an ONNX file."""
        return to_onnx(self.learner.net, self.recipe, stamp)

    def state(self) -> bytes:
        """Return the weights, the moments of the optimiser, and the older versions in use."""
        return packed(self.learner.state() | {"older": list(self._older), "versions": list(self._versions)})

    def restore(self, state: bytes) -> None:
        """Continue from a `state`.

        Raises:
            ValueError: The state is damaged.
        """
        with unpacked(state) as found:
            self.learner.restore(found)
            self._older.extend(found["older"])
            self._versions.extend(found["versions"])


class PlayedStates:
    """The self-play of one iteration."""

    def __init__(self) -> None:
        self.games = self.plies = self.samples = self.expansions = 0
        self.first_wins = self.draws = self.wins = self.losses = 0

    def add(self, stats: DescentPlayStats) -> None:
        """Add the counts of one call."""
        for name in vars(self):
            setattr(self, name, getattr(self, name) + getattr(stats, name))


def _model(game: Game, path: str) -> PatternNet:
    """Return the network of a model file for descent.

    Raises:
        UsageError: It is missing, damaged, or not an incremental network of the game.
    """
    source = DescentFactory(game, {"model": path}).source
    if not isinstance(source, IncrementalNet):
        raise UsageError(f"model {Path(path)}: expected an incremental network")
    return source.net
