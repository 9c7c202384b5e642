"""The players of a schedule: their names, programs and protocols, and the limits that these have words for."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from fiedler import games
from fiedler.client.command import MOVETIME_PLACE, PORT_PLACE, has_place
from fiedler.games.coordinates import fits
from fiedler.protocol import DIALECTS, Dialect
from fiedler.support.complaints import Complaint, wrong_choice
from fiedler.tournament.schedule.schedule import EACH_GAME, RESTARTS, LimitSection, PlayerEntry, Schedule

NAME_LENGTH = 64
"""Most characters of a player's name."""
LIMITS = ("movetime_ms", "nodes", "depth", "base_ms")
"""Keys of `[limit]` of which exactly one is given."""


def given_limits(limit: LimitSection) -> list[str]:
    """Return the kinds of limits that are given."""
    return [kind for kind in LIMITS if getattr(limit, kind) is not None]


def wrong_discovery(schedule: Schedule) -> Iterator[Complaint]:
    """Yield a search for engines of another game."""
    for player in schedule.players:
        wanted = None if player.discover is None else player.discover.game
        if wanted is not None and games.game_id(wanted) != schedule.tournament.game:
            yield "players.discover.game", f"expected {schedule.tournament.game!r}, got {wanted!r}"


def wrong_players(schedule: Schedule) -> Iterator[Complaint]:
    """Yield wrong names, too few players, and optional ones where the method needs all of them."""
    earlier, advised = set[str](), False
    for place, name in enumerate(schedule.names):
        if not name:
            yield f"players[{place + 1}].name", "missing"
        elif len(name) > NAME_LENGTH or not name.isprintable() or name != name.strip():
            yield f"players {name!r}.name", f"expected 1 to {NAME_LENGTH} printable characters, no blanks at the ends"
        elif schedule.players[place].dial_in and name != " ".join(name.split()):
            yield f"players {name!r}.name", "expected words with single blanks with dial_in"
        if name and name in earlier:
            file = schedule.players[place].model
            of_files = file is not None and name == Path(file).stem
            if not (of_files and advised):  # one line for all files of a run
                advice = "; `prefix` beside `models` makes names differ" if of_files else ""
                yield f"players {name!r}.name", f"an earlier player has this name{advice}"
            advised |= of_files
        earlier.add(name)
    if len(schedule.players) < 2:
        yield "players", f"expected at least two, got {len(schedule.players)}"
    if schedule.pairing.kind.complete:
        for player in schedule.players:
            if not player.required:
                yield f"players {player.name!r}.required", f"expected true with method = {schedule.pairing.method!r}"
    unsure = [player.name for player in schedule.players if player.elo_sd is not None]
    if unsure and all(player.elo is None for player in schedule.players):
        yield f"players {unsure[0]!r}.elo_sd", "expected an elo beside it, of this player or another, got none"


def wrong_dialects(schedule: Schedule) -> Iterator[Complaint]:
    """Yield keys that a player's dialect has no words for; none while the game or the limit is wrong."""
    if games.known_game(schedule.tournament.game) is None or len(given_limits(schedule.limit)) != 1:
        return
    game = games.any_game(schedule.tournament.game)
    for player in schedule.players:
        if player.protocol not in DIALECTS:
            continue
        key, dialect = f"players {player.name!r}", DIALECTS[player.protocol]
        if not fits(game, dialect.coordinates):
            yield f"{key}.protocol", f"{player.protocol} has no names for the moves of {game.id}"
        is_foreign = not (player.player or player.model)  # ours get them on the command line
        if player.options and is_foreign and not dialect.options:
            yield f"{key}.options", f"expected none: {player.protocol} has no words for options"
        yield from _check_limit_of(player, dialect, schedule.limit)
        yield from _check_direction(player, dialect, schedule.limit)
        yield from _check_program(player, dialect)
        if not dialect.openings and (given := schedule.openings.given):
            wrong = f"expected none: player {player.name!r} speaks {player.protocol}, which has no words for openings"
            yield f"openings.{given}", wrong


def _check_direction(player: PlayerEntry, dialect: Dialect, limit: LimitSection) -> Iterator[Complaint]:
    """Yield complaints about a player that cannot connect or be connected to, and keys of the other direction."""
    key, movetime = f"players {player.name!r}", limit.movetime_ms
    if dialect.dials_in and player.command is None and player.listen is None:
        yield f"{key}.protocol", f"expected command or listen with {player.protocol}, whose players connect to us"
    if dialect.dials_in and player.command and not has_place(player.command, PORT_PLACE):
        yield f"{key}.command", f"expected {PORT_PLACE} among the arguments: the port to which the program connects"
    if dialect.dials_in and movetime is None and has_place(player.command, MOVETIME_PLACE):
        yield f"{key}.command", f"expected limit.movetime_ms with {MOVETIME_PLACE}, got none"
    for name, given in (("listen", player.listen), ("load_model", player.load_model), ("send_time", player.send_time)):
        if given not in (None, False) and not dialect.dials_in:
            yield f"{key}.{name}", f"only with protocol = 'makemove', got it with {player.protocol!r}"
    if player.send_time and movetime is None:
        yield f"{key}.send_time", "expected limit.movetime_ms beside it, got none"
    if player.load_model is not None and not (player.load_model and player.load_model.isprintable()):
        yield f"{key}.load_model", f"expected printable characters, got {player.load_model!r}"


def _check_program(player: PlayerEntry, dialect: Dialect) -> Iterator[Complaint]:
    """Yield keys of programs for a player that has no use for them."""
    key = f"players {player.name!r}"
    if player.restart not in RESTARTS:
        yield wrong_choice(f"{key}.restart", player.restart, RESTARTS)
    if player.isolate and player.player is None and player.model is None:
        yield f"{key}.isolate", "only with player, model or models: other players share no process"
    if player.restart == EACH_GAME and player.command is None:
        yield f"{key}.restart", "only with command: the manager starts no other program of a player alone"
    if player.reserve_ms and "base_ms" not in dialect.limits:
        yield f"{key}.reserve_ms", f"only with a protocol that sends times, got it with {player.protocol!r}"


def _check_limit_of(player: PlayerEntry, dialect: Dialect, limit: LimitSection) -> Iterator[Complaint]:
    (kind,) = given_limits(limit)
    is_foreign = not (player.player or player.model)
    may_own = {"nodes", "depth"} - (frozenset() if is_foreign else dialect.limits)
    key = f"players {player.name!r}"
    if player.own_limit and kind not in may_own:
        which = "nodes or depth" if is_foreign else f"a limit that {player.protocol} has no words for"
        yield f"{key}.own_limit", f"only with {which}, got it with {kind}"
    if kind not in dialect.limits and not player.own_limit:
        instead = ", or own_limit = true for the player" if kind in may_own else ""
        wrong = f"expected movetime_ms{instead}: player {player.name!r} speaks {player.protocol}"
        yield f"limit.{kind}", f"{wrong}, which has no words for {kind}"
