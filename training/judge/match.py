"""Matches between two players of this process: distinct openings, each played twice with colours reversed."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from itertools import islice

from fiedler.games import Game
from fiedler.games.openings import Opening, draw
from fiedler.games.score import interval
from fiedler.native import Limits, Position, StopFlag
from fiedler.players import Factory, Player
from fiedler.support.errors import UsageError
from fiedler.support.text import counted

MATCH_DRAWS = 1001
"""Random draws without a new opening that end the drawing: more than in a tournament, which may use openings again."""


@dataclass
class Score:
    """Results of one player, in games and in pairs of games."""

    wins: int = 0
    draws: int = 0
    losses: int = 0
    pairs: Counter[float] = field(default_factory=Counter)
    """Pairs by their points, 0 to 2."""
    points: tuple[float, float] = (0.0, 0.0)
    """Wins + ½ draws as the first and as the second player."""

    def add_pair(self, results: tuple[int, int]) -> None:
        """Count the two games of one opening, as the first and as the second player: 1, 0 or -1 each."""
        self.points = (self.points[0] + (1 + results[0]) / 2, self.points[1] + (1 + results[1]) / 2)
        for result in results:
            self.wins += result > 0
            self.draws += result == 0
            self.losses += result < 0
        self.pairs[1 + sum(results) / 2] += 1

    @property
    def games(self) -> int:
        """The number of counted games."""
        return self.wins + self.draws + self.losses

    @property
    def mean(self) -> float:
        """(Wins + ½ draws) / games, 0 to 1."""
        return (self.wins + self.draws / 2) / max(self.games, 1)

    @property
    def sides(self) -> tuple[float, float]:
        """The means as the first and as the second player, 0 to 1."""
        pairs = max(self.pairs.total(), 1)
        return self.points[0] / pairs, self.points[1] / pairs

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % interval of `mean`, from the spread of the pairs, which share an opening."""
        total = sum(number * points / 2 for points, number in self.pairs.items())
        squares = sum(number * (points / 2) ** 2 for points, number in self.pairs.items())
        return interval(total, squares, self.pairs.total())


def openings(game: Game, plies: int, count: int, seed: int) -> list[Opening]:
    """Return `count` random openings of `plies` moves, distinct up to symmetry.

    Raises:
        UsageError: The game has fewer such openings.
    """
    found = list(islice(draw(game, plies, random.Random(seed), MATCH_DRAWS), count))
    if len(found) < count:
        raise UsageError(
            f"{game.id} has no {counted(count, 'distinct opening')} of {counted(plies, 'ply')} (found {len(found)})"
        )
    return found


@contextmanager
def naming(key: str) -> Iterator[None]:
    """Put the key of a recipe, such as `opponent.games`, before an error.

    Raises:
        UsageError: The body raises one.
    """
    try:
        yield
    except UsageError as error:
        raise UsageError(f"{key}: {error}") from None


def play_match(
    ours: Factory, theirs: Factory, lines: list[Opening], *, seed: int, threads: int = 2
) -> Iterator[tuple[int, int]]:
    """Yield, for each finished line, our results as first and as second player: 1, 0 or -1 each.

    The players are seeded by `seed` and the number of the line, so the results do not depend on `threads`.
    """
    with ThreadPoolExecutor(threads) as pool:
        games = [pool.submit(_pair, ours, theirs, line, 2 * (seed * 1_000_003 + i)) for i, line in enumerate(lines)]
        try:
            for game in as_completed(games):
                yield game.result()
        finally:
            pool.shutdown(wait=True, cancel_futures=True)


def _pair(ours: Factory, theirs: Factory, line: Opening, seed: int) -> tuple[int, int]:
    return _game(ours, theirs, line, seed), -_game(theirs, ours, line, seed + 1)


def _game(first: Factory, second: Factory, line: Opening, seed: int) -> int:
    """Return the result for the first player."""
    assert isinstance(first.game, Game)
    position = first.game.position(moves=line.moves)
    with closing(_seeded(first, seed)) as one, closing(_seeded(second, seed)) as two:
        return _finish(position, (one, two))


def _finish(position: Position, players: tuple[Player, Player]) -> int:
    stop, limits = StopFlag(), Limits()
    while position.result is None:
        best = players[position.side_to_move].search(position, limits, stop).best
        assert best is not None
        position.play(best)
    return position.result


def _seeded(factory: Factory, seed: int) -> Player:
    player = factory.player()
    if any(option.name == "seed" for option in player.options()):
        player.set_option("seed", str(seed % 2**63))
    return player


OnPair = Callable[[Score], None]


def score(results: Iterator[tuple[int, int]], on_pair: OnPair = lambda _: None) -> Score:
    """Count all results; `on_pair` receives the score so far."""
    total = Score()
    for result in results:
        total.add_pair(result)
        on_pair(total)
    return total
