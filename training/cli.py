"""The command `train`."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import click

from support.console import INTERRUPTED, command_line, version_option
from support.errors import UsageError


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@version_option
def train() -> None:
    """Make checkpoints: self-play, learning, export to ONNX."""


@train.command()
@click.argument("recipe", type=click.Path(path_type=Path))
@click.option("--resume", is_flag=True, help="Resume the run of this recipe, if one exists.")
def run(recipe: Path, resume: bool) -> int:
    """Train the network of RECIPE.toml; the run is stored in results/training/NAME/."""
    from training.needs import need

    need("torch", "onnx", "onnxruntime")
    from training.folder import RUNS, RunFolder
    from training.progress import RunProgress
    from training.recipe import load
    from training.run import Run

    loaded = load(recipe)
    folder = RunFolder(RUNS / loaded.name)
    if folder.exists and not resume:
        raise UsageError(f"{folder.path}: this run exists; --resume continues it")
    training = Run(loaded, folder)
    try:
        with RunProgress(loaded.name, loaded.iterations, training.iteration) as progress:
            training.run(progress.playing, progress.finished)
    except KeyboardInterrupt:
        click.echo(f"interrupted; {training.iteration} of {loaded.iterations} iterations are kept", err=True)
        click.echo(f"resume with: train run {shlex.quote(str(recipe))} --resume", err=True)
        return INTERRUPTED
    click.echo(f"{folder.model}  {training.iteration} iterations, {training.seconds:.0f} s")
    return 0


@train.command(name="list")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def list_runs(as_json: bool) -> None:
    """List the runs in results/training/ and their progress."""
    from training.folder import runs
    from training.listing import as_table, rows

    found = rows(runs())
    click.echo(json.dumps({"runs": found}, indent=2) if as_json else as_table(found))


@train.command()
@click.argument("model", type=click.Path(path_type=Path))
@click.option("--against", default="hsp", show_default=True, help="A player's name, or the file of another network.")
@click.option("--set", "options", multiple=True, metavar="KEY=VALUE", help="Set an option of the opponent.")
@click.option("--games", default=200, show_default=True, type=click.IntRange(2), help="Even: each opening twice.")
@click.option("--simulations", default=400, show_default=True, type=click.IntRange(1), help="Of a network, per move.")
@click.option("--plies", default=4, show_default=True, type=click.IntRange(0), help="Random plies of an opening.")
@click.option("--seed", default=1, show_default=True, type=click.IntRange(0, 2**31))
@click.option("--untrained", is_flag=True, help="Play with the untrained network.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def match(
    model: Path,
    against: str,
    options: tuple[str, ...],
    games: int,
    simulations: int,
    plies: int,
    seed: int,
    untrained: bool,
    as_json: bool,
) -> None:
    """Measure the network MODEL against another player, each opening played twice with colours reversed."""
    from training.needs import need

    if games % 2:
        raise UsageError(f"--games: expected an even number, got {games}")
    need("onnxruntime", *(("torch", "onnx") if untrained else ()))
    from training.measure import Setup, measure

    setup = Setup(model, against, options, games, simulations, plies, seed, untrained)
    result = measure(setup)
    click.echo(json.dumps(result.document(), indent=2) if as_json else result.sentence())


def main() -> None:
    """Run the command."""
    command_line(train)
