"""The numbers of docs/what-n-games-tell.md, from simulated tournaments.

    python docs/measure_games.py --measure    # plays the tournaments: four minutes of processor time
    python docs/measure_games.py              # writes the tables and the picture from the kept numbers

The numbers are kept in results/simulation/n-games.json.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path
from statistics import fmean

from msgspec import Struct, convert, to_builtins

from fiedler.games.score import interval
from fiedler.support.drawing import Plot
from fiedler.tournament.simulation.population import Population, nameless
from fiedler.tournament.simulation.schemes import scheme
from fiedler.tournament.simulation.trial import Conditions, run_trial

ROOT = Path(__file__).parents[1]
KEPT = ROOT / "results/simulation/n-games.json"
PAGE = ROOT / "docs/what-n-games-tell.md"
PICTURE = ROOT / "docs/images/what-n-games-tell.svg"
METHODS = {2: "round-robin", 10: "round-robin", 30: "connectivity-8", 100: "connectivity-8"}
"""The pairing of each number of players: everybody meets everybody, or eight opponents each."""
EACH = (20, 100, 500, 2000)
"""The games of each player."""
SPREADS_ELO = (30, 100, 300)
"""Standard deviations of the true strengths."""
REPETITIONS = 400


class NGames(Struct, frozen=True):
    """The means over the tournaments of one kind."""

    players: int
    each: int
    """Games of each player."""
    spread_elo: int
    """Standard deviation of the true strengths."""
    best: int
    """Tournaments whose leader was the best player."""
    loss_elo: float
    """True Elo that the leader lacks to the best player."""
    rms_elo: float
    coverage: float
    """Share of the players within their 95 % intervals."""
    repetitions: int = REPETITIONS

    @property
    def games(self) -> int:
        """The games of one tournament."""
        return self.players * self.each // 2

    @property
    def chance(self) -> float:
        """The chance that the leader is the best player."""
        return self.best / self.repetitions


def measured(players: int, each: int, spread_elo: int) -> NGames:
    """Play the tournaments of one kind."""
    games = players * each // 2
    population = Population(players, shape="equal", noise=float(spread_elo))
    conditions = Conditions(nameless(players, games), population, games)
    method = METHODS[players]
    trials = [run_trial(method, scheme(method, conditions.schedule), conditions, one) for one in range(REPETITIONS)]
    return NGames(
        players=players,
        each=each,
        spread_elo=spread_elo,
        best=sum(trial.loss == 0 for trial in trials),
        loss_elo=round(fmean(trial.loss for trial in trials), 2),
        rms_elo=round(fmean(trial.rms for trial in trials), 2),
        coverage=round(fmean(trial.coverage for trial in trials), 4),
    )


def main() -> None:
    """Measure, if asked to, and write the files."""
    if sys.argv[1:] == ["--measure"]:
        kinds = [(players, each, spread) for spread in SPREADS_ELO for players in METHODS for each in EACH]
        with ProcessPoolExecutor(2) as pool:
            found = list(pool.map(measured, *zip(*kinds, strict=True)))
        rows = ",\n".join(json.dumps(to_builtins(one)) for one in found)
        KEPT.write_text(f"[\n{rows}\n]\n", encoding="utf-8")
    for path, text in files().items():
        path.write_text(text, encoding="utf-8")


def files() -> dict[Path, str]:
    """Return the page with its tables, and the picture, as the kept numbers have them."""
    kept = convert(json.loads(KEPT.read_text("utf-8")), list[NGames])
    page = PAGE.read_text("utf-8")
    for name, table in (("errors", errors(kept)), ("chances", chances(kept))):
        page, count = re.subn(
            rf"(<!-- {name} -->\n\n).*?(\n\n<!-- end -->)", partial(_filled, table), page, flags=re.DOTALL
        )
        assert count == 1, name
    return {PAGE: page, PICTURE: picture(kept)}


def _filled(table: str, found: re.Match[str]) -> str:
    return f"{found[1]}{table}{found[2]}"


def percent(share: float) -> str:
    """Return a share as a text."""
    return f"{100 * share:.0f} %"


def errors(kept: Sequence[NGames]) -> str:
    """Return the rows of the errors at a spread of 100 Elo."""
    rows = ["| games of each player | error of a rating | error bar | bars that hold the truth |", "|---|---|---|---|"]
    for each in EACH:
        some = [one for one in kept if one.each == each and one.spread_elo == 100 and one.players > 2]
        found = [one.rms_elo for one in some]
        low, high = min(found), max(found)
        share = fmean(one.coverage for one in some)
        rows.append(
            f"| {each:,} | {low:.0f} to {high:.0f} Elo | ± {1.96 * low:.0f} to {1.96 * high:.0f} | {percent(share)} |"
        )
    return "\n".join(rows)


def chances(kept: Sequence[NGames]) -> str:
    """Return the rows of the chances and losses."""
    spreads = " | ".join(f"spread {spread} Elo" for spread in SPREADS_ELO)
    rows = [f"| players | games of each | games | {spreads} |", "|---|---|---|---|---|---|"]
    for players in METHODS:
        for each in EACH:
            some = [one for one in kept if (one.players, one.each) == (players, each)]
            cells = " | ".join(f"{percent(one.chance)}, {one.loss_elo:.0f} Elo" for one in some)
            rows.append(f"| {players} | {each:,} | {some[0].games:,} | {cells} |")
    return "\n".join(rows)


def picture(kept: Sequence[NGames]) -> str:
    """Return the SVG of the chances at a spread of 100 Elo."""
    plot = Plot(
        (760, 380),
        "The chance that the leader is the best player",
        "by the games of each player, for 2, 10, 30 and 100 players of a spread of 100 Elo; bars: 95 % interval",
        x=(EACH[0] * 0.5, EACH[-1] * 1.1),
        y=(0, 1),
        margins=(40, 24, 46, 60),
        geometric=True,
    )
    plot.text((8, 16), "The chance that the leader is the best player; spread 100 Elo", size=13, kind="title")
    plot.y_axis("chance", percent=True)
    plot.x_axis("games of each player", at=EACH)
    for place, players in enumerate(METHODS):
        line = [one for one in kept if one.players == players and one.spread_elo == 100]
        plot.path([plot.spot(one.each, one.chance) for one in line], kind=f"line own{place}")
        for one in line:
            low, high = interval(one.best, one.best, one.repetitions)
            plot.path([plot.spot(one.each, low), plot.spot(one.each, high)], kind=f"line own{place}")
            plot.circle(plot.spot(one.each, one.chance), 3.5, kind=f"fill{place}", tooltip=percent(one.chance))
        x, y = plot.spot(line[0].each, line[0].chance)
        plot.text((x - 10, y), f"{players} players", size=11, anchor="end")
    return plot.svg()


if __name__ == "__main__":
    main()
