"""Runs the tests like other machines, seven times, for the Makefile.

    python3 -m tools.anywhere [--seed N] [--bare]

HEAD is cloned under a long path with blanks and an umlaut and installed there once; root gives it to an ordinary user.
Three runs are in random order, one has one core, one has four busy loops beside it. Two are `make test` on a bare
Debian 12 (`--bare`: these alone): of a user, who leaves out the tests whose programs are missing, and of root, who
installs them. Each run prints a line; the table at the end fits benchmarks/README.md. Only the standard library is
used.
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

from tools.bare import USER, BareDebian, missing

ROOT = Path(__file__).parents[1]
LOGS = ROOT / "build" / "anywhere"
"""The output of each step."""
LONG = "a long path with blanks and an umlaut, ü, that continues for more than a hundred bytes"
TESTS = (".venv/bin/python", "-m", "pytest", "-q", "-n", "2", "--dist", "loadfile")
LIMIT_S = 3600
"""The time limit of a step, in seconds; after it the step counts as stuck."""
BUSY_LOOPS = 4
LEFT_OUT = re.compile(r"^error: the tests that need .* were left out", re.MULTILINE)
LAST_LINE = re.compile(r"^.*\b\d+ (?:passed|failed|error).* in [\d.]+s.*$", re.MULTILINE)
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
    parser = argparse.ArgumentParser(description="Run the tests like other machines, seven times.")
    parser.add_argument("--seed", type=int, help="of the first random order; default: another one every time")
    parser.add_argument("--bare", action="store_true", help="the bare Debian alone")
    asked = parser.parse_args()
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda *_: sys.exit(130))
    LOGS.mkdir(parents=True, exist_ok=True)
    folder = Path(tempfile.mkdtemp(prefix="fiedler-"))
    folder.chmod(0o755)
    try:
        results = [] if asked.bare else test(Place(folder, ordinary_user()), asked.seed or random.randrange(1, 10**6))
        results += test_bare(BareDebian(folder / "debian"))
        print(*table(results), sep="\n")
        return 0 if results and all(result.fine for result in results) else 1
    except KeyboardInterrupt:
        return 130
    finally:
        shutil.rmtree(folder)


def test(place: Place, seed: int) -> list[Result]:
    """Install once, run all; return the results."""
    place.fill()
    began = time.monotonic()
    if place.call(("make", ".venv/.test"), LOGS / "install.log"):
        sys.exit(f"error: it cannot be installed there; see {LOGS / 'install.log'}")
    print(f"Installed in {(time.monotonic() - began) / 60:.1f} min.", flush=True)
    results = []
    for number, run in enumerate(runs(place.user, seed), start=1):
        results.append(tested(place, run, LOGS / f"run-{number}.log"))
        print(sentence(results[-1]), flush=True)
    return results


def test_bare(debian: BareDebian) -> list[Result]:
    """Run `make test` on a bare Debian, as a user and as root; return the results."""
    if why := missing():
        print(f"The bare Debian is skipped: {why}.", flush=True)
        return []
    if debian.make(LOGS / "bare.log"):
        sys.exit(f"error: there is no bare Debian; see {LOGS / 'bare.log'}")
    results = []
    for user in (USER, "root:root"):
        results.append(tested_bare(debian, user))
        print(sentence(results[-1]), flush=True)
    return results


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
    return judged(run, began, log, code == 0, f"stuck for {LIMIT_S} s" if code is None else f"ended with code {code}")


def tested_bare(debian: BareDebian, user: str) -> Result:
    """Run `make test` there as root or as a user; the latter leaves tests out, and says so."""
    began, name = time.monotonic(), user.partition(":")[0]
    log = LOGS / f"bare-{name}.log"
    with log.open("wb") as output:
        command = debian.command("make test", user)
        code = subprocess.run(command, stdin=DEVNULL, stdout=output, stderr=STDOUT, check=False).returncode
    left_out = LEFT_OUT.search(log.read_text("utf-8", errors="replace")) is not None
    fine = (code, left_out) == ((2, True) if user == USER else (0, False))
    return judged(Run(f"bare Debian 12, {name}", "none"), began, log, fine, f"make test ended with code {code}")


def judged(run: Run, began: float, log: Path, fine: bool, why: str) -> Result:
    """Return the result by the output of the tests; print the names of the failed ones, or the reason."""
    text = log.read_text("utf-8", errors="replace")
    last = (LAST_LINE.findall(text) or [""])[-1]
    passed, failed = counted(last, "passed"), counted(last, "failed") + counted(last, "errors?")
    if not fine or failed:
        names = [line for line in text.splitlines() if line.startswith(("FAILED ", "ERROR "))]
        print(*(f"  {line}" for line in (*(names or [why]), log)), sep="\n", flush=True)
    return Result(run, passed, failed, (time.monotonic() - began) / 60, fine and passed > 0 and not failed)


def counted(line: str, what: str) -> int:
    """Return the number in the last line of pytest."""
    found = re.findall(rf"(\d+) {what}\b", line)
    return int(found[0]) if found else 0


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


if __name__ == "__main__":
    sys.exit(main())
