"""Programs that cannot start: the message, and the command that was probably meant."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from fiedler.support.start_failure import start_failure

PLAIN, PROGRAM = 0o644, 0o755
NO_FILE, NO_RIGHT, NO_FORMAT = "no such file or directory", "permission denied", "exec format error"
FILES: dict[str, tuple[bytes, int]] = {
    "c4": (b"\x7fELF", PROGRAM),
    "c4.c": (b"int main;", PLAIN),
    "solo.rs": (b"fn main", PROGRAM),
    "bot.py": (b"print", PLAIN),
    "ready.py": (b"print", PROGRAM),
    "my bot.py": (b"print", PLAIN),
    "bot.JAR": (b"PK", PLAIN),
    "bot.exe": (b"MZ", PROGRAM),
    "plain": (b"#!/bin/sh\n", PLAIN),
    "my_bot": (b"#!/bin/sh\n", PROGRAM),
    "bare": (b"print", PROGRAM),
    "crlf": (b"#!/bin/sh\r\n", PROGRAM),
}
CURES = [
    ("./c4.c", NO_RIGHT, "; it is source code: try ./c4"),
    ("c4.c", NO_FILE, "; it is source code: try ./c4"),
    ("./solo.rs", NO_FORMAT, "; it is source code: compile it, and name the program"),
    ("bot.py", NO_FILE, "; try python3 bot.py"),
    ("./bot.py", NO_RIGHT, "; try python3 ./bot.py"),
    ("./ready.py", NO_FORMAT, "; try python3 ./ready.py"),
    ("./my bot.py", NO_RIGHT, "; try python3 './my bot.py'"),
    ("bot.JAR", NO_FILE, "; try java -jar bot.JAR"),
    ("./bot.exe", NO_FORMAT, "; try wine ./bot.exe"),
    ("./plain", NO_RIGHT, "; chmod +x ./plain makes it a program"),
    ("my_bot", NO_FILE, "; try ./my_bot"),
    ("./c4", NO_FORMAT, "; it is a program for another machine"),
    ("./bare", NO_FORMAT, "; its first line names no interpreter, such as #!/usr/bin/env python3"),
    ("./crlf", NO_FILE, r"; its first line names '/bin/sh\r', which does not start"),
    ("./folder", NO_RIGHT, "; it is a folder"),
    ("./none", NO_FILE, ""),
    ("none", NO_FILE, ""),
    ("./none.py", NO_FILE, ""),
    ("sh bot.sh", NO_FILE, "; it is one word: try sh bot.sh without the quotes"),
    ("nothing bot.sh", NO_FILE, ""),
    (300 * "x", "file name too long", ""),
    ("./" + 300 * "x", "file name too long", ""),
]


@pytest.mark.parametrize(("program", "why", "cure"), CURES)
def test_the_cure_is_named_where_it_is_known(tmp_path: Path, program: str, why: str, cure: str) -> None:
    for name, (content, mode) in FILES.items():
        (tmp_path / name).write_bytes(content)
        (tmp_path / name).chmod(mode)
    (tmp_path / "folder").mkdir()
    with pytest.raises(OSError) as caught:  # noqa: PT011 - the message is what is tested
        subprocess.run([program], cwd=tmp_path, check=False)
    assert start_failure(program, caught.value, tmp_path) == f"cannot start {program!r}: {why}{cure}"
