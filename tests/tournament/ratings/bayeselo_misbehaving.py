"""Programs that misbehave, by name: `python bayeselo_misbehaving.py silent`."""

from __future__ import annotations

import itertools
import json
import os
import runpy
import subprocess
import sys
import time
from pathlib import Path

HOUR_S = 3600


def silent() -> None:
    time.sleep(HOUR_S)


def parent_of_silent() -> None:
    """Starts a silent child, which keeps the pipes open."""
    subprocess.Popen([sys.executable, "-c", f"import time; time.sleep({HOUR_S})"])
    silent()


def dies() -> None:
    sys.stderr.write("Fatal error: out of luck\n")
    sys.exit(1)


def aborts_at_mm() -> None:
    for line in sys.stdin:
        if line.startswith("mm"):
            os.abort()
        print(line.removeprefix("echo ").strip(), flush=True)


def hangs_at_mm() -> None:
    for line in sys.stdin:
        if line.startswith("mm"):
            silent()
        print(line.removeprefix("echo ").strip(), flush=True)


def garbage() -> None:
    for line in sys.stdin:
        sys.stdout.buffer.write(b"\xff\xfe what? \x00\n")
        sys.stdout.write(line.removeprefix("echo "))
        sys.stdout.flush()


def endless() -> None:
    try:
        for number in itertools.count():
            sys.stdout.write(f"{number} bottles of beer\n" * 1000)
    except BrokenPipeError:
        os._exit(0)


def closes_its_output() -> None:
    os.close(1)
    silent()


def changes(command: str, old: str, new: str) -> None:
    """Behaves, except for one changed answer."""
    replayer = runpy.run_path(str(Path(__file__).with_name("bayeselo_replayer.py")))["Replayer"]
    talker = replayer(json.loads(Path(sys.argv[2]).read_text(encoding="utf-8")))
    for line in sys.stdin:
        answer = talker.answer(line.rstrip("\n"))
        sys.stdout.write(answer.replace(old, new) if line.startswith(command) else answer)
        sys.stdout.flush()


def other_games() -> None:
    changes("ratings", "    20   ", "    40   ")


def other_table() -> None:
    changes("ratings", "Rank", "Rang")


def unnamed_player() -> None:
    changes("ratings", "P0002", "P0003")


def other_los() -> None:
    changes("los", "6034232", "6x34232")


def floods_stderr() -> None:
    """Fills the pipe of standard error, then behaves."""
    sys.stderr.write("1000 game(s) loaded, 0 game(s) with unknown result ignored.\r" * 20_000)
    sys.stderr.flush()
    sys.argv.pop(1)
    runpy.run_path(str(Path(__file__).with_name("bayeselo_replayer.py")), run_name="__main__")


if __name__ == "__main__":
    globals()[sys.argv[1]]()
