"""From a TOML file to a checked schedule; each error is a line with the file and the key, and all are shown at once."""

from __future__ import annotations

import copy
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any, Protocol

import msgspec

from fiedler import games
from fiedler.games.openspiel_library import LEAST_SIMULATIONS, PREFIX
from fiedler.protocol import DIALECTS
from fiedler.support.address import parse_address
from fiedler.support.complaints import Complaint, Complaints, usage_error, wrong_choice
from fiedler.support.errors import UsageError, nearest
from fiedler.support.files import not_a_file
from fiedler.support.player_table import wrong_ways
from fiedler.support.toml import MOST_UNKNOWN, Raw, Refuse, TomlFile
from fiedler.tournament.schedule.agreement_keys import wrong_in_agreement
from fiedler.tournament.schedule.game_keys import (
    with_chosen_rules,
    wrong_adjudication,
    wrong_openings,
    wrong_positions,
    wrong_rule_keys,
)
from fiedler.tournament.schedule.goal_keys import excluded_by_goal, wrong_plan
from fiedler.tournament.schedule.methods import METHODS, methods_with
from fiedler.tournament.schedule.notify_keys import wrong_notify
from fiedler.tournament.schedule.pairs import BUDGETS, FEW, number_of_pairs, with_all_pairs
from fiedler.tournament.schedule.player_keys import LIMITS, given_limits, wrong_dialects, wrong_discovery, wrong_players
from fiedler.tournament.schedule.posterior_keys import wrong_posterior
from fiedler.tournament.schedule.schedule import (
    BACKENDS,
    CRITERIA,
    DEGREE_CAPS,
    DISPUTES,
    MAX_CONCURRENCY,
    MODELS,
    SPRT_MODELS,
    UNEQUAL,
    Pairing,
    PlayerEntry,
    Schedule,
    Sprt,
    StopRule,
)
from fiedler.tournament.schedule.size import MAX_PLAYERS, check_size

RUN_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._-]{0,99}")
"""A valid name of a run."""
SEED_LIMIT = 2**63
"""Upper limit of a seed, exclusive."""
REACHED_BY = ("player", "model", "models", "command", "address", "listen", "dial_in", "discover")
"""Keys of `[[players]]` of which exactly one is given."""
SECRETS = {"token_file": ("address", "discover"), "tls": ("address", "discover"), "ca": ("tls",)}
"""Keys of `[[players]]` for the connection to an address, and the keys of which each needs one."""
BESIDE = {
    "openings": {"coordinates": "file", "order": "file", "balance": "plies", "tolerance": "balance"},
    "adjudication": {"resign_moves": "resign_score", "draw_moves": "draw_score", "draw_after": "draw_score"},
}
"""Keys of a table that need another key of it."""
MOST_NEAREST = 20
"""The unknown players of a key of which the nearest known name is looked for."""
TABLES: dict[str, Any] = {"tournament": {"name": "missing", "game": "uttt"}, "limit": {}, "players": []}
"""Tables that every schedule has, and what stands for a missing one while the others are checked."""
NAMED_BY = ("name", "models")
"""Keys by which errors name an entry of `[[players]]`."""
ALONE = {f"tournament.{key}" for key in ("name", "game", "games_per_pair", "concurrency", "seed")} | {
    "pairing.method",
    "openings.file",
    "openings.order",
}
"""Keys that are wrong by their own value alone, also in a table with other errors."""
HIDDEN = ("notify",)
"""Tables whose values no message shows: a secret may stand there by mistake."""
NO_KEYS = ("folder", "file", "shard", "rules")
"""Fields of a schedule that are not keys of its file."""


Find = Callable[[PlayerEntry], Sequence[tuple[str, str]]]
"""Returns the names and the addresses of the engines that an entry of `[[players]]` asks for."""


Check = Callable[[Schedule], Iterable[Complaint]]
"""Returns what is wrong with a schedule."""


class Engines(Protocol):
    """Finds engines for the players of a run."""

    def __call__(self, entry: PlayerEntry, *, run: str, game: str) -> Sequence[tuple[str, str]]:
        """Return the names and the addresses of the engines that an entry of `[[players]]` asks for."""


def load(path: Path, engines: Engines | None = None, *, beside: Check | None = None) -> Schedule:
    """Read, check and resolve a schedule file; `engines` finds those that a player's `discover` asks for.

    The complaints of the check `beside` are shown with the errors of the file. Without such an error it is not asked,
    for a check that takes its time, or that the caller makes later.

    Raises:
        UsageError: the file cannot be read, is not TOML (`file:line:column`), or has invalid values, each in a line.

    """
    file = TomlFile(path, NAMED_BY, HIDDEN)
    raw = file.parse()
    _refuse_too_many(raw, file)
    complaints = Complaints(file.line, ALONE)
    folder = path.resolve().parent
    schedule = _with_game_id(_converted(raw, file, complaints), folder)
    complaints.add(_lone_keys(raw, schedule))
    if isinstance(raw.get("pairing"), dict):
        complaints.add(excluded_by_goal(raw["pairing"]))
    run, game = schedule.tournament.name, schedule.tournament.game
    find = None if engines is None else partial(engines, run=run, game=game)
    players = expanded(schedule.players, folder, file, find, complaints)
    schedule = msgspec.structs.replace(schedule, players=players, folder=str(folder), file=str(path))
    schedule = with_all_pairs(schedule)
    with complaints.gathered():
        check_size(schedule)
    for check in CHECKS:
        complaints.add(check(schedule))
    if beside is not None and complaints:
        complaints.add(beside(schedule), own=True)
    complaints.end()
    schedule = with_chosen_rules(schedule)
    if schedule.pairing.kind.fixed:
        number_of_pairs(schedule)
    return schedule


def _refuse_too_many(raw: Raw, file: TomlFile) -> None:
    """Refuse more players than a tournament has before each of them is checked."""
    players = raw.get("players")
    if isinstance(players, list) and len(players) > MAX_PLAYERS:
        file.refuse("players", f"expected at most {MAX_PLAYERS}, got {len(players)}")


def expanded(
    entries: Iterable[PlayerEntry], folder: Path, file: TomlFile, find: Find | None, complaints: Complaints
) -> tuple[PlayerEntry, ...]:
    """Return the players of all entries."""
    numbered = enumerate(entries, 1)
    return tuple(one for place, entry in numbered for one in _expanded(entry, place, folder, file, find, complaints))


def _expanded(
    entry: PlayerEntry, place: int, folder: Path, file: TomlFile, find: Find | None, complaints: Complaints
) -> Sequence[PlayerEntry]:
    """Return the players of an entry; after a complaint the entry itself if it has a name, which others may use."""
    about = f"players {entry.name!r}" if entry.name else ""
    with complaints.gathered(about):
        return tuple(_expand(entry, place, folder, file, find))
    complaints.blame([about] if about else ["players", "pairing", "rating"])
    return (entry,) if entry.name else ()


def _converted(raw: Raw, file: TomlFile, complaints: Complaints) -> Schedule:
    """Return the struct of the good values; unknown keys, missing tables and wrong values are complaints.

    Raises:
        UsageError: A wrong value cannot be left out, so that there is no struct.
    """
    unknown = list(file.unknown(raw, Schedule, NO_KEYS))
    complaints.add((one.label, one.wrong) for one in unknown)
    if len(unknown) == MOST_UNKNOWN:
        complaints.end()  # there may be more of them
    missing = {table: f"expected a table [{table}]{nearest(table, raw)}" for table in TABLES if table not in raw}
    for one in unknown:
        del one.table[one.key]
    good = copy.deepcopy({**{table: TABLES[table] for table in missing}, **raw})
    wrong = list(file.cut_wrong_values(good, Schedule))
    complaints.add(("", text) for text in missing.values())
    complaints.add(wrong)
    complaints.blame([*(one.label for one in unknown), *missing, *(label for label, _ in wrong)])
    try:
        return file.convert({**copy.deepcopy(TABLES), **good}, Schedule)
    except UsageError:
        complaints.end()
        raise


def _with_game_id(schedule: Schedule, folder: Path) -> Schedule:
    """Return the schedule with the id of its game in place of a short name, or of the place of its rules.

    A place where no game is stays, for the complaint about it.
    """
    table, rules = schedule.tournament, ""
    game = games.game_id(table.game)
    if games.is_place(table.game):
        rules = games.absolute(table.game, folder)
        with suppress(UsageError):
            game = games.game_at(rules).id
    return msgspec.structs.replace(schedule, tournament=msgspec.structs.replace(table, game=game), rules=rules)


def _lone_keys(raw: Raw, schedule: Schedule) -> Iterator[Complaint]:
    """Yield keys without the key that they need, also with their default values."""
    for name, beside in BESIDE.items():
        table = getattr(schedule, name)
        defaults = type(table)()
        for key, needed in beside.items():
            if key in raw.get(name, {}) and getattr(table, needed) == getattr(defaults, needed):
                yield f"{name}.{key}", f"only with {needed}, which is missing"


def _expand(player: PlayerEntry, place: int, folder: Path, file: TomlFile, find: Find | None) -> Iterable[PlayerEntry]:
    """Return the players of an entry: one, one per file of `models`, or one per engine that `discover` finds."""
    key = _label(player, place)
    refuse = file.refuse
    if wrong := list(_check_reached(player, key)):
        raise usage_error(file.line(*one) for one in wrong)
    if player.discover is not None:
        return _discovered(_with_paths(player, folder, key, refuse), refuse, find)
    if player.model is not None:
        path = folder / player.model
        if not path.is_file():
            refuse(f"{key}.model", not_a_file(path))
        return (msgspec.structs.replace(player, model=str(path.resolve())),)
    if player.models is None:
        return (_with_paths(player, folder, key, refuse),)
    if player.name:
        refuse(
            f"{key}.name",
            "players of `models` are named after their files; use `prefix`, or `model` for one file with a name",
        )
    try:
        files = sorted(islice(_glob(folder, player.models), MAX_PLAYERS + 1))
    except (ValueError, IndexError):  # pathlib's errors for "", "a**" and "/"
        refuse(f"{key}.models", f"expected a pattern of file names, as nets/*.onnx, got {player.models!r}")
    if not files:
        refuse(f"{key}.models", f"no file matches {player.models!r} in {folder}")
    return tuple(
        msgspec.structs.replace(
            player, name=f"{player.prefix}{file.stem}", model=str(file.resolve()), models=None, prefix=""
        )
        for file in files
    )


def _label(player: PlayerEntry, place: int) -> str:
    """Return the name of an entry in messages; `place` counts from 1."""
    if player.models is not None:
        return f"players {player.name or player.models!r}"
    return f"players {player.name!r}" if player.name else f"players[{place}]"


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
            refuse(f"{key}.{name}", not_a_file(path))
    return msgspec.structs.replace(player, **{name: str(path.resolve()) for name, path in paths.items()})


def _glob(folder: Path, pattern: str) -> Iterable[Path]:
    start = Path(pattern).anchor
    base = Path(start) if start else folder
    return (file for file in base.glob(str(Path(pattern).relative_to(start) if start else pattern)) if file.is_file())


def _check_reached(player: PlayerEntry, key: str) -> Iterator[Complaint]:
    yield from wrong_ways(player, key, REACHED_BY)
    if player.command is not None and not (player.command and all(player.command)):
        yield f"{key}.command", 'expected a program and its arguments, as ["program", "argument"]'
    if player.prefix and player.models is None:
        yield f"{key}.prefix", "only with models, which is missing"
    if player.protocol not in DIALECTS:
        yield wrong_choice(f"{key}.protocol", player.protocol, DIALECTS)
    for name, needed in SECRETS.items():
        if getattr(player, name) and not any(getattr(player, one) for one in needed):
            yield f"{key}.{name}", f"only with {needed[0]}, which is missing"
    for way in ("address", "listen"):
        if (place := getattr(player, way)) is not None:
            try:
                parse_address(place)
            except UsageError as error:
                yield f"{key}.{way}", str(error)


def _check_tournament(schedule: Schedule) -> Iterator[Complaint]:
    table = schedule.tournament
    if not RUN_NAME.fullmatch(table.name):
        yield "tournament.name", f"expected up to 100 letters, digits, '.', '_', '-', got {table.name!r}"
    try:
        games.game_at(schedule.rules) if schedule.rules else games.any_game(table.game)
    except UsageError as error:
        yield "tournament.game", str(error)
    if table.games_per_pair % 2:
        wrong = f"expected an even number (each opening is played with both colours), got {table.games_per_pair}"
        yield "tournament.games_per_pair", wrong
    if table.disputes not in DISPUTES:
        yield wrong_choice("tournament.disputes", table.disputes, DISPUTES)
    if table.concurrency > MAX_CONCURRENCY:
        yield "tournament.concurrency", f"expected at most {MAX_CONCURRENCY}, got {table.concurrency}"
    if table.seed >= SEED_LIMIT:
        yield "tournament.seed", f"expected a number below 2^63, got {table.seed}"


def _check_limit(schedule: Schedule) -> Iterator[Complaint]:
    given = given_limits(schedule.limit)
    if len(given) != 1:
        yield "limit", f"expected exactly one of {', '.join(LIMITS)}, got {' and '.join(given) or 'none'}"
    elif schedule.limit.increment_ms is not None and schedule.limit.base_ms is None:
        yield "limit.increment_ms", f"only with base_ms, got it with {given[0]}"
    yield from _check_simulations(schedule)


def _check_simulations(schedule: Schedule) -> Iterator[Complaint]:
    """Yield a limit of fewer nodes than a search of OpenSpiel has."""
    nodes = schedule.limit.nodes
    if nodes is None or nodes >= LEAST_SIMULATIONS or not schedule.tournament.game.startswith(PREFIX):
        return
    for player in [player for player in schedule.players if player.player == "mcts"][:1]:
        who = f"player {player.name!r} is mcts of OpenSpiel"
        yield "limit.nodes", f"expected {LEAST_SIMULATIONS} at least, got {nodes}: {who}"


def _check_pairing(schedule: Schedule) -> Iterator[Complaint]:
    pairing = schedule.pairing
    if pairing.method not in METHODS:
        yield wrong_choice("pairing.method", pairing.method, METHODS)
        return
    kind, defaults = pairing.kind, Pairing()
    for key in Pairing.__struct_fields__:
        if key != "method" and key not in kind.keys and getattr(pairing, key) != getattr(defaults, key):
            names = " or ".join(map(repr, methods_with(key)))
            yield f"pairing.{key}", f"only with method = {names}, got it with {pairing.method!r}"
    if kind.designed:
        yield from _check_meeting_graph(pairing, len(schedule.players))
    if kind.spends and pairing.games is None:
        yield "pairing.games", "missing: the number of games of an adaptive tournament"
    elif kind.spends:
        yield from _too_few_games(pairing, sum(player.required for player in schedule.players))
    if kind.is_test:
        yield from _check_sprt(pairing.test, len(schedule.players))
    if pairing.stop is not None:
        yield from _check_stop(pairing.stop, len(schedule.players))
    yield from _check_names(schedule)


def _too_few_games(pairing: Pairing, players: int) -> Iterator[Complaint]:
    """Yield a number of games that connects the players by no choice of pairs; earlier games may connect some."""
    pairs, games = players - 1, pairing.games or 0
    if games < 2:
        yield "pairing.games", f"expected at least 2, since every opening is played twice, got {games}"
    elif games // 2 < pairs and not pairing.prior_games:
        needed = f"expected at least {2 * pairs}, two for each of the {pairs} pairs that connect {players} players"
        yield "pairing.games", f"{needed}, got {games}"


def _check_sprt(test: Sprt, players: int) -> Iterator[Complaint]:
    if players != 2:
        yield "players", f"expected two for method = 'sprt', got {players}"
    if test.elo0 >= test.elo1:
        yield "pairing.sprt.elo1", f"expected more than elo0 = {test.elo0:g}, got {test.elo1:g}"
    if test.model not in SPRT_MODELS:
        yield wrong_choice("pairing.sprt.model", test.model, SPRT_MODELS)


def _check_stop(stop: StopRule, players: int) -> Iterator[Complaint]:
    given = [key for key in ("top", "error") if getattr(stop, key) is not None]
    if len(given) != 1:
        yield "pairing.stop", f"expected exactly one of top, error, got {' and '.join(given) or 'none'}"
    elif stop.top is not None and stop.top >= players:
        yield "pairing.stop.top", f"expected fewer than the {players} players, got {stop.top}"


def _check_meeting_graph(pairing: Pairing, players: int) -> Iterator[Complaint]:
    given = [key for key in BUDGETS if getattr(pairing, key) is not None]
    if len(given) != 1:
        got = " and ".join(given) or f"none: only {FEW} players or fewer all meet by default, and there are {players}"
        yield "pairing", f"expected exactly one of {', '.join(BUDGETS)}, got {got}"
    if pairing.criterion not in CRITERIA:
        yield wrong_choice("pairing.criterion", pairing.criterion, CRITERIA)
    if isinstance(pairing.degree_cap, str) and pairing.degree_cap not in DEGREE_CAPS:
        yield "pairing.degree_cap", f"expected 'near-equal', 'none' or a number, got {pairing.degree_cap!r}"


def _check_names(schedule: Schedule) -> Iterator[Complaint]:
    named: list[tuple[str, tuple[str, ...]]] = [("challengers", (name,)) for name in schedule.pairing.challengers]
    named += [("required", pair) for pair in schedule.pairing.required]
    named += [("forbidden", pair) for pair in schedule.pairing.forbidden]
    named += [("prior_games", (a, b)) for a, b, _ in schedule.pairing.prior_games]
    known, near = dict.fromkeys(schedule.names), _few_nearest()
    for key, names in named:
        for name in names:
            if name not in known:
                yield f"pairing.{key}", f"unknown player {name!r}{near(name, known)}"
        if len(names) == 2 and names[0] == names[1]:
            yield f"pairing.{key}", f"a player cannot meet itself: {names[0]!r}"


def _few_nearest() -> Callable[[str, Iterable[str]], str]:
    """Return `nearest` for the first names alone: among thousands of players each search takes long."""
    left = iter(range(MOST_NEAREST))
    return lambda name, known: nearest(name, known) if next(left, None) is not None else ""


def _check_cluster(schedule: Schedule) -> Iterator[Complaint]:
    if schedule.cluster.unequal not in UNEQUAL:
        yield wrong_choice("cluster.unequal", schedule.cluster.unequal, UNEQUAL)


def _check_rating(schedule: Schedule) -> Iterator[Complaint]:
    rating = schedule.rating
    if rating.backend not in BACKENDS:
        yield wrong_choice("rating.backend", rating.backend, BACKENDS)
    if rating.model not in MODELS:
        yield wrong_choice("rating.model", rating.model, MODELS)
    elif rating.model != MODELS[0] and (rating.backend == "bayeselo" or rating.imitate):
        yield "rating.model", f"expected {MODELS[0]!r}, the only model of the original program, got {rating.model!r}"
    if len(rating.anchor) > 1 and (rating.backend == "bayeselo" or rating.imitate):
        yield "rating.anchor", "expected at most one player: the original program holds none"
    known, near = dict.fromkeys(schedule.names), _few_nearest()
    for name in rating.anchor:
        if name not in known:
            yield "rating.anchor", f"unknown player {name!r}{near(name, known)}"
    for key in ("advantage", "draw_elo"):
        value = getattr(rating, key)
        if isinstance(value, str) and value != "fit":
            yield f"rating.{key}", f"expected a number of Elo or 'fit', got {value!r}"
    if isinstance(rating.draw_elo, float) and rating.draw_elo <= 0:
        yield "rating.draw_elo", f"expected a number of Elo above 0 or 'fit', got {rating.draw_elo!r}"


CHECKS = (
    _check_tournament,
    wrong_rule_keys,
    wrong_discovery,
    wrong_in_agreement,
    _check_limit,
    wrong_players,
    wrong_dialects,
    wrong_positions,
    _check_pairing,
    wrong_plan,
    wrong_openings,
    wrong_adjudication,
    _check_rating,
    wrong_posterior,
    _check_cluster,
    wrong_notify,
)
"""The checks of `load`, in this order."""
