"""The command `tournament design`: which pairs should meet, and how precise the ranking will be."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, get_args

import click

from games.errors import UsageError
from tournament.elo import Elo
from tournament.graph.design import DEFAULT_GAMES, Design
from tournament.graph.design import design as make_design
from tournament.graph.problem import Beliefs, Criterion, DegreeCap, beliefs
from tournament.graph.promise import Needed, games_needed
from tournament.interval import INTERVAL
from tournament.words import counted

_MUCH_WORSE = 1.1
"""From this ratio of predicted RMS errors on, the text says how much less `precision` promises."""
_MANY_DEGREES = 8
"""More different degrees than this are told by their range."""


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
@click.option(
    "--games", type=int, metavar="N", help="Instead: games in all. With criterion precision spread freely over pairs."
)
@click.option("--criterion", type=click.Choice(get_args(Criterion)), help="What to be best in. Default: connectivity.")
@click.option("--degree-cap", type=DegreeCapType(), help="Most opponents of one player. Default: near-equal.")
@click.option(
    "--style-sd",
    type=Elo(),
    metavar="ELO",
    help="How far the result of a pair may differ from what the ratings say. Default: 0.",
)
@click.option(
    "--error",
    type=Elo(positive=True),
    metavar="ELO",
    help="Say how many games this precision takes.",
)
@click.option("--seed", type=click.IntRange(min=0), metavar="S", help="Same seed, same graph. Default: 0.")
@click.option("--svg", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE", help="Draw the graph.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def design(
    schedule: Path | None,
    players: int | None,
    error: float | None,
    svg: Path | None,
    as_json: bool,
    **wishes: Any,  # noqa: ANN401 (pairs, games, criterion, degree_cap, style_sd, seed)
) -> None:
    """Choose who meets whom: the graph of maximal algebraic connectivity (or of another criterion).

    Either for a schedule, whose [pairing] the options override, or for a number of players and pairs or games.
    """
    given: dict[str, Any] = {key: value for key, value in wishes.items() if value is not None}
    if {"pairs", "games"} <= given.keys():
        raise UsageError("give either --pairs or --games, not both")
    if schedule is not None:
        if players is not None:
            raise UsageError("give either a schedule or --players, not both")
        planned = _of_schedule(schedule, given)
    elif players is None or not {"pairs", "games"} & given.keys():
        raise UsageError("give either a schedule, or --players and --pairs or --games")
    else:
        known = beliefs(players, None, None, DEFAULT_GAMES, (), given.get("style_sd", 0.0))
        planned = _Planned(make_design(players, **given), known, None)
    if svg is not None:
        planned.draw(svg)
    click.echo(planned.json(error) if as_json else planned.text(error))


@dataclass(frozen=True)
class _Planned:
    """A design with what it rests on: beliefs, and the ratings if any are known."""

    made: Design
    known: Beliefs
    elo: list[float] | None

    def json(self, error: float | None) -> str:
        """Return one document; `needed` says what a wished error takes."""
        document = asdict(self.made)
        if error is not None:
            needed = self._needed(error)
            document["needed"] = {key: None if one is None else asdict(one) for key, one in needed.items()}
        return json.dumps(document, ensure_ascii=False)

    def text(self, error: float | None) -> str:
        """Return the design for people; what a wished error takes comes before the pairs."""
        needed = [] if error is None else [_takes(error, key, one) for key, one in self._needed(error).items()]
        return "\n".join([*figures(self.made), *needed, "", *_opponents(self.made)])

    def _needed(self, error: float) -> dict[str, Needed | None]:
        """Return what it takes until the RMS error is so many Elo, and until 95 % intervals are as narrow."""
        unit = self.known.games_per_pair + self.known.games_per_pair % 2 if len(set(self.made.games)) > 1 else 2
        return {
            "rms": games_needed(self.made.edges, self.made.games, self.known, error, unit),
            "interval": games_needed(self.made.edges, self.made.games, self.known, error / INTERVAL, unit),
        }

    def draw(self, path: Path) -> None:
        """Write the graph as SVG."""
        from tournament.report.design_figure import design_figure
        from tournament.report.files import write_whole

        write_whole(path, design_figure(self.made, self.elo))


def _of_schedule(path: Path, given: dict[str, Any]) -> _Planned:
    from msgspec.structs import replace

    from tournament.pairing import believed, free_games, known_before, meeting_graph  # need the whole package
    from tournament.validation import load

    schedule = load(path)
    if schedule.pairing.method != "meeting-graph":
        raise UsageError(f"{path}: pairing.method is {schedule.pairing.method!r}: only a meeting-graph is designed")
    seed = given.pop("seed", schedule.tournament.seed)
    if {"pairs", "games"} & given.keys():
        given = {"pairs": None, "degree": None, "games": None, **given}
    changed = replace(
        schedule,
        tournament=replace(schedule.tournament, seed=seed),
        pairing=replace(schedule.pairing, **given),
    )
    free = changed.pairing.games is not None and changed.pairing.criterion == "precision"
    made = free_games(changed) if free else meeting_graph(changed)
    return _Planned(made, known_before(changed), believed(changed)[0])


def figures(made: Design) -> list[str]:
    """Return what a design promises, line by line."""
    degrees = Counter(player for edge in made.edges for player in edge)
    spread = Counter(degrees[i] for i in range(len(made.names)))
    counts = ", ".join(f"{number} of degree {degree}" for degree, number in sorted(spread.items()))
    if len(spread) > _MANY_DEGREES:
        counts = f"degrees {min(spread)} to {max(spread)}"
    share = made.lambda2 / made.lambda2_bound if made.lambda2_bound > 0 else 1.0
    least, most = min(made.games), max(made.games)
    games = f"{most} games per pair" if least == most else f"{sum(made.games)} games, {least} to {most} a pair"
    error = f"{made.rms:.1f} Elo (bound {made.rms_bound:.1f})"
    return [
        f"{len(made.names)} players, {counted(len(made.edges), 'pair')} ({made.criterion}): {counts}",
        f"algebraic connectivity λ2 = {made.lambda2:.4f}: {100 * share:.0f} % of the bound {made.lambda2_bound:.4f}",
        f"predicted RMS error of the ratings with {games}: {error}, 95 % intervals ± {INTERVAL * made.rms:.1f} Elo",
        *_advice(made),
    ]


def _advice(made: Design) -> list[str]:
    if made.criterion == "precision":
        return []
    gain = 100 * (1 - made.rms_precision / made.rms)
    same = f"criterion precision promises {made.rms_precision:.1f} Elo with the same games"
    return [f"{same}, {gain:.0f} % less" if made.rms >= _MUCH_WORSE * made.rms_precision else same]


def _takes(error: float, what: str, needed: Needed | None) -> str:
    wish = f"an RMS error of {error:g} Elo" if what == "rms" else f"95 % intervals of ± {error:g} Elo on average"
    if needed is None:
        return f"{wish}: not reached with any number of games between these pairs"
    games = (
        f"{needed.total} games"
        if needed.per_pair is None
        else f"{needed.per_pair} games per pair, {needed.total} in all"
    )
    return f"{wish}: {games} (RMS error {needed.rms:.1f}, 95 % intervals ± {INTERVAL * needed.rms:.1f})"


def _opponents(made: Design) -> list[str]:
    """Return one line per player with its opponents of higher number: every pair once."""
    width = max(len(name) for name in made.names)
    meets: dict[int, list[str]] = {}
    for i, j in made.edges:
        meets.setdefault(i, []).append(made.names[j])
    return [f"  {made.names[i]:<{width}}  {', '.join(others)}" for i, others in sorted(meets.items())]
