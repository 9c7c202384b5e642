"""The options of `tournament compare` that describe the test: its players, their limit, its hypotheses, its games."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import click

from fiedler.support.cores import available
from fiedler.support.errors import UsageError
from fiedler.support.player_spec import read_options
from fiedler.tournament.comparison.comparison import (
    BASE,
    CANDIDATE,
    ELO1,
    MARGIN_MS,
    MAX_PLIES,
    MOST_GAMES,
    MOVETIME_MS,
    PLIES,
    UGI,
    Comparison,
)
from fiedler.tournament.comparison.contender import read_contender
from fiedler.tournament.elo import MOST_ELO
from fiedler.tournament.schedule.schedule import MAX_CONCURRENCY, SPRT_MODELS, Sprt
from fiedler.tournament.schedule.validation import SEED_LIMIT


class HypothesisElo(click.FloatRange):
    """A number of Elo of either sign; nan is rejected."""

    def __init__(self) -> None:
        super().__init__(-MOST_ELO, MOST_ELO)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:  # noqa: ANN401
        """Return the number."""
        number = float(super().convert(value, param, ctx))
        if math.isnan(number):
            self.fail(f"expected a number of Elo, got {value!r}", param, ctx)
        return number


_RISK = click.FloatRange(0, 0.5, min_open=True, max_open=True)
_POSITIVE = click.IntRange(1, 10**9)
OPTIONS = (
    click.option("--base", metavar="ENGINE", help="The old version: a command, tcp://HOST:PORT, or a player of ours."),
    click.option("--candidate", metavar="ENGINE", help="The new version."),
    click.option("--game", metavar="G", help="A game of `engine games`, or FILE.py:OBJECT."),
    click.option("--protocol", default=UGI, metavar="D", help=f"The dialect of both. Default: {UGI}."),
    click.option("--option", "options", multiple=True, metavar="KEY=VALUE", help="An option of both; repeat."),
    click.option("--movetime", type=_POSITIVE, metavar="MS", help=f"Time of a move. Default: {MOVETIME_MS}."),
    click.option("--nodes", type=_POSITIVE, metavar="N", help="Nodes of a move, in place of a time."),
    click.option(
        "--margin",
        type=click.IntRange(0, 10**9),
        default=MARGIN_MS,
        metavar="MS",
        help=f"A move this late does not lose on time. Default: {MARGIN_MS}.",
    ),
    click.option(
        "--openings",
        default=PLIES,
        metavar="PLIES|FILE",
        help=f"Random plies, or a list; each opening is played with both colours. Default: {PLIES}.",
    ),
    click.option(
        "--max-plies",
        type=_POSITIVE,
        metavar="N",
        help=f"A draw then. Default: {MAX_PLIES} in games whose rules have no bound.",
    ),
    click.option("--elo0", type=HypothesisElo(), default=0.0, metavar="ELO", help="H0: failed. Default: 0."),
    click.option("--elo1", type=HypothesisElo(), default=ELO1, metavar="ELO", help=f"H1: passed. Default: {ELO1:g}."),
    click.option("--alpha", type=_RISK, default=0.05, metavar="P", help="Chance to pass under H0. Default: 0.05."),
    click.option("--beta", type=_RISK, default=0.05, metavar="P", help="Chance to fail under H1. Default: 0.05."),
    click.option(
        "--model",
        type=click.Choice(SPRT_MODELS),
        default=SPRT_MODELS[0],
        help=f"Unit of Elo. Default: {SPRT_MODELS[0]}.",
    ),
    click.option(
        "--games",
        type=click.IntRange(2, 10**6),
        default=MOST_GAMES,
        metavar="N",
        help=f"Most games. Default: {MOST_GAMES}.",
    ),
    click.option(
        "--seed", type=click.IntRange(0, SEED_LIMIT - 1), default=0, metavar="S", help="Of the openings. Default: 0."
    ),
    click.option(
        "--concurrency",
        type=click.IntRange(1, MAX_CONCURRENCY),
        metavar="N",
        help="Games at a time. Default: the cores.",
    ),
    click.option("--shard", metavar="I/N", help="Play a share of all games in DIR.shard-I-of-N, without a verdict."),
)


def comparison_options(command: Callable[..., None]) -> Callable[..., None]:
    """Add the options to a command, which gets them as `make`: it returns the test, or raises UsageError."""

    @functools.wraps(command)
    def gathered(**given: Any) -> None:  # noqa: ANN401 (of click)
        own = {key: given.pop(key) for key in _NAMES}
        command(make=functools.partial(comparison, own), **given)

    return functools.reduce(lambda added, option: option(added), reversed(OPTIONS), gathered)


_NAMES = (
    *(BASE, CANDIDATE, "game", "protocol", "options", "movetime", "nodes", "margin", "openings", "max_plies"),
    *("elo0", "elo1", "alpha", "beta", "model", "games", "seed", "concurrency", "shard"),
)


def comparison(given: Mapping[str, Any]) -> Comparison:
    """Return the test of the options.

    Raises:
        UsageError: one is missing or wrong, or two contradict each other.

    """
    for name in (BASE, CANDIDATE, "game"):
        if given[name] is None:
            raise UsageError(f"--{name}: missing; it is needed to play, and --verdict FOLDER… plays nothing")
    if given["movetime"] is not None and given["nodes"] is not None:
        raise UsageError("--nodes: in place of --movetime, got both")
    if given["games"] % 2:
        raise UsageError(f"--games: expected an even number, since every opening is played twice, got {given['games']}")
    options = _read(given["options"])
    game, protocol = given["game"], given["protocol"]
    return Comparison(
        base=read_contender(BASE, given[BASE], game, protocol, options),
        candidate=read_contender(CANDIDATE, given[CANDIDATE], game, protocol, options),
        test=Sprt(**{key: given[key] for key in ("elo0", "elo1", "alpha", "beta", "model")}),
        movetime_ms=None if given["nodes"] else given["movetime"] or MOVETIME_MS,
        margin_ms=given["margin"],
        concurrency=given["concurrency"] or len(available()),
        **{key: given[key] for key in ("game", "nodes", "openings", "max_plies", "games", "seed", "shard")},
    )


def _read(words: Sequence[str]) -> dict[str, str]:
    try:
        return read_options(words)
    except UsageError as error:
        raise UsageError(f"--option: {error}") from None
