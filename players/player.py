"""The interface of every player: options by name, and a search that ends in a move."""

from __future__ import annotations

import copy
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import ClassVar

from games import Game
from native import Limits, Position, SearchInfo, StopFlag
from players.option import Option, Settings, Value, find, options_of
from support.errors import UsageError

OnInfo = Callable[[SearchInfo], None]
MEMORY_OPTION = "hash_mb"
"""The setting, of the players that have it, which bounds the memory of their trees and tables, in MiB."""
THREADS_OPTION = "threads"
"""The setting, of the players that have it, which says how many threads search together; the others search in one."""


class Player(ABC):
    """One player of one session. It keeps what it learned (trees, tables) from move to move, until `new_game`.

    Its methods are called one at a time, `prepare`, `new_game` and `search` from any thread. A subclass declares the
    class variables, redeclares `settings` with its own type, and takes more arguments in `__init__` only if it brings a
    `factory` that passes them.
    """

    name: ClassVar[str]
    description: ClassVar[str]
    settings_type: ClassVar[type[Settings]] = Settings
    instant: ClassVar[bool] = False
    """It answers in microseconds, so that a server need not ask it in another thread."""
    deepens: ClassVar[bool] = False
    """A limit of depth ends its search; the others ignore one."""
    budget: ClassVar[str] = ""
    """The setting that limits the positions searched for a move; empty if the player has none."""
    settings: Settings

    def __init__(self, game: Game, settings: Settings) -> None:
        self.game = game
        self.settings = settings

    @classmethod
    def options(cls) -> tuple[Option, ...]:
        """Return what can be set."""
        return options_of(cls.settings_type)

    @classmethod
    def factory(cls, game: Game, values: Mapping[str, str]) -> Factory:
        """Return what makes players of this kind with these options; raises UsageError for a bad name or value."""
        return Factory(cls, game, values)

    @property
    def title(self) -> str:
        """What it calls itself to others; with more than the name where that says more (which network, say)."""
        return self.name

    @property
    def bounded(self) -> bool:
        """Tell whether the player's own options end a search that has no other limit."""
        return self.instant

    @property
    def bytes_per_node(self) -> int | None:
        """Memory that one node costs, in bytes, where the player knows."""
        return None

    @property
    def memory_mb(self) -> int:
        """Most memory that trees and tables take, in MiB."""
        return self.claim(MEMORY_OPTION)

    def claim(self, option: str) -> int:
        """Return how much of what all sessions share this one takes: `option` is MEMORY_OPTION or THREADS_OPTION."""
        return getattr(self.settings, option, 1 if option == THREADS_OPTION else 0)

    @property
    def prepared(self) -> bool:
        """Tell whether `prepare` has nothing to do. Who makes something ready says when that is done."""
        return type(self).prepare is Player.prepare

    def read_option(self, name: str, text: str) -> Value:
        """Return the value that `set_option` would set; raises UsageError for an unknown name or a bad value."""
        option = find(self.options(), name, self.name)
        if option.at_start:
            raise UsageError(f"option {name!r} is set where the engine starts, not by a session")
        return option.read(text)

    def set_option(self, name: str, text: str) -> None:
        """Set an option from now on; raises UsageError for an unknown name or a bad value, and changes nothing then."""
        setattr(self.settings, name, self.read_option(name, text))
        self.changed(name)

    def changed(self, name: str) -> None:  # noqa: B027 - most players read their settings at each search
        """Take note that the setting `name` has a new value."""

    def prepare(self) -> None:  # noqa: B027 - most players are ready as they are
        """Allocate what a search needs, so that the next one does not spend its time on that."""

    def new_game(self) -> None:  # noqa: B027 - a player without memory has nothing to forget
        """Forget trees and tables: what follows is another game."""

    @abstractmethod
    def search(self, position: Position, limits: Limits, stop: StopFlag, on_info: OnInfo | None = None) -> SearchInfo:
        """Return what to play in a running game, within `limits` and the player's own, whichever ends first.

        Blocks; a set `stop` ends it within a millisecond or so. `on_info` hears, in the calling thread, how the search
        stands. Raises games.WorkError if the player cannot think (its network failed, say).
        """

    def close(self) -> None:  # noqa: B027 - most players hold nothing but memory
        """Give back what the player holds. No search runs, and none follows."""


@dataclass(frozen=True, slots=True)
class Evaluations:
    """How much a shared network has worked so far."""

    evaluations: int
    """Positions evaluated, padding not counted."""
    batches: int
    """Calls of the network."""


class Factory:
    """Makes players of one kind with the same options, one for each session; what they share lives here.

    A kind that shares something overrides `player`, `evaluations` and `close`. `player` may be called from one thread
    while others search.
    """

    def __init__(self, kind: type[Player], game: Game, values: Mapping[str, str]) -> None:
        """`values` are options by name, as text; raises UsageError for a bad name or value."""
        self.kind = kind
        self.game = game
        self.settings = kind.settings_type()
        for name, text in values.items():
            setattr(self.settings, name, find(kind.options(), name, kind.name).read(text))

    def player(self) -> Player:
        """Return a new player."""
        return self.kind(self.game, copy.copy(self.settings))

    def evaluations(self) -> Evaluations | None:
        """Return how much the shared network has worked; None where there is none."""
        return None

    def close(self) -> None:
        """Give back what is shared, after the last player is closed."""
