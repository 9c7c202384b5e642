"""The events of a run as lines for a reader."""

from __future__ import annotations

import shlex
from collections.abc import Iterable
from pathlib import Path

from fiedler.support.text import counted, duration, listed
from fiedler.tournament.elo import prediction
from fiedler.tournament.game import reason
from fiedler.tournament.run.events import (
    Added,
    Annulled,
    Awaiting,
    Away,
    Back,
    Began,
    Benched,
    Decided,
    Disputed,
    Ended,
    Event,
    Finished,
    Joined,
    Judged,
    Planned,
    Predicted,
    Probing,
    Readmitted,
    Receiving,
    Remarked,
    Started,
    Voided,
    Waiting,
    Warned,
    Withdrawn,
)
from fiedler.tournament.run.interim import games_text, grows
from fiedler.tournament.run.run_file import results_option
from fiedler.tournament.schedule.schedule import Pairing

ByHand = Readmitted | Added | Annulled | Withdrawn
"""Changes by hand, but for benched players."""


def event_text(event: Event, pairing: Pairing, run: Path | None = None) -> str:
    """Return an event as one line; empty for an event without one.

    The line names commands for the run in the folder `run`; without it none.
    """
    if isinstance(event, Started):
        game = event.game
        of = "" if grows(pairing) else f" of {event.planned}"
        return f"Started game {game.number}{of} ({game.first} vs {game.second})"
    if isinstance(event, Finished | Voided | Disputed):
        return _end_of_game(event)
    if isinstance(event, Planned) and event.note:
        return f"{_sentence(event.note)}: {counted(event.games, 'game')}"
    if isinstance(event, Benched | Decided | Joined | ByHand):
        return _change(event, run)
    if isinstance(event, Awaiting | Away | Back | Waiting):
        return _attendance(event)
    if isinstance(event, Remarked):
        return event.text
    if isinstance(event, Ended):
        return f"Finished tournament: {event.why}" if event.why else ""
    if isinstance(event, Predicted):
        return _sentence(prediction(event.rms))
    if isinstance(event, Judged | Probing | Receiving):
        return _preparation(event)
    if isinstance(event, Began):
        given_up = event.given_up
        games = games_text(pairing, event.finished, event.scheduled, is_all=False, verb=" finished", given_up=given_up)
        return f"Tournament {event.name}: {games}"
    return f"warning: {event.text}" if isinstance(event, Warned) else ""


def _end_of_game(event: Finished | Voided | Disputed) -> str:
    """Return the end of a game as one line; a dispute has its consequences."""
    if isinstance(event, Finished):
        record = event.game
        players = f"{record.first} vs {record.second}"
        return f"Finished game {record.number} ({players}): {record.result} {{{reason(record)}}}"
    if isinstance(event, Voided):
        return f"Void game {event.game.number} ({event.game.first} vs {event.game.second}): {event.why}"
    dispute, others = event.dispute, event.given_up - 1
    text = f"Dispute in game {dispute.number} ({dispute.first} vs {dispute.second}): {dispute.text}"
    end = "the run ends" if event.over and not event.stops else event.stops
    given_up = f"{counted(others, 'other game')} given up" if others else ""
    return "; ".join(filter(None, (text, end, given_up)))


def _preparation(event: Judged | Probing | Receiving) -> str:
    """Return an event before the first game as one line."""
    if isinstance(event, Judged):
        return f"Judged {counted(event.judged, 'opening')}: {event.kept} balanced"
    if isinstance(event, Receiving):
        return f"Listening on {event.address} for {', '.join(event.players)}"
    return f"Starting {counted(event.players, 'player')}" if event.players else ""


def _attendance(event: Awaiting | Away | Back | Waiting) -> str:
    """Return the line of an event about players that dial in."""
    if isinstance(event, Away):
        return f"{event.player} is away: {_wait(event.games)} for it"
    if isinstance(event, Back):
        return f"{event.player} is back: {counted(event.games, 'game')} waited"
    names = ", ".join(event.players)
    if isinstance(event, Waiting):
        return f"Waiting for {names} for {duration(event.seconds)} at most: {counted(event.games, 'game')} left"
    here = f"here: {', '.join(event.here) or 'nobody'}"
    if not event.players:
        return f"All players that dial in are {here}"
    return f"Waiting for {names} to dial in at {event.address}, {duration(event.seconds)} at most; {here}"


def way_back(run: Path, names: Iterable[str]) -> str:
    """Return the commands that readmit these players to the run in a folder, in the quotes of a message."""
    words = (["tournament", "readmit", run.name, name, *results_option(run)] for name in names)
    return " and ".join(f"`{shlex.join(one)}`" for one in words)


def played_again(event: Annulled | Withdrawn, commands: str, rest: str = "") -> str:
    """Return the fate of a game whose end counts no more: played again, now or once the `commands` readmit players.

    The `rest` of the sentence belongs to the first case. Disputes may have ended the games of its players.
    """
    if event.stops:
        return f"it is not played again: {event.stops}"
    waits_for = event.waits_for
    if not waits_for:
        return f"it is played again{rest}"
    verb = "is" if len(waits_for) == 1 else "are"
    return f"it waits until {listed(waits_for)} {verb} readmitted{commands and f': {commands}'}"


def _steered(event: ByHand, run: Path | None) -> str:
    """Return the line of a change by hand."""
    if isinstance(event, Readmitted):
        return f"Readmitted {event.player}: {counted(event.games, 'game')} back in the plan"
    if isinstance(event, Added):
        return f"Added {', '.join(event.players)}"
    fate = played_again(event, way_back(run, event.waits_for) if run else "")
    if isinstance(event, Withdrawn):
        game = event.dispute
        return f"Withdrew the dispute in game {game.number} ({game.first} vs {game.second}): {event.why}; {fate}"
    record = event.game
    players = f"{record.first} vs {record.second}, {record.result}"
    return f"Annulled game {record.number} ({players}): {event.why}; {fate}"


def _wait(games: int) -> str:
    return f"{counted(games, 'game')} {'waits' if games == 1 else 'wait'}"


def _change(event: Benched | Decided | Joined | ByHand, run: Path | None) -> str:
    """Return the line of an event that gives up games, or lets waiting ones begin."""
    if isinstance(event, ByHand):
        return _steered(event, run)
    if isinstance(event, Joined):
        return f"{event.player} has joined: {counted(event.games, 'game')} waited"
    given_up = f"; {counted(event.given_up, 'game')} given up" if event.given_up else ""
    if isinstance(event, Decided):
        return f"Decided: {event.why}{given_up}"
    later = f"; {way_back(run, [event.player])} lets it play again" if run else ""
    return f"Benched {event.player}: {event.why}{given_up}{later}"


def _sentence(text: str) -> str:
    return text[0].upper() + text[1:]
