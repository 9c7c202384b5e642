"""The command `tournament status`."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from fiedler.support.console import print_json
from fiedler.support.text import counted
from fiedler.tournament.run.interim import first_players
from fiedler.tournament.run.run_file import RESULTS, find_run
from fiedler.tournament.run.status import folded, repeats, since_text, status


@click.command(name="status")
@click.argument("run_name", metavar="RUN")
@click.option("--results", type=click.Path(path_type=Path), default=RESULTS, metavar="DIR", help="Default: results.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def show_status(run_name: str, results: Path, as_json: bool) -> None:
    """Print the progress of a run, its ranking so far, and the failures of each player.

    RUN is a folder, or a name under results.
    """
    document = status(find_run(run_name, results))
    if as_json:
        print_json(document)
        return
    if document["game"] is None:
        click.echo("{name}: {summary}".format(**document))
        return
    headline = "{name} ({game}): {summary}".format(**document)
    click.echo(headline + (f"; {document['time_left']}" if document["time_left"] else ""))
    answer = (document["answer"] or {"text": ""})["text"]
    if document["given_up"] and document["state"] == "finished" and document["over"] not in answer:
        click.echo(document["over"])
    for dispute in document["disputes"]:
        click.echo("dispute in game {number} ({first} vs {second}): {text}".format(**dispute))
    if document["repeated"]:
        click.echo(repeats(document["repeated"]))
    if len(document["steps"]) > 1:
        for text in folded(document["steps"]):
            click.echo(f"  {text}")
    for player in document["players"]:
        failures, why = failures_text(player), document["benched"].get(player["name"])
        games = counted(player["games"], "game")
        benched = f"; benched: {why}" if why is not None else ""
        away = document["absent"].get(player["name"])
        absent = f"; absent: {away}" if away is not None else ""
        if (since := document["away"].get(player["name"])) and not absent:
            absent = f"; away since {since_text(since)}"
        if failures or benched or absent or not document["ranking"]:
            click.echo(f"  {player['name']}: {games}{', failures: ' + failures if failures else ''}{benched}{absent}")
    if document["ranking"]:
        click.echo(f"{_ranking(document['ranking'])}\n\n{document['answer']['text']}")


def _ranking(players: Sequence[dict[str, Any]]) -> str:
    """Return the ranking of a status document as text."""
    from fiedler.tournament.ratings import PlayerRating

    def known(value: Any) -> Any:  # noqa: ANN401 (JSON)
        return math.nan if value is None else value

    return first_players([PlayerRating(**{key: known(value) for key, value in player.items()}) for player in players])


def failures_text(player: dict[str, Any]) -> str:
    """Return the failures of a player in the status document as `2 × time, 1 × crash`; empty if there are none."""
    return ", ".join(f"{count} × {kind}" for kind, count in player["failures"].items() if count)
