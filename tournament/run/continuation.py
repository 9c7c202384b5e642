"""A run that resumes with a changed schedule: players and games may be added, nothing else may change."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

import msgspec

from fiedler.support.errors import UsageError, system_reason
from fiedler.support.files import regular
from fiedler.tournament.game import PlannedGame
from fiedler.tournament.pairing.plan import History
from fiedler.tournament.run.openings import OpeningList
from fiedler.tournament.run.store import Store
from fiedler.tournament.schedule.methods import Method
from fiedler.tournament.schedule.opening_file import opening_path
from fiedler.tournament.schedule.pairs import number_of_pairs
from fiedler.tournament.schedule.schedule import BEST, Adjudication, Pairing, PlayerEntry, Schedule, Sprt

ADVICE = "use another tournament.name, or --fresh to start anew"
BACK = f"put the file back; else {ADVICE}"
"""The advice about a file of the run that is missing or has changed."""
SAME_LIMIT = ("movetime_ms", "nodes", "depth", "base_ms", "increment_ms", "margin_ms", "lag_credit_ms")


def identity(player: PlayerEntry) -> dict[str, Any]:
    """Return the identity of a player: its start, its options, the content of its model file.

    Raises:
        UsageError: that file cannot be read.

    """
    if player.model is not None:
        kind = {} if player.player is None else {"player": player.player}
        return {"model": _content(Path(player.model)), **kind, "options": player.options}
    keys = ("player", "command", "address", "listen", "protocol", "load_model", "options")
    known = {key: getattr(player, key) for key in keys if getattr(player, key) is not None}
    if player.dial_in:
        known["dial_in"] = True
    return cast("dict[str, Any]", msgspec.json.decode(msgspec.json.encode(known)))  # the form of the store


def _content(model: Path) -> str:
    """Return the SHA-256 of a file."""
    try:
        with regular(model) as file:
            return hashlib.sha256(file.read()).hexdigest()
    except OSError as error:
        raise UsageError(f"{model}: cannot be read: {system_reason(error)}") from None


def identities(schedule: Schedule) -> dict[str, Any]:
    """Return the identities of all players by name."""
    return {player.name: identity(player) for player in schedule.players}


def refuse_changes(store: Store, schedule: Schedule, openings: OpeningList) -> None:
    """Check that a run can resume with `schedule`, whose openings are given.

    Raises:
        UsageError: the schedule contradicts games that the run has played or planned; the message names the key.

    """
    before = store.schedule
    for key, was, now in _settled(before, schedule):
        if was != now:
            wrong = f"the run has {_shown(was)}, the schedule {_shown(now)}"
            raise UsageError(f"{store.folder}: {key}: {wrong}; {ADVICE}")
    _refuse_other_players(store, schedule)
    _refuse_less(
        store, "tournament.games_per_pair", before.tournament.games_per_pair, schedule.tournament.games_per_pair
    )
    if schedule.pairing.kind.budgeted:
        _refuse_fewer_games(store, before.pairing.games, schedule.pairing.games)
    if schedule.pairing.kind.closed and len(schedule.players) > len(store.players):
        wrong = f"{schedule.pairing.method} takes no more players once it has begun"
        raise UsageError(f"{store.folder}: players: {wrong}; {ADVICE}")
    if schedule.pairing.kind.fixed and not store.benched:
        _refuse_less(store, "number of pairs", len(store.pairs), number_of_pairs(schedule))
    if not openings.resume(store.openings):
        raise UsageError(f"{store.folder}: openings{_other_openings(before, schedule)}")
    forbidden = {frozenset(pair) for pair in schedule.pairing.forbidden}
    for a, b in store.pairs:
        if frozenset((a, b)) in forbidden:
            raise UsageError(f"{store.folder}: pairing.forbidden: the run has {a!r} meet {b!r} already; {ADVICE}")


def refuse_settled(method: Method, history: History, game: PlannedGame) -> None:
    """Refuse to annul a game on which later games rest: the next round of a knockout has other players by it.

    Raises:
        UsageError: there are such games.

    """
    if method.eliminates and history.steps > game.step:
        raise UsageError(f"game {game.number} has decided a match of a knockout whose next games are planned")


def reopened(store: Store, schedule: Schedule) -> str:
    """Return the reason that a decided run is open again; empty if it is not.

    The stopping rule, the numbers of the goal or the players may be others; the hypotheses of a test are fixed.
    """
    if store.decision is None or schedule.pairing.kind.is_test:
        return ""
    for key in ("stop", "aim"):
        if getattr(schedule.pairing, key) != getattr(store.schedule.pairing, key):
            return f"pairing.{'goal' if key == 'aim' else key} has changed"
    added = [name for name in schedule.names if name not in store.players]
    return f"new players: {', '.join(added)}" if added else ""


def _settled(before: Schedule, now: Schedule) -> list[tuple[str, object, object]]:
    """Return the keys that may not change, with their old and new values."""
    keys = [("tournament", key) for key in ("game", "rules", "seed", "disputes")]
    keys += [("limit", key) for key in SAME_LIMIT]
    keys += [("pairing", key) for key in ("method", "criterion")]
    keys += [("adjudication", key) for key in Adjudication.__struct_fields__]
    if before.openings.balance is not None or now.openings.balance is not None:  # else the openings are compared
        keys += [("openings", key) for key in ("balance", "tolerance", "plies", "positions", "start")]
    shards = [None if one.shard is None else str(one.shard) for one in (before, now)]
    settled: list[tuple[str, object, object]] = [("--shard", shards[0], shards[1])]
    settled += [
        (f"{table}.{key}", getattr(getattr(before, table), key), getattr(getattr(now, table), key))
        for table, key in keys
    ]
    pairings = before.pairing, now.pairing
    settled.append(("pairing.plan", pairings[0].plan, pairings[1].plan or pairings[0].plan))
    goals = [None if one.goal is None else BEST for one in pairings]
    settled.append(("pairing.goal", goals[0], goals[1]))
    settled.append(("pairing.style_sd", _style_sd(before.pairing), _style_sd(now.pairing)))
    tests = before.pairing.test, now.pairing.test
    hypotheses = [(f"pairing.sprt.{key}", *(getattr(test, key) for test in tests)) for key in Sprt.__struct_fields__]
    return [*settled, *hypotheses]


def _style_sd(pairing: Pairing) -> float | None:
    """Return the deviation of pair effects, given or by default; None if a goal estimates it."""
    return 0.0 if pairing.style_sd is None and pairing.goal is None else pairing.style_sd


def _refuse_other_players(store: Store, schedule: Schedule) -> None:
    """Refuse a schedule that lacks a player of the run, or has another one under its name."""
    before = {player.name: player for player in (*store.schedule.players, *store.added)}
    after = {player.name: player for player in schedule.players}
    for name, was in store.identities.items():
        then, now = before.get(name), after.get(name)
        if wrong := _missing(then) if now is None else _difference(was, then, now):
            raise UsageError(f"{store.folder}: players {name!r}: {wrong}")


def _other_openings(before: Schedule, now: Schedule) -> str:
    """Return the rest of a message about other openings: of a file with other lines, or of other keys."""
    if now.openings.file is None or now.openings != before.openings:
        return f": the run has others; {ADVICE}"
    path = opening_path(Path(now.folder), now.openings.file)
    return f".file: {path}: its openings have changed since the run began; {BACK}"


def _missing(then: PlayerEntry | None) -> str:
    """Return the reason that a player is not in the schedule, as far as it is known, and the advice."""
    wrong = "the run has this player, the schedule has not"
    if then is None or then.model is None or Path(then.model).is_file():
        return f"{wrong}; put it back; else {ADVICE}"
    return f"{wrong}: its file {then.model} is missing; {BACK}"


def _difference(was: Mapping[str, Any], then: PlayerEntry | None, now: PlayerEntry) -> str:
    """Return the difference of a player from the one of the run, and the advice; empty without one."""
    try:
        found = identity(now)
    except UsageError as error:
        return f"{error}; {BACK}"
    keys = [key for key in {**was, **found} if was.get(key) != found.get(key)]
    if keys == ["model"] and "model" in was and (then is None or then.model == now.model):
        wrong = "its contents (SHA-256) have changed since the run began: the file is damaged, or another one"
        return f"{now.model}: {wrong}; {BACK}"
    return f"it is not the player of the run (different: {', '.join(keys)}); {ADVICE}" if keys else ""


def _refuse_less(store: Store, key: str, was: int, now: int) -> None:
    if now < was:
        raise UsageError(f"{store.folder}: {key}: the run has {was}, the schedule fewer: {now}; {ADVICE}")


def _refuse_fewer_games(store: Store, was: int | None, now: int | None) -> None:
    """Refuse a budget below the planned games; after readmissions more than the old budget may be planned."""
    if now is not None and (was is None or now < was):
        _refuse_less(store, "pairing.games", min(store.scheduled, was or store.scheduled), now)


def _shown(value: object) -> str:
    if isinstance(value, dict):  # `rules`
        return ", ".join(f"{name} = {one!r}".lower() for name, one in value.items()) or "the default ones"
    return "none" if value is None else repr(value)
