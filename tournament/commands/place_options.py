"""The options of `tournament run` for the place of its games: this process, several ones, the nodes of a cluster."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from contextlib import ExitStack, closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from fiedler.support.errors import UsageError
from fiedler.support.stages import shown
from fiedler.support.text import counted
from fiedler.tournament.game import now
from fiedler.tournament.run.manager import Connect, MakeVenue
from fiedler.tournament.run.nodes import FILE, StatusFile
from fiedler.tournament.schedule.schedule import MAX_CONCURRENCY, Schedule

if TYPE_CHECKING:
    from fiedler.tournament.cluster.address import ClusterAddress

PATIENCE_S = 2.0
"""Seconds after which a terminal shows the progress of a start."""


@dataclass(frozen=True)
class PlaceOptions:
    """The options as they were given."""

    concurrency: int | None
    processes: int
    log: Path | None
    cluster: str | None

    @property
    def words(self) -> list[object]:
        """The words of the command line."""
        words: list[object] = ["--concurrency", self.concurrency] if self.concurrency is not None else []
        words += ["--processes", self.processes] if self.processes != 1 else []
        words += ["--log", self.log] if self.log is not None else []
        words += ["--cluster", self.cluster] if self.cluster is not None else []
        return words

    def abroad(
        self, schedule: Schedule, warn: Callable[[str], None], is_over: Callable[[], bool], *, quiet: bool
    ) -> Connect | None:
        """Return what connects to the cluster and returns what makes the venue of a run there.

        None: the run is played here, or it `is_over` and needs no node. `warn` reports nodes that do not start. A
        terminal shows the progress, unless `quiet`.

        Raises:
            UsageError: another option or the schedule does not go with a cluster.

        """
        if self.cluster is None:
            return None
        from fiedler.tournament.cluster.address import ClusterAddress

        address = ClusterAddress.parse(self.cluster)
        if self.processes > 1:
            raise UsageError(f"--processes: not with --cluster, whose nodes have their own, got {self.processes}")
        if self.log is not None:
            raise UsageError("--log: not with --cluster: the traffic of players stays at the nodes")
        if schedule.tournament.pin:
            raise schedule.error("tournament.pin", "expected false with --cluster, whose nodes choose their cores")
        if schedule.rules:
            wrong = f"expected an installed game with --cluster, whose nodes need it, too, got {schedule.rules}"
            raise schedule.error("tournament.game", wrong)
        return None if is_over() else partial(_connect, address, warn, quiet)


def _connect(
    address: ClusterAddress, warn: Callable[[str], None], quiet: bool, stack: ExitStack, folder: Path
) -> MakeVenue:
    """Connect to a cluster until the end of the stack; `nodes.json` in the folder of the run names it from now on.

    Raises:
        UsageError: there is no cluster.
        WorkError: a local cluster does not start, or the disk is full.

    """
    from fiedler.tournament.cluster.cluster import Cluster
    from fiedler.tournament.cluster.venue import ClusterVenue

    begins = f"Starting {counted(address.local, 'node')} here" if address.local else f"Connecting to {address}"
    click.echo(f"{begins}{'; the run begins with the first' if address.local > 1 else ''}", err=True)
    if not (folder / FILE).exists():
        StatusFile(folder, str(address)).write(now(), [])
    cluster = stack.enter_context(closing(Cluster(address)))
    if quiet:
        return partial(ClusterVenue, cluster.open(warn))
    with shown(f"connecting to {address}", after=PATIENCE_S):
        return partial(ClusterVenue, cluster.open(partial(_beside_bar, warn), _note))


def _beside_bar(warn: Callable[[str], None], text: str) -> None:
    """Warn in place of the bar, which is drawn again below."""
    if sys.stderr.isatty():
        click.echo("\r\x1b[2K", nl=False, err=True)
    warn(text)


def _note(text: str) -> None:
    """Show a person that a start continues."""
    if sys.stderr.isatty():
        click.echo(text, err=True)


def place_options(command: Callable[..., None]) -> Callable[..., None]:
    """Add the options to a command, which gets them as `place`."""

    @click.option("--concurrency", type=click.IntRange(1, MAX_CONCURRENCY), metavar="N", help="Games at the same time.")
    @click.option(
        "--processes", type=click.IntRange(1), default=1, metavar="N", help="Processes that play them. Default: 1."
    )
    @click.option(
        "--cluster",
        metavar="HOST:PORT|auto|local:N",
        help="Play at the nodes of a cluster of Ray: its head, the one that Ray finds, or N nodes started here.",
    )
    @click.option(
        "--log",
        type=click.Path(dir_okay=False, path_type=Path),
        metavar="FILE",
        help="Append all protocol traffic.",
    )
    @functools.wraps(command)
    def with_place(
        concurrency: int | None, processes: int, log: Path | None, cluster: str | None, **others: object
    ) -> None:
        command(place=PlaceOptions(concurrency, processes, log, cluster), **others)

    return with_place
