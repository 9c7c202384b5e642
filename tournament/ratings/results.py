"""Results: wins, draws and losses of each player, moving first, against each other player."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from fiedler.games.result import Result

OUTCOMES: Mapping[str, int] = {Result.FIRST_WIN: 0, Result.DRAW: 1, Result.SECOND_WIN: 2}
"""The known results, first player first, and their place among (first wins, draws, second wins)."""

DRAWS = frozenset({"1/2-1/2", "1/2", "½-½", "½", "0.5-0.5"})
"""The spellings of a draw in files; the native reader of PGN has the same."""

SCORES = {
    **dict.fromkeys(("1", "1.0", "1,0"), Result.FIRST_WIN),
    **dict.fromkeys(("0.5", ".5", "0,5", ",5"), Result.DRAW),
    **dict.fromkeys(("0", "0.0", "0,0"), Result.SECOND_WIN),
}
"""The scores of the first player in tables, and the results that they mean."""

Row = tuple[int, int, int, int, int]
"""First player, second player, first wins, draws, second wins."""


def known_result(text: str) -> Result | None:
    """Return the result that a file spells; None for any other text."""
    if text in DRAWS:
        return Result.DRAW
    return Result(text) if text in OUTCOMES else None


def result_of_table(text: str) -> Result | None:
    """Return the result that a table spells, in the words of other files or as the score of the first player."""
    return known_result(text) or SCORES.get(text)


@dataclass(frozen=True, slots=True)
class Results:
    """All results of a tournament, counted by ordered pair.

    `names` are the players. Each of `rows` is (first, second, first_wins, draws, second_wins), where `first` and
    `second` are indices into `names`, and `first` moves first. An ordered pair may have several rows. Games of a player
    against itself are allowed; the ratings leave them out with a warning.

    Raises
    ------
    ValueError
        A name is repeated, an index is outside `names`, or a count is negative.

    Examples
    --------
    >>> from fiedler.tournament.ratings import Results
    >>> Results(("Ann", "Bob"), ((0, 1, 6, 3, 1), (1, 0, 4, 2, 4))).games
    20

    """

    names: tuple[str, ...]
    rows: tuple[Row, ...]
    table: NDArray[np.int64] = field(init=False, repr=False, compare=False)
    """The rows as an array, shape (rows, 5)."""

    def __post_init__(self) -> None:
        if len(set(self.names)) != len(self.names):
            raise ValueError("the names must differ")
        table = np.array(self.rows, dtype=np.int64).reshape(-1, 5)
        wrong = (table < 0).any(axis=1) | (table[:, :2] >= len(self.names)).any(axis=1)
        if wrong.any():
            row = self.rows[int(wrong.argmax())]
            raise ValueError(f"expected two player numbers below {len(self.names)} and three counts, got {row}")
        object.__setattr__(self, "table", table)

    @classmethod
    def from_games(cls, games: Iterable[tuple[str, str, str]]) -> Results:
        """Count games.

        Parameters
        ----------
        games : iterable of (first, second, result)
            Names and results, 1-0, 0-1 or 1/2-1/2.

        Returns
        -------
        Results
            Players and rows in the order of their first appearance.

        Raises
        ------
        ValueError
            A result is another text.

        Examples
        --------
        >>> from fiedler.tournament.ratings import Results
        >>> Results.from_games([("Ann", "Bob", "1-0"), ("Ann", "Bob", "1/2-1/2")]).rows
        ((0, 1, 1, 1, 0),)

        """
        return cls.from_counts(Counter(games).items())

    @classmethod
    def from_counts(cls, games: Iterable[tuple[tuple[str, str, str], int]]) -> Results:
        """Count games with their numbers; everything else as in `from_games`.

        Parameters
        ----------
        games : iterable of ((first, second, result), number)
            Names, results and numbers of games, at least 0.

        Examples
        --------
        >>> from fiedler.tournament.ratings import Results
        >>> Results.from_counts([(("Ann", "Bob", "1-0"), 3), (("Bob", "Ann", "0-1"), 2)]).rows
        ((0, 1, 3, 0, 0), (1, 0, 0, 0, 2))

        """
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

    @classmethod
    def together(cls, parts: Iterable[Results]) -> Results:
        """Join several results; a name is the same player in all parts.

        Examples
        --------
        >>> from fiedler.tournament.ratings import Results
        >>> part = Results(("Ann", "Bob"), ((0, 1, 6, 3, 1),))
        >>> Results.together([part, part]).games
        20

        """
        numbers: dict[str, int] = {}
        rows: list[Row] = []
        for part in parts:
            place = [numbers.setdefault(name, len(numbers)) for name in part.names]
            rows += ((place[first], place[second], won, drew, lost) for first, second, won, drew, lost in part.rows)
        return cls(tuple(numbers), tuple(rows))

    @property
    def games(self) -> int:
        """The number of games, those of a player against itself included."""
        return int(self.table[:, 2:].sum())

    @property
    def self_play(self) -> dict[str, int]:
        """Games against oneself by player, without players who have none."""
        games: dict[str, int] = {}
        for player, _, *counts in self.table[(self.table[:, 0] == self.table[:, 1])].tolist():
            if any(counts):
                games[self.names[player]] = games.get(self.names[player], 0) + sum(counts)
        return games

    def rateable(self) -> Results:
        """Return the rateable results: without games against oneself, and without players who have no other games.

        Players are numbered by first appearance in the rows, because the original program numbers them so and its
        iteration depends on it. The rows keep their order.
        """
        table = self.table[(self.table[:, 0] != self.table[:, 1]) & self.table[:, 2:].any(axis=1)]
        players, place = np.unique(table[:, :2].ravel(), return_index=True)
        players = players[np.argsort(place)]
        if len(table) == len(self.rows) and np.array_equal(players, np.arange(len(self.names))):
            return self
        number = np.zeros(len(self.names), dtype=np.int64)
        number[players] = np.arange(players.size)
        table[:, :2] = number[table[:, :2]]
        return Results(tuple(self.names[player] for player in players), tuple(map(tuple, table.tolist())))
