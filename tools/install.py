"""Installs the project for the Makefile and shows its progress: packages, and the files of the native core.

    python3 tools/install.py VENV EXTRAS [INDEX] -- PIP-ARGUMENTS

makes the environment VENV if it is missing and installs the build tools of the core there; then, concurrently, the
packages of the project and its EXTRAS, and the project itself, with the arguments. Every package has the version of
lock.txt. INDEX is a further package index, with other builds of some packages. pip builds without isolation: with
it, each build would compile every file. A missing tool gives one line that names its Debian package. Only the standard
library is used, since nothing is installed yet.
"""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import signal
import subprocess
import sys
import sysconfig
import time
import tomllib
import venv
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor, as_completed
from itertools import chain
from pathlib import Path
from threading import Lock

LOCK = "--constraint=lock.txt"
"""An argument of pip: the versions of all packages, without hashes, since torch has another build at each index."""
LOGS = Path("build")
"""The folder of pip's output."""
KEPT_LINES = 15
"""The most lines of output that are shown after a failure."""
PAUSE_S = 10.0
"""The time between two lines of progress if the output is not a terminal, in seconds."""
BAR = 24
"""The width of the bar, in characters."""
CXX20 = "#include <concepts>\n#include <span>\nstatic_assert(std::integral<int>);\n"
FURTHER = """from scikit_build_core.build import get_requires_for_build_editable as further
for requirement in further():
    print(requirement)"""
"""A program that prints the further requirements of the build (PEP 660)."""
COMPILED = re.compile(r"\[(\d+)/(\d+)\] \w+ing (?:\w+ )*(\S+)")
ERROR = re.compile(r"\berror\b", re.IGNORECASE)
CAUSES = (
    (
        re.compile(r"CERTIFICATE_VERIFY_FAILED\] ([^('\"]*\w)"),
        "pip cannot verify the certificate of the package index ({}); "
        "behind a proxy, name its certificate in the variable PIP_CERT",
    ),
    (re.compile(r"Tunnel connection failed: ([^'\")]+)"), "the proxy of the variable https_proxy refuses ({})"),
    (
        re.compile(r"Cannot connect to proxy.*?(?:\[Errno -?\d+\] )([^'\")]+)"),
        "pip cannot reach the proxy of the variable https_proxy ({})",
    ),
    (re.compile(r"\[SSL: \w+\] ([^('\"]*\w)"), "pip cannot speak TLS with the package index, or its proxy ({})"),
    (
        re.compile(r"Failed to establish a new connection: (?:\[Errno -?\d+\] )?([^'\")]+)"),
        "pip cannot reach the package index ({}); is there a network, or a proxy for the variable https_proxy?",
    ),
    (re.compile(r"(Read timed out|ConnectTimeoutError)"), "the package index does not answer"),
    (
        re.compile(r"(?:HTTP error |\b(?=\d+ (?:Client|Server) Error))([45]\d\d)"),
        "the package index answers with error {}",
    ),
    (re.compile(r"(No space left on device|Disk quota exceeded)"), "the disk is full"),
    (re.compile(r"OSError: \[Errno 13\] Permission denied: '([^']+)'"), "{} cannot be written"),
    (re.compile(r"(Killed signal terminated|^MemoryError)", re.MULTILINE), "too little memory"),
    (re.compile(r"requires a different Python: (\S+)"), "Python {} is too old"),
    (re.compile(r"fatal error: (.+)"), "the compiler failed: {}"),
    (re.compile(r"CMake Error at .*\n\s*(.*\w)"), "CMake failed: {}"),
    (
        re.compile(r"The user requested \(constraint\) (\S+)"),
        "no version of a package fits the constraint {}; if that is in lock.txt, `make lock` renews it",
    ),
    (re.compile(r"No matching distribution found for (\S+)"), "the package index has no {} for this Python"),
)
"""The reasons of a failure that pip reports long before its last lines, and a sentence for each."""
STAGES = (
    (re.compile(r"^\s*(?:Collecting|Downloading) (\S+)"), "fetching {}"),
    (re.compile(r"^\s*\*\*\* Configuring CMake"), "configuring the build"),
    (re.compile(r"^\s*Installing collected packages"), "unpacking the packages"),
)


def main() -> int:
    """Return the exit code: 0 installed, 1 pip failed, 2 a tool is missing, 130 interrupted."""
    cut = sys.argv.index("--")
    environment, extras, arguments = Path(sys.argv[1]), sys.argv[2].split(","), sys.argv[cut + 1 :]
    for missing in missing_tools():
        print(f"error: {missing}", file=sys.stderr)
        return 2
    began = time.monotonic()
    try:
        if not (environment / "bin/python").exists():
            print(f"Creating {environment} …", flush=True)
            venv.create(environment, with_pip=True)
        code = install_project(environment / "bin/python", extras, arguments, sys.argv[3:cut])
    except KeyboardInterrupt:
        print("error: interrupted", file=sys.stderr)
        return 130
    if not code:
        print(f"Installed in {duration(time.monotonic() - began)}.")
    return code


def missing_tools() -> Iterator[str]:
    """Yield a sentence for each missing tool, with its Debian package."""
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
    """Return whether a compiler supports C++20."""
    command = [compiler, "-std=c++20", "-fsyntax-only", "-x", "c++", "-"]
    return subprocess.run(command, input=CXX20, text=True, capture_output=True, check=False).returncode == 0


def install_project(python: Path, extras: Iterable[str], arguments: Iterable[str], indexes: Iterable[str] = ()) -> int:
    """Install the project, editable, and all its requirements; return the exit code."""
    table = tomllib.loads(Path("pyproject.toml").read_text("utf-8"))
    if code := install(python, {"builders": [LOCK, *table["build-system"]["requires"]]}):
        return code
    further = subprocess.run([str(python), "-c", FURTHER], text=True, stdout=subprocess.PIPE, check=True).stdout
    if further and (code := install(python, {"builders": [LOCK, *further.splitlines()]})):
        return code
    optional = table["project"]["optional-dependencies"]
    packages = [LOCK, *table["project"]["dependencies"], *chain.from_iterable(optional[extra] for extra in extras)]
    packages += [f"--extra-index-url={index}" for index in indexes]
    project = ["--no-deps", "--no-build-isolation", "--editable", ".", *arguments]
    return install(python, {"packages": packages, "project": project})


def install(python: Path, groups: Mapping[str, Iterable[str]]) -> int:
    """Run pip for each group of arguments, concurrently, and show the progress; return 0, or 1 if one fails."""
    LOGS.mkdir(exist_ok=True)
    display = Display()
    pips = [Pip(python, arguments, LOGS / f"install-{name}.log") for name, arguments in groups.items()]
    with ThreadPoolExecutor(len(pips)) as pool:
        try:
            runs = {pool.submit(pip.follow, display): pip for pip in pips}
            failed = next((runs[run] for run in as_completed(runs) if run.result()), None)
        finally:
            for pip in pips:
                pip.interrupt()
    display.close()
    if failed:
        complaints = failed.complaints()
        print(
            *complaints[:-1],
            f"error: {complaints[-1]}; the output of pip is in {failed.log}",
            sep="\n",
            file=sys.stderr,
        )
    return 1 if failed else 0


class Pip:
    """One run of pip; its output is in `log`."""

    def __init__(self, python: Path, arguments: Iterable[str], log: Path) -> None:
        # pip shows the output of builds only with -v. Python compiles imported modules, a small part of all.
        command = [str(python), "-m", "pip", "install", "-v", "--disable-pip-version-check", "--no-compile", *arguments]
        self.log = log
        self._process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace"
        )

    def follow(self, display: Display) -> int:
        """Show and keep its output; return the exit code."""
        assert self._process.stdout is not None
        with self.log.open("w", encoding="utf-8") as log:
            for line in self._process.stdout:
                log.write(line)
                display.read(line)
        return self._process.wait()

    def interrupt(self) -> None:
        """End it like Ctrl-C, if it still runs; its child processes end at their next output, which has no reader."""
        self._process.send_signal(signal.SIGINT)

    def complaints(self) -> list[str]:
        """Return the lines about errors, or the last ones; and last the cause, in a sentence."""
        text = self.log.read_text("utf-8")
        lines = text.splitlines()
        return [*([line for line in lines if ERROR.search(line)] or lines)[-KEPT_LINES:], cause(text)]


def cause(output: str) -> str:
    """Return the cause of a failure by pip's output."""
    found = ((sentence, pattern.search(output)) for pattern, sentence in CAUSES)
    return next((sentence.format(match[1]) for sentence, match in found if match), "pip failed")


class Display:
    """One line that changes on a terminal; elsewhere a line every PAUSE_S seconds."""

    def __init__(self) -> None:
        self._terminal = sys.stdout.isatty()
        self._began = self._shown = time.monotonic()
        self._drawn = False
        self._alone = Lock()

    def read(self, line: str) -> None:
        """Take one line of a pip's output."""
        if text := progress(line):
            with self._alone:
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
    """Return the progress in a line of pip's output; empty if there is none."""
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
