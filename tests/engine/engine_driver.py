"""A session without sockets: lines in, lines out, searches in real threads."""

from __future__ import annotations

import queue
import re
import threading
import time
from collections.abc import Callable
from pathlib import Path

from engine.session import Session
from engine.shares import Shares
from games import game
from players import Player, create
from tests.patience import PATIENCE

TRANSCRIPTS = sorted((Path(__file__).parent / "transcripts").glob("*.txt"))


class Conversation:
    """A client and a session."""

    def __init__(self, game_id: str, player: str | Player, shares: Shares | None = None, /, **options: str) -> None:
        self._posted: queue.SimpleQueue[Callable[[], None]] = queue.SimpleQueue()
        self.jobs = 0
        made = create(game(game_id), player, options).player() if isinstance(player, str) else player
        self.session = Session(game(game_id), made, self, shares)

    def work(self, job: Callable[[], None]) -> None:
        self.jobs += 1
        threading.Thread(target=job, daemon=True).start()

    def post(self, call: Callable[[], None]) -> None:
        self._posted.put(call)

    def bring(self, data: bytes) -> None:
        self.session.receive_data(data)
        self.session.hear()

    def end(self) -> None:
        self.session.receive_eof()
        self.session.hear()

    def say(self, *lines: str) -> list[str]:
        """Say lines; return what is answered at once, or when the player has made ready."""
        self.bring("".join(f"{line}\n" for line in lines).encode())
        while self.session.busy:
            assert self.pump(), lines
        return self.heard()

    def heard(self) -> list[str]:
        return self.session.data_to_send().decode().splitlines()

    def pump(self, seconds: float = PATIENCE) -> bool:
        """Let a search say one thing; False if it says nothing for so long."""
        try:
            self._posted.get(timeout=seconds)()
        except queue.Empty:
            return False
        self.session.hear()
        return True

    def think_through(self) -> None:
        """Let a search that runs come to its own end, whether it may say so or not."""
        host = self.session._host
        while host._search is not None and host._search.result is None:
            assert self.pump()

    def answered(self) -> list[str]:
        """Return everything up to the bestmove of the search that runs."""
        lines = self.heard()
        until = time.monotonic() + PATIENCE
        while not any(line.startswith("bestmove") for line in lines):
            assert time.monotonic() < until, lines
            assert self.pump(), lines
            lines += self.heard()
        return lines

    def ask(self, *lines: str) -> list[str]:
        """Say lines, the last of them a go, and return everything up to the bestmove."""
        heard = self.say(*lines)
        return heard if any(line.startswith("bestmove") for line in heard) else [*heard, *self.answered()]


def greeted(game_id: str, player: str | Player, **options: str) -> Conversation:
    """Return a conversation after the greeting."""
    talk = Conversation(game_id, player, **options)
    assert talk.say("ugi")[-1] == "ugiok"
    return talk


def timeless(lines: list[str]) -> list[str]:
    """Return lines without what differs from machine to machine: numbers, variations, reports of a running search."""
    kept = [line for at, line in enumerate(lines) if not line.startswith("info depth") or _is_last(lines, at)]
    masked = [re.sub(r"\b(depth|nodes|nps|time) \d+", r"\1 N", line) for line in kept]
    return [re.sub(r"( pv \S+).*", r"\1", line) if line.startswith("info depth") else line for line in masked]


def _is_last(lines: list[str], at: int) -> bool:
    return at + 1 < len(lines) and lines[at + 1].startswith("bestmove")


def read_transcript(path: Path) -> tuple[list[str], list[tuple[str, list[str]]]]:
    """Return the words of the first line (game, player, KEY=VALUE …), and each line said with its answers."""
    head, *lines = path.read_text(encoding="utf-8").splitlines()
    exchanges: list[tuple[str, list[str]]] = []
    for line in lines:
        if line.startswith("> "):
            exchanges.append((line[2:], []))
        elif line.startswith("< "):
            exchanges[-1][1].append(line[2:])
    return head.split(), exchanges
