"""The options of every command that speaks to a broker."""

from __future__ import annotations

import functools
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import click

from fiedler.support.errors import UsageError
from fiedler.support.mqtt.broker import BASE, broker_at

Result = TypeVar("Result")
Command = Callable[..., Result]
PATH = click.Path(dir_okay=False, path_type=Path)


def broker_options(
    option: str, about: str, *, required: bool = False, publishes_run: bool = False
) -> Callable[[Command[Result]], Command[Result]]:
    """Add `option`, which takes HOST:PORT, and the options of the login; the command gets them as one `broker`.

    Without `required` the broker may be None. With `publishes_run` there is also --homeassistant.
    """

    def add(command: Command[Result]) -> Command[Result]:
        @functools.wraps(command)
        def gathered(
            at: str | None,
            mqtt_base: str | None,
            user: str | None,
            password_file: Path | None,
            ca: Path | None,
            *,
            tls: bool,
            homeassistant: bool = False,
            **others: object,
        ) -> Result:
            if at is None:
                _refuse_lone(option, {"mqtt-base": mqtt_base, "user": user, "password-file": password_file, "ca": ca})
                _refuse_lone(option, {"tls": tls or None, "homeassistant": homeassistant or None})
                return command(broker=None, **others)
            login = (mqtt_base or BASE, user, password_file, ca)
            return command(broker=broker_at(option, at, *login, tls=tls, home_assistant=homeassistant), **others)

        added: Command[Result] = gathered
        if publishes_run:
            about_flag = "Publish the run as a device of Home Assistant, too."
            added = click.option("--homeassistant", is_flag=True, help=about_flag)(added)
        for one in (
            click.option("--ca", type=PATH, metavar="FILE", help="Trust these certificates, not the system's."),
            click.option("--tls", is_flag=True, help="Encrypt the connection to the broker."),
            click.option("--password-file", type=PATH, metavar="FILE", help="A file with the user's password."),
            click.option("--user", metavar="NAME", help="The user at the broker."),
            click.option("--mqtt-base", metavar="TOPIC", help=f"The topic above all others. Default: {BASE}."),
            click.option(option, "at", metavar="HOST:PORT", required=required, help=about),
        ):
            added = one(added)
        return added

    return add


def _refuse_lone(option: str, given: dict[str, object]) -> None:
    for name, value in given.items():
        if value is not None:
            raise UsageError(f"--{name}: only with {option}")
