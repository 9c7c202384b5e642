"""The command `tournament feed`."""

from __future__ import annotations

import asyncio
import signal
from contextlib import closing
from pathlib import Path

import click
import uvloop

from fiedler.support.errors import UsageError, quoted_input
from fiedler.support.interrupt import INTERRUPTED
from fiedler.support.mqtt.broker import Broker
from fiedler.support.mqtt.connection import require_library
from fiedler.support.mqtt.options import broker_options
from fiedler.support.priority import give_way
from fiedler.tournament.run.run_file import find_run
from fiedler.tournament.run.store import Store


@click.command()
@click.argument("run_name", metavar="RUN")
@click.option("--results", type=click.Path(path_type=Path), default="results", metavar="DIR", help="Default: results.")
@click.option("--forget", is_flag=True, help="Remove the retained messages of RUN from the broker, and end.")
@click.option("--url", metavar="URL", help="The address of the run's web page, for its state.")
@broker_options("--broker", "The MQTT broker.", required=True, publishes_run=True)
def feed(run_name: str, results: Path, broker: Broker, url: str | None, *, forget: bool) -> int:
    """Publish a run to an MQTT broker until it has finished, and what it has published before.

    RUN is a folder, or a name under results. Ctrl-C ends the feed; the next one begins after the last event that the
    broker has got.
    """
    require_library()
    if url is not None and not url.startswith(("http://", "https://")):
        raise UsageError(f"--url: expected http://… or https://…, got {quoted_input(url)}")
    if forget:
        from fiedler.tournament.feeds.forgetting import forget_run

        count = asyncio.run(forget_run(broker, Path(run_name).resolve().name))
        click.echo(f"removed {count} retained messages")
        return 0
    folder = find_run(run_name, results)
    with closing(Store.open(folder)):  # it is not damaged
        pass
    give_way()
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        return runner.run(_feed(folder, broker, url))


async def _feed(folder: Path, broker: Broker, url: str | None) -> int:
    from fiedler.tournament.feeds.feeder import Feeder

    feeder = Feeder(folder, broker, lambda line: click.echo(line, err=True), url)
    code = 0

    def interrupt(number: signal.Signals) -> None:
        nonlocal code
        code = INTERRUPTED if number is signal.SIGINT else 0
        for one in (signal.SIGINT, signal.SIGTERM):
            loop.remove_signal_handler(one)
            signal.signal(one, signal.SIG_DFL)
        feeder.stop()

    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, interrupt, number)
    await feeder.run()
    return code
