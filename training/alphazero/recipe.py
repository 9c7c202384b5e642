"""The recipes of AlphaZero: network, self-play and learning."""

from __future__ import annotations

from typing import Annotated, Any

from msgspec import Meta

from fiedler.training.alphazero.entry import AlphaZeroEntry
from fiedler.training.alphazero.tactics import tactics
from fiedler.training.nets.recipe import LearningTable, NetRecipe
from fiedler.training.recipe.recipe import Count, Large, RecipeTable, Share

Plies = Annotated[int, Meta(ge=0, le=1000)]
Temperature = Annotated[float, Meta(ge=0, le=100)]


class SelfPlay(RecipeTable, frozen=True, kw_only=True):
    """The play of the network against itself."""

    games: Count
    """Concurrent games of each worker: the rows of the network's batch."""
    full: Annotated[int, Meta(ge=2, le=10**6)]
    """Visits of the root in a full search, whose position is recorded."""
    fast: Annotated[int, Meta(ge=1, le=10**6)]
    """Visits of the root in a fast search, which only finds a move."""
    full_share: Annotated[float, Meta(ge=0.01, le=1)]
    """Share of the searches that are full."""
    opening_plies: Plies
    """A random opening has 0 to this many uniformly random plies."""
    opening_share: Share
    """Share of the games that begin with a random opening."""
    noise_alpha: Annotated[float, Meta(ge=1e-3, le=1e3)] = 10.0
    """Dirichlet noise at the root of full searches: sum of the alphas over the legal moves."""
    noise_share: Share = 0.25
    """Weight of that noise."""
    temperature: Temperature = 1.0
    """Moves are drawn from visits^(1 / temperature) up to `temperature_plies`."""
    temperature_plies: Plies = 20
    """The number of stones on the board from which `late_temperature` applies."""
    late_temperature: Temperature = 0.3
    """Temperature of the later moves; 0 = the most visited move."""
    c_puct: Annotated[float, Meta(ge=0, le=100)] = 1.5
    """The exploration constant, for values in -1 to 1."""
    fpu_reduction: Annotated[float, Meta(ge=0, le=2)] = 0.2
    """The value of an unvisited move is this much below that of its parent."""
    threats: Annotated[int, Meta(ge=0, le=10**6)] = 0
    """Positions at every new node for all tactics of the game, not for those of the option `threats` alone: 0 = none.

    Above 0 it sets the options `threats` and `candidates` of checkpoint, from 100 on `solve` too (`tactics`).
    """
    threats_share: Share = 1.0
    """Of the games whose searches have them: from the others the network learns tactics itself."""
    workers: Annotated[int, Meta(ge=1, le=256)] = 2
    """Threads that play; each has an evaluator of its own."""

    def settings(self) -> dict[str, Any]:
        """Return the settings of native.SelfPlay but the seed."""
        own = {name: getattr(self, name) for name in self.__struct_fields__}
        share = own.pop("threats_share")
        return {**own, **tactics(self.threats), "tactics_share": share}


class Learning(LearningTable, frozen=True, kw_only=True):
    """The learning of the network from the games."""

    samples: Large
    """New positions before the network learns again (one iteration)."""
    passes: Annotated[float, Meta(ge=0.01, le=1000)]
    """The mean number of times that a position is drawn for learning."""

    def steps(self, new: int) -> int:
        """Return the batches that draw each of `new` positions `passes` times on average."""
        return max(1, round(new * self.passes / self.batch))


class GateTable(RecipeTable, frozen=True, kw_only=True):
    """The table `[gate]`: a new network replaces the best one only if it beats it in a match."""

    games: Annotated[int, Meta(ge=2, le=10**4, multiple_of=2)] = 40
    """Games of the match: every opening twice, with colours reversed."""
    score: Share = 0.55
    """The new network must score more than this."""
    simulations: Annotated[int, Meta(ge=1, le=10**6)] = 50
    """Of both, a move."""
    threats: Annotated[int, Meta(ge=0, le=10**6)] = 0
    """Positions at every new node for all their tactics, as in `[selfplay]`; 0 = none."""
    plies: Plies = 2
    """Random plies of an opening."""


class AlphaZeroRecipe(NetRecipe, frozen=True, kw_only=True, tag="alphazero"):
    """`system = "alphazero"`."""

    entry = AlphaZeroEntry
    player = "checkpoint"

    selfplay: SelfPlay
    learning: Learning
    gate: GateTable | None = None
