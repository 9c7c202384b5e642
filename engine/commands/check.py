"""The command `engine check`."""

from __future__ import annotations

from dataclasses import asdict

import click

from fiedler.engine.commands.duration import Duration
from fiedler.engine.commands.output import json_option, show
from fiedler.engine.port.port_access import PortAccess, access_options
from fiedler.engine.roster.choice import game_optional
from fiedler.games import AnyGame
from fiedler.protocol import DIALECTS


@click.command()
@game_optional
@click.option(
    "--protocol", "dialect", type=click.Choice(list(DIALECTS)), default="ugi", show_default=True, help="Its protocol."
)
@click.option("--address", metavar="HOST:PORT", help="Check the engine behind a port.")
@click.option(
    "--timeout",
    type=Duration(),
    default="10s",
    show_default=True,
    help="Time for each answer; three times for the first.",
)
@access_options
@json_option
@click.argument("command", nargs=-1)
def check(
    game: AnyGame | None,
    dialect: str,
    address: str | None,
    timeout: float,
    command: tuple[str, ...],
    access: PortAccess,
    *,
    as_json: bool,
) -> int:
    """Check whether an engine keeps the rules of its protocol.

    COMMAND, after `--`, is a program and its arguments; `{port}` in it is the port at which a player of makemove
    connects. The exit code is 1 if a step fails. A remark is a wrong answer by which no game is lost.
    """
    from fiedler.engine.check.examination import examine
    from fiedler.engine.check.report import report_text
    from fiedler.engine.check.subject import subject_of
    from fiedler.engine.commands.progress import StepProgress

    subject = subject_of(command, address, dialect, game, timeout, access)
    with StepProgress("checking", names_steps=True) as progress:
        report = examine(subject, progress, progress.describe)
    show(asdict(report), report_text(report), as_json=as_json)
    return 0 if report.passed else 1
