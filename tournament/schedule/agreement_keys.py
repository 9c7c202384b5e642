"""The keys of a schedule that need rules, in a game whose players alone know them."""

from __future__ import annotations

from collections.abc import Iterator

from fiedler import games
from fiedler.protocol import DIALECTS
from fiedler.support.complaints import Complaint
from fiedler.tournament.schedule.schedule import CONTINUE, Openings, PlayerEntry, Schedule

BUILT_IN = ("player", "model", "models")
"""Keys of players of this project, which play the games of this project."""


def wrong_in_agreement(schedule: Schedule) -> Iterator[Complaint]:
    """Yield keys that need rules, in a game without rules of ours, and the keys of such a game in another one."""
    game = games.REGISTERED.get(schedule.tournament.game)
    if game is None:
        return
    if not game.has_rules:
        yield from _wrong_keys(schedule, f"with game = {game.id!r}, whose rules the players alone know")
    elif schedule.tournament.disputes != CONTINUE:
        yield "tournament.disputes", f"only with game = 'generic', got it with {game.id!r}"


def _wrong_keys(schedule: Schedule, why: str) -> Iterator[Complaint]:
    for player in schedule.players:
        yield from _wrong_player(player, why)
    for name in ("plies", "file", "positions"):
        if (given := getattr(schedule.openings, name)) != getattr(Openings(), name):
            yield f"openings.{name}", f"expected none {why}, got {given!r}"


def _wrong_player(player: PlayerEntry, why: str) -> Iterator[Complaint]:
    key, dialect = f"players {player.name!r}", DIALECTS.get(player.protocol)
    if dialect is not None and not dialect.questions:
        yield f"{key}.protocol", f"expected 'ugi' {why}, got {player.protocol!r}, which has no words for questions"
    way = next((way for way in BUILT_IN if getattr(player, way) is not None), "")
    if way:
        yield f"{key}.{way}", f"expected command, address or dial_in {why}, got a player of one game"
