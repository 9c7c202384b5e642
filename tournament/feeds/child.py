"""The feed that `tournament run --mqtt` starts: it ends with its parent, by any death of it."""

from __future__ import annotations

import asyncio
import os
import sys
from contextlib import suppress
from pathlib import Path

import click
import uvloop

from fiedler.support.console import command_line
from fiedler.support.lock import is_locked
from fiedler.support.mqtt.broker import Broker
from fiedler.support.mqtt.options import broker_options
from fiedler.support.priority import give_way
from fiedler.tournament.feeds.feeder import Feeder

LOCK_S, LOOK_S = 2.0, 0.02
"""Seconds for the end of the lock of a manager that was killed, and between two looks at it."""


@click.command()
@click.argument("folder", type=click.Path(path_type=Path))
@broker_options("--broker", "The MQTT broker.", required=True, publishes_run=True)
@click.option("--url", help="The address of the run's web page.")
def child(folder: Path, broker: Broker, url: str | None) -> None:
    """Publish the run in FOLDER until standard input ends."""
    give_way()
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(_feed(folder, broker, url))


async def _feed(folder: Path, broker: Broker, url: str | None) -> None:
    feeder = Feeder(folder, broker, _print, url)
    loop = asyncio.get_running_loop()
    ended = asyncio.Event()

    def read() -> None:
        if not os.read(sys.stdin.fileno(), 1):
            loop.remove_reader(sys.stdin.fileno())
            ended.set()

    loop.add_reader(sys.stdin.fileno(), read)
    stopping = loop.create_task(_stop(ended, folder, feeder))
    try:
        await feeder.run()
    finally:
        stopping.cancel()


async def _stop(ended: asyncio.Event, folder: Path, feeder: Feeder) -> None:
    """Stop the feed after the end of the input; a killed manager loses its lock an instant later than its pipes."""
    await ended.wait()
    with suppress(TimeoutError):
        async with asyncio.timeout(LOCK_S):
            while is_locked(folder):  # noqa: ASYNC110
                await asyncio.sleep(LOOK_S)
    feeder.stop()


def _print(line: str) -> None:
    with suppress(OSError):  # the parent was killed
        print(line, file=sys.stderr, flush=True)


if __name__ == "__main__":
    command_line(child)
