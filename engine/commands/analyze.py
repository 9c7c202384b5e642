"""The command `engine analyze`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from fiedler.engine.commands.duration import Duration
from fiedler.engine.commands.elsewhere import engine_elsewhere
from fiedler.engine.commands.output import json_option, show
from fiedler.engine.port.port_access import PortAccess, access_options
from fiedler.engine.roster.choice import (
    Choice,
    by_rules,
    foreign_options,
    game_option,
    player_options,
    position_of,
    position_option,
    rules_option,
)
from fiedler.games import Game
from fiedler.protocol import Limit

if TYPE_CHECKING:
    from fiedler.engine.person.foreign import ForeignEngine
    from fiedler.native import Position


@click.command()
@game_option
@player_options
@foreign_options
@access_options
@position_option
@rules_option
@click.option("--movetime", type=Duration(), help="Time: 200ms, 0.2s; a bare number is seconds.")
@click.option("--nodes", type=click.IntRange(1, 2**63 - 1), help="Nodes.")
@json_option
def analyze(
    game: Game,
    address: str | None,
    command: str | None,
    dialect: str | None,
    position: str,
    rules: str,
    movetime: float | None,
    nodes: int | None,
    choice: Choice,
    access: PortAccess,
    *,
    as_json: bool,
) -> None:
    """Analyse a position and every move in it.

    The limit counts once for the position and once for its moves together; without any it is 2 seconds. By time, moves
    without a turn are not searched; by nodes, each gets 200 at least. Of an engine at --address or --command the
    answer is its move, with its score and its line if it reports them.
    """
    position = by_rules(game, position, rules)
    start = position_of(game, position)
    seconds = movetime or (0.0 if nodes else 2.0)
    foreign = engine_elsewhere(address, command, dialect, access, choice)
    if foreign is not None:
        _analyze_elsewhere(game, foreign, start, position, _limit(seconds, nodes), as_json=as_json)
        return
    from fiedler.engine.commands.progress import StepProgress
    from fiedler.engine.host.analysis import analysis_document, analysis_table, analyze_position
    from fiedler.native import Limits

    factory = choice.factory(game)
    with StepProgress("analysing the moves") as progress:
        analysis = analyze_position(factory, start, Limits(0, nodes or 0, seconds), progress)
    factory.close()
    show(analysis_document(analysis), f"{game.draw(start)}\n{analysis_table(analysis)}", as_json=as_json)


def _analyze_elsewhere(
    game: Game, engine: ForeignEngine, position: Position, text: str, limit: Limit, *, as_json: bool
) -> None:
    """Show the analysis of an engine that is not a player of this process."""
    from fiedler.engine.person.foreign import analyze_elsewhere, foreign_document, foreign_table

    analysis = analyze_elsewhere(game, engine, position, text, limit)
    show(foreign_document(analysis), f"{game.draw(position)}\n{foreign_table(analysis)}", as_json=as_json)


def _limit(seconds: float, nodes: int | None) -> Limit:
    """Return the limit of a search elsewhere."""
    return Limit(nodes=nodes, movetime_ms=max(1, round(1000 * seconds)) if seconds else None)
