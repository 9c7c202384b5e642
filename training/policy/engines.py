"""Games of our own players against each other, by searches of a fixed size, from random openings."""

from __future__ import annotations

import random
from contextlib import ExitStack
from dataclasses import dataclass

from fiedler.games import Game
from fiedler.native import Limits, Position, SearchInfo, StopFlag
from fiedler.players import Player, create_player
from fiedler.support.errors import UsageError
from fiedler.support.player_spec import read_player
from fiedler.training.judge.match import naming
from fiedler.training.policy.recipe import EnginesTable
from fiedler.training.policy.study import Study

MOST_DRAWS = 1000
"""Of openings for one game."""


@dataclass(frozen=True, slots=True)
class _Pair:
    """Two of the same player: a weak search must not know the findings of a full one."""

    full: Player
    weak: Player


class EngineGames:
    """Plays the games of the table `[engines]`. A stream in the same state gives the same game."""

    def __init__(self, game: Game, table: EnginesTable) -> None:
        """Load the players.

        Raises:
            UsageError: A player is wrong.
        """
        self._game = game
        self._table = table
        self._limits, self._weak = Limits(nodes=table.nodes), Limits(nodes=table.weak_nodes)
        self._stop = StopFlag()
        self._opened = ExitStack()
        self._players: list[_Pair] = []
        try:
            for text in table.players:
                self._add(text)
        except UsageError:
            self.close()
            raise

    def _add(self, text: str) -> None:
        with naming(f"engines.players {text!r}"):
            spec = read_player(text)
        factory = create_player(self._game, spec)
        self._opened.callback(factory.close)
        pair = _Pair(factory.player(), factory.player())
        self._opened.callback(pair.full.close)
        self._opened.callback(pair.weak.close)
        self._players.append(pair)

    def close(self) -> None:
        """End the players."""
        self._opened.close()

    def play(self, stream: random.Random, *, held_out: bool) -> Study:
        """Return one game.

        Raises:
            UsageError: Random openings are hardly ever about even.
        """
        sides = [stream.choice(self._players) for _ in range(2)]
        for player in [one for pair in dict.fromkeys(sides) for one in (pair.full, pair.weak)]:
            self._begin(player, stream)
        position, moves = self._opening(sides, stream)
        labels, scores = [-1] * len(moves), [-1.0] * len(moves)
        proven, result = 0, position.result
        while result is None:
            pair = sides[position.side_to_move]
            found = self._search(pair.full, position, self._limits)
            best = _best(found)
            moves.append(self._choice(pair, position, best, stream))
            labels.append(best)
            scores.append(round(found.score, 4))
            proven += (known := _proven(found, position)) is not None
            position.play(moves[-1])
            result = known if position.result is None and proven > self._table.proven_plies else position.result
        return Study(moves, labels, scores, result, held_out)

    def _choice(self, pair: _Pair, position: Position, best: int, stream: random.Random) -> int:
        """Return the move to play: the best one, or now and then that of a weak search."""
        if self._table.weak_share and stream.random() < self._table.weak_share:
            return _best(self._search(pair.weak, position, self._weak))
        return best

    def _begin(self, player: Player, stream: random.Random) -> None:
        player.new_game()
        if any(option.name == "seed" for option in player.options()):
            player.set_option("seed", str(stream.getrandbits(62)))

    def _search(self, player: Player, position: Position, limits: Limits) -> SearchInfo:
        return player.search(position, limits, self._stop)

    def _opening(self, sides: list[_Pair], stream: random.Random) -> tuple[Position, list[int]]:
        """Return a running and about even position after random plies, and the plies."""
        for _ in range(MOST_DRAWS):
            position, moves = self._draw(stream)
            if position.result is not None:
                continue
            score = self._search(sides[position.side_to_move].full, position, self._limits).score
            if abs(score - 0.5) <= self._table.balance:
                return position, moves
        raise UsageError(
            f"engines.balance: none of {MOST_DRAWS:,} random openings is within {self._table.balance:g} of even"
        )

    def _draw(self, stream: random.Random) -> tuple[Position, list[int]]:
        table, position, moves = self._table, self._game.position(), list[int]()
        plies = stream.randint(table.opening_least, table.opening_plies)
        while len(moves) < plies and position.result is None:
            legal = position.legal_moves()
            central = [move for move in legal if self._is_central(position, move)]
            moves.append(stream.choice(central or legal))
            position.play(moves[-1])
        return position, moves

    def _is_central(self, position: Position, move: int) -> bool:
        square = self._table.opening_square
        if not square:
            return True
        _, rows, columns = position.planes_shape
        row, column = divmod(move, columns)
        return 2 * abs(row - (rows - 1) / 2) < square and 2 * abs(column - (columns - 1) / 2) < square


def _proven(found: SearchInfo, position: Position) -> int | None:
    """Return the result for the first player if the search has proven it, before its move is played."""
    if found.proven_draw:
        return 0
    if found.mate is None:
        return None
    return 1 if (found.mate > 0) == (position.side_to_move == 0) else -1


def _best(found: SearchInfo) -> int:
    assert found.best is not None
    return found.best
