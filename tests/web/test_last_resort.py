"""The end of the process in time: nothing that hangs keeps it."""

from __future__ import annotations

import signal
import subprocess
import sys

import pytest

from tests.folders import ROOT
from tests.patience import PATIENCE

ENDLESS = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"
HANGING = f"""
import asyncio, signal, sqlite3, sys, threading, uvloop
from fiedler.web.last_resort import LastResort

def hang():
    sqlite3.connect(":memory:").execute({ENDLESS!r}).fetchall()

async def main():
    loop = asyncio.get_running_loop()
    heard = asyncio.Event()
    last_resort = LastResort({{signal.SIGTERM: 0, signal.SIGINT: 130}}, 0.1)
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, heard.set)
    last_resort.listen()
    if sys.argv[1] == "main thread":
        print("ready", flush=True)
        hang()
    hanging = asyncio.create_task(asyncio.to_thread(hang))
    print("ready", flush=True)
    await heard.wait()
    print("heard", flush=True)
    hanging.cancel()

with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
    runner.run(main())
"""


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 0), (signal.SIGINT, 130)])
@pytest.mark.parametrize(("where", "words"), [("main thread", "ready\n"), ("another", "ready\nheard\n")])
def test_a_process_ends_whatever_hangs(where: str, words: str, number: signal.Signals, code: int) -> None:
    command = [sys.executable, "-c", HANGING, where]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=ROOT) as process:
        assert process.stdout is not None
        said = process.stdout.readline()
        process.send_signal(number)
        rest, errors = process.communicate(timeout=PATIENCE)
    assert (process.returncode, said + rest, errors) == (code, words, "")
