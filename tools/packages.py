"""Installs the Debian packages that the tests need, for the Makefile.

As root the missing ones are installed; else one line names the command that installs them, and the exit code is 2. Only
the standard library is used.
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
    "mosquitto": "mosquitto",
    "mosquitto_sub": "mosquitto-clients",
    "openssl": "openssl",
}
"""The programs that tests run, and their packages."""
INSTALL = ("apt-get", "install", "-y", "--no-install-recommends")


def main() -> int:
    """Return the exit code: 0 everything is there, 1 apt-get failed, 2 packages are missing."""
    needed = missing(PROGRAMS)
    if not needed:
        return 0
    if os.geteuid() or shutil.which("apt-get") is None:
        print(f"error: the tests need {' '.join(needed)}: sudo {shlex.join((*INSTALL, *needed))}", file=sys.stderr)
        return 2
    print(f"Installing {' '.join(needed)} with apt-get …", flush=True)
    return install(needed)


def missing(programs: Mapping[str, str]) -> list[str]:
    """Return the packages of the programs that are not installed."""
    path = os.pathsep.join((os.environ.get("PATH", os.defpath), "/usr/sbin", "/sbin"))
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
