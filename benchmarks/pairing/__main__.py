"""Pairs the same simulated players by the rules that people use, and by ours.

    python -m benchmarks.pairing [--repetitions 40] [--workers 2] [--json FILE] [--svg FILE]
    python -m benchmarks.pairing --truth recorded --rule run-games --rule goal
    python -m benchmarks.pairing --repetitions 20 --first 20 --json second.json
    python -m benchmarks.pairing first.json second.json --svg loss.svg

Each rule sees results only. `--json` keeps the trials: the same command then plays those that are missing. Files of the
same setting are joined. README.md has the columns, and the rules with their sources.
"""

from __future__ import annotations

from pathlib import Path

import click

from benchmarks.pairing.figure import loss_figure
from benchmarks.pairing.pool import Duels, joined, played, read
from benchmarks.pairing.rules import RULES
from benchmarks.pairing.setting import RECORDED, Duel, recorded
from benchmarks.pairing.summary import summaries
from benchmarks.pairing.text import text
from fiedler.support.bar import bar
from fiedler.support.console import command_line
from fiedler.support.errors import UsageError
from fiedler.support.files import write_whole
from fiedler.tournament.elo import LEAST_PLAYERS
from fiedler.tournament.simulation.population import SHAPES


@click.command()
@click.argument("files", nargs=-1, type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--truth", type=click.Choice((*SHAPES, RECORDED)), default="curve", help="Default: curve.")
@click.option("--players", type=click.IntRange(LEAST_PLAYERS, 1000), default=100, metavar="N", help="Default: 100.")
@click.option("--games", type=click.IntRange(100, 10**6), default=30_000, metavar="N", help="Default: 30000.")
@click.option("--noise", type=click.FloatRange(0, 1000), default=15.0, metavar="SD", help="Default: 15.")
@click.option("--style-sd", type=click.FloatRange(0, 1000), default=0.0, metavar="SD", help="Elo of each pair alone.")
@click.option("--prior", type=click.FloatRange(0, 1000), default=2.0, metavar="DRAWS", help="Default: 2.")
@click.option("--base", type=float, default=0.0, metavar="ELO", help="Of the base above the best. Default: 0.")
@click.option("--seed", type=click.IntRange(0, 2**62), default=34, metavar="S", help="Default: 34.")
@click.option("--rule", "rules", multiple=True, type=click.Choice([*RULES]), help="Only this rule; repeat.")
@click.option("--repetitions", type=click.IntRange(1, 10**6), default=40, metavar="N", help="Default: 40.")
@click.option(
    "--first", type=click.IntRange(0, 10**6), default=0, metavar="N", help="The first repetition. Default: 0."
)
@click.option("--workers", type=click.IntRange(1, 256), default=2, metavar="N", help="Processes. Default: 2.")
@click.option("--json", "path", type=click.Path(dir_okay=False, path_type=Path), help="Keep the trials.")
@click.option("--svg", type=click.Path(dir_okay=False, path_type=Path), help="Draw the losses.")
def pairing(
    files: tuple[Path, ...],
    truth: str,
    players: int,
    games: int,
    noise: float,
    style_sd: float,
    prior: float,
    base: float,
    seed: int,
    rules: tuple[str, ...],
    repetitions: int,
    first: int,
    workers: int,
    path: Path | None,
    svg: Path | None,
) -> None:
    """Pair the same players by all rules, or join the FILES of earlier calls."""
    if files:
        found = joined(files)
        if path is not None:
            found.write(path)
    else:
        size = len(recorded()[0]) if truth == RECORDED else players
        setting = Duel(truth, size, games // 2 * 2, noise, style_sd, prior, base, seed)
        tasks = [(name, number) for number in range(first, first + repetitions) for name in rules or RULES]
        with bar() as progress:
            shown = progress.add_task("trials", total=None)

            def report(finished: int, total: int) -> None:
                progress.update(shown, completed=finished, total=total)

            found = played(tasks, _known(path, setting), workers, report, path)
    lines = summaries(found)
    click.echo(text(lines, found.setting))
    if svg is not None:
        write_whole(svg, loss_figure(lines, found.setting))


def _known(path: Path | None, setting: Duel) -> Duels:
    """Return the trials that a file has already.

    Raises:
        UsageError: its setting is another one.

    """
    if path is None or not path.exists():
        return Duels(setting)
    known = read(path)
    if known.setting != setting:
        raise UsageError(f"{path}: expected trials of the same setting, got another: name a new file")
    return known


if __name__ == "__main__":
    command_line(pairing)
