"""The player negamax: alpha-beta of the native core."""

from __future__ import annotations

from dataclasses import dataclass

from games import Game
from native import Limits, Negamax, Position, SearchInfo, StopFlag
from players.limits import tighter
from players.option import Settings, setting
from players.player import OnInfo, Player


@dataclass(slots=True)
class NegamaxSettings(Settings):
    """The settings of negamax."""

    depth: int = setting(0, "deepest search, in plies; 0 = as deep as the limit allows", low=0, high=1000)
    hash_mb: int = setting(64, "size of the transposition tables, in MiB", low=1, high=1024)
    threads: int = setting(1, "threads that search together; only one gives the same tree every time", low=1, high=256)


class NegamaxPlayer(Player):
    """Alpha-beta with iterative deepening, exact at the end of the game."""

    name = "negamax"
    description = "alpha-beta, iterative deepening, transposition table; exact at the end"
    settings_type = NegamaxSettings
    deepens = True
    settings: NegamaxSettings

    def __init__(self, game: Game, settings: NegamaxSettings) -> None:
        super().__init__(game, settings)
        self._search: Negamax | None = None  # made on demand: an unused table needs no memory

    @property
    def bounded(self) -> bool:
        """Whether a depth is set."""
        return self.settings.depth > 0

    def changed(self, name: str) -> None:
        """Drop a table of the wrong size, or the wrong number of threads."""
        if name in ("hash_mb", "threads"):
            self._search = None

    @property
    def prepared(self) -> bool:
        """Whether the table exists."""
        return self._search is not None

    def prepare(self) -> None:
        """Allocate the table."""
        self._made()

    def new_game(self) -> None:
        """Forget the table and the statistics of the move order."""
        if self._search is not None:
            self._search.clear()

    def search(self, position: Position, limits: Limits, stop: StopFlag, on_info: OnInfo | None = None) -> SearchInfo:
        """Deepen until a limit ends it or the result is proven; see Player."""
        return self._made().search(position, tighter(limits, depth=self.settings.depth), stop, on_info)

    def close(self) -> None:
        """Free the table."""
        self._search = None

    def _made(self) -> Negamax:
        if self._search is None:
            self._search = Negamax(self.game.id, self.settings.hash_mb, self.settings.threads)
        return self._search
