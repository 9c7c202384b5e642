"""The command `tournament design`: the choice of pairs, and the predicted error."""

from __future__ import annotations

import json
import math
import shlex
from collections import Counter
from collections.abc import Callable
from contextlib import closing
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any, get_args

import click

from fiedler.support.errors import UsageError
from fiedler.support.numbers import ROUNDED_Z95
from fiedler.support.option_type import OptionType
from fiedler.support.stages import shown
from fiedler.support.text import counted
from fiedler.tournament.commands.elo_option import Elo
from fiedler.tournament.commands.next_steps import suggest, tournament
from fiedler.tournament.graph.design import Design
from fiedler.tournament.graph.design import design as make_design
from fiedler.tournament.graph.design_options import DEFAULT_GAMES
from fiedler.tournament.graph.problem import Beliefs, Criterion, DegreeCap, beliefs
from fiedler.tournament.graph.sample_size import Beyond, Needed, games_needed, least_games
from fiedler.tournament.run.duration import estimate
from fiedler.tournament.run.openings import OpeningList
from fiedler.tournament.schedule.methods import Method
from fiedler.tournament.schedule.schedule import Schedule

_MUCH_WORSE = 1.1
"""Ratio of predicted RMS errors from which the text has the gain of `precision`."""
_ALL_MEET = 200
"""Most players of whom all meet if only an error is given: more have too many pairs for a quick design."""
SHOWN = 12
"""Most players whose opponents the text lists."""
_MANY_DEGREES = 8
"""Most different degrees that the text lists; more are shown as a range."""


class DegreeCapType(OptionType[DegreeCap]):
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
@click.option(
    "--games-per-pair",
    type=click.IntRange(min=2),
    metavar="K",
    help="Games of each pair, an even number. Default: 2, or all that --games allows if all pairs meet.",
)
@click.option("--criterion", type=click.Choice(get_args(Criterion)), help="Default: connectivity.")
@click.option("--degree-cap", type=DegreeCapType(), help="Most opponents of one player. Default: near-equal.")
@click.option(
    "--style-sd",
    type=Elo(),
    metavar="ELO",
    help="Deviation of a pair's result from the ratings, in Elo. Default: 0.",
)
@click.option(
    "--error",
    type=Elo(positive=True),
    metavar="ELO",
    help="Print the number of games for this precision. Without --pairs and --games all pairs meet.",
)
@click.option("--seed", type=click.IntRange(min=0), metavar="S", help="Same seed, same graph. Default: 0.")
@click.option("--svg", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE", help="Draw the graph.")
@click.option(
    "--graphml",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Write the graph for networkx, Gephi, igraph …",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def design(
    schedule: Path | None,
    players: int | None,
    error: float | None,
    svg: Path | None,
    graphml: Path | None,
    as_json: bool,
    **options: Any,  # noqa: ANN401 (pairs, games, games_per_pair, criterion, degree_cap, style_sd, seed)
) -> None:
    """Choose the pairs: the graph of maximal algebraic connectivity (or the best by another criterion).

    Either for a schedule, whose [pairing] the options override, or for a number of players with pairs, games or error.
    """
    given: dict[str, Any] = {key: value for key, value in options.items() if value is not None}
    if {"pairs", "games"} <= given.keys():
        raise UsageError("give either --pairs or --games, not both")
    if given.get("games_per_pair", 2) % 2:
        wrong = f"expected an even number, since every opening is played twice, got {given['games_per_pair']}"
        raise UsageError(f"--games-per-pair: {wrong}")
    with shown("meeting graph"):
        planned = _planned(schedule, players, given, wants_error=error is not None)
        text = planned.json(error) if as_json else planned.text(error)
    if svg is not None:
        planned.draw(svg)
    if graphml is not None:
        planned.write_graphml(graphml)
    click.echo(text.encode("utf-8", "replace") if as_json else text)
    if not as_json:
        _suggest(schedule, planned)


def _suggest(schedule: Path | None, planned: _Planned) -> None:
    """Print the next step, on a terminal."""
    if schedule is not None:
        suggest(((tournament("run", schedule, "--dry-run"), "the games of a run, and without --dry-run the run"),))
        return
    players, games = len(planned.made.names), sum(planned.made.games)
    words = ("simulate", "--truth", "curve", "--players", players, "--games", games)
    suggest(((tournament(*words), "the error of this and other pairings, measured"),))


def _planned(schedule: Path | None, players: int | None, given: dict[str, Any], *, wants_error: bool) -> _Planned:
    if schedule is not None:
        if players is not None:
            raise UsageError("give either a schedule or --players, not both")
        return _of_schedule(schedule, given)
    if players is None:
        raise UsageError("give either a schedule, or --players with --pairs, --games or --error")
    if not {"pairs", "games"} & given.keys():
        if not wants_error or players > _ALL_MEET:
            most = f"--error ELO, for which all pairs of at most {_ALL_MEET} players meet"
            raise UsageError(f"--players: give --pairs M, --games N, or {most}")
        given = {**given, "pairs": players * (players - 1) // 2}
    each, style_sd = given.get("games_per_pair", DEFAULT_GAMES), given.get("style_sd", 0.0)
    made = make_design(players, **given)
    known = partial(beliefs, players, None, None, each, (), style_sd) if style_sd else None
    return _Planned(made, known, None, each, given.get("games"))


@dataclass(frozen=True)
class _Planned:
    """A design and its conditions."""

    made: Design
    known: Callable[[], Beliefs] | None
    """The beliefs; None without earlier games and styles, where the error falls with the root of the games."""
    elo: list[float] | None
    """The ratings, if any are known."""
    unit: int
    """Games of a pair come in multiples of it."""
    budget: int | None
    """Games in all, if they are limited."""
    schedule: Schedule | None = None
    """The schedule, if it is one that is designed."""

    def json(self, error: float | None) -> str:
        """Return one document; `needed` has the games that an error needs."""
        document = asdict(self.made)
        if self.schedule is not None:
            time = estimate(self.schedule, sum(self.made.games), self.schedule.tournament.concurrency)
            document |= {"duration_s": time.seconds, "duration": time.text}
        if error is not None:
            needed = self._needed(error)
            document["needed"] = {key: asdict(one) for key, one in needed.items()}
        return json.dumps(document, ensure_ascii=False)

    def text(self, error: float | None) -> str:
        """Return the design as text; the games that an error needs come before the pairs."""
        needed = [] if error is None else [_needed_text(error, key, one) for key, one in self._needed(error).items()]
        about = [*figures(self.made), *self._spent(), *needed, *self._time(), *self._openings()]
        return "\n".join([*about, "", "opponents:", *_opponents(self.made)])

    def _time(self) -> list[str]:
        """Return the line about the time of the games, which only a schedule has."""
        if self.schedule is None:
            return []
        time = estimate(self.schedule, sum(self.made.games), self.schedule.tournament.concurrency)
        return [f"time: {time.text}"]

    def _openings(self) -> list[str]:
        """Return the line about the openings of a file; it is read."""
        if self.schedule is None or self.schedule.openings.file is None:
            return []
        with closing(OpeningList(self.schedule)) as openings:
            openings.extend(1)
        return [] if openings.listed is None else [f"{counted(openings.listed, 'opening')} in the file"]

    def _spent(self) -> list[str]:
        """Return a line about the spent games if they are not the whole budget."""
        spent = sum(self.made.games)
        if self.budget is None or spent == self.budget:
            return []
        alike = len(set(self.made.games)) == 1
        how = f"{self.made.games[0]} by each pair" if alike else f"in units of {self.unit}"
        return [f"{spent} of the {counted(self.budget, 'game')} are spent: {how}"]

    def _needed(self, error: float) -> dict[str, Needed | Beyond]:
        """Return the games until the RMS error is `error` Elo, and until 95 % intervals are ± `error` Elo."""
        made = self.made
        unit = self.unit if len(set(made.games)) > 1 else 2
        options = {"rms": error, "interval": error / ROUNDED_Z95}
        if self.known is None:

            def rms(scale: float) -> float:
                return made.rms / math.sqrt(scale)

            return {key: least_games(made.games, rms, wanted, unit, limited=False) for key, wanted in options.items()}
        known = self.known()
        return {key: games_needed(made.edges, made.games, known, wanted, unit) for key, wanted in options.items()}

    def draw(self, path: Path) -> None:
        """Write the graph as SVG."""
        from fiedler.support.files import write_whole
        from fiedler.tournament.report.design_figure import design_figure

        write_whole(path, design_figure(self.made, self.elo))

    def write_graphml(self, path: Path) -> None:
        """Write the graph as GraphML."""
        from fiedler.support.files import write_whole
        from fiedler.tournament.graph.graphml import graphml

        write_whole(path, graphml(self.made.graph(self.elo)))


def _of_schedule(path: Path, given: dict[str, Any]) -> _Planned:
    from msgspec.structs import replace

    from fiedler.tournament.pairing import believed, free_games, known_before, meeting_graph  # slow to import
    from fiedler.tournament.schedule.validation import load

    schedule = load(path)
    if not schedule.pairing.kind.designed:
        raise UsageError(_not_designed(path, schedule.pairing.kind))
    seed = given.pop("seed", schedule.tournament.seed)
    if {"pairs", "games"} & given.keys():
        given = {"pairs": None, "degree": None, "games": None, **given}
    each = given.pop("games_per_pair", schedule.tournament.games_per_pair)
    changed = replace(
        schedule,
        tournament=replace(schedule.tournament, seed=seed, games_per_pair=each),
        pairing=replace(schedule.pairing, **given),
    )
    free = changed.pairing.games is not None and changed.pairing.criterion == "precision"
    made = free_games(changed) if free else meeting_graph(changed)
    rests = changed.pairing.style_sd or changed.pairing.prior_games
    known = partial(known_before, changed) if rests else None
    return _Planned(made, known, believed(changed)[0], each, changed.pairing.games, changed)


def _not_designed(path: Path, method: Method) -> str:
    """Return why another method is not designed, and what to use instead."""
    why = "its pairs are fixed" if method.fixed else "it chooses its pairs from the results"
    first = "prints its games" if method.fixed else "prints its first games"
    dry_run = f"`tournament run {shlex.quote(str(path))} --dry-run` {first} and their time"
    simulated = f"`tournament simulate {shlex.quote(str(path))} --truth curve` measures its error"
    return f"{path}: pairing.method: expected 'meeting-graph', got {method.name!r}: {why}; {dry_run}, {simulated}"


def figures(made: Design) -> list[str]:
    """Return the figures of a design, line by line."""
    degrees = Counter(player for edge in made.edges for player in edge)
    spread = Counter(degrees[i] for i in range(len(made.names)))
    counts = ", ".join(f"{number} of degree {degree}" for degree, number in sorted(spread.items()))
    if len(spread) > _MANY_DEGREES:
        counts = f"degrees {min(spread)} to {max(spread)}"
    error = f"{_elo(made.rms)} Elo (bound {_elo(made.rms_bound)})"
    return [
        f"{counted(len(made.names), 'player')}, {counted(len(made.edges), 'pair')} ({made.criterion}): {counts}",
        *_connectivity(made),
        f"predicted RMS error of the ratings with {_each(made)}: {error}, 95 % intervals ± {_interval(made.rms)} Elo",
        *_advice(made),
    ]


def _connectivity(made: Design) -> list[str]:
    """Return the algebraic connectivity, with its share of the bound if it was maximised."""
    plain = f"algebraic connectivity λ2 = {made.lambda2:.4f}"
    if made.criterion != "connectivity":
        return [f"{plain} (bound {made.lambda2_bound:.4f}; not optimised here)"]
    if made.informed_lambda2 is None or made.informed_lambda2_bound is None:
        return [f"{plain}: {_share(made.lambda2, made.lambda2_bound)} of the bound {made.lambda2_bound:.4f}"]
    informed, most = made.informed_lambda2, made.informed_lambda2_bound
    worst = _elo(math.sqrt(2 / informed)) if informed > 0 else "∞"
    return [
        f"λ2 weighted by information = {informed:.3g} Elo⁻²: {_share(informed, most)} of the bound {most:.3g}; "
        f"the difference of any two ratings has a standard error of at most {worst} Elo",
        f"{plain} without weights (bound {made.lambda2_bound:.4f}; not maximised here)",
    ]


def _share(value: float, bound: float) -> str:
    return f"{100 * value / bound if bound > 0 else 100:.0f} %"


def _each(made: Design) -> str:
    """Return the number of games of a pair, or their range."""
    least, most = min(made.games), max(made.games)
    return (
        f"{counted(most, 'game')} per pair"
        if least == most
        else f"{counted(sum(made.games), 'game')}, {least} to {most} a pair"
    )


def _elo(value: float) -> str:
    """Return a number of Elo with one decimal, below 1 with three digits."""
    return f"{value:.1f}" if value >= 1 else f"{value:.3g}"


def _interval(rms: float) -> str:
    return _elo(ROUNDED_Z95 * rms)


def _advice(made: Design) -> list[str]:
    if made.criterion == "precision":
        return []
    gain = 100 * (1 - made.rms_precision / made.rms)
    same = f"criterion precision predicts {_elo(made.rms_precision)} Elo with the same number of pairs and games"
    return [f"{same}, {gain:.0f} % less" if made.rms >= _MUCH_WORSE * made.rms_precision else same]


def _needed_text(error: float, what: str, needed: Needed | Beyond) -> str:
    wanted = f"an RMS error of {error:g} Elo" if what == "rms" else f"95 % intervals of ± {error:g} Elo on average"
    if isinstance(needed, Beyond):
        left = f"RMS error {_elo(needed.rms)}, 95 % intervals ± {_interval(needed.rms)}"
        if needed.more_than is None:
            return f"{wanted}: not reached with any number of games between these pairs, whose styles leave {left}"
        return f"{wanted}: more than {counted(needed.more_than, 'game')} per pair, which leave {left}"
    games = (
        counted(needed.total, "game")
        if needed.per_pair is None
        else f"{counted(needed.per_pair, 'game')} per pair, {needed.total} in all"
    )
    return f"{wanted}: {games} (RMS error {_elo(needed.rms)}, 95 % intervals ± {_interval(needed.rms)})"


def _opponents(made: Design) -> list[str]:
    """Return one line per player, at most SHOWN, with its opponents, and the games of each pair if they differ."""
    shown = made.names if len(made.names) <= SHOWN + 1 else made.names[:SHOWN]
    width = max(len(name) for name in shown)
    alike = len(set(made.games)) == 1
    meets: list[list[str]] = [[] for _ in made.names]
    for edge, games in zip(made.edges, made.games, strict=True):
        for one, other in (edge, edge[::-1]):
            meets[one].append(made.names[other] if alike else f"{made.names[other]} × {games}")
    lines = [f"  {name:<{width}}  {', '.join(others) or '-'}" for name, others in zip(shown, meets, strict=False)]
    more = len(made.names) - len(shown)
    return [*lines, *([f"  … and {more} more: --json has all pairs, --svg draws them"] if more else [])]
