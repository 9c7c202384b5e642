"""`events.jsonl`: every event of a run in one numbered line, complete also after kills."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Self

import msgspec
from msgspec import Struct

from fiedler.support.errors import unwritable
from fiedler.tournament.run.events import Disputed, Event, Finished
from fiedler.tournament.run.store import Store

FILE = "events.jsonl"


class _Game(Struct):
    id: str


class _Line(Struct):
    """The part of an earlier line that the log reads."""

    seq: int = 0
    event: str = ""
    game: _Game | msgspec.UnsetType = msgspec.UNSET
    dispute: _Game | msgspec.UnsetType = msgspec.UNSET


class EventLog:
    """A context manager and a subscriber that appends a line for each event.

    `seq` counts from 1; it never changes and never repeats, also when a run resumes a damaged log.
    """

    def __init__(self, folder: Path) -> None:
        self._path = folder / FILE
        self._encoder = msgspec.json.Encoder()
        self.seq = 0
        """The number of the last event."""
        self._finished: set[str] = set()
        self._disputed: set[str] = set()

    def __enter__(self) -> Self:
        with self._explained():
            if self._path.exists():
                self._read()
            self._file = self._path.open("ab", buffering=0)
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def __call__(self, event: Event) -> None:
        """Append a line.

        Raises:
            WorkError: the disk does not take it.

        """
        line, end = self._numbered(event), self._file.tell()
        with self._explained():
            try:
                while line:  # a disk that is almost full takes a part
                    line = line[self._file.write(line) :]
            except OSError:
                self._file.truncate(end)
                raise
        self.seq += 1

    def complete(self, store: Store) -> None:
        """Append the lines that a killed manager did not write: first disputes, then `finished` in their order."""
        counts = store.counts
        for dispute in store.disputes:
            if dispute.id not in self._disputed:
                self._disputed.add(dispute.id)
                self(Disputed(at=dispute.at, dispute=dispute, given_up=1, scheduled=counts.scheduled))
        if len(self._finished) == counts.finished:
            return
        attempts = store.attempts
        missing = sorted((game.finished, game.number, game) for game in store.games() if game.id not in self._finished)
        for _, _, game in missing:
            self._finished.add(game.id)
            totals = {"finished": len(self._finished), "scheduled": counts.scheduled}
            self(Finished(at=game.finished, game=game, attempt=attempts[game.id], waits_for=(), **totals))

    def _numbered(self, event: Event) -> bytes:
        return b'{"seq":%d,' % (self.seq + 1) + self._encoder.encode(event)[1:] + b"\n"

    def _read(self) -> None:
        """Read the numbers, and remove an unfinished line that a killed manager left at the end."""
        decoder = msgspec.json.Decoder(_Line)
        with self._path.open("r+b") as file:
            whole = 0
            for line in file:
                if not line.endswith(b"\n"):
                    file.truncate(whole)
                    return
                whole += len(line)
                self.seq += 1  # a damaged line has had a number
                with suppress(msgspec.MsgspecError):
                    self._note(decoder.decode(line))

    def _note(self, line: _Line) -> None:
        self.seq = max(self.seq, line.seq)
        if line.dispute is not msgspec.UNSET:
            (self._disputed.discard if line.event == "withdrawn" else self._disputed.add)(line.dispute.id)
        if line.game is msgspec.UNSET:
            return
        if line.event == "finished":
            self._finished.add(line.game.id)
        elif line.event == "annulled":
            self._finished.discard(line.game.id)

    @contextmanager
    def _explained(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise unwritable(self._path, error) from error
