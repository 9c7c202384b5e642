"""The provenance of a run, as sections of the page: enough to repeat it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from fiedler.support.text import counted
from fiedler.tournament.report.findings import Findings
from fiedler.tournament.report.html import (
    PageSection,
    Row,
    code,
    definitions,
    folded,
    listing,
    paragraph,
    section,
    table,
    wrapped,
)
from fiedler.tournament.report.run import Run, distinct, limit_text
from fiedler.tournament.schedule.schedule import Openings, Pairing, PlayerEntry

FOLDED_FROM = 12
LONG = 200
"""Most lines of a schedule that is not folded."""


def steps_section(run: Run) -> PageSection | None:
    """Return the steps of the plan if there are several, and the reason of its end."""
    if len(run.plan) < 2 and not any(step.note for step in run.plan):  # one step without a note
        return None
    rows = [
        [
            str(step.number),
            step.note,
            step.at[:19].replace("T", " "),
            str(step.games + step.given_up),
            str(step.finished),
            str(step.given_up),
        ]
        for step in run.plan
    ]
    steps = table(["step", "purpose", "planned (UTC)", "games", "finished", "given up"], rows, left=3)
    return section(
        "Steps of the plan",
        folded(f"{counted(len(rows), 'step')}", steps) if len(rows) > FOLDED_FROM else steps,
        *([paragraph(f"{_end(run)}.")] if run.over else []),
    )


def _end(run: Run) -> str:
    """Return the reason of the end of the plan, and the games that wait beside it."""
    waiting = [f"{counted(one.games, 'game')} of {one.name}, which {one.why}" for one in run.missing if one.games]
    return "; ".join([f"End: {run.over}", *(f"not played: {text}" for text in waiting)])


def origin_section(found: Findings) -> PageSection:
    """Return settings, machine, players with the hashes of their models, and the schedule itself."""
    text = found.schedule_text
    players: list[Row] = [
        [
            name,
            wrapped(_player(player)),
            code(_hash(found.run, name)),
        ]
        for name, player in zip(found.run.schedule.names, found.run.schedule.players, strict=True)
    ]
    listed = table(["player", "start and options", "SHA-256 of its model"], players, left=3)
    return section(
        "How it was made",
        definitions(_lines(found)),
        folded(f"The {counted(len(players), 'player')}", listed, shown=len(players) <= FOLDED_FROM),
        *([folded("The schedule", listing(text), shown=text.count("\n") <= LONG)] if text else []),
    )


def _lines(found: Findings) -> dict[str, Any]:
    run = found.run
    schedule = run.schedule
    pairing, openings = schedule.pairing, schedule.openings
    lines = {
        "game": f"{run.game.id}: {run.game.description}",
        **({"rules": rules} if (rules := run.game.rules_text(schedule.tournament.rules)) else {}),
        "limit": limit_text(schedule.limit),
        "pairing": _pairing(pairing),
        "games per pair": schedule.tournament.games_per_pair,
        "openings": _openings(openings),
        "seed": schedule.tournament.seed,
        "concurrency": schedule.tournament.concurrency,
        "Fiedler": "; ".join(distinct(_program(start) for start in run.starts)),
        "machine": "; ".join(distinct(_machine(start) for start in run.starts)),
        "started": ", ".join(str(start.get("at", "?")) for start in run.starts),
    }
    if found.tally.last_finished:
        lines["last game ended"] = found.tally.last_finished
    return lines


def _pairing(pairing: Pairing) -> str:
    """Return the method with what it aims at."""
    if pairing.kind.designed:
        return f"{pairing.method}, criterion {pairing.criterion}"
    if pairing.aim is None:
        return pairing.method
    return f"{pairing.method} for goal best: {pairing.aim.text}"


def _openings(table: Openings) -> str:
    if table.file is not None:
        return f"{table.file}, {counted(table.plies, 'ply')}" if table.plies else table.file
    starts = "random starts" if table.has_random_starts else ""
    plies = counted(table.plies, "random ply") if table.plies else ""
    return ", ".join(filter(None, (starts, plies))) or "the start position"


def _program(start: Mapping[str, Any]) -> str:
    return f"{start.get('version') or '?'}, commit {start.get('commit') or 'unknown'}"


def _machine(start: Mapping[str, Any]) -> str:
    known = start.get("machine")
    if not known:
        return "not recorded"
    return f"{known['cpu']}, {known['cores']} cores, {known['system']}, Python {known['python']}"


def _player(player: PlayerEntry) -> str:
    """Return the start and the options of a player, without the path of its model."""
    model = Path(player.model).name if player.model else None
    elsewhere = player.address or player.listen or ("dials in" if player.dial_in else "")
    text = ", ".join(filter(None, (player.player, model))) or elsewhere or " ".join(player.command or ())
    options = ", ".join(f"{key} = {value}" for key, value in player.options.items())
    return f"{text}{f' ({options})' if options else ''}"


def _hash(run: Run, name: str) -> str:
    """Return the hash of a player's model file; empty without one."""
    return str(run.identities.get(name, {}).get("model", "")) or "–"
