"""The verdict of a strength test as Markdown, for a comment on a pull request, and as a JSON document."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Any

import msgspec

from fiedler.support.provenance import version
from fiedler.support.text import counted
from fiedler.tournament.comparison.comparison import command_of
from fiedler.tournament.comparison.verdict import ComparisonVerdict
from fiedler.tournament.pairing.sprt_verdict import unit
from fiedler.tournament.schedule.schedule import Schedule

SIGNS = {"passed": "✅", "failed": "❌", "undecided": "➖"}


def document(found: ComparisonVerdict, schedule: Schedule, out: Path | None = None) -> dict[str, Any]:
    """Return the verdict as JSON has it, with the text of the line, the game, the command and the version.

    `out` is the folder of the games in that command; None is the default.
    """
    return {
        **msgspec.to_builtins(found),
        "text": found.line,
        "exit_code": found.exit_code,
        "game": schedule.tournament.game,
        "seed": schedule.tournament.seed,
        "command": shlex.join(command_of(schedule, out)),
        "version": version(),
    }


def markdown(found: ComparisonVerdict, schedule: Schedule, out: Path | None = None) -> str:
    """Return the verdict as a heading, a table and the command that repeats it, with the folder `out` of its games."""
    rows = {
        "Verdict": found.why,
        "Elo": f"{found.elo.text} (95 % interval)",
        "LLR": _ratio(found),
        "Games": _games(found),
        "Pairs": ", ".join(f"{count} with {points}" for count, points in zip(found.pentanomial, _POINTS, strict=True)),
        "Failures": "; ".join(f"{name}: {found.failures_of(name) or 'none'}" for name in schedule.names),
        "Conditions": _conditions(schedule),
    }
    table = [f"| {key} | {_cell(text)} |" for key, text in rows.items()]
    heading = f"### {SIGNS[found.outcome]} Strength test: {found.outcome}"
    repeat = ["To repeat it:", "", f"    {shlex.join(command_of(schedule, out))}"]
    return "\n".join([heading, "", "| | |", "|---|---|", *table, "", *repeat, ""])


_POINTS = ("0 points", "½", "1", "1½", "2")


def _ratio(found: ComparisonVerdict) -> str:
    test = found.test
    h0, h1 = f"H0: {test.elo0:g} {unit(test)}", f"H1: {test.elo1:g} {unit(test)}"
    limits = f"{found.low:.2f} accepts {h0}, {found.high:.2f} accepts {h1}"
    return f"{found.llr:.2f} ({limits}; α = {test.alpha:g}, β = {test.beta:g})"


def _games(found: ComparisonVerdict) -> str:
    number = found.played - found.games
    later = f"; {counted(number, 'later game')} {'does' if number == 1 else 'do'} not count" if number else ""
    return f"{found.games}: {found.won} won, {found.drawn} drawn, {found.lost} lost{later}"


def _conditions(schedule: Schedule) -> str:
    limit, openings = schedule.limit, schedule.openings
    each = f"{limit.movetime_ms} ms a move" if limit.nodes is None else f"{limit.nodes} nodes a move"
    begin = f"openings of {openings.file}" if openings.file else f"{openings.plies} random plies"
    return f"{schedule.tournament.game}, {each}, {begin}, each with both colours, seed {schedule.tournament.seed}"


def _cell(text: str) -> str:
    """Return a text that stays in its cell."""
    return " ".join(text.replace("|", "\\|").split())
