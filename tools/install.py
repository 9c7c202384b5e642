"""Runs pip for the Makefile and shows its progress: packages, then the files of the native core.

    python3 tools/install.py VENV -- PIP-ARGUMENTS

makes the environment VENV if it is missing. A tool that is missing gives one line that names its Debian package. Only
the standard library is used, since nothing is installed yet.
"""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import time
import venv
from collections import deque
from collections.abc import Iterable, Iterator
from pathlib import Path

LOG = Path("build/install.log")
KEPT_LINES = 15
"""Lines of output that are shown after a failure, at most."""
PAUSE_S = 10.0
"""Seconds between two lines of progress where the output is not a terminal."""
BAR = 24
"""Characters of the bar."""
CXX20 = "#include <concepts>\n#include <span>\nstatic_assert(std::integral<int>);\n"
COMPILED = re.compile(r"\[(\d+)/(\d+)\] \w+ing (?:\w+ )*(\S+)")
ERROR = re.compile(r"\berror\b", re.IGNORECASE)
STAGES = (
    (re.compile(r"^\s*(?:Collecting|Downloading) (\S+)"), "fetching {}"),
    (re.compile(r"^\s*Installing build dependencies"), "fetching the build tools"),
    (re.compile(r"^\s*\*\*\* Configuring CMake"), "configuring the build"),
    (re.compile(r"^\s*Installing collected packages"), "unpacking the packages"),
)


def main() -> int:
    """Return the exit code: 0 installed, 1 pip failed, 2 a tool is missing, 130 interrupted."""
    environment, arguments = Path(sys.argv[1]), sys.argv[3:]
    for missing in missing_tools():
        print(f"error: {missing}", file=sys.stderr)
        return 2
    began = time.monotonic()
    try:
        if not (environment / "bin/python").exists():
            print(f"Creating {environment} …", flush=True)
            venv.create(environment, with_pip=True)
        code = install(environment / "bin/python", arguments)
    except KeyboardInterrupt:
        print("error: interrupted", file=sys.stderr)
        return 130
    if not code:
        print(f"Installed in {duration(time.monotonic() - began)}.")
    return code


def missing_tools() -> Iterator[str]:
    """Yield a sentence for each tool that is missing, with the Debian package that has it."""
    version = f"python3.{sys.version_info.minor}"
    if importlib.util.find_spec("ensurepip") is None:
        yield f"Python cannot make environments; install {version}-venv"
    if not (Path(sysconfig.get_path("include")) / "Python.h").exists():
        yield f"Python.h not found; install {version}-dev"
    compiler = os.environ.get("CXX", "c++")
    if shutil.which(compiler) is None:
        yield f"C++ compiler {compiler!r} not found; install g++ (12 or later)"
    elif not compiles(compiler):
        yield f"{compiler!r} does not compile C++20; install g++ (12 or later), or name another compiler in CXX"


def compiles(compiler: str) -> bool:
    """Whether a compiler knows C++20."""
    command = [compiler, "-std=c++20", "-fsyntax-only", "-x", "c++", "-"]
    return subprocess.run(command, input=CXX20, text=True, capture_output=True, check=False).returncode == 0


def install(python: Path, arguments: Iterable[str]) -> int:
    """Run pip with a display of its progress; return its exit code. All that it says is in LOG."""
    LOG.parent.mkdir(exist_ok=True)
    # pip shows the output of builds only with -v
    command = [str(python), "-m", "pip", "install", "-v", "--disable-pip-version-check", *arguments]
    tail: deque[str] = deque(maxlen=KEPT_LINES)
    display = Display()
    with (
        LOG.open("w", encoding="utf-8") as log,
        subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace") as pip,
    ):
        assert pip.stdout is not None
        for line in pip.stdout:
            log.write(line)
            tail.append(line.rstrip())
            display.read(line)
    display.close()
    if pip.returncode:
        errors = [line.rstrip() for line in LOG.read_text("utf-8").splitlines() if ERROR.search(line)]
        print(*(errors[-KEPT_LINES:] or tail), sep="\n", file=sys.stderr)
        print(f"error: pip failed; all that it said is in {LOG}", file=sys.stderr)
    return min(pip.returncode, 1)


class Display:
    """One line that changes on a terminal; elsewhere a line every PAUSE_S seconds."""

    def __init__(self) -> None:
        self._terminal = sys.stdout.isatty()
        self._began = self._shown = time.monotonic()
        self._drawn = False

    def read(self, line: str) -> None:
        """Take one line of pip's output."""
        if text := progress(line):
            self._show(text)

    def close(self) -> None:
        """Remove the line."""
        if self._drawn:
            print("\r\033[K", end="", flush=True)

    def _show(self, text: str) -> None:
        now = time.monotonic()
        text = f"  {text}  {duration(now - self._began)}"
        if self._terminal:
            print(f"\r\033[K{text[: shutil.get_terminal_size().columns - 1]}", end="", flush=True)
            self._drawn = True
        elif now - self._shown >= PAUSE_S:
            print(text, flush=True)
            self._shown = now


def progress(line: str) -> str:
    """Return the progress that a line of pip's output tells; empty if none."""
    if found := COMPILED.search(line):
        done, total, name = int(found[1]), int(found[2]), Path(found[3]).name
        filled = BAR * done // total
        return f"[{'█' * filled}{'·' * (BAR - filled)}] {done} of {total} files: {name.removesuffix('.o')}"
    for pattern, text in STAGES:
        if found := pattern.search(line):
            return text.format(*found.groups())
    return ""


def duration(seconds: float) -> str:
    """Return a number of seconds as `2 min 05 s`."""
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest:02d} s" if minutes else f"{rest} s"


if __name__ == "__main__":
    sys.exit(main())
