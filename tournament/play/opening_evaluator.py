"""The evaluation of openings by an engine process: `[openings] balance`."""

from __future__ import annotations

import subprocess
import threading
from collections.abc import Sequence
from typing import IO

import protocol
from protocol.blocking import answers
from protocol.ugi import UgiClient
from support.errors import UsageError, system_reason
from tournament.play.endpoint import engine_program
from tournament.schedule.balance import Balance

CHUNK = 2**16
"""Most bytes of one read."""


class EvaluatorGoneError(UsageError):
    """The engine process ended, or `close` ended it; the message has the reason."""


class OpeningEvaluator:
    """An `engine serve --stdio` process that searches one position after the other. Its methods block."""

    def __init__(self, game: str, balance: Balance) -> None:
        """Start the process.

        Raises:
            EvaluatorGoneError: it does not run, for example because the player or a setting is unknown.

        """
        options = [part for name, value in balance.options.items() for part in ("--set", f"{name}={value}")]
        command = (engine_program(), "serve", "--stdio", "--game", game, "--player", balance.player, *options)
        self._limit = balance.limit
        self._client = UgiClient()
        self._offers_seed = False
        self._talking = threading.Lock()
        pipe = subprocess.PIPE
        try:
            self._process = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, start_new_session=True)
        except OSError as error:
            raise EvaluatorGoneError(f"cannot start {command[0]!r}: {system_reason(error)}") from error
        self._client.greet()
        self._await(protocol.Ready)

    def score(self, moves: Sequence[str]) -> float:
        """Return the expected score, 0 to 1, of the side to move after these moves from the start position.

        The score does not depend on earlier calls.

        Raises:
            EvaluatorGoneError: the process ended, or the player reports no scores.

        """
        if self._offers_seed:
            self._client.configure("seed", "0")
        self._client.new_game()
        self._client.search(moves, self._limit)
        score = self._await(protocol.Move)
        if score is None:
            raise EvaluatorGoneError("this player reports no scores")
        return score

    def close(self) -> None:
        """End the process; may be called from another thread than the one that waits for a score."""
        self._process.kill()
        with self._talking:
            self._exit_message()

    def _await(self, kind: type[protocol.ClientEvent]) -> float | None:
        """Send all pending data, read until this event, and return the last score before it."""
        with self._talking:
            score = None
            for event in answers(self._client, kind, self._send, self._receive):
                if isinstance(event, protocol.Info):
                    reported = reported_score(event)
                    score = score if reported is None else reported
                elif isinstance(event, protocol.Offer):
                    self._offers_seed |= event.option.name == "seed"
                elif isinstance(event, kind):
                    return score
            raise self._gone()

    def _send(self, data: bytes) -> None:
        try:
            _pipe(self._process.stdin).write(data)
            _pipe(self._process.stdin).flush()
        except (OSError, ValueError):  # a ValueError once `close` was called
            raise self._gone() from None

    def _receive(self) -> bytes:
        return _pipe(self._process.stdout).read1(CHUNK)  # type: ignore[attr-defined, no-any-return]

    def _gone(self) -> EvaluatorGoneError:
        """Kill the process and return the error with its last line."""
        self._process.kill()
        return EvaluatorGoneError(f"engine serve: {self._exit_message()}")

    def _exit_message(self) -> str:
        """Return the last line of the killed process on standard error, or its exit status; close its pipes."""
        assert self._process.stderr is not None
        _, output = (b"", b"") if self._process.stderr.closed else self._process.communicate()
        lines = [line.strip() for line in output.decode(errors="replace").splitlines() if line.strip()]
        return lines[-1].removeprefix("error: ") if lines else f"ended with status {self._process.returncode}"


def _pipe(stream: IO[bytes] | None) -> IO[bytes]:
    assert stream is not None
    return stream


def reported_score(info: protocol.Info) -> float | None:
    """Return the expected score, 0 to 1, of the reporting side; None if the line has none."""
    if info.mate is not None:
        return float(info.mate > 0)
    return None if info.score_cp is None else protocol.expected_score(info.score_cp)
