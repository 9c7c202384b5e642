"""The interface of every player: options by name, and a search that ends in a move."""

from __future__ import annotations

import copy
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from fiedler.games import AnyGame, Game
from fiedler.native import Limits, Position, RootMove, SearchInfo, StopFlag
from fiedler.players.option import Settings, find, options_of
from fiedler.support.errors import UsageError
from fiedler.support.option import Option, Value

OnInfo = Callable[[SearchInfo], None]
MEMORY_OPTION = "hash_mb"
"""The setting that bounds the memory of trees and tables, in MiB; not every player has it."""
MODEL_OPTION = "model"
"""The setting that names the model file; players without one have no model."""
THREADS_OPTION = "threads"
"""The setting for the number of threads that search together; players without it search in one."""


class Player(ABC):
    """One player of one session. It keeps its trees and tables from move to move, until `new_game`.

    Its methods are called one at a time, `prepare`, `new_game` and `search` from any thread. A subclass declares the
    class variables, redeclares `settings` with its own type, and takes more arguments in `__init__` only if it brings a
    `factory` that passes them.
    """

    name: ClassVar[str]
    description: ClassVar[str]
    settings_type: ClassVar[type[Settings]] = Settings
    instant: ClassVar[bool] = False
    """Whether it answers in microseconds, so that a server can ask it in its own thread."""
    deepens: ClassVar[bool] = False
    """Whether a limit of depth ends its search; other players ignore it."""
    budget: ClassVar[str] = ""
    """The setting that limits the positions searched for a move; empty if the player has none."""
    settings: Settings

    def __init__(self, game: AnyGame, settings: Settings) -> None:
        self.game = game
        self.settings = settings

    @classmethod
    def options(cls) -> tuple[Option, ...]:
        """Return the options."""
        return options_of(cls.settings_type)

    @classmethod
    def factory(cls, game: Game, values: Mapping[str, str]) -> Factory:
        """Return the factory of players of this kind with these options.

        Raises:
            UsageError: A name or a value is wrong.
        """
        return Factory(cls, game, values)

    @classmethod
    def takes(cls, made_for: str) -> bool:
        """Return whether it takes model files of the player `made_for`, as its option `model`."""
        return made_for == cls.name

    @property
    def title(self) -> str:
        """The name for others, more precise than `name` where needed (with the network, say)."""
        return self.name

    @property
    def bounded(self) -> bool:
        """Whether the player's own options end a search without another limit."""
        return self.instant

    @property
    def bytes_per_node(self) -> int | None:
        """The memory of one node, in bytes; None if unknown."""
        return None

    @property
    def memory_mb(self) -> int:
        """The most memory of trees and tables, in MiB."""
        return self.claim(MEMORY_OPTION)

    def claim(self, option: str) -> int:
        """Return the share of this player in a resource of all sessions: MEMORY_OPTION or THREADS_OPTION."""
        return getattr(self.settings, option, 1 if option == THREADS_OPTION else 0)

    @property
    def prepared(self) -> bool:
        """Whether `prepare` has nothing to do. A player that overrides `prepare` overrides this, too."""
        return type(self).prepare is Player.prepare

    def named(self, name: str) -> Option:
        """Return the option of this name, in any case; raises UsageError."""
        return find(self.options(), name, self.name)

    def read_option(self, name: str, text: str) -> Value:
        """Return the value that `set_option` would set.

        Raises:
            UsageError: The name is unknown, or the value is wrong.
        """
        option = self.named(name)
        if option.at_start:
            raise UsageError(f"option {name!r} is set where the engine starts, not by a session")
        return option.read(text)

    def set_option(self, name: str, text: str) -> None:
        """Set an option from now on.

        Raises:
            UsageError: The name is unknown, or the value is wrong; nothing changes.
        """
        own = self.named(name).name
        setattr(self.settings, own, self.read_option(own, text))
        self.changed(own)

    def changed(self, name: str) -> None:  # noqa: B027 - most players read their settings at each search
        """Note the new value of the setting `name`."""

    def prepare(self) -> None:  # noqa: B027 - most players are always ready
        """Allocate the memory of a search, so that the next one does not spend its time on that."""

    def new_game(self) -> None:  # noqa: B027 - a player without memory has nothing to forget
        """Forget trees and tables: another game follows."""

    @abstractmethod
    def search(self, position: Position, limits: Limits, stop: StopFlag, on_info: OnInfo | None = None) -> SearchInfo:
        """Return the move in a running game, within `limits` and the player's own: the first to end.

        Blocks; a set `stop` ends it within about a millisecond. `on_info` receives reports of the search in the calling
        thread.

        Raises:
            fiedler.support.errors.WorkError: The player cannot search (its network failed, say).
        """

    def root_moves(self) -> Sequence[RootMove]:
        """Return the statistics of the moves at the root of the last search, most visited first; by default none."""
        return ()

    def close(self) -> None:  # noqa: B027 - most players hold only memory
        """Free the resources of the player. No search runs, and none follows."""


@dataclass(frozen=True, slots=True)
class Evaluations:
    """The work of a shared network so far."""

    evaluations: int
    """Positions evaluated, padding not counted."""
    batches: int
    """Calls of the network."""


class Factory:
    """Makes players of one kind with the same options, one for each session, and holds their shared resources.

    A kind that shares something overrides `player`, `evaluations`, `network_rate` and `close`. `player` may be called
    from one thread while others search.
    """

    def __init__(self, kind: type[Player], game: AnyGame, values: Mapping[str, str]) -> None:
        """`values` are options by name, as text.

        Raises:
            UsageError: A name or a value is wrong.
        """
        self.kind = kind
        self.game = game
        self.settings = kind.settings_type()
        for name, text in values.items():
            option = find(kind.options(), name, kind.name)
            setattr(self.settings, option.name, option.read(text))

    def player(self) -> Player:
        """Return a new player."""
        return self.kind(self.game, copy.copy(self.settings))

    def evaluations(self) -> Evaluations | None:
        """Return the work of the shared network; None without one."""
        return None

    def network_rate(self, rows: int, seconds: float) -> float | None:  # noqa: ARG002 - most players have no network
        """Return the positions a second of the network alone, on one thread in batches of `rows`; None without one.

        `seconds`: the time of the measurement.

        Raises:
            fiedler.support.errors.WorkError: The network failed.
        """
        return None

    def close(self) -> None:
        """Free the shared resources, after the last player is closed."""
