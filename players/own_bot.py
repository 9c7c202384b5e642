"""A player of one's own in a game of OpenSpiel: a `pyspiel.Bot` of any module."""

from __future__ import annotations

import importlib
import sys
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from fiedler.games.openspiel import SpielGame, SpielPosition
from fiedler.games.position import Position
from fiedler.native import Limits, SearchInfo, StopFlag
from fiedler.players.found import Found
from fiedler.players.option import Settings
from fiedler.players.player import Factory, OnInfo, Player
from fiedler.support.errors import UsageError, WorkError, reason


class OwnBot(Player):
    """A `pyspiel.Bot` of a module of one's own: `python:MODULE.CLASS`, made as CLASS(game, player)."""

    name = "python"
    description = "a pyspiel.Bot of one's own, python:MODULE.CLASS"

    def __init__(self, game: SpielGame, settings: Settings, title: str, made: Callable[[Any, int], Any]) -> None:
        super().__init__(game, settings)
        self._title = title
        self._library = game.library
        self._made = made
        self._bots: dict[int, tuple[Any, list[int]]] = {}
        """Of each of the library's players: the bot, and the actions that it knows, its own ones included."""

    @property
    def title(self) -> str:
        """`python:MODULE.CLASS`."""
        return self._title

    @property
    def bounded(self) -> bool:
        """The bot ends its own searches."""
        return True

    def new_game(self) -> None:
        """Forget the bots: another game follows."""
        self._bots.clear()

    def search(self, position: Position, limits: Limits, stop: StopFlag, on_info: OnInfo | None = None) -> SearchInfo:  # noqa: ARG002 - a bot knows no limits
        """Return the bot's move; see Player.

        Raises:
            WorkError: The bot failed, or its move is not legal.
        """
        assert isinstance(position, SpielPosition)
        started = time.perf_counter()
        try:
            action = int(self._bot(position).step(position.state.clone()))
        except (Exception, SystemExit) as error:  # a bot of others may raise anything
            raise WorkError(f"player {self.title}: {type(error).__name__}: {reason(str(error))}") from error
        if action not in position.legal_moves():
            raise WorkError(f"player {self.title}: expected a legal action, got {action}")
        self._bots[position.state.current_player()][1].append(action)
        return Found(action, seconds=time.perf_counter() - started)

    def _bot(self, position: SpielPosition) -> Any:  # noqa: ANN401
        """Return the bot of the side to move, which knows all moves so far; a new one if the game is another one."""
        player, actions = position.state.current_player(), list(position.state.history())
        bot, known = self._bots.get(player, (None, []))
        if bot is None or actions[: len(known)] != known:
            bot, known = self._made(self._library, player), []
        state = self._library.new_initial_state()
        for number, action in enumerate(actions):
            if number >= len(known):
                bot.inform_action(state, state.current_player(), action)
            state.apply_action(action)
        self._bots[player] = bot, actions
        return bot


class OwnBotFactory(Factory):
    """Makes the bots of a class of one's own."""

    def __init__(self, game: SpielGame, name: str, values: Mapping[str, str]) -> None:
        """`name` is MODULE.CLASS; the module is looked for in the current folder, too.

        Raises:
            UsageError: There is no such class, or options are given.
        """
        super().__init__(OwnBot, game, values)
        self._name, self._made = name, _loaded(name)

    def player(self) -> OwnBot:
        """Return a new player."""
        assert isinstance(self.game, SpielGame)
        return OwnBot(self.game, self.settings, f"python:{self._name}", self._made)


def _loaded(name: str) -> Callable[[Any, int], Any]:
    """Return the class MODULE.CLASS."""
    module, _, kind = name.rpartition(".")
    if not (module and kind):
        raise UsageError(f"player python:{name}: expected python:MODULE.CLASS, got no class")
    folder = str(Path.cwd())
    sys.path.insert(0, folder)
    try:
        found = getattr(importlib.import_module(module), kind)
    except (Exception, SystemExit) as error:  # a module of others may raise anything
        raise UsageError(f"player python:{name}: {type(error).__name__}: {reason(str(error))}") from error
    finally:
        with suppress(ValueError):  # the module may have changed the path
            sys.path.remove(folder)
    if not callable(found):
        raise UsageError(f"player python:{name}: expected a class, got {type(found).__name__}")
    made: Callable[[Any, int], Any] = found
    return made
