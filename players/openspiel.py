"""The player `mcts` of OpenSpiel's games: the library's own UCT."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

from fiedler.games.openspiel import SpielGame, SpielPosition
from fiedler.games.openspiel_library import LEAST_SIMULATIONS
from fiedler.games.position import Position
from fiedler.native import Limits, SearchInfo, StopFlag
from fiedler.players.bots import Seeded
from fiedler.players.found import Found
from fiedler.players.limits import tighter
from fiedler.players.option import setting
from fiedler.players.player import MEMORY_OPTION, OnInfo, Player
from fiedler.players.seeds import Seeds

SLICE_S = 0.05
"""The longest part of a search that only `stop` ends: the library cannot be interrupted."""
MOST_SIMULATIONS = 2**31 - 1
SPARE = 2.0
"""A tree of a number of simulations must fit this many times into the time that is left."""
_NO_PART = 0, 0.0
"""No tree follows."""
MEMORY_MB = 64
"""The most memory of a tree, in MiB; beyond it the library drops nodes with few visits."""


@dataclass(slots=True)
class SpielMctsSettings(Seeded):
    """The settings of mcts in these games."""

    simulations: int = setting(
        0,
        "most simulations a move, 2 at least; 0 = as many as the limit allows",
        low=0,
        high=MOST_SIMULATIONS,
        above_zero=LEAST_SIMULATIONS,
    )
    c: float = setting(1.4, "exploration constant of UCT, for results from -1 to 1", low=0.0, high=100.0)
    solve: bool = setting(True, "back up proven results; false: rollouts alone decide")


class SpielMctsPlayer(Player):
    """The library's UCT with random rollouts."""

    name = "mcts"
    description = "OpenSpiel's UCT with random rollouts, a new tree for each move"
    settings_type = SpielMctsSettings
    settings: SpielMctsSettings
    budget = "simulations"

    def __init__(self, game: SpielGame, settings: SpielMctsSettings) -> None:
        super().__init__(game, settings)
        self._library = game.library
        self._seeds = settings.seeds()
        self._each_s = 0.0
        """Seconds of a simulation, lately; 0: none has been measured."""

    @property
    def bounded(self) -> bool:
        """Whether a number of simulations is set."""
        return self.settings.simulations > 0

    def claim(self, option: str) -> int:
        """Return the share of this player in a resource of all sessions."""
        return MEMORY_MB if option == MEMORY_OPTION else super().claim(option)

    def changed(self, name: str) -> None:
        """Start the random numbers anew when the seed is set."""
        if name == "seed":
            self._seeds = self.settings.seeds()

    @property
    def prepared(self) -> bool:
        """Whether the time of a simulation is known."""
        return self._each_s > 0

    def prepare(self) -> None:
        """Measure the time of a simulation, by which a search ends early enough."""
        if not self.prepared:
            self._simulated(self._library.new_initial_state(), LEAST_SIMULATIONS, 0.0, (0, 0))

    def search(self, position: Position, limits: Limits, stop: StopFlag, on_info: OnInfo | None = None) -> SearchInfo:
        """Simulate until a limit ends it; see Player. `stop` interrupts no tree, but another one does not follow."""
        assert isinstance(position, SpielPosition)
        started, tally = time.perf_counter(), _Tally(position, self._library.max_utility())
        own = tighter(limits, nodes=self.settings.simulations)
        if own.nodes and own.seconds:
            self.prepare()
        part = self._part(own, 0, time.perf_counter() - started)
        while True:
            known, (simulations, seconds) = tally.nodes, part
            seeds = self._seeds.below(2**31), self._seeds.below(2**31)
            tally.add(self._simulated(position.state, simulations, seconds, seeds))
            spent = time.perf_counter() - started
            found = tally.found(spent, self._seeds)
            is_decided = tally.nodes - known < simulations  # by a proof, or by a single legal move
            part = self._part(own, tally.nodes, spent)
            if part == _NO_PART or is_decided or stop.is_set:
                return found
            if on_info is not None:
                on_info(found)

    def _part(self, limits: Limits, done: int, spent: float) -> tuple[int, float]:
        """Return the simulations or the seconds of the next tree, after `done` simulations in `spent` seconds.

        The library cannot count both. With both limits a tree has the simulations that fit into the rest of the time
        with some to spare, so that neither limit is exceeded.
        """
        if not (limits.nodes or limits.seconds):
            return 0, SLICE_S
        if not (limits.nodes and limits.seconds):
            seconds = max(limits.seconds - 2 * self._each_s, 1e-6) if limits.seconds else 0.0
            return _NO_PART if done else (limits.nodes, seconds)
        fitting = int((limits.seconds - spent) / (SPARE * self._each_s))
        simulations = min(limits.nodes - done, fitting) if done else max(min(limits.nodes, fitting), LEAST_SIMULATIONS)
        return (simulations, 0.0) if simulations >= LEAST_SIMULATIONS else _NO_PART

    def _simulated(self, state: Any, simulations: int, seconds: float, seeds: tuple[int, int]) -> Any:  # noqa: ANN401
        """Return the root of a new tree; 0 = no limit. With `seconds` the library ignores `simulations`."""
        import pyspiel

        bot = pyspiel.MCTSBot(
            self._library,
            pyspiel.RandomRolloutEvaluator(1, seeds[0]),
            self.settings.c,
            max(simulations or MOST_SIMULATIONS, LEAST_SIMULATIONS),
            MEMORY_MB,
            self.settings.solve,
            seeds[1],
            False,
            max_wall_clock_time=seconds or -1.0,
        )
        started = time.perf_counter()
        root = bot.mcts_search(state)
        self._each_s = (time.perf_counter() - started) / max(root.explore_count, 1)
        return root


class _Tally:
    """The visits and rewards of the moves at the root, over one tree or several."""

    def __init__(self, position: SpielPosition, most: float) -> None:
        """`most` is the highest reward."""
        self._moves = position.legal_moves()
        self._most = most
        self._visits = dict.fromkeys(self._moves, 0)
        self._rewards = dict.fromkeys(self._moves, 0.0)
        self._proven: dict[int, float] = {}
        """The rewards of the moves whose result is proven."""
        self.nodes = 0
        """The simulations so far."""

    def add(self, root: Any) -> None:  # noqa: ANN401
        """Add the children of a root; a tree of one simulation has none."""
        self.nodes += root.explore_count
        for child in root.children:
            self._visits[child.action] += child.explore_count
            self._rewards[child.action] += child.total_reward
            if child.outcome:
                self._proven[child.action] = child.outcome[child.player]

    def found(self, seconds: float, seeds: Seeds) -> Found:
        """Return the best move: proven wins first, proven losses last, then by visits; by chance without any."""
        if not any(self._visits.values()):
            return Found(self._moves[seeds.below(len(self._moves))], 0.5, self.nodes, seconds)
        best = max(self._moves, key=lambda move: (self._sign(move), self._visits[move], self._mean(move)))
        value = self._proven.get(best, self._rewards[best] / (self._visits[best] + 2))  # a win and a loss beforehand
        return Found(best, 0.5 + 0.5 * value / self._most, self.nodes, seconds)

    def _sign(self, move: int) -> int:
        """Return 1 for a proven win, -1 for a proven loss, else 0."""
        reward = self._proven.get(move, 0.0)
        return (reward > 0) - (reward < 0)

    def _mean(self, move: int) -> float:
        """Return the reward of a move, proven or the mean."""
        visits = self._visits[move]
        return self._proven[move] if move in self._proven else self._rewards[move] / visits if visits else -self._most
