"""The feed that `tournament run --mqtt` starts: it ends with its parent, by any death of it."""

from __future__ import annotations

import asyncio
import os
import sys
from contextlib import suppress
from pathlib import Path

import click
import uvloop

from support.console import command_line
from support.mqtt.broker import Broker
from support.mqtt.options import broker_options
from tournament.feeds.feeder import Feeder

NICE = 10
"""A feed leaves the processor to the games."""


@click.command()
@click.argument("folder", type=click.Path(path_type=Path))
@broker_options("--broker", "The MQTT broker.", required=True, publishes_run=True)
def child(folder: Path, broker: Broker) -> None:
    """Publish the run in FOLDER until standard input ends."""
    os.nice(NICE)
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(_feed(folder, broker))


async def _feed(folder: Path, broker: Broker) -> None:
    feeder = Feeder(folder, broker, _print)
    loop = asyncio.get_running_loop()

    def read() -> None:
        if not os.read(sys.stdin.fileno(), 1):
            loop.remove_reader(sys.stdin.fileno())
            feeder.stop()

    loop.add_reader(sys.stdin.fileno(), read)
    await feeder.run()


def _print(line: str) -> None:
    with suppress(OSError):  # the parent was killed
        print(line, file=sys.stderr, flush=True)


if __name__ == "__main__":
    command_line(child)
