"""The named players of one server: their models are loaded when first needed, and dropped when unused."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from fiedler.players import Factory
from fiedler.support.errors import UsageError

CHOICE = "player"
"""The option by which a client chooses a player."""
MODELS_MB = 512
"""The default bound on the memory of loaded models, in MiB."""


class WrongPlayerError(UsageError):
    """A player of the file of players is wrong."""

    def __init__(self, player: str, message: str) -> None:
        """`player` is its name in the file."""
        super().__init__(message)
        self.player = player


@dataclass(frozen=True, slots=True)
class Named:
    """A player of a roster."""

    name: str
    make: Callable[[], Factory]
    """Returns its factory, which loads its model; raises UsageError."""
    megabytes: float = 0.0
    """The memory of its loaded model, in MiB; 0: it has none."""
    threads: int = 1
    """The threads of a session with it."""
    model: str = ""
    """The file of its model; empty: it has none."""


@dataclass(slots=True)
class _Loaded:
    """A factory in memory."""

    factory: Factory
    holders: int = 1
    """The sessions that play with it."""


class Roster:
    """The players by name. Every method may be called from any thread; only `hold` takes time."""

    def __init__(self, players: Sequence[Named], models_mb: int = MODELS_MB, *, refuses: bool = True) -> None:
        """The first of `players` is that of a new session. Their loaded models take at most `models_mb` MiB.

        With `refuses` False those in use may take more.
        """
        self._players = {player.name: player for player in players}
        self._bound = models_mb
        self._refuses = refuses
        self._loaded: dict[str, _Loaded] = {}
        """The least recently used first."""
        self._lock = threading.Lock()
        self._loading = threading.Lock()
        """Held during a load: one at a time."""

    @property
    def names(self) -> tuple[str, ...]:
        """The names; the first one is that of a new session."""
        return tuple(self._players)

    @property
    def threads(self) -> int:
        """The most threads of a session, before a client sets another number."""
        return max(player.threads for player in self._players.values())

    @property
    def largest_mb(self) -> float:
        """The memory of the largest model once it is loaded, in MiB."""
        return max(player.megabytes for player in self._players.values())

    def model(self, name: str) -> str:
        """Return the file of a player's model; empty: it has none."""
        return self._players[name].model

    def take(self, name: str) -> Factory | None:
        """Hold a player as `hold` does, but at once; None if its model is not loaded."""
        with self._lock:
            loaded = self._loaded.pop(name, None)
            if loaded is None:
                return None
            loaded.holders += 1
            self._loaded[name] = loaded
            return loaded.factory

    def hold(self, name: str) -> Factory:
        """Return the factory of a player, loaded if it is not. It stays loaded until `release`.

        Raises:
            UsageError: The model cannot be loaded, or those in use leave no room for it.
        """
        with self._loading:
            if (factory := self.take(name)) is not None:
                return factory
            for dropped in self._make_room(self._players[name]):
                dropped.close()
            factory = self._players[name].make()
            with self._lock:
                self._loaded[name] = _Loaded(factory)
            return factory

    def release(self, name: str) -> None:
        """End a hold. The model stays until another one needs its room."""
        with self._lock:
            loaded = self._loaded.pop(name)
            loaded.holders -= 1
            self._loaded[name] = loaded

    def _make_room(self, player: Named) -> list[Factory]:
        """Forget unused models, the least recently used first, until `player` fits; return their factories."""
        with self._lock:
            most = self._bound - player.megabytes
            left = sum(self._players[name].megabytes for name in self._loaded)
            dropped = []
            for name, loaded in self._loaded.items():
                if left > most and not loaded.holders and self._players[name].megabytes:
                    left -= self._players[name].megabytes
                    dropped.append(name)
            if self._refuses and left > most and player.megabytes:
                raise UsageError(
                    f"player {player.name!r}: expected a model of at most {max(0.0, self._bound - left):.1f} MiB, left "
                    f"by those in use of {self._bound} (--models-mb); got {player.megabytes:.1f} MiB"
                )
            return [self._loaded.pop(name).factory for name in dropped]

    def close(self) -> None:
        """Free all models. No session is left."""
        for loaded in self._loaded.values():
            loaded.factory.close()
