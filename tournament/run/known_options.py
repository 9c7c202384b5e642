"""The options of built-in players, from `engine players`; a schedule with unknown options is refused."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterable, Iterator, Mapping, Set

from games import GAMES
from support.complaints import Complaint, usage_error
from support.errors import nearest
from support.player_spec import MODEL
from tournament.play.server_process import engine_program
from tournament.schedule.programs import missing_programs
from tournament.schedule.schedule import PlayerEntry, Schedule

OWN = "python:"
"""The beginning of a player that is a class of a user's module, which only its engine loads."""
Offers = Mapping[str, Set[str]]
"""The names of the options by player."""


def refuse_unknown(schedule: Schedule) -> None:
    """Refuse a schedule with an unknown built-in player or option.

    Programs and addresses report their options themselves; so do our own players if the list is not available.

    Raises:
        UsageError: the schedule names an unknown player or option; every one has a line.

    """
    wrong = unknown_parts(schedule.players, schedule.limit.startup_s, schedule.tournament.game)
    if wrong:
        wrong += missing_programs(schedule)
        raise usage_error(str(schedule.error(*one)) for one in wrong)


def unavailable(schedule: Schedule) -> list[Complaint]:
    """Return the unknown built-in players and options, and the programs that this machine does not have."""
    unknown = unknown_parts(schedule.players, schedule.limit.startup_s, schedule.tournament.game)
    return [*unknown, *missing_programs(schedule)]


def unknown_parts(players: Iterable[PlayerEntry], seconds: float, game: str = "") -> list[Complaint]:
    """Return the unknown built-in players of a game, by default one of ours, and their unknown options.

    There are none if `engine players` does not answer within `seconds`.
    """
    ours = [
        (f"players {player.name!r}" if player.name else f"players[{place}]", player)
        for place, player in enumerate(players, 1)
        if (player.player and not player.player.startswith(OWN)) or (player.model and player.options)
    ]
    offers = offered(seconds, game) if ours else {}
    return [one for key, player in ours for one in _unknown(key, player, offers)] if offers else []


def _unknown(key: str, player: PlayerEntry, offers: Offers) -> Iterator[Complaint]:
    """Yield the unknown player, or the unknown options of a known one and a model that it does not take."""
    if player.player is not None and player.player not in offers:
        wrong = f"unknown player {player.player!r}{nearest(player.player, offers)} (known: {', '.join(offers)})"
        yield f"{key}.player", wrong
    known = _known(player, offers)
    if player.model is not None and known and MODEL not in known:
        yield f"{key}.model", f"{_title(player)} takes no model, got {player.model!r}"
    for option in player.options if known else ():
        if option not in known:
            wrong = f"unknown option of {_title(player)}{nearest(option, known)}"
            yield f"{key}.options.{option}", f"{wrong} (known: {', '.join(sorted(known))})"


def offered(seconds: float, game: str) -> Offers:
    """Ask `engine players` for those of a game; empty if it does not answer within `seconds`."""
    command = (engine_program(), "players", "--json", *(() if game in {"", *GAMES} else ("--game", game)))
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=seconds, check=True)
        players = json.loads(done.stdout)["players"]
    except (OSError, subprocess.SubprocessError, ValueError):
        return {}
    return {player["name"]: {option["name"] for option in player["options"]} for player in players}


def _known(player: PlayerEntry, offers: Offers) -> Set[str]:
    """Return the options of a player; empty if they are unknown. A model has those of all players that take models."""
    if player.player is not None:
        return offers.get(player.player, frozenset())
    return frozenset().union(*(options for options in offers.values() if MODEL in options))


def _title(player: PlayerEntry) -> str:
    return "players of models" if player.player is None else f"player {player.player}"
