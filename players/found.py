"""The findings of a search outside the core."""

from __future__ import annotations

from fiedler.native import SearchInfo


class Found(SearchInfo):
    """What a player outside the core reports: its move may be any number."""

    def __init__(self, best: int, score: float = 0.5, nodes: int = 1, seconds: float = 0.0) -> None:
        """`score` is the expected score of the side to move, 0 .. 1; `seconds` the time of the search."""
        super().__init__(0)
        self._best, self._score, self._nodes, self._seconds = best, score, nodes, seconds

    @property
    def best(self) -> int:
        """The move to play."""
        return self._best

    @property
    def pv(self) -> list[int]:
        """The move to play: the names of later moves need their positions."""
        return [self._best]

    @property
    def score(self) -> float:
        """Expected score of the side to move, 0 .. 1."""
        return self._score

    @property
    def nodes(self) -> int:
        """Simulations, or 1."""
        return self._nodes

    @property
    def seconds(self) -> float:
        """The time of the search."""
        return self._seconds

    @property
    def nps(self) -> float:
        """Nodes a second."""
        return self._nodes / self._seconds if self._seconds > 0 else 0.0
