"""What was played: how often each player, moving first against each other one, won, drew and lost."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

OUTCOMES = {"1-0": 0, "1/2-1/2": 1, "0-1": 2}
"""The known results, first player first, and their place among (first wins, draws, second wins)."""

Row = tuple[int, int, int, int, int]


def games_in(row: Row) -> int:
    """Return the number of games that a row counts."""
    return row[2] + row[3] + row[4]


@dataclass(frozen=True, slots=True)
class Results:
    """All results of a tournament, counted by ordered pair.

    `names` are the players; each of `rows` is (first, second, first_wins, draws, second_wins), where `first` and
    `second` are indices into `names` and `first` is who moved first. An ordered pair may stand in several rows.
    Games of a player against itself may stand here; the ratings leave them out with a warning.

    Raises ValueError for a repeated name, an index outside `names` or a negative count.
    """

    names: tuple[str, ...]
    rows: tuple[Row, ...]

    def __post_init__(self) -> None:
        if len(set(self.names)) != len(self.names):
            raise ValueError("every player's name must be there once")
        for row in self.rows:
            if not all(0 <= player < len(self.names) for player in row[:2]) or min(row[2:]) < 0:
                raise ValueError(f"expected two player numbers below {len(self.names)} and three counts, got {row}")

    @classmethod
    def from_games(cls, games: Iterable[tuple[str, str, str]]) -> Results:
        """Count games given as (first player, second player, "1-0", "0-1" or "1/2-1/2").

        Players are numbered by first appearance, the first player of a game before the second, and rows stand in the
        order in which their ordered pair appeared. Raises ValueError for any other result.
        """
        return cls.from_counts((game, 1) for game in games)

    @classmethod
    def from_counts(cls, games: Iterable[tuple[tuple[str, str, str], int]]) -> Results:
        """Count games that come with how often they happened; all else as in `from_games`."""
        numbers: dict[str, int] = {}
        counts: dict[tuple[int, int], list[int]] = {}
        for (first, second, result), count in games:
            if result not in OUTCOMES:
                raise ValueError(f"expected a result 1-0, 0-1 or 1/2-1/2, got {result!r}")
            pair = (numbers.setdefault(first, len(numbers)), numbers.setdefault(second, len(numbers)))
            counts.setdefault(pair, [0, 0, 0])[OUTCOMES[result]] += count
        return cls(
            tuple(numbers), tuple((*pair, wins, draws, losses) for pair, (wins, draws, losses) in counts.items())
        )

    @property
    def games(self) -> int:
        """The number of games, those of a player against itself included."""
        return sum(map(games_in, self.rows))

    @property
    def self_play(self) -> dict[str, int]:
        """How many games a player played against itself, for those who did."""
        games: dict[str, int] = {}
        for row in self.rows:
            if row[0] == row[1] and games_in(row):
                name = self.names[row[0]]
                games[name] = games.get(name, 0) + games_in(row)
        return games

    def rateable(self) -> Results:
        """Return what ratings can be made from: no games against oneself, and only players with other games.

        Players are numbered by first appearance in the rows, as a reader of the games numbers them: the original
        program's iteration depends on it. The rows keep their order.
        """
        rows = [row for row in self.rows if row[0] != row[1] and games_in(row)]
        number: dict[int, int] = {}
        for first, second, *_ in rows:
            number.setdefault(first, len(number))
            number.setdefault(second, len(number))
        names = tuple(self.names[player] for player in number)
        return Results(names, tuple((number[row[0]], number[row[1]], *row[2:]) for row in rows))
