"""report.html: the whole report in one file that needs nothing else, pictures included."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Any

from tournament.report.drawing import nice
from tournament.report.ranking import Ranking
from tournament.report.run import Run, distinct, limit_text
from tournament.report.statistics import Behaviour, Colours, behaviour, colours
from tournament.schedule import Player
from tournament.store import FAILURES

_HEAD = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>
body {{ font: 15px/1.5 system-ui, sans-serif; color: #1f2328; background: #fff; }}
body {{ max-width: 62rem; margin: 2rem auto; padding: 0 1rem; }}
h1 {{ font-size: 1.6rem; margin-bottom: 0; }}
h2 {{ font-size: 1.15rem; margin-top: 2.2rem; border-bottom: 1px solid #d0d7de; padding-bottom: .2rem; }}
table {{ border-collapse: collapse; font-variant-numeric: tabular-nums; }}
th, td {{ padding: .15rem .6rem; text-align: right; white-space: nowrap; }}
th {{ border-bottom: 1px solid #d0d7de; font-weight: 600; }}
th.left, td.left {{ text-align: left; }}
td.bar {{ min-width: 14rem; position: relative; padding: 0; }}
td.bar i {{ position: absolute; top: calc(50% - 1px); height: 3px; background: #9dbbe0; border-radius: 2px; }}
td.bar b {{ position: absolute; top: calc(50% - 4px); width: 9px; height: 9px; margin-left: -4px; }}
td.bar b {{ background: #1f5fa8; border-radius: 50%; }}
tr:hover td {{ background: #f6f8fa; }}
.muted {{ color: #59636e; }}
.warning {{ background: #fff8c5; border-left: 4px solid #d4a72c; padding: .4rem .8rem; margin: .4rem 0; }}
.failed {{ color: #b2182b; font-weight: 600; }}
figure {{ margin: 1rem 0; overflow-x: auto; }}
figure svg {{ max-width: 100%; height: auto; }}
dl {{ display: grid; grid-template-columns: max-content 1fr; gap: .1rem 1rem; }}
dt {{ color: #59636e; }} dd {{ margin: 0; overflow-wrap: anywhere; }}
</style>
</head>
<body>
"""


def page(run: Run, ranking: Ranking, figures: Mapping[str, str]) -> str:
    """Return the page. `figures` are SVG documents by file name, shown in their order after the ranking."""
    title = f"{run.name}: {run.game.name}"
    parts = [
        _HEAD.format(title=escape(title)),
        f"<h1>{escape(title)}</h1>",
        f'<p class="muted">{_state(run)}</p>',
        *(f'<p class="warning">{escape(warning)}</p>' for warning in ranking.warnings),
        _section("Ranking", _ranking(ranking), _rating_note(ranking)),
        *(
            _section(caption, _figure(figures[name]), f'<p class="muted">{escape(told)}</p>')
            for name, (caption, told) in _CAPTIONS.items()
            if name in figures
        ),
        _section("Moving first", _colours(colours(run.games))),
        _section("Players", _players(behaviour(run.games, ranking.names))),
        _section("How it was made", _definitions(_origin(run))),
        "</body>\n</html>\n",
    ]
    return "\n".join(parts)


_CAPTIONS = {
    "ratings.svg": ("Ratings", "The bars are 95 % intervals relative to the mean of all players."),
    "crosstable.svg": ("Crosstable", "Wins, draws and losses of the player on the left; empty: the two did not meet."),
    "meeting-graph.svg": (
        "Meeting graph",
        "Players by rating, a line for each pair that met. λ2 is the algebraic connectivity (Fiedler value): the "
        "larger it is, the better everybody is compared with everybody, also by way of others.",
    ),
}


def _state(run: Run) -> str:
    counts = run.counts
    void = f", {counts.void} void and played again" if counts.void else ""
    return escape(
        f"{len(run.players)} players, {counts.finished} of {counts.scheduled} games finished{void}; {run.state}"
    )


def _section(title: str, *content: str) -> str:
    return "\n".join([f"<h2>{escape(title)}</h2>", *content])


def _figure(svg: str) -> str:
    return f"<figure>{svg[svg.index('<svg') :]}</figure>"


def _table(header: Sequence[str], rows: Iterable[Sequence[str]], left: int = 1) -> str:
    """Return a table of cells that are HTML already (or start with `<td`); the first `left` columns are flush left."""

    def line(cells: Sequence[str], tag: str) -> str:
        marks = (f'<{tag} class="left">' if place < left else f"<{tag}>" for place in range(len(cells)))
        texts = (
            cell if cell.startswith("<td") else f"{mark}{cell}</{tag}>" for mark, cell in zip(marks, cells, strict=True)
        )
        return f"<tr>{''.join(texts)}</tr>"

    return "\n".join(["<table>", line(header, "th"), *(line(row, "td") for row in rows), "</table>"])


def _ranking(ranking: Ranking) -> str:
    players = ranking.rating.players
    ends = [player.elo + reach for player in players for reach in (-player.minus, player.plus, 0.0)]
    known = [end for end in ends if not math.isnan(end)] or [0.0]
    low, span = min(known), max(max(known) - min(known), 1.0)
    header = ["#", "player", "Elo", "+", "−", "95 % interval", "games", "score", "opponents", "draws"]
    rows = [
        [
            str(rank),
            escape(player.name),
            nice(player.elo),
            nice(player.plus),
            nice(player.minus),
            _bar(
                (player.elo - player.minus - low) / span,
                (player.elo - low) / span,
                (player.elo + player.plus - low) / span,
            ),
            str(player.games),
            _percent(player.score),
            nice(player.opponents),
            _percent(player.draws),
        ]
        for rank, player in enumerate(players, start=1)
    ]
    return _table(header, rows, left=2)


def _bar(start: float, middle: float, end: float) -> str:
    """Return a table cell with a dot and its interval, as shares of the cell's width."""
    interval = ""
    if not math.isnan(start + end):
        interval = f'<i style="left:{100 * start:.1f}%;width:{100 * (end - start):.1f}%"></i>'
    return f'<td class="bar">{interval}<b style="left:{100 * middle:.1f}%"></b></td>'


def _percent(share: float) -> str:
    return f"{nice(100 * share)} %"


def _rating_note(ranking: Ranking) -> str:
    rating = ranking.rating
    model = "Bayes-Elo" if rating.model == "bayeselo" else "Elo with Davidson's draws"
    anchors = ", ".join(f"{name} at {nice(elo)}" for name, elo in rating.anchors.items())
    zero = f"anchored: {anchors}. 95 % intervals are relative to " + (
        "the anchors" if len(rating.anchors) > 1 else "the mean"
    )
    text = (
        f"{model} ({ranking.backend}): first-player advantage {nice(rating.advantage, 1)}, draw parameter "
        f"{nice(rating.draw_elo, 1)} Elo; "
    ) + (f"{zero}." if anchors else "the mean of all players is 0. 95 % intervals are relative to that mean.")
    return f'<p class="muted">{escape(text)}</p>'


def _colours(found: Colours) -> str:
    if not found.games:
        return "<p>No games yet.</p>"
    shares = [
        f"{count} ({_percent(count / found.games)})" for count in (found.first_wins, found.draws, found.second_wins)
    ]
    shortest, mean, longest = found.plies
    return _definitions(
        {
            "first player's score": f"{100 * found.first_score:.1f} ± {196 * found.first_error:.1f} %",
            "first player won": shares[0],
            "drawn": shares[1],
            "second player won": shares[2],
            "plies per game": f"{shortest} to {longest}, mean {mean:.1f}",
        }
    )


def _players(found: Sequence[Behaviour]) -> str:
    header = ["player", "games", "moving first", "ms per move", *(f"lost: {kind}" for kind in FAILURES)]
    rows = [
        [
            escape(player.name),
            str(player.games),
            str(player.first),
            nice(1000 * player.seconds_per_move, 1),
            *(f'<span class="failed">{count}</span>' if count else "0" for count in player.failures.values()),
        ]
        for player in found
    ]
    return _table(header, rows)


def _definitions(items: Mapping[str, Any]) -> str:
    lines = (f"<dt>{escape(str(key))}</dt><dd>{escape(str(value))}</dd>" for key, value in items.items())
    return f"<dl>{''.join(lines)}</dl>"


def _origin(run: Run) -> dict[str, Any]:
    schedule, meta = run.schedule, run.meta
    pairing, openings = schedule.pairing, schedule.openings
    how = pairing.method if pairing.method != "meeting-graph" else f"meeting-graph, criterion {pairing.criterion}"
    lines = {
        "game": f"{run.game.id}: {run.game.description}",
        "limit": limit_text(schedule.limit),
        "pairing": how,
        "games per pair": schedule.tournament.games_per_pair,
        "openings": openings.file or (f"{openings.plies} random plies" if openings.plies else "the start position"),
        "seed": schedule.tournament.seed,
        "concurrency": schedule.tournament.concurrency,
        "Fiedler": "; ".join(distinct(_program(start) for start in meta.get("starts", [meta]))),
        "started": meta.get("created", "?"),
    }
    if run.games:
        lines["last game ended"] = max(game.finished for game in run.games)
    return {**lines, "players": "; ".join(_player(player) for player in schedule.players)}


def _program(start: Mapping[str, Any]) -> str:
    return f"{start.get('version') or '?'}, commit {start.get('commit') or 'unknown'}"


def _player(player: Player) -> str:
    """Say how a player was reached and set, without the path of its model."""
    model = Path(player.model).name if player.model else None
    text = player.player or model or player.address or " ".join(player.command or ())
    options = ", ".join(f"{key} = {value}" for key, value in player.options.items())
    return f"{player.name}: {text}{f' ({options})' if options else ''}"
