"""The command `engine bench`."""

from __future__ import annotations

from dataclasses import asdict

import click

from fiedler.engine.commands.duration import Duration
from fiedler.engine.commands.output import json_option, show
from fiedler.engine.roster.choice import Choice, game_option, player_options, position_of
from fiedler.games import Game
from fiedler.support.errors import UsageError


@click.command()
@game_option
@player_options
@click.option(
    "--nodes",
    type=click.IntRange(1, 2**63 - 1),
    help="Nodes in each thread, shared equally by the positions; a position proven early needs fewer.",
)
@click.option(
    "--seconds",
    type=Duration(),
    help="Time in all: 500ms, 3s; a bare number is seconds. Gives no signature.",
)
@click.option("--threads", type=click.IntRange(1, 1024), default=1, show_default=True, help="Sessions side by side.")
@click.option("--position", help="Search only this position: `startpos` or a notation, then [moves M …].")
@json_option
def bench(
    game: Game,
    nodes: int | None,
    seconds: float | None,
    threads: int,
    position: str | None,
    choice: Choice,
    *,
    as_json: bool,
) -> None:
    """Time a player over fixed positions, or the rollouts alone (--player rollouts).

    The first limit to be reached ends it; without any, the player's own options or 20000 nodes a thread.
    """
    from fiedler.engine.commands.speed import Budget, bench_player, bench_rollouts, bench_table

    budget = Budget(nodes or 0, seconds or 0.0)
    if choice.player == "rollouts":
        if choice.model or choice.device or position is not None:
            raise UsageError("--player rollouts: takes no --model, no --device and no --position")
        result = bench_rollouts(game, choice.spec().settings, budget, threads)
    else:
        start = None if position is None else position_of(game, position)
        factory = choice.factory(game)
        result = bench_player(factory, budget, threads, start)
        factory.close()
    show(asdict(result), bench_table(result), as_json=as_json)
