"""How far a run is, who failed how often, which games say nothing new: what `tournament status` tells."""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import msgspec

from tournament.lock import is_locked
from tournament.store import FAILURES, GameRecord, NoRunError, Store
from tournament.words import counted


def repeated_games(games: Iterable[GameRecord]) -> int:
    """Return how many games repeat, move for move, an earlier one of the same two players with the same colours."""
    seen: set[int] = set()
    total = 0
    for game in games:
        seen.add(_fingerprint(game))
        total += 1
    return total - len(seen)


def _fingerprint(game: GameRecord) -> int:
    """Return 64 bits made from players and moves, which differ for different games but for one case in 10⁷."""
    text = "\n".join((game.first, game.second, " ".join(game.moves)))
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "big")


def repeats(number: int) -> str:
    """Say how many games repeat an earlier one."""
    verb = "repeats" if number == 1 else "repeat"
    return f"{counted(number, 'game')} {verb} an earlier one of the same players move for move"


def status(folder: Path) -> dict[str, Any]:
    """Return the document that `tournament status --json` prints."""
    try:
        found = Store.open(folder)
    except NoRunError:
        if is_locked(folder):
            return _starting(folder)
        raise
    with contextlib.closing(found) as store:
        counts, meta = store.counts, store.meta
        return {
            "name": meta["name"],
            "game": meta["game"],
            "state": store.state,
            "scheduled": counts.scheduled,
            "finished": counts.finished,
            "void": counts.void,
            "repeated": repeated_games(store.each_game()),
            "benched": store.benched,
            "steps": [msgspec.to_builtins(step) for step in store.plan],
            "players": _player_statuses(store),
        }


def _starting(folder: Path) -> dict[str, Any]:
    """Return the status of a run whose players are being probed for the first time."""
    counts = dict.fromkeys(("scheduled", "finished", "void", "repeated"), 0)
    return {
        "name": folder.resolve().name,
        "game": None,
        "state": "starting",
        **counts,
        "benched": {},
        "steps": [],
        "players": [],
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
