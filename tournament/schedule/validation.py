"""From a TOML file to a checked schedule; each error is one line with the file and the key."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from itertools import islice
from pathlib import Path
from typing import NoReturn, Protocol

import msgspec

import games
from games.coordinates import fits
from protocol import DIALECTS, Dialect
from support.address import parse_address
from support.errors import UsageError, nearest
from support.toml import Raw, Refuse, TomlFile
from tournament.schedule.balance import read_balance
from tournament.schedule.opening_file import ALIASES, COORDINATES, OWN, has_points, opening_path
from tournament.schedule.pairs import number_of_pairs
from tournament.schedule.schedule import (
    BACKENDS,
    COMPLETE,
    CRITERIA,
    DEGREE_CAPS,
    EACH_GAME,
    FIXED,
    MAX_CONCURRENCY,
    METHODS,
    MODELS,
    ORDERS,
    RESTARTS,
    SPRT_MODELS,
    Pairing,
    PlayerEntry,
    Schedule,
    Sprt,
    StopRule,
)
from tournament.schedule.size import MAX_PLAYERS, check_size

RUN_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._-]{0,99}")
"""A valid name of a run."""
NAME_LENGTH = 64
"""Most characters of a player's name."""
SEED_LIMIT = 2**63
"""Upper limit of a seed, exclusive."""
REACHED_BY = ("player", "model", "models", "command", "address", "listen", "dial_in", "discover")
"""Keys of `[[players]]` of which exactly one is given."""
PORT_PLACE, MOVETIME_PLACE = "{port}", "{movetime_s}"
"""Replaced in the `command` of a player that opens the connection."""
SECRETS = {"token_file": ("address", "discover"), "tls": ("address", "discover"), "ca": ("tls",)}
"""Keys of `[[players]]` for the connection to an address, and the keys of which each needs one."""
BUDGETS = ("pairs", "degree", "games")
"""Keys of a meeting graph of which exactly one is given."""
LIMITS = ("movetime_ms", "nodes", "depth", "base_ms")
"""Keys of `[limit]` of which exactly one is given."""
KEYS_OF = {
    "pairs": ("meeting-graph",),
    "degree": ("meeting-graph",),
    "games": ("meeting-graph", "adaptive", "sprt"),
    "criterion": ("meeting-graph",),
    "degree_cap": ("meeting-graph",),
    "required": ("meeting-graph",),
    "forbidden": ("meeting-graph", "adaptive"),
    "prior_games": ("meeting-graph", "adaptive"),
    "style_sd": ("meeting-graph", "adaptive"),
    "challengers": ("gauntlet",),
    "batches": ("adaptive",),
    "opponents": ("ladder",),
    "rounds": ("swiss",),
    "sprt": ("sprt",),
    "stop": ("meeting-graph", "adaptive", "ladder", "round-robin", "gauntlet", "swiss"),
}
"""The methods that a key of `[pairing]` belongs to."""
BESIDE = {
    "openings": {"coordinates": "file", "order": "file", "balance": "plies", "tolerance": "balance"},
    "adjudication": {"resign_moves": "resign_score", "draw_moves": "draw_score", "draw_after": "draw_score"},
}
"""Keys of a table that need another key of it."""
NAMED_BY = ("name", "models")
"""Keys by which errors name an entry of `[[players]]`."""
NO_KEYS = ("folder", "file")
"""Fields of a schedule that are not keys of its file."""


Find = Callable[[PlayerEntry], Sequence[tuple[str, str]]]
"""Returns the names and the addresses of the engines that an entry of `[[players]]` asks for."""


class Engines(Protocol):
    """Finds engines for the players of a run."""

    def __call__(self, entry: PlayerEntry, *, run: str, game: str) -> Sequence[tuple[str, str]]:
        """Return the names and the addresses of the engines that an entry of `[[players]]` asks for."""


def load(path: Path, engines: Engines | None = None) -> Schedule:
    """Read, check and resolve a schedule file; `engines` finds those that a player's `discover` asks for.

    Raises:
        UsageError: the file cannot be read, is not TOML (`file:line:column`), or has an invalid value.

    """
    file = TomlFile(path, NAMED_BY)
    refuse, raw = file.refuse, file.parse()
    file.refuse_unknown(raw, Schedule, NO_KEYS)
    _refuse_missing_tables(raw, path)
    schedule = file.convert(raw, Schedule)
    _refuse_lone_keys(raw, schedule, refuse)
    folder = path.resolve().parent
    run, game = schedule.tournament.name, schedule.tournament.game
    find = None if engines is None else partial(engines, run=run, game=game)
    players = tuple(one for player in schedule.players for one in _expand(player, folder, refuse, find))
    schedule = msgspec.structs.replace(schedule, players=players, folder=str(folder), file=str(path))
    for check in CHECKS:
        check(schedule, refuse)
    return schedule


def _refuse_missing_tables(raw: Raw, path: Path) -> None:
    for table in ("tournament", "limit", "players"):
        if table not in raw:
            raise UsageError(f"{path}: expected a table [{table}]{nearest(table, raw)}")


def _refuse_lone_keys(raw: Raw, schedule: Schedule, refuse: Refuse) -> None:
    """Refuse keys without the key that they need, also with their default values."""
    for name, beside in BESIDE.items():
        table = getattr(schedule, name)
        defaults = type(table)()
        for key, needed in beside.items():
            if key in raw.get(name, {}) and getattr(table, needed) == getattr(defaults, needed):
                refuse(f"{name}.{key}", f"only with {needed}, which is missing")


def _expand(player: PlayerEntry, folder: Path, refuse: Refuse, find: Find | None) -> Iterable[PlayerEntry]:
    """Return the players of an entry: one, one per file of `models`, or one per engine that `discover` finds."""
    key = f"players {player.name or player.models!r}" if player.models else f"players {player.name!r}"
    _check_reached(player, key, refuse)
    if player.discover is not None:
        return _discovered(_with_paths(player, folder, key, refuse), refuse, find)
    if player.model is not None:
        path = folder / player.model
        if not path.is_file():
            refuse(f"{key}.model", f"no such file: {path}")
        return (msgspec.structs.replace(player, model=str(path.resolve())),)
    if player.models is None:
        return (_with_paths(player, folder, key, refuse),)
    if player.name:
        refuse(f"{key}.name", "players of `models` are named after their files; use `model` for one file with a name")
    try:
        files = sorted(islice(_glob(folder, player.models), MAX_PLAYERS + 1))
    except (ValueError, IndexError):  # pathlib's errors for "", "a**" and "/"
        refuse(f"{key}.models", f"expected a pattern of file names, as nets/*.onnx, got {player.models!r}")
    if not files:
        refuse(f"{key}.models", f"no file matches {player.models!r} in {folder}")
    return tuple(
        msgspec.structs.replace(player, name=file.stem, model=str(file.resolve()), models=None) for file in files
    )


def _discovered(player: PlayerEntry, refuse: Refuse, find: Find | None) -> Iterable[PlayerEntry]:
    key = "players.discover"
    if player.name:
        refuse(key, f"expected no name beside it, since players are named after their engines, got {player.name!r}")
    if player.token_file is not None and not (player.tls and player.ca):
        given = " and ".join(name for name, value in (("tls", player.tls), ("ca", player.ca)) if value) or "neither"
        who = "every engine that is announced there receives the token"
        refuse("players.token_file", f"expected tls = true and ca beside it with discover, got {given}: {who}")
    if find is None:
        refuse(key, "expected the option --mqtt HOST:PORT, the broker of the engines")
    return tuple(msgspec.structs.replace(player, name=name, address=address) for name, address in find(player))


def _with_paths(player: PlayerEntry, folder: Path, key: str, refuse: Refuse) -> PlayerEntry:
    """Return the player with the paths of its secrets resolved; their contents stay in the files."""
    paths = {name: folder / path for name in ("token_file", "ca") if (path := getattr(player, name)) is not None}
    for name, path in paths.items():
        if not path.is_file():
            refuse(f"{key}.{name}", f"no such file: {path}")
    return msgspec.structs.replace(player, **{name: str(path.resolve()) for name, path in paths.items()})


def _glob(folder: Path, pattern: str) -> Iterable[Path]:
    start = Path(pattern).anchor
    base = Path(start) if start else folder
    return (file for file in base.glob(str(Path(pattern).relative_to(start) if start else pattern)) if file.is_file())


def _check_reached(player: PlayerEntry, key: str, refuse: Refuse) -> None:
    given = [way for way in REACHED_BY if getattr(player, way) not in (None, False)]
    if len(given) != 1:
        refuse(key, f"expected exactly one of {', '.join(REACHED_BY)}, got {' and '.join(given) or 'none'}")
    if player.command is not None and not (player.command and all(player.command)):
        refuse(f"{key}.command", 'expected a program and its arguments, as ["program", "argument"]')
    if player.protocol not in DIALECTS:
        _refuse_choice(f"{key}.protocol", player.protocol, DIALECTS, refuse)
    for name, needed in SECRETS.items():
        if getattr(player, name) and not any(getattr(player, one) for one in needed):
            refuse(f"{key}.{name}", f"only with {needed[0]}, which is missing")
    for way in ("address", "listen"):
        if (place := getattr(player, way)) is not None:
            try:
                parse_address(place)
            except UsageError as error:
                refuse(f"{key}.{way}", str(error))


def _refuse_choice(key: str, got: str, known: Iterable[str], refuse: Refuse) -> NoReturn:
    names = list(known)
    refuse(key, f"expected {' or '.join(repr(name) for name in names)}, got {got!r}{nearest(got, names)}")


def _check_tournament(schedule: Schedule, refuse: Refuse) -> None:
    table = schedule.tournament
    if not RUN_NAME.fullmatch(table.name):
        refuse("tournament.name", f"expected up to 100 letters, digits, '.', '_', '-', got {table.name!r}")
    try:
        games.game(table.game)
    except UsageError as error:
        refuse("tournament.game", str(error))
    if table.games_per_pair % 2:
        wrong = f"expected an even number (each opening is played with both colours), got {table.games_per_pair}"
        refuse("tournament.games_per_pair", wrong)
    if table.concurrency > MAX_CONCURRENCY:
        refuse("tournament.concurrency", f"expected at most {MAX_CONCURRENCY}, got {table.concurrency}")
    if table.seed >= SEED_LIMIT:
        refuse("tournament.seed", f"expected a number below 2^63, got {table.seed}")


def _check_limit(schedule: Schedule, refuse: Refuse) -> None:
    given = [kind for kind in LIMITS if getattr(schedule.limit, kind) is not None]
    if len(given) != 1:
        refuse("limit", f"expected exactly one of {', '.join(LIMITS)}, got {' and '.join(given) or 'none'}")
    if schedule.limit.increment_ms is not None and schedule.limit.base_ms is None:
        refuse("limit.increment_ms", f"only with base_ms, got it with {given[0]}")


def _check_size(schedule: Schedule, refuse: Refuse) -> None:  # noqa: ARG001 - the error names the file
    check_size(schedule)


def _check_discovery(schedule: Schedule, refuse: Refuse) -> None:
    for player in schedule.players:
        if player.discover is not None and player.discover.game not in (None, schedule.tournament.game):
            refuse("players.discover.game", f"expected {schedule.tournament.game!r}, got {player.discover.game!r}")


def _check_players(schedule: Schedule, refuse: Refuse) -> None:
    earlier = set[str]()
    for place, name in enumerate(schedule.names):
        if not name:
            refuse(f"players[{place + 1}].name", "missing")
        if len(name) > NAME_LENGTH or not name.isprintable() or name != name.strip():
            refuse(f"players {name!r}.name", f"expected 1 to {NAME_LENGTH} printable characters, no blanks at the ends")
        if schedule.players[place].dial_in and name != " ".join(name.split()):
            refuse(f"players {name!r}.name", "expected words with single blanks with dial_in")
        if name in earlier:
            refuse(f"players {name!r}.name", "an earlier player has this name")
        earlier.add(name)
    if len(schedule.players) < 2:
        refuse("players", f"expected at least two, got {len(schedule.players)}")
    if schedule.pairing.method in COMPLETE:
        for player in schedule.players:
            if not player.required:
                refuse(f"players {player.name!r}.required", f"expected true with method = {schedule.pairing.method!r}")
    unsure = [player.name for player in schedule.players if player.elo_sd is not None]
    if unsure and all(player.elo is None for player in schedule.players):
        refuse(f"players {unsure[0]!r}.elo_sd", "expected an elo beside it, of this player or another, got none")


def _check_dialects(schedule: Schedule, refuse: Refuse) -> None:
    """Refuse keys that a player's dialect has no words for."""
    game = games.game(schedule.tournament.game)
    for player in schedule.players:
        key, dialect = f"players {player.name!r}", DIALECTS[player.protocol]
        if not fits(game, dialect.coordinates):
            refuse(f"{key}.protocol", f"{player.protocol} has no names for the moves of {game.id}")
        is_foreign = not (player.player or player.model)  # ours get them on the command line
        if player.options and is_foreign and not dialect.options:
            refuse(f"{key}.options", f"expected none: {player.protocol} has no words for options")
        _check_limit_of(player, dialect, schedule, refuse)
        _check_direction(player, dialect, schedule, refuse)
        _check_program(player, dialect, refuse)
        if not dialect.openings and (schedule.openings.plies or schedule.openings.file is not None):
            given = "plies" if schedule.openings.plies else "file"
            wrong = f"expected none: player {player.name!r} speaks {player.protocol}, which has no words for openings"
            refuse(f"openings.{given}", wrong)


def _check_direction(player: PlayerEntry, dialect: Dialect, schedule: Schedule, refuse: Refuse) -> None:
    """Refuse a player that cannot be connected to, or cannot connect, and keys of the other direction."""
    key, movetime = f"players {player.name!r}", schedule.limit.movetime_ms
    if dialect.dials_in and player.command is None and player.listen is None:
        refuse(f"{key}.protocol", f"expected command or listen with {player.protocol}, whose players connect to us")
    if dialect.dials_in and player.command and not any(PORT_PLACE in word for word in player.command):
        refuse(f"{key}.command", f"expected {PORT_PLACE} among the arguments: the port to which the program connects")
    if dialect.dials_in and movetime is None and any(MOVETIME_PLACE in word for word in player.command or ()):
        refuse(f"{key}.command", f"expected limit.movetime_ms with {MOVETIME_PLACE}, got none")
    for name, given in (("listen", player.listen), ("load_model", player.load_model), ("send_time", player.send_time)):
        if given not in (None, False) and not dialect.dials_in:
            refuse(f"{key}.{name}", f"only with protocol = 'makemove', got it with {player.protocol!r}")
    if player.send_time and movetime is None:
        refuse(f"{key}.send_time", "expected limit.movetime_ms beside it, got none")
    if player.load_model is not None and not (player.load_model and player.load_model.isprintable()):
        refuse(f"{key}.load_model", f"expected printable characters, got {player.load_model!r}")


def _check_program(player: PlayerEntry, dialect: Dialect, refuse: Refuse) -> None:
    """Refuse keys of programs for a player that has no use for them."""
    key = f"players {player.name!r}"
    if player.restart not in RESTARTS:
        _refuse_choice(f"{key}.restart", player.restart, RESTARTS, refuse)
    if player.isolate and player.player is None and player.model is None:
        refuse(f"{key}.isolate", "only with player, model or models: other players share no process")
    if player.restart == EACH_GAME and player.command is None:
        refuse(f"{key}.restart", "only with command: the manager starts no other program of a player alone")
    if player.reserve_ms and "base_ms" not in dialect.limits:
        refuse(f"{key}.reserve_ms", f"only with a protocol that sends times, got it with {player.protocol!r}")


def _check_limit_of(player: PlayerEntry, dialect: Dialect, schedule: Schedule, refuse: Refuse) -> None:
    (kind,) = (kind for kind in LIMITS if getattr(schedule.limit, kind) is not None)
    may_own = {"nodes", "depth"} - dialect.limits
    key = f"players {player.name!r}"
    if player.own_limit and kind not in may_own:
        refuse(f"{key}.own_limit", f"only with a limit that {player.protocol} has no words for, got it with {kind}")
    if kind not in dialect.limits and not player.own_limit:
        instead = ", or own_limit = true for the player" if kind in may_own else ""
        wrong = f"expected movetime_ms{instead}: player {player.name!r} speaks {player.protocol}"
        refuse(f"limit.{kind}", f"{wrong}, which has no words for {kind}")


def _check_pairing(schedule: Schedule, refuse: Refuse) -> None:
    pairing = schedule.pairing
    if pairing.method not in METHODS:
        _refuse_choice("pairing.method", pairing.method, METHODS, refuse)
    defaults = Pairing()
    for key, methods in KEYS_OF.items():
        if getattr(pairing, key) != getattr(defaults, key) and pairing.method not in methods:
            names = " or ".join(repr(method) for method in methods)
            refuse(f"pairing.{key}", f"only with method = {names}, got it with {pairing.method!r}")
    if pairing.method == "meeting-graph":
        _check_meeting_graph(pairing, refuse)
    if pairing.method == "adaptive" and pairing.games is None:
        refuse("pairing.games", "missing: the number of games of an adaptive tournament")
    if pairing.method == "adaptive" and (pairing.games or 0) < 2:
        refuse("pairing.games", f"expected at least 2, since every opening is played twice, got {pairing.games}")
    if pairing.method == "sprt":
        _check_sprt(schedule, refuse)
    if pairing.stop is not None:
        _check_stop(pairing.stop, len(schedule.players), refuse)
    _check_names(schedule, refuse)
    if pairing.method in FIXED:
        number_of_pairs(schedule)


def _check_sprt(schedule: Schedule, refuse: Refuse) -> None:
    test = schedule.pairing.sprt or Sprt()
    if len(schedule.players) != 2:
        refuse("players", f"expected two for method = 'sprt', got {len(schedule.players)}")
    if test.elo0 >= test.elo1:
        refuse("pairing.sprt.elo1", f"expected more than elo0 = {test.elo0:g}, got {test.elo1:g}")
    if test.model not in SPRT_MODELS:
        _refuse_choice("pairing.sprt.model", test.model, SPRT_MODELS, refuse)


def _check_stop(stop: StopRule, players: int, refuse: Refuse) -> None:
    given = [key for key in ("top", "error") if getattr(stop, key) is not None]
    if len(given) != 1:
        refuse("pairing.stop", f"expected exactly one of top, error, got {' and '.join(given) or 'none'}")
    if stop.top is not None and stop.top >= players:
        refuse("pairing.stop.top", f"expected fewer than the {players} players, got {stop.top}")


def _check_meeting_graph(pairing: Pairing, refuse: Refuse) -> None:
    given = [key for key in BUDGETS if getattr(pairing, key) is not None]
    if len(given) != 1:
        refuse("pairing", f"expected exactly one of {', '.join(BUDGETS)}, got {' and '.join(given) or 'none'}")
    if pairing.criterion not in CRITERIA:
        _refuse_choice("pairing.criterion", pairing.criterion, CRITERIA, refuse)
    if isinstance(pairing.degree_cap, str) and pairing.degree_cap not in DEGREE_CAPS:
        refuse("pairing.degree_cap", f"expected 'near-equal', 'none' or a number, got {pairing.degree_cap!r}")


def _check_names(schedule: Schedule, refuse: Refuse) -> None:
    named: list[tuple[str, tuple[str, ...]]] = [("challengers", (name,)) for name in schedule.pairing.challengers]
    named += [("required", pair) for pair in schedule.pairing.required]
    named += [("forbidden", pair) for pair in schedule.pairing.forbidden]
    named += [("prior_games", (a, b)) for a, b, _ in schedule.pairing.prior_games]
    for key, names in named:
        for name in names:
            if name not in schedule.names:
                refuse(f"pairing.{key}", f"unknown player {name!r}{nearest(name, schedule.names)}")
        if len(names) == 2 and names[0] == names[1]:
            refuse(f"pairing.{key}", f"a player cannot meet itself: {names[0]!r}")


def _check_openings(schedule: Schedule, refuse: Refuse) -> None:
    table = schedule.openings
    if table.file is not None:
        if table.plies:
            refuse("openings", "expected one of plies, file, got both")
        try:
            opening_path(Path(schedule.folder), table.file)
        except UsageError as error:
            refuse("openings.file", str(error))
    if table.order not in ORDERS:
        _refuse_choice("openings.order", table.order, ORDERS, refuse)
    if table.coordinates is not None and table.coordinates not in {*COORDINATES, *ALIASES}:
        _refuse_choice("openings.coordinates", table.coordinates, COORDINATES, refuse)
    if table.coordinates not in {None, OWN} and not has_points(games.game(schedule.tournament.game)):
        refuse("openings.coordinates", f"{schedule.tournament.game} has no points x,y")
    if table.balance is not None:
        read_balance(table.balance, lambda wrong: refuse("openings.balance", wrong))


def _check_adjudication(schedule: Schedule, refuse: Refuse) -> None:
    table = schedule.adjudication
    opened = schedule.openings.plies
    if table.max_plies is not None and table.max_plies <= opened:
        refuse("adjudication.max_plies", f"expected more than openings.plies = {opened}, got {table.max_plies}")
    if table.resign_score is not None and table.draw_score is not None and table.draw_score >= table.resign_score:
        wrong = f"expected less than resign_score = {table.resign_score}, got {table.draw_score}"
        refuse("adjudication.draw_score", wrong)


def _check_rating(schedule: Schedule, refuse: Refuse) -> None:
    rating = schedule.rating
    if rating.backend not in BACKENDS:
        _refuse_choice("rating.backend", rating.backend, BACKENDS, refuse)
    if rating.model not in MODELS:
        _refuse_choice("rating.model", rating.model, MODELS, refuse)
    if rating.model != MODELS[0] and (rating.backend == "bayeselo" or rating.imitate):
        refuse("rating.model", f"expected {MODELS[0]!r}, the only model of the original program, got {rating.model!r}")
    if len(rating.anchor) > 1 and (rating.backend == "bayeselo" or rating.imitate):
        refuse("rating.anchor", "expected at most one player: the original program holds none")
    for name in rating.anchor:
        if name not in schedule.names:
            refuse("rating.anchor", f"unknown player {name!r}{nearest(name, schedule.names)}")
    for key in ("advantage", "draw_elo"):
        value = getattr(rating, key)
        if isinstance(value, str) and value != "fit":
            refuse(f"rating.{key}", f"expected a number of Elo or 'fit', got {value!r}")
    if isinstance(rating.draw_elo, float) and rating.draw_elo <= 0:
        refuse("rating.draw_elo", f"expected a number of Elo above 0 or 'fit', got {rating.draw_elo!r}")


CHECKS = (
    _check_tournament,
    _check_discovery,
    _check_limit,
    _check_size,
    _check_players,
    _check_dialects,
    _check_pairing,
    _check_openings,
    _check_adjudication,
    _check_rating,
)
"""The checks of `load`, in this order."""
