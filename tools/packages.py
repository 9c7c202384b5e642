"""The Debian packages that the tests need, for the Makefile.

    python3 tools/packages.py [--left-out]

As root the missing ones are installed. Anyone else gets a line that names the command that installs them; the tests
that need them are left out then, and `--left-out`, at the end, repeats the line and returns 2. Only the standard
library is used.
"""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterable, Mapping

PROGRAMS = {
    "chromium-headless-shell": "chromium-headless-shell",
    "ethereal-chess": "ethereal-chess",
    "fairy-stockfish": "fairy-stockfish",
    "gnuchess": "gnuchess",
    "gnugo": "gnugo",
    "gtp-rhino": "grhino",
    "mosquitto": "mosquitto",
    "mosquitto_sub": "mosquitto-clients",
    "systemd-analyze": "systemd",
}
"""The programs that tests run, and their packages."""
INSTALL = ("apt-get", "install", "-y", "--no-install-recommends")


def main() -> int:
    """Return the exit code: 0 the tests can run, 1 apt-get failed, 2 tests were left out."""
    needed = missing(PROGRAMS)
    if not needed:
        return 0
    at_end = sys.argv[1:] == ["--left-out"]
    if at_end or os.geteuid() or shutil.which("apt-get") is None:
        print(left_out(needed, at_end), file=sys.stderr)
        return 2 if at_end else 0
    print(f"Installing {' '.join(needed)} with apt-get …", flush=True)
    return install(needed)


def left_out(packages: Iterable[str], at_end: bool) -> str:
    """Return the sentence about tests that cannot run, before the tests or at their end."""
    names = shlex.join(packages)
    tense = "were left out; the list above counts them" if at_end else "are left out"
    way = f"to run them, too: sudo {shlex.join(INSTALL)} {names}"
    return f"{'error' if at_end else 'warning'}: the tests that need {names} {tense}; {way}"


def missing(programs: Mapping[str, str]) -> list[str]:
    """Return the packages of the programs that are not installed."""
    path = os.pathsep.join((os.environ.get("PATH", os.defpath), "/usr/sbin", "/sbin", "/usr/games"))
    return sorted({package for program, package in programs.items() if shutil.which(program, path=path) is None})


def install(packages: Iterable[str]) -> int:
    """Install packages; return 0, or 1 after the output of a failure."""
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    for command in (("apt-get", "update"), (*INSTALL, *packages)):
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        print(done.stdout + done.stderr, end="", file=sys.stderr)
        print(f"error: {shlex.join(command)} failed", file=sys.stderr)
    return 1 if done.returncode else 0


if __name__ == "__main__":
    sys.exit(main())
