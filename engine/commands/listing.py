"""Lists of games and players; counts of move paths."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from fiedler.games import GAMES, AnyGame, Game, any_game, every_id
from fiedler.games.openspiel import SpielGame, loaded_game
from fiedler.games.openspiel_library import PREFIX, playable_names
from fiedler.native import Position, StopFlag, perft
from fiedler.players import PLAYERS, Option, Player, create_player, kinds_of, player_kind
from fiedler.players.registry import OWN
from fiedler.support.errors import UsageError
from fiedler.support.player_spec import PlayerSpec


def games_of_others() -> tuple[list[AnyGame], list[str]]:
    """Return the games of others, installed or in FIEDLER_GAMES, and the errors of those that cannot be used."""
    found, wrong = list[AnyGame](), list[str]()
    try:
        names = every_id()
    except UsageError as error:
        return found, [str(error)]
    for name in names:
        try:
            found += [] if name in GAMES or not any_game(name).has_rules else [any_game(name)]
        except UsageError as error:
            wrong.append(str(error))
    return found, wrong


def listed_games(others: Sequence[AnyGame]) -> list[dict[str, Any]]:
    """Return our games and these, for JSON; a game without a core has no number of moves."""
    return [
        {
            "id": game.id,
            "name": game.name,
            "sides": list(game.sides),
            "description": game.description,
            "notation": game.notation,
            "moves": game.position().num_actions if isinstance(game, Game) else None,
        }
        for game in [*GAMES.values(), *others]
    ]


def openspiel_games() -> list[dict[str, Any]]:
    """Return every game of OpenSpiel that a tournament can play, for JSON.

    Raises:
        UsageError: The library is not installed.
    """
    found = [loaded_game(PREFIX + name) for name in playable_names()]
    return [
        {
            "id": game.id,
            "name": game.name,
            "plies": game.most_plies,
            "turns": game.takes_turns,
            "actions": game.library.num_distinct_actions(),
        }
        for game in found
    ]


def openspiel_table(found: list[dict[str, Any]]) -> str:
    """Return these games as readable lines."""
    width = max(len(game["id"]) for game in found)
    lines = [f"{'id':<{width}} {'plies':>6} {'turns':>5} {'actions':>7} name"]
    for game in found:
        turns = "yes" if game["turns"] else "no"
        lines.append(f"{game['id']:<{width}} {game['plies']:>6} {turns:>5} {game['actions']:>7} {game['name']}")
    return "\n".join(lines)


def player_kinds(game: AnyGame | None, name: str | None = None) -> list[type[Player]]:
    """Return the players of a game, by default those of the core; or the one of this name.

    Raises:
        UsageError: There is none of this name, or a class of one's own cannot be loaded.
    """
    known = PLAYERS if game is None else kinds_of(game)
    if name is None:
        return [player_kind(one, known) for one in known]
    if isinstance(game, SpielGame) and name.startswith(OWN):
        return [create_player(game, PlayerSpec(name)).kind]
    return [player_kind(name, known, "" if game is None else f" of {game.id}")]


def listed_players(kinds: Iterable[type[Player]]) -> list[dict[str, Any]]:
    """Return players with their options, for JSON."""
    return [
        {"name": kind.name, "description": kind.description, "options": list(map(_option, kind.options()))}
        for kind in kinds
    ]


def game_table(others: Sequence[AnyGame]) -> str:
    """Return our games and these as readable lines."""
    listed = [*GAMES.values(), *others]
    width = max(len(game.id) for game in listed)
    return "\n".join(f"{game.id:<{width}} {game.name}: {game.description}" for game in listed)


def player_table(kinds: Iterable[type[Player]]) -> str:
    """Return players as readable lines."""
    lines = []
    for kind in kinds:
        lines.append(f"{kind.name:<12} {kind.description}")
        lines += (f"    {option.name:<14} {option.help}{_default(option)}" for option in kind.options())
    return "\n".join(lines)


def perft_document(position: Position, depth: int) -> dict[str, Any]:
    """Return the perft of a position for every depth up to this one, for JSON."""
    started = time.perf_counter()
    stop = StopFlag()
    with ThreadPoolExecutor(1) as pool:  # so that Ctrl-C ends it
        counting = pool.submit(perft, position, depth, stop)
        try:
            nodes = counting.result()
        finally:
            stop.set()
    return {"game": position.game, "depth": depth, "nodes": nodes, "seconds": time.perf_counter() - started}


def perft_lines(position: Position, depth: int) -> Iterator[str]:
    """Yield readable lines of the counts, each depth as soon as it is known, then the time of the last count."""
    for reached in range(1, depth + 1):
        count = perft_document(position, reached)
        yield f"{reached:>3} {count['nodes'][-1]:>20}"
    yield f"{count['seconds']:.3f} s"


def _option(option: Option) -> dict[str, Any]:
    return {
        "name": option.name,
        "type": option.type,
        "default": option.default,
        "min": option.low,
        "max": option.high,
        "above_zero": option.above_zero,
        "choices": list(option.choices),
        "help": option.help,
        "at_start": option.at_start,
    }


def _default(option: Option) -> str:
    choices = f" ({', '.join(option.choices)})" if option.choices else ""
    return choices + (f" [{option.default_text}]" if option.default_text else "")
