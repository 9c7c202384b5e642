"""Runs the tests like another machine, five times, for the Makefile.

    python3 tools/anywhere.py [--seed N]

HEAD is cloned under a long path with blanks and an umlaut and installed there once; root gives it to an ordinary user.
Three runs are in random order, one has one core, one has four busy loops beside it. Each run prints a line; the table
at the end fits benchmarks/README.md. Only the standard library is used.
"""

from __future__ import annotations

import argparse
import os
import pwd
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from subprocess import DEVNULL, STDOUT, Popen
from typing import IO, NamedTuple

ROOT = Path(__file__).parents[1]
LOGS = ROOT / "build" / "anywhere"
"""The output of each step."""
LONG = "a long path with blanks and an umlaut, ü, that continues for more than a hundred bytes"
TESTS = (".venv/bin/python", "-m", "pytest", "-q", "-m", "not soak", "-n", "2", "--dist", "loadfile")
LIMIT_S = 3600
"""The time limit of a step, in seconds; after it the step counts as stuck."""
BUSY_LOOPS = 4
PROBE = "import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))"
FORGOTTEN = re.compile(r"PYTHON|VIRTUAL_ENV|XDG_|LC_|LANG|PYTEST_|MAKE|MFLAGS|TERM$|COLUMNS$|LINES$|FIEDLER_|BAYESELO")
"""Variables that are not set on another machine."""


class Run(NamedTuple):
    """One run of the tests, and its conditions; a `seed` of 0 means the order of the files."""

    conditions: str
    locale: str = "C.UTF-8"
    seed: int = 0
    under: Sequence[str] = ()
    busy: int = 0


class Result(NamedTuple):
    """The result of a run."""

    run: Run
    passed: int
    failed: int
    minutes: float
    fine: bool


class User(NamedTuple):
    """The user who runs the tests; without numbers the caller."""

    name: str
    uid: int | None = None
    gid: int | None = None

    def start(self, command: Sequence[str], folder: Path, output: IO[bytes] | int, env: dict[str, str]) -> Popen[bytes]:
        """Start a program without input, in a session of its own."""
        groups = None if self.uid is None else [self.gid or 0]
        return Popen(
            command,
            cwd=folder,
            env=env,
            stdin=DEVNULL,
            stdout=output,
            stderr=STDOUT,
            start_new_session=True,
            user=self.uid,
            group=self.gid,
            extra_groups=groups,
        )


class Place:
    """A folder with a clone, a home and a folder for temporary files, and their owner."""

    def __init__(self, folder: Path, user: User) -> None:
        self.clone = folder / LONG / f"{LONG} again" / "fiedler"
        self.user = user
        self._folder = folder
        self._home, self._temporary = folder / "home", folder / "temporary files, ä"
        for made in (self.clone.parent, self._home, self._temporary):
            made.mkdir(parents=True)

    def fill(self) -> None:
        """Clone HEAD and give everything to the user."""
        subprocess.run(["git", "clone", "--quiet", "--no-hardlinks", str(ROOT), str(self.clone)], check=True)
        if self.user.uid is not None and self.user.gid is not None:
            for path in self._folder.rglob("*"):
                os.chown(path, self.user.uid, self.user.gid, follow_symlinks=False)

    def call(self, command: Sequence[str], log: Path, locale: str = "C.UTF-8") -> int | None:
        """Run a command in the clone; return its exit code, or None if it is stuck."""
        with log.open("wb") as output:
            process = self.user.start(command, self.clone, output, self._environment(locale))
            try:
                return process.wait(LIMIT_S)
            except subprocess.TimeoutExpired:
                return None
            finally:
                end_group(process.pid)
                process.wait()

    def _environment(self, locale: str) -> dict[str, str]:
        kept = {name: value for name, value in os.environ.items() if not FORGOTTEN.match(name)}
        folders = {"HOME": str(self._home), "TMPDIR": str(self._temporary)}
        return {**kept, **folders, "LANG": locale}


def main() -> int:
    """Return the exit code: 0 all tests passed in every run, 1 some did not, 130 interrupted."""
    parser = argparse.ArgumentParser(description="Run the tests like another machine, five times.")
    parser.add_argument("--seed", type=int, help="of the first random order; default: another one every time")
    seed = parser.parse_args().seed or random.randrange(1, 10**6)
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda *_: sys.exit(130))
    LOGS.mkdir(parents=True, exist_ok=True)
    folder = Path(tempfile.mkdtemp(prefix="fiedler-"))
    folder.chmod(0o755)
    try:
        return test(Place(folder, ordinary_user()), seed)
    except KeyboardInterrupt:
        return 130
    finally:
        shutil.rmtree(folder)


def test(place: Place, seed: int) -> int:
    """Install once, run all; return the exit code."""
    place.fill()
    began = time.monotonic()
    if place.call(("make", ".venv/.test"), LOGS / "install.log"):
        print(f"error: it cannot be installed there; see {LOGS / 'install.log'}", file=sys.stderr)
        return 1
    print(f"Installed in {minutes_since(began):.1f} min.", flush=True)
    results = []
    for number, run in enumerate(runs(place.user, seed), start=1):
        results.append(tested(place, run, LOGS / f"run-{number}.log"))
        print(sentence(results[-1]), flush=True)
    print(*table(results), sep="\n")
    return 0 if all(result.fine for result in results) else 1


def runs(user: User, seed: int) -> list[Run]:
    """Return the runs, those with hard conditions last."""
    mixed = [
        Run(f"user {user.name}", locale, seed + place) for place, locale in enumerate(("C.UTF-8", "C", other_locale()))
    ]
    core = min(os.sched_getaffinity(0))
    return [
        *mixed,
        Run("one core", under=("taskset", "-c", str(core))),
        Run(f"{BUSY_LOOPS} busy loops", busy=BUSY_LOOPS),
    ]


def tested(place: Place, run: Run, log: Path) -> Result:
    """Run the tests once."""
    began = time.monotonic()
    order = ("--random-order", f"--random-order-seed={run.seed}") if run.seed else ()
    with busy_loops(run.busy):
        code = place.call((*run.under, *TESTS, *order), log, run.locale)
    text = log.read_text("utf-8", errors="replace")
    passed, failed = counted(text, "passed"), counted(text, "failed") + counted(text, "errors?")
    if code != 0:
        print(*complaints(text, code), f"  {log}", sep="\n", flush=True)
    return Result(run, passed, failed, minutes_since(began), code == 0 and passed > 0)


def counted(text: str, what: str) -> int:
    """Return the number in pytest's last line."""
    found = re.findall(rf"(\d+) {what}\b", text.rstrip().rpartition("\n")[2])
    return int(found[0]) if found else 0


def complaints(text: str, code: int | None) -> list[str]:
    """Return the names of the failed tests, or that the run is stuck."""
    failed = [f"  {line}" for line in text.splitlines() if line.startswith(("FAILED ", "ERROR "))]
    return [f"  stuck for {LIMIT_S} s"] if code is None else failed or [f"  pytest ended with code {code}"]


def sentence(result: Result) -> str:
    """Return the result of a run as a line."""
    counts = f"{result.passed} passed, {result.failed} failed"
    return f"{', '.join(described(result.run))}: {counts}, {result.minutes:.1f} min"


def table(results: Sequence[Result]) -> list[str]:
    """Return the results of the runs as a table."""
    rows = [(*described(one.run), one.passed, one.failed, f"{one.minutes:.1f}") for one in results]
    lines = [f"| {' | '.join(map(str, row))} |" for row in rows]
    return ["", "| conditions | locale | order | passed | failed | minutes |", "|---|---|---|---|---|---|", *lines]


def described(run: Run) -> tuple[str, str, str]:
    """Return conditions, locale and order."""
    return run.conditions, run.locale, f"random, seed {run.seed}" if run.seed else "as written"


@contextmanager
def busy_loops(count: int) -> Iterator[None]:
    """Keep `count` cores busy, if the machine has that many."""
    loops = [Popen([sys.executable, "-c", "while True: pass"]) for _ in range(count)]
    try:
        yield
    finally:
        for loop in loops:
            loop.kill()
            loop.wait()


def ordinary_user() -> User:
    """Return the ordinary user in place of root, or the caller."""
    caller = User(pwd.getpwuid(os.getuid()).pw_name)
    if os.getuid() != 0:
        print("Another user is skipped: only root can become one.", flush=True)
        return caller
    entry = pwd.getpwnam("nobody")
    nobody = User("nobody", entry.pw_uid, entry.pw_gid)
    probe = nobody.start(("sh", "-c", f'python3 -c "{PROBE}"'), Path("/"), DEVNULL, dict(os.environ))
    if probe.wait() == 0:
        return nobody
    print("The ordinary user is skipped: nobody has no Python 3.11 that makes environments.", flush=True)
    return caller


def other_locale() -> str:
    """Return an installed locale of some language, or the plain one again."""
    known = subprocess.run(["locale", "-a"], capture_output=True, text=True, check=False).stdout.split()
    return next((name for name in known if "_" in name and name.lower().endswith(("utf8", "utf-8"))), "C")


def end_group(leader: int) -> None:
    """Kill the remaining processes of a step."""
    try:
        os.killpg(leader, signal.SIGKILL)
    except ProcessLookupError:
        return


def minutes_since(began: float) -> float:
    """Return the minutes since a moment of the steady clock."""
    return (time.monotonic() - began) / 60


if __name__ == "__main__":
    sys.exit(main())
