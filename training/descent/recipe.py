"""The recipes of Descent: network, self-play, learning, experts and the switches of the system it descends from."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from fiedler.games import game
from fiedler.native import pattern_inputs
from fiedler.players.descent import DescentPlayer
from fiedler.support.toml import Refuse
from fiedler.training.descent.entry import DescentEntry
from fiedler.training.model.states import StateLearning
from fiedler.training.recipe.recipe import Count, Large, Recipe, RecipeTable, Share

Plies = Annotated[int, Meta(ge=0, le=1000)]
Width = Literal[32, 64, 128, 256]


class PatternNetTable(RecipeTable, frozen=True, kw_only=True):
    """The incremental network: native/src/net/pattern_net.hpp."""

    describe: Count = 128
    """Units of the layer that sees one pattern."""
    depth: Count = 32
    """Numbers that stand for a pattern after it."""
    width: Width = 128
    """Units of the first layer of the board."""


class DescentSelfPlay(RecipeTable, frozen=True, kw_only=True):
    """The play of the network against itself."""

    workers: Annotated[int, Meta(ge=1, le=256)] = 1
    """Threads that play."""
    expansions: Large
    """Positions that each search expands: all replies are evaluated."""
    search: Literal["best-first", "descent"] = "best-first"
    """An iteration expands one position; in Descent all positions on the best line to an end of the game."""
    mean_share: Share = 0.4
    """Of the mean value below a child in its choice; the rest is its minimax value. 0 = pure best-first search."""
    exploration: Annotated[float, Meta(ge=0, le=10)] = 0.3
    """Weight of few visits in that choice."""
    replies: bool = False
    """A position counts by the best of its replies, which are evaluated together, one ply deeper."""
    greedy: Share
    """Ordinal choice of the move in the first iteration: 1 plays the best one, 0 any."""
    final_greedy: Share
    """The same in the last iteration; in between it changes in equal steps."""
    opening_plies: Plies
    """A random opening has 0 to this many uniformly random plies."""
    opening_share: Share
    """Share of the games that begin with a random opening."""
    least_visits: Count = 4
    """Tree learning: every expanded state with as many visits becomes a sample, if all states above it do."""
    proven_states: bool = True
    """So does every state whose value is proven."""
    result_share: Share = 0.5
    """Share of the game's result in the value of a state on its path."""
    opponent_age: Annotated[int, Meta(ge=0, le=10**6)] = 0
    """Two versions play: the opponent is the network of that number of iterations ago; 0 = the network itself."""
    winners_only: bool = False
    """Of two versions, the samples of the loser's searches are dropped."""


class ExpertsTable(RecipeTable, frozen=True, kw_only=True):
    """The table `[experts]`: other networks evaluate a share of the searches of self-play, which shrinks."""

    models: list[str] = msgspec.field(default_factory=list)
    """Model files, paths from the working directory."""
    own: Annotated[int, Meta(ge=0, le=1000)] = 0
    """The number of older versions of the network that serve as experts, too: the newest ones."""
    every: Annotated[int, Meta(ge=1, le=10**6)] = 20
    """Iterations between two such versions."""
    share: Share
    """Of the searches in the first iteration."""
    until: Annotated[float, Meta(gt=0, le=1)] = 1.0
    """The part of the run after which the share is 0; it falls in equal steps."""


class DescentGate(RecipeTable, frozen=True, kw_only=True):
    """The table `[gate]`: an update is kept only if the new network is at least as strong as the one before."""

    games: Annotated[int, Meta(ge=2, le=10**4, multiple_of=2)] = 40
    """Games of the match: every opening twice, with colours reversed."""
    score: Share = 0.5
    """The new network must score at least this."""
    expansions: Large = 200
    """Of both, a move."""
    plies: Plies = 6
    """Random plies of an opening."""


class ArchitecturesTable(RecipeTable, frozen=True, kw_only=True):
    """The table `[architectures]` of `train architectures`: networks of other sizes learn the states of an expert."""

    expert: str
    """The model file that plays against itself, a path from the working directory."""
    samples: Large = 2_000_000
    """States of its games, which each network learns, `learning.passes` times on average."""
    rounds: Count = 20
    """Rounds of learning, over which the learning rate falls."""
    describe: list[Count] = msgspec.field(default_factory=list)
    """Sizes as in `[net]`, in all combinations; empty = that of `[net]`."""
    depth: list[Count] = msgspec.field(default_factory=list)
    """Values of `depth` of `[net]`, likewise."""
    width: list[Width] = msgspec.field(default_factory=list)
    """Values of `width` of `[net]`, likewise."""
    games: Annotated[int, Meta(ge=2, le=10**4, multiple_of=2)] = 200
    """Games of each network against that of `[net]`: every opening twice, with colours reversed."""
    expansions: Large = 1000
    """A move of the network of `[net]`; the others have as many as they make in the same time."""
    plies: Plies = 6
    """Random plies of an opening."""


class DescentRecipe(Recipe, frozen=True, kw_only=True, tag="descent"):
    """`system = "descent"`."""

    entry = DescentEntry
    player = DescentPlayer.name
    needs = ("torch", "onnx", "onnxruntime")

    net: PatternNetTable = PatternNetTable()
    selfplay: DescentSelfPlay
    learning: StateLearning
    experts: ExpertsTable | None = None
    gate: DescentGate | None = None
    architectures: ArchitecturesTable | None = None

    def check(self, refuse: Refuse) -> None:
        """Refuse also a game without patterns."""
        super().check(refuse)
        try:
            pattern_inputs(game(self.game).id)
        except ValueError as error:
            refuse("game", str(error))
        if self.selfplay.winners_only and not self.selfplay.opponent_age:
            refuse("selfplay.winners_only", "expected opponent_age, too: without it both sides are one network")

    @property
    def has_comparison(self) -> bool:
        """Whether it has the table `[architectures]`."""
        return self.architectures is not None
