"""A finished or disputed game that does not count, in a run without a manager at work."""

from __future__ import annotations

import shlex
from contextlib import closing
from pathlib import Path

from fiedler.support.errors import UsageError
from fiedler.support.lock import run_lock
from fiedler.tournament.game import now
from fiedler.tournament.run.continuation import refuse_settled
from fiedler.tournament.run.event_log import EventLog
from fiedler.tournament.run.events import annulment
from fiedler.tournament.run.journal import Journal
from fiedler.tournament.run.run_file import results_option
from fiedler.tournament.run.steering import Steered, annulled, ended_game
from fiedler.tournament.run.store import Store, shard_option
from fiedler.tournament.schedule.schedule import Schedule


def annul(folder: Path, text: str, why: str) -> Steered:
    """Let a finished or disputed game, by its number or id, count no more; the run plays it again when it is resumed.

    Raises:
        UsageError: there is no such game, the run is decided or its later games rest on this one, or a manager works.

    """
    with run_lock(folder, "tournament run"), closing(Journal.open(folder)) as journal:
        game, end = ended_game(folder, text)
        if journal.decision is not None:
            raise UsageError(f"{folder} is decided: {journal.decision.why}")
        refuse_settled(journal.schedule.pairing.kind, journal.history(), game)
        with EventLog(folder) as log:
            log.complete(journal)
            before = journal.scheduled
            journal.take_back(end, now(), why)
            counts = {"before": before, "scheduled": journal.scheduled}
            event = annulment(journal.schedule, journal.history(), game, end, why, **counts)
            log(event)
            command = resuming(journal, *(word for name in event.waits_for for word in ("--readmit", name)))
    return annulled(event, f"`{command}`")


def resuming(store: Store, *options: str) -> str:
    """Return the command that resumes a run with these options, and with those by which its players are reached."""
    schedule = store.schedule
    words = [*shard_option(schedule), *options, *_reaching(schedule), *results_option(store.folder)]
    return shlex.join(["tournament", "run", schedule.file, *words])


def _reaching(schedule: Schedule) -> list[str]:
    """Return the options without which players that dial in, or are found at a broker, are refused."""
    listen = ["--listen", "HOST:PORT", "--token-file", "FILE"] if schedule.dialling else []
    broker = ["--mqtt", "HOST:PORT"] if any(player.discover for player in schedule.players) else []
    return [*listen, *broker]
