"""The exhaustive walk of a small game: the moves of a player in every position, beside those of exact play."""

from __future__ import annotations

from collections import Counter
from contextlib import closing
from dataclasses import dataclass, field
from typing import Any

from fiedler.games import Game
from fiedler.native import Limits, StopFlag
from fiedler.players import Factory, Player
from fiedler.support.text import counted
from fiedler.training.judge.small_game import Node, small_game

SIDES = ("first", "second")


@dataclass(slots=True)
class Games:
    """All games of a player as one side, against every move of the other side."""

    wins: int = 0
    draws: int = 0
    losses: int = 0

    def add(self, result: int, count: int) -> None:
        """Count games with a result for the player: 1, 0 or -1."""
        self.wins += count * (result > 0)
        self.draws += count * (result == 0)
        self.losses += count * (result < 0)


@dataclass(slots=True)
class GameWalk:
    """The findings of a walk."""

    game: str
    positions: int
    """Positions in which the game is not over."""
    preserved: int = 0
    """Those in which the player's move keeps the value of exact play."""
    sides: dict[str, Games] = field(default_factory=dict)
    """The games of the player as the first and as the second player."""

    def document(self) -> dict[str, Any]:
        """Return it for programs."""
        games = {side: {name: getattr(one, name) for name in one.__slots__} for side, one in self.sides.items()}
        share = round(self.preserved / self.positions, 5)
        return {"game": self.game, "positions": self.positions, "preserved": self.preserved, "share": share} | games

    def sentence(self) -> str:
        """Return it as a sentence."""
        share = 100 * self.preserved / self.positions
        games = ", ".join(f"as {side} +{one.wins} ={one.draws} -{one.losses}" for side, one in self.sides.items())
        return (
            f"{self.preserved} of {counted(self.positions, 'move')} preserve the value ({share:.2f} %); "
            f"all games of {self.game}: {games}"
        )


def walk(game: Game, factory: Factory) -> GameWalk:
    """Ask one player for its move in every position, then play all games in which it moves so.

    Raises:
        UsageError: The game has too many positions.
    """
    small = small_game(game)
    with closing(factory.player()) as player:
        choices = {node: _choice(player, node) for node in small.running}
    found = GameWalk(game.id, len(choices), sum(node.preserves(child) for node, child in choices.items()))
    for number, side in enumerate(SIDES):
        found.sides[side] = all_games(small.nodes, choices, number)
    return found


def _choice(player: Player, node: Node) -> Node:
    player.new_game()
    best = player.search(node.position.copy(), Limits(), StopFlag()).best
    assert best is not None
    return node.children[node.moves.index(best)]


def all_games(nodes: list[Node], choices: dict[Node, Node], side: int) -> Games:
    """Count the games of a side that moves by `choices`, or in every way where it has none, against every move.

    `nodes` are all positions, the start of the game first.
    """
    games, paths = Games(), Counter({nodes[0]: 1})
    for node in nodes:
        if node.result is not None:
            games.add(node.result * (1 - 2 * side), paths[node])
        for child in [choices[node]] if node.side == side and node in choices else node.children:
            paths[child] += paths[node]
    return games
