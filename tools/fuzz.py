"""Fuzzes every dialect for long, for the Makefile.

    python -m tools.fuzz [--inputs N] [--seconds S] [--dialect NAME …] [--first N] [--fresh]

An input is one conversation: a correct dialogue with mutations, in any portions, every other one with the engine's side
and with the manager's side. Inputs are numbered, and build/fuzz.json remembers the next one of each dialect, so a run
that was interrupted resumes. An input that fails is printed with the command that repeats it. The tests of every run
(tests/protocol/test_fuzz.py) check the same properties.
"""

from __future__ import annotations

import argparse
import json
import resource
import sys
import time
import traceback
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path

from fiedler.protocol import DIALECTS
from tests.protocol.fuzz.client_side import check_client
from tests.protocol.fuzz.server_side import check_server
from tests.protocol.fuzz.tape import Tape

STATE = Path(__file__).parents[1] / "build" / "fuzz.json"
BATCH = 500
"""Inputs between two looks at the clock."""
REPORT_S = 10.0
"""Seconds between two lines of progress."""
MOST_FAILURES = 5
"""Failures of a dialect that are printed; after them it ends."""
WARM_UP = 20_000
"""Inputs before the memory is measured: caches fill."""


@dataclass
class Tally:
    """The work on one dialect so far."""

    inputs: int = 0
    lines: int = 0
    seconds: float = 0.0
    exceptions: int = 0
    grown_mb: float = 0.0
    """Growth of the peak memory after the warm-up, in MiB, the most of all runs."""

    def line(self, name: str) -> str:
        """Return the report."""
        done = f"{name:<12} {self.inputs:>9,} inputs  {self.lines:>11,} lines  {self.seconds:>7.0f} s"
        return f"{done}  {self.exceptions} exceptions  peak memory +{self.grown_mb:.1f} MiB"


def check(name: str, number: int) -> int:
    """Try one input and return its lines; any exception is a mistake."""
    if number % 2:
        return check_client(name, Tape.numbered(number), Tape.numbered(number), Tape.numbered(number + 1))
    return check_server(name, Tape.numbered(number))


def fuzz(name: str, tally: Tally, inputs: int, until: float, save: Callable[[], None]) -> None:
    """Try inputs until there are `inputs` of them, or until a time; `save` now and then."""
    started, spent, reported, begun = time.monotonic(), tally.seconds, time.monotonic(), tally.inputs
    peak = _peak_mb()
    while tally.inputs < inputs and time.monotonic() < until and tally.exceptions < MOST_FAILURES:
        for number in range(tally.inputs, min(tally.inputs + BATCH, inputs)):
            _try(name, number, tally)
        if tally.inputs - begun <= WARM_UP:
            peak = _peak_mb()
        tally.grown_mb = max(tally.grown_mb, _peak_mb() - peak)
        tally.seconds = spent + time.monotonic() - started
        if time.monotonic() > reported + REPORT_S:
            reported = time.monotonic()
            save()
            print(tally.line(name), file=sys.stderr, flush=True)


def _try(name: str, number: int, tally: Tally) -> None:
    try:
        tally.lines += check(name, number)
    except Exception:  # the very thing that is looked for
        tally.exceptions += 1
        traceback.print_exc()
        print(f"repeat: python -m tools.fuzz --dialect {name} --first {number} --inputs 1", file=sys.stderr, flush=True)
    tally.inputs = number + 1


def _peak_mb() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def _load(*, fresh: bool) -> dict[str, Tally]:
    known = json.loads(STATE.read_text("utf-8")) if STATE.exists() and not fresh else {}
    return {name: Tally(**known.get(name, {})) for name in DIALECTS}


def _save(tallies: dict[str, Tally]) -> None:
    STATE.parent.mkdir(exist_ok=True)
    STATE.write_text(json.dumps({name: asdict(tally) for name, tally in tallies.items()}, indent=1), encoding="utf-8")


def main() -> int:
    """Fuzz the dialects one after the other; return 1 if an input failed."""
    parser = argparse.ArgumentParser(description="Fuzz the dialects with numbered inputs; resumes.")
    parser.add_argument("--inputs", type=int, default=1_000_000, help="inputs of each dialect (default: 1000000)")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="most seconds of each dialect in this run")
    parser.add_argument("--dialect", nargs="+", choices=list(DIALECTS), default=list(DIALECTS))
    parser.add_argument("--first", type=int, help="begin at this number, and remember nothing")
    parser.add_argument("--fresh", action="store_true", help="forget the earlier runs")
    words = parser.parse_args()
    tallies = _load(fresh=words.fresh) if words.first is None else {name: Tally(words.first) for name in DIALECTS}

    def save() -> None:
        if words.first is None:
            _save(tallies)

    most = words.inputs + (words.first or 0)
    try:
        for name in words.dialect:
            fuzz(name, tallies[name], most, time.monotonic() + words.seconds, save)
            print(tallies[name].line(name), flush=True)
    except KeyboardInterrupt:
        print("interrupted; the same command resumes", file=sys.stderr)
        return 130
    finally:
        save()
    return int(any(tallies[name].exceptions for name in words.dialect))


if __name__ == "__main__":
    sys.exit(main())
