"""Players that answer immediately: random, and the two heuristic bots of the native core."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass

from fiedler.games import AnyGame
from fiedler.games.position import Position as AnyPosition
from fiedler.native import Limits, Position, SearchInfo, StopFlag, choose_hsp, choose_osp
from fiedler.players.found import Found
from fiedler.players.option import Settings, setting
from fiedler.players.player import OnInfo, Player
from fiedler.players.seeds import FRESH, MAX_SEED, Seeds

MOST_NATIVE = 2**16 - 2
"""The highest number of a move in the core."""


@dataclass(slots=True)
class Seeded(Settings):
    """The settings of a randomised player."""

    seed: int = setting(FRESH, f"seed of the random numbers; {FRESH} = other ones every time", low=FRESH, high=MAX_SEED)

    def seeds(self) -> Seeds:
        """Return the stream of random numbers that `seed` begins."""
        return Seeds(None if self.seed == FRESH else self.seed)


class Bot(Player):
    """A player that chooses without a search: one node, an even score, no need of a limit."""

    settings_type = Seeded
    settings: Seeded
    instant = True

    def __init__(self, game: AnyGame, settings: Seeded) -> None:
        super().__init__(game, settings)
        self.seeds = settings.seeds()

    def changed(self, name: str) -> None:
        """Start the random numbers anew when the seed is set."""
        if name == "seed":
            self.seeds = self.settings.seeds()

    def search(
        self,
        position: Position,
        limits: Limits,  # noqa: ARG002 - no limit is too short for it
        stop: StopFlag,  # noqa: ARG002
        on_info: OnInfo | None = None,  # noqa: ARG002
    ) -> SearchInfo:
        """Return its choice; see Player."""
        move = self.choose(position)
        return SearchInfo(move) if 0 <= move <= MOST_NATIVE else Found(move)

    @abstractmethod
    def choose(self, position: Position) -> int:
        """Return the move to play in a running game."""


class RandomPlayer(Bot):
    """Any legal move, all equally likely; in any game."""

    name = "random"
    description = "any legal move, all equally likely"

    def choose(self, position: AnyPosition) -> int:
        """Return a legal move."""
        moves = position.legal_moves()
        return moves[self.seeds.below(len(moves))]


class OspPlayer(Bot):
    """One-step player: takes a win, prevents one, else random."""

    name = "osp"
    description = "one-step player: wins immediately if it can, leaves no immediate win if it can, else random"

    def choose(self, position: Position) -> int:
        """Return a random one of the sensible moves."""
        return choose_osp(position, self.seeds.next())


class HspPlayer(Bot):
    """Heuristic-sum player: as osp, then the cell with the highest sum over its open lines."""

    name = "hsp"
    description = "heuristic-sum player: as osp, and among those moves the cell with the highest sum on open lines"

    def choose(self, position: Position) -> int:
        """Return the sensible move with the highest sum; the seed decides between equals."""
        return choose_hsp(position, self.seeds.next())
