"""The command `tournament design`: which pairs should meet, and how precise the ranking will be."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import asdict
from pathlib import Path
from typing import Any, get_args

import click

from games.errors import UsageError
from tournament.graph.design import DEFAULT_GAMES, Design
from tournament.graph.design import design as make_design
from tournament.graph.problem import Criterion, DegreeCap
from tournament.words import counted

_MUCH_WORSE = 1.1
"""From this ratio of predicted RMS errors on, the text points to the criterion `precision`."""


class DegreeCapType(click.ParamType[DegreeCap]):
    """`near-equal`, `none` or a whole number of at least 1."""

    name = "near-equal|none|K"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> DegreeCap:  # noqa: ANN401
        """Return the word or the number."""
        if value in ("near-equal", "none"):
            return "none" if value == "none" else "near-equal"
        if not str(value).isdecimal() or int(value) < 1:
            self.fail(f"expected near-equal, none or a whole number of at least 1, got {value!r}", param, ctx)
        return int(value)


@click.command()
@click.argument("schedule", metavar="[SCHEDULE.toml]", type=click.Path(path_type=Path), required=False)
@click.option("--players", type=int, metavar="N", help="Number of players, instead of a schedule.")
@click.option("--pairs", type=int, metavar="M", help="Number of pairs that meet.")
@click.option("--criterion", type=click.Choice(get_args(Criterion)), help="What to be best in. Default: connectivity.")
@click.option("--degree-cap", type=DegreeCapType(), help="Most opponents of one player. Default: near-equal.")
@click.option("--seed", type=click.IntRange(min=0), metavar="S", help="Same seed, same graph. Default: 0.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def design(
    schedule: Path | None,
    players: int | None,
    pairs: int | None,
    criterion: Criterion | None,
    degree_cap: DegreeCap | None,
    seed: int | None,
    as_json: bool,
) -> None:
    """Choose who meets whom: the graph of maximal algebraic connectivity (or of another criterion).

    Either for a schedule, whose [pairing] the options override, or for a number of players and pairs.
    """
    wishes = {"pairs": pairs, "criterion": criterion, "degree_cap": degree_cap, "seed": seed}
    given: dict[str, Any] = {key: value for key, value in wishes.items() if value is not None}
    if schedule is not None:
        if players is not None:
            raise UsageError("give either a schedule or --players, not both")
        made, games = _of_schedule(schedule, given)
    elif players is None or pairs is None:
        raise UsageError("give either a schedule, or --players and --pairs")
    else:
        made, games = make_design(players, **given), DEFAULT_GAMES
    click.echo(json.dumps(asdict(made), ensure_ascii=False) if as_json else text(made, games))


def _of_schedule(path: Path, given: dict[str, Any]) -> tuple[Design, int]:
    from msgspec.structs import replace

    from tournament.pairing import meeting_graph  # these two need the whole tournament package
    from tournament.validation import load

    schedule = load(path)
    if schedule.pairing.method != "meeting-graph":
        raise UsageError(f"{path}: pairing.method is {schedule.pairing.method!r}: only a meeting-graph is designed")
    seed = given.pop("seed", schedule.tournament.seed)
    if "pairs" in given:
        given |= {"degree": None, "games": None}
    changed = replace(
        schedule,
        tournament=replace(schedule.tournament, seed=seed),
        pairing=replace(schedule.pairing, **given),
    )
    return meeting_graph(changed), schedule.tournament.games_per_pair


def text(made: Design, games: int) -> str:
    """Return a design for people: its figures, predicted for so many games per pair, then who meets whom."""
    degrees = Counter(player for edge in made.edges for player in edge)
    spread = Counter(degrees[i] for i in range(len(made.names)))
    counts = ", ".join(f"{number} of degree {degree}" for degree, number in sorted(spread.items()))
    share = made.lambda2 / made.lambda2_bound if made.lambda2_bound > 0 else 1.0
    error = f"{made.rms:.1f} Elo (bound {made.rms_bound:.1f})"
    lines = [
        f"{len(made.names)} players, {counted(len(made.edges), 'pair')} ({made.criterion}): {counts}",
        f"algebraic connectivity λ2 = {made.lambda2:.4f}: {100 * share:.0f} % of the bound {made.lambda2_bound:.4f}",
        f"predicted RMS error of the ratings with {games} games per pair: {error}",
        *_advice(made),
        "",
        *_opponents(made),
    ]
    return "\n".join(lines)


def _advice(made: Design) -> list[str]:
    if made.rms < _MUCH_WORSE * made.rms_precision:
        return []
    gain = 100 * (1 - made.rms_precision / made.rms)
    return [f"criterion precision promises {made.rms_precision:.1f} Elo with the same games, {gain:.0f} % less"]


def _opponents(made: Design) -> list[str]:
    """Return one line per player with its opponents of higher number: every pair once."""
    width = max(len(name) for name in made.names)
    meets: dict[int, list[str]] = {}
    for i, j in made.edges:
        meets.setdefault(i, []).append(made.names[j])
    return [f"  {made.names[i]:<{width}}  {', '.join(others)}" for i, others in sorted(meets.items())]
