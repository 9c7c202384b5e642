"""The options of the server of pages: of `tournament serve`, and of `python -m fiedler.web`, which it becomes."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import click

from fiedler.support.address import LOOPBACK, MAX_PORT, Address

PORT = 8080
DEFAULT = f"{LOOPBACK}:{PORT}"
PER_ADDRESS = 4
"""The most games of people from one address."""
Result = TypeVar("Result")


@dataclass(frozen=True)
class ServeOptions:
    """The options as they were given."""

    results: Path
    host: str = LOOPBACK
    port: int = PORT
    token_file: Path | None = None
    public: bool = False
    base_path: str = ""
    play: str | None = None
    play_per_address: int = PER_ADDRESS
    metrics: str | None = None
    any_port: bool = False
    """Take any free port if this one is in use."""

    @property
    def address(self) -> Address:
        """The address to listen at."""
        return Address(self.host, self.port)

    @property
    def words(self) -> list[str]:
        """The words of the command line."""
        words = [str(self.results), "--host", self.host, "--port", str(self.port)]
        words += ["--token-file", str(self.token_file)] if self.token_file is not None else []
        words += ["--public"] if self.public else []
        words += ["--base-path", self.base_path] if self.base_path else []
        words += ["--play", self.play] if self.play is not None else []
        words += ["--play-per-address", str(self.play_per_address)] if self.play is not None else []
        words += ["--metrics", self.metrics] if self.metrics is not None else []
        return [*words, "--any-port"] if self.any_port else words


def serve_options(command: Callable[..., Result]) -> Callable[..., Result]:
    """Add the argument and the options to a command, which gets them as `options`."""

    @click.argument("results", type=click.Path(file_okay=False, path_type=Path), default="results")
    @click.option("--host", default=LOOPBACK, show_default=True, metavar="H", help="Another one needs --token-file.")
    @click.option(
        "--port", type=click.IntRange(0, MAX_PORT), default=PORT, show_default=True, help="0 picks a free one."
    )
    @click.option(
        "--token-file",
        type=click.Path(dir_okay=False, path_type=Path),
        metavar="FILE",
        help="One token a line; each admits a visitor.",
    )
    @click.option("--public", is_flag=True, help="Show the results to everybody, without a token; nothing else.")
    @click.option(
        "--base-path", default="", metavar="PATH", help="The path in front of every address, behind a proxy: /fiedler"
    )
    @click.option(
        "--play", metavar="FILE|shipped", help="Players that visitors may play against: a file, or those that ship."
    )
    @click.option(
        "--play-per-address",
        type=click.IntRange(1),
        default=PER_ADDRESS,
        show_default=True,
        metavar="N",
        help="The most games of visitors from one address; this machine has no such limit.",
    )
    @click.option("--metrics", metavar="HOST:PORT", help="Publish metrics for Prometheus over HTTP.")
    @functools.wraps(command)
    def gathered(
        results: Path,
        host: str,
        port: int,
        token_file: Path | None,
        public: bool,
        base_path: str,
        play: str | None,
        play_per_address: int,
        metrics: str | None,
        **others: object,
    ) -> Result:
        options = ServeOptions(results, host, port, token_file, public, base_path, play, play_per_address, metrics)
        return command(options=options, **others)

    return gathered
