"""The progress of a run, the ranking so far, failures and repeated games: `tournament status`."""

from __future__ import annotations

import contextlib
import hashlib
import itertools
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple, TypedDict

import msgspec

from fiedler.support.lock import is_locked
from fiedler.support.text import counted
from fiedler.tournament.game import GameRecord
from fiedler.tournament.run.interim import expected_games, games_text, progress_text, time_left, waiting_text
from fiedler.tournament.run.run_file import NoRunError
from fiedler.tournament.run.run_state import RunState
from fiedler.tournament.run.store import Store
from fiedler.tournament.run.training_run import next_checkpoint, training_of, training_of_run
from fiedler.tournament.schedule.schedule import Schedule
from fiedler.tournament.termination import FAILURES

SHOWN_STEPS = 12
"""Most lines of steps; earlier finished steps are folded."""


def repeated_games(games: Iterable[GameRecord]) -> int:
    """Return the number of games that repeat all moves of an earlier one of the same players with the same colours."""
    seen: set[int] = set()
    total = 0
    for game in games:
        seen.add(_fingerprint(game))
        total += 1
    return total - len(seen)


def _fingerprint(game: GameRecord) -> int:
    """Return a hash of players, start and moves, 64 bits.

    Among a million games the chance of a collision is below 10⁻⁷.
    """
    text = "\n".join((game.first, game.second, game.start, " ".join(game.moves)))
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "big")


def repeats(number: int) -> str:
    """Return the number of repeated games as a sentence."""
    verb = "repeats" if number == 1 else "repeat"
    return f"{counted(number, 'game')} {verb} an earlier one of the same players move for move"


def status(folder: Path) -> dict[str, Any]:
    """Return the document that `tournament status --json` prints."""
    try:
        found = Store.open(folder)
    except NoRunError:
        if is_locked(folder):
            return _before_games(folder, "starting")
        if (training := training_of_run(folder)) is None:
            raise
        return _before_games(folder, "interrupted" if training.is_stopped else "starting", training.awaited)
    with contextlib.closing(found) as store:
        with store.at_one_moment():
            seen, results, schedule = _seen(store), store.results, store.schedule
            state = RunState.of(store)
        return {**seen, **_rated(schedule, state, results)}


def _seen(store: Store) -> dict[str, Any]:
    """Return the stored data of a run at one moment."""
    counts, meta, awaits = store.counts, store.meta, awaited(store)
    is_all, given_up = bool(store.over), counts.given_up
    said = games_text(
        store.schedule.pairing, counts.finished, counts.scheduled, is_all=is_all, verb=" finished", given_up=given_up
    )
    return {
        "name": meta["name"],
        "game": meta["game"],
        "state": store.state,
        "awaits": awaits,
        "over": store.over,
        "decision": msgspec.to_builtins(store.decision),
        "scheduled": counts.scheduled,
        "finished": counts.finished,
        "progress": said,
        "summary": progress_text(
            store.schedule.pairing, f"waiting for {awaits}" if awaits else store.state, counts, is_all=is_all
        ),
        "given_up": given_up,
        "void": counts.void,
        "repeated": repeated_games(store.each_game()),
        "benched": store.benched,
        "disputes": [{**msgspec.to_builtins(one), "text": one.text} for one in store.disputes],
        "absent": store.absent,
        "away": store.away,
        "steps": [msgspec.to_builtins(step) for step in store.plan],
        "players": _player_statuses(store),
        **left(store),
    }


def awaited(store: Store) -> str:
    """Return what a run without a manager waits for: more players of its ladder; empty if for nothing.

    The ladder of a training run lies in its folder, and the training starts it again when a checkpoint is new.
    """
    folder, state = Path(store.schedule.folder), store.state
    if state == "running" or not store.schedule.pairing.kind.awaits:
        return ""
    if is_locked(folder):
        return next_checkpoint(folder.name) if state == "finished" else ""
    training = training_of(store.schedule)
    return "" if training is None else training.stop


class TimeLeft(TypedDict):
    """The time of the games left."""

    left_s: float | None
    """Seconds; null if it is unknown."""
    time_left: str
    """The same in words; empty if it is unknown."""


def left(store: Store) -> TimeLeft:
    """Return the time of the games left, at the pace of the last manager."""
    expected = store.scheduled if store.over else expected_games(store.schedule.pairing, store.scheduled)
    left = expected - store.counts.finished
    if store.state == "finished" or (each := store.seconds_per_game) is None:
        return {"left_s": None, "time_left": ""}
    if names := store.waits_for:
        return {"left_s": None, "time_left": waiting_text(names)}
    return {"left_s": round(left * each, 1), "time_left": time_left(store.schedule.pairing, left, left * each)}


def _rated(schedule: Schedule, state: RunState, played: Iterable[tuple[str, str, str, int]]) -> dict[str, Any]:
    """Return `answer` and `ranking` of the games so far; null and an empty list without any."""
    games = [((first, second, result), count) for first, second, result, count in played]
    if not games:
        return {"answer": None, "ranking": []}
    from fiedler.tournament.ratings import Results, document, rate_as
    from fiedler.tournament.run.conclusion import conclude

    results = Results.from_counts(games)
    rating = rate_as(schedule.rating, results)
    found = document(rating, conclude(schedule, state, rating, results))
    return {"answer": found["answer"], "ranking": found["players"]}


def folded(steps: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return the steps of a status document as lines; consecutive steps with the same note share one."""
    groups = [list(group) for _, group in itertools.groupby(steps, key=lambda step: step["note"])]
    done = next((place for place, group in enumerate(groups) if not _is_done(group)), len(groups))
    folded = min(done, len(groups) - SHOWN_STEPS)
    if folded > 1:
        groups = [list(itertools.chain.from_iterable(groups[:folded])), *groups[folded:]]
    return [_step_line(group) for group in groups]


def _is_done(steps: Sequence[Mapping[str, Any]]) -> bool:
    return all(step["finished"] == step["games"] for step in steps)


def _step_line(steps: Sequence[Mapping[str, Any]]) -> str:
    first, last = steps[0], steps[-1]
    which = f"steps {first['number']} to {last['number']}" if len(steps) > 1 else f"step {first['number']}"
    note = f", {first['note']}" if first["note"] and first["note"] == last["note"] else ""
    finished, games, given_up = (sum(step[key] for step in steps) for key in ("finished", "games", "given_up"))
    left_out = f", {given_up} given up" if given_up else ""
    return f"{which}{note}: {finished} of {counted(games + given_up, 'game')}{left_out}"


class MissingPlayer(NamedTuple):
    """A player without which games wait."""

    name: str
    why: str
    """The rest of a sentence that begins with its name."""
    games: int
    """Its games that are not played."""
    mark: str = "absent"
    """One word for its state."""

    @property
    def text(self) -> str:
        """The line of the player."""
        left = f"{counted(self.games, 'game')} not played" if self.games else "no game planned"
        return f"{self.name} {self.why}: {left}"


def missing(store: Store) -> list[MissingPlayer]:
    """Return the players that did not come, or that are away while a manager is at work."""
    absent = store.absent if store.decision is None else {}
    away = {name: f"is away since {since_text(since)}" for name, since in store.away.items() if name not in absent}
    if not absent and not away:
        return []
    left = Counter(name for game in store.unplayed() for name in (game.first, game.second))
    gone = [MissingPlayer(name, why, left[name]) for name, why in absent.items()]
    return gone + [MissingPlayer(name, why, left[name], "away") for name, why in away.items()]


def since_text(since: str) -> str:
    """Return a stored time, ISO 8601, as text: `2025-03-01 12:00:00 UTC`."""
    return f"{datetime.fromisoformat(since):%Y-%m-%d %H:%M:%S UTC}"


def missed(store: Store) -> list[str]:
    """Return a line for every player that did not come, with its unplayed games."""
    return [f"{one.text}; the same command tries again" for one in missing(store) if one.mark == "absent"]


def _before_games(folder: Path, state: str, awaits: str = "") -> dict[str, Any]:
    """Return the status of a run without a plan: its players are being probed, or its training has to go further."""
    counts = dict.fromkeys(("scheduled", "finished", "given_up", "void", "repeated"), 0)
    return {
        "name": folder.resolve().name,
        "game": None,
        "state": state,
        "awaits": awaits,
        "progress": "",
        "summary": f"waiting for {awaits}" if awaits else state,
        "over": "",
        "decision": None,
        **counts,
        "benched": {},
        "disputes": [],
        "absent": {},
        "away": {},
        "steps": [],
        "players": [],
        "left_s": None,
        "time_left": "",
        "answer": None,
        "ranking": [],
    }


def _player_statuses(store: Store) -> list[dict[str, Any]]:
    found: dict[str, dict[str, Any]] = {
        name: {"name": name, "games": 0, "failures": dict.fromkeys(FAILURES, 0)} for name in store.players
    }
    for game in store.each_game():
        for name in (game.first, game.second):
            found[name]["games"] += 1
        if game.loser is not None and game.termination in FAILURES:
            found[game.loser]["failures"][game.termination] += 1
    return list(found.values())
