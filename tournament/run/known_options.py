"""The options of built-in players, from `engine players`; a schedule with unknown or wrong ones is refused."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from fiedler.games import GAMES
from fiedler.games.openspiel_library import PREFIX
from fiedler.support.complaints import Complaint, usage_error
from fiedler.support.errors import nearest
from fiedler.support.option import Option, own_name
from fiedler.support.player_spec import MODEL, option_texts
from fiedler.tournament.play.server_process import engine_program
from fiedler.tournament.schedule.programs import missing_programs
from fiedler.tournament.schedule.schedule import PlayerEntry, Schedule

OWN = "python:"
"""The beginning of a player that is a class of a user's module, which only its engine loads."""
LEVEL = "level"
Options = Mapping[str, Option]
"""The options of a player by name."""
Offers = Mapping[str, Options]
"""The options by player."""


def refuse_unknown(schedule: Schedule) -> None:
    """Refuse a schedule with an unknown built-in player or option, or a wrong value.

    Programs and addresses report their options themselves; so do our own players if the list is not available.

    Raises:
        UsageError: the schedule names an unknown player or option, or a wrong value; every one has a line.

    """
    wrong = _unknown_of(schedule)
    if wrong:
        wrong += missing_programs(schedule)
        raise usage_error(str(schedule.error(*one)) for one in wrong)


def unavailable(schedule: Schedule) -> list[Complaint]:
    """Return the unknown built-in players and options, and the programs that this machine does not have."""
    return [*_unknown_of(schedule), *missing_programs(schedule)]


def _unknown_of(schedule: Schedule) -> list[Complaint]:
    game = schedule.rules or schedule.tournament.game
    return unknown_parts(schedule.players, schedule.limit.startup_s, game, schedule.folder)


def unknown_parts(
    players: Iterable[PlayerEntry], seconds: float, game: str = "", folder: str | None = None
) -> list[Complaint]:
    """Return the unknown built-in players of a game, by default one of ours, their unknown options and wrong values.

    There are none if `engine players` does not answer within `seconds`. Classes of a user are loaded from a folder.
    """
    ours = [
        (f"players {player.name!r}" if player.name else f"players[{place}]", player)
        for place, player in enumerate(players, 1)
        if player.player or (player.model and player.options)
    ]
    own = {player.player or "" for _, player in ours if game.startswith(PREFIX) and _is_own(player)}
    named = [one for one in ours if one[1].player not in own]
    offers = offered(seconds, game) if named else {}
    wrong = [one for key, player in named for one in _unknown(key, player, offers)] if offers else []
    for name in sorted(own):
        listed, failure = _listed(seconds, game, folder, name)
        failure = failure.removeprefix(f"player {name}: ")
        for key, player in ours:
            if player.player == name and failure:
                wrong.append((f"{key}.player", failure))
            elif player.player == name and listed:
                wrong += _wrong_options(key, player, {})
    return wrong


def _is_own(player: PlayerEntry) -> bool:
    return player.player is not None and player.player.startswith(OWN)


def _unknown(key: str, player: PlayerEntry, offers: Offers) -> Iterator[Complaint]:
    """Yield the unknown player, or the wrong options of a known one and a model that it does not take."""
    if player.player is not None and player.player not in offers:
        wrong = f"unknown player {player.player!r}{nearest(player.player, offers)} (known: {', '.join(offers)})"
        yield f"{key}.player", wrong
    known = _known(player, offers)
    if player.model is not None and known and MODEL not in known:
        yield f"{key}.model", f"{_title(player)} takes no model, got {player.model!r}"
    if known or player.player in offers:
        yield from _wrong_options(key, player, known)


def _wrong_options(key: str, player: PlayerEntry, known: Options) -> Iterator[Complaint]:
    """Yield the unknown options of a player, and the wrong values of the others if one player has them."""
    for given, text in option_texts(player.options).items():
        option = own_name(given, known)
        if option not in known:
            hint = "; only `engine play` has levels" if option == LEVEL else nearest(option, known)
            wrong = f"unknown option of {_title(player)}{hint}"
            yield f"{key}.options.{given}", f"{wrong} (known: {', '.join(sorted(known)) or 'none'})"
        elif player.player is not None and (wrong := known[option].wrong(text)):
            yield f"{key}.options.{given}", wrong


def offered(seconds: float, game: str) -> Offers:
    """Ask `engine players` for those of a game; empty if it does not answer within `seconds`."""
    players, _ = _listed(seconds, game)
    return {player["name"]: {option["name"]: _option(option) for option in player["options"]} for player in players}


def _listed(seconds: float, game: str, folder: str | None = None, player: str = "") -> tuple[list[dict[str, Any]], str]:
    """Return the players of a game, or one of them, as `engine players` lists them; and its error about that one.

    Both are empty if it does not answer within `seconds`.
    """
    words = [*([] if game in {"", *GAMES} else ["--game", game]), *(["--player", player] if player else [])]
    command = (engine_program(), "players", "--json", *words)
    try:
        done = subprocess.run(
            command, stdin=subprocess.DEVNULL, capture_output=True, timeout=seconds, check=False, text=True, cwd=folder
        )
        if done.returncode:
            lines = done.stderr.splitlines()
            return [], lines[-1].removeprefix("error: ") if lines and player else ""
        listed: list[dict[str, Any]] = json.loads(done.stdout)["players"]
    except (OSError, subprocess.SubprocessError, ValueError):
        return [], ""
    return listed, ""


def _option(listed: Mapping[str, Any]) -> Option:
    """Return an option of the list."""
    return Option(
        name=listed["name"],
        kind=type(listed["default"]),
        default=listed["default"],
        help=listed["help"],
        low=listed["min"],
        high=listed["max"],
        above_zero=listed["above_zero"],
        choices=tuple(listed["choices"]),
    )


def _known(player: PlayerEntry, offers: Offers) -> Options:
    """Return the options of a player; empty if they are unknown. A model has those of all players that take models."""
    if player.player is not None:
        return offers.get(player.player, {})
    return {name: one for options in offers.values() if MODEL in options for name, one in options.items()}


def _title(player: PlayerEntry) -> str:
    return "players of models" if player.player is None else f"player {player.player}"
