"""A session without sockets: lines in, lines out, searches in real threads."""

from __future__ import annotations

import queue
import re
import threading
import time
from collections.abc import Callable
from pathlib import Path

from fiedler.engine.host.session import Session
from fiedler.engine.host.terms import Terms
from fiedler.engine.roster.engine_offer import EngineOffer
from fiedler.engine.roster.lineup import Lineup
from fiedler.engine.roster.roster import Roster
from fiedler.games import any_game
from fiedler.players import Factory, Player, create_player
from fiedler.support.player_spec import PlayerSpec
from tests.patience import PATIENCE

TRANSCRIPTS = sorted((Path(__file__).parent / "transcripts").glob("*.txt"))


class Made(Factory):
    """The factory of a player that exists."""

    def __init__(self, player: Player) -> None:
        super().__init__(type(player), player.game, {})
        self._player = player

    def player(self) -> Player:
        """Return it."""
        return self._player


class Conversation:
    """A client and a session."""

    def __init__(
        self,
        game_id: str,
        player: str | Player,
        terms: Terms | None = None,
        others: Lineup | Roster | None = None,
        /,
        pinned: str | None = None,
        **options: str,
    ) -> None:
        self._posted: queue.SimpleQueue[Callable[[], None]] = queue.SimpleQueue()
        self.jobs = 0
        game = any_game(game_id)
        factory = Made(player) if isinstance(player, Player) else create_player(game, PlayerSpec(player, None, options))
        lineup = others if isinstance(others, Lineup) else None
        roster = others if isinstance(others, Roster) else None
        offer = EngineOffer(game, factory, pinned, lineup, roster)
        self.session = Session(offer, self, terms)

    def work(self, job: Callable[[], None]) -> None:
        self.jobs += 1
        threading.Thread(target=job, daemon=True).start()

    def post(self, call: Callable[[], None]) -> None:
        self._posted.put(call)

    def bring(self, data: bytes) -> None:
        self.session.receive_data(data)
        self.session.handle_lines()

    def end(self) -> None:
        self.session.receive_eof()
        self.session.handle_lines()

    def say(self, *lines: str) -> list[str]:
        """Send lines; return the answers that come at once, or once the player is ready."""
        self.bring("".join(f"{line}\n" for line in lines).encode())
        while self.session.busy:
            assert self.pump(), lines
        return self.received()

    def received(self) -> list[str]:
        return self.session.data_to_send().decode().splitlines()

    def pump(self, seconds: float = PATIENCE) -> bool:
        """Pass on one result of a search; False if none comes within the time."""
        try:
            self._posted.get(timeout=seconds)()
        except queue.Empty:
            return False
        self.session.handle_lines()
        return True

    def think_through(self) -> None:
        """Let a running search end by itself, before or after `stop`."""
        searcher = self.session._host.searcher
        while searcher.running:
            assert self.pump()

    def answered(self) -> list[str]:
        """Return the lines up to the bestmove of the running search."""
        lines = self.received()
        until = time.monotonic() + PATIENCE
        while not any(line.startswith("bestmove") for line in lines):
            assert time.monotonic() < until, lines
            assert self.pump(), lines
            lines += self.received()
        return lines

    def ask(self, *lines: str) -> list[str]:
        """Send lines, the last one a go, and return the answers up to the bestmove."""
        received = self.say(*lines)
        return received if any(line.startswith("bestmove") for line in received) else [*received, *self.answered()]


def greeted(game_id: str, player: str | Player, **options: str) -> Conversation:
    """Return a conversation after the greeting."""
    talk = Conversation(game_id, player, **options)
    assert talk.say("ugi")[-1] == "ugiok"
    return talk


def timeless(lines: list[str]) -> list[str]:
    """Return lines without the parts that depend on the machine: numbers, variations, reports of a running search."""
    kept = [line for at, line in enumerate(lines) if not line.startswith("info depth") or _is_last(lines, at)]
    masked = [re.sub(r"\b(depth|nodes|nps|time) \d+", r"\1 N", line) for line in kept]
    return [re.sub(r"( pv \S+).*", r"\1", line) if line.startswith("info depth") else line for line in masked]


def _is_last(lines: list[str], at: int) -> bool:
    return at + 1 < len(lines) and lines[at + 1].startswith("bestmove")


def read_transcript(path: Path) -> tuple[list[str], list[tuple[str, list[str]]]]:
    """Return the words of the first line (game, player, KEY=VALUE …), and each sent line with its answers."""
    head, *lines = path.read_text(encoding="utf-8").splitlines()
    exchanges: list[tuple[str, list[str]]] = []
    for line in lines:
        if line.startswith("> "):
            exchanges.append((line[2:], []))
        elif line.startswith("< "):
            exchanges[-1][1].append(line[2:])
    return head.split(), exchanges
