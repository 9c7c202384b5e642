"""The command `engine check-game`."""

from __future__ import annotations

import sys
from dataclasses import asdict

import click

from fiedler.engine.commands.duration import Duration
from fiedler.engine.commands.output import json_option, show
from fiedler.games import rules_check


@click.command()
@click.argument("name", metavar="GAME")
@click.option(
    "--games", type=click.IntRange(1), default=rules_check.GAMES, show_default=True, help="The number of random games."
)
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="Makes the games.")
@click.option(
    "--plies",
    type=click.IntRange(1),
    default=rules_check.MOST_PLIES,
    show_default=True,
    help="Plies after which a game has no end, unless its most_plies is known.",
)
@click.option(
    "--timeout",
    type=Duration(),
    default=f"{rules_check.SECONDS:g}s",
    show_default=True,
    help="Time after which a game hangs.",
)
@json_option
def check_game(name: str, games: int, seed: int, plies: int, timeout: float, *, as_json: bool) -> int:
    """Check the rules of a game by random games.

    GAME is MODULE:OBJECT, FILE.py:OBJECT, or the name of a game that is installed. The exit code is 1 if a check fails;
    each failure is a line with the fewest moves that show it.
    """
    from rich.console import Console

    from fiedler.engine.commands.progress import StepProgress
    from fiedler.games import named_game

    console = Console(file=sys.stderr, highlight=False, soft_wrap=True)  # the rules' own output is taken meanwhile
    with rules_check.silenced(), StepProgress("checking", console, takes_output=False) as progress:
        game = named_game(name)
        report = rules_check.check_rules(game, games, seed, plies, timeout, progress, may_exit=True)
    show({**asdict(report), "passed": report.passed}, report.text, as_json=as_json)
    return 0 if report.passed else 1
