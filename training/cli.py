"""The command `train`."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import click

from fiedler.support.console import command_line, version_option
from fiedler.support.errors import UsageError
from fiedler.support.interrupt import INTERRUPTED
from fiedler.support.text import counted


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@version_option
def train() -> None:
    """Train models that play, list the runs, measure the strength of models."""


@train.command()
@click.argument("recipe", type=click.Path(path_type=Path))
@click.option("--resume", is_flag=True, help="Resume the run of this recipe.")
@click.option("--device", type=click.Choice(["auto", "cpu", "cuda"]), help="Instead of the recipe's device.")
def run(recipe: Path, resume: bool, device: str | None) -> int:
    """Train the model of RECIPE.toml; the run is stored in results/training/NAME/.

    With --resume RECIPE may be the recipe.json in the folder of a run.
    """
    from fiedler.training.loop.folder import RECIPE, RUNS, TrainingFolder
    from fiedler.training.loop.next_steps import next_steps
    from fiedler.training.loop.progress import RunProgress
    from fiedler.training.loop.run import Run
    from fiedler.training.recipe.needs import need
    from fiedler.training.recipe.registry import load

    loaded = load(recipe, device)
    need(*loaded.needs)
    folder = TrainingFolder(recipe.parent if recipe.name == RECIPE else RUNS / loaded.name)
    if folder.exists and not resume:
        raise UsageError(f"{folder.path}: this run exists; --resume continues it, removing the folder gives it up")
    if resume and not folder.exists:
        raise UsageError(f"--resume: no run in {folder.path}; leave --resume out to begin one")
    if loaded.has_device:
        from fiedler.training.model.device import devices

        click.echo(devices(loaded.device).sentence(), err=True)
    with folder.locked():
        training = Run(loaded, folder)
        for note in training.notes:
            click.echo(note, err=True)
        try:
            with RunProgress(loaded.name, loaded.iterations, training.iteration) as progress:
                training.run(progress.playing, progress.finished, progress.note)
        except KeyboardInterrupt:
            click.echo(f"interrupted; {training.iteration} of {counted(loaded.iterations, 'iteration')} kept", err=True)
            click.echo(f"resume with: train run {shlex.quote(str(recipe))} --resume", err=True)
            return INTERRUPTED
    click.echo(f"{training.model}  {counted(training.iteration, 'iteration')}, {training.stamp.seconds:.0f} s")
    for line in next_steps(loaded, folder):
        click.echo(line, err=True)
    return 0


@train.command(name="list")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def list_runs(as_json: bool) -> None:
    """List the runs in results/training/, their progress and their states (running, finished, unfinished, damaged)."""
    from fiedler.training.loop.folder import RUNS, runs
    from fiedler.training.loop.listing import COLUMNS, rows
    from fiedler.training.recipe.rows import as_table

    found = rows(runs())
    if not found:
        click.echo(f"no runs in {RUNS}/", err=True)
    click.echo(json.dumps({"runs": found}, indent=2) if as_json else as_table(found, COLUMNS))


@train.command()
@click.argument("recipe", type=click.Path(path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def architectures(recipe: Path, as_json: bool) -> int:
    """Compare the networks of [architectures] in RECIPE.toml: each learns from the same expert, then they play.

    Finished ones are kept in results/architectures/NAME/; the same command continues a comparison that ended early.
    """
    from fiedler.support.bar import bar
    from fiedler.training.recipe.needs import need
    from fiedler.training.recipe.registry import comparison, load
    from fiedler.training.recipe.rows import as_line, as_table

    loaded = load(recipe)
    need(*loaded.needs)
    compare = comparison(loaded)
    try:
        with bar() as progress:
            task = progress.add_task(loaded.name)

            def step(name: str, done: int, steps: int) -> None:
                progress.update(task, description=name, completed=done, total=steps)

            rows = compare(step, lambda row: progress.console.print(as_line(row), markup=False))
    except KeyboardInterrupt:
        click.echo("interrupted; the finished networks are kept", err=True)
        click.echo(f"continue with: train architectures {shlex.quote(str(recipe))}", err=True)
        return INTERRUPTED
    document = {"recipe": loaded.name, "architectures": rows}
    click.echo(json.dumps(document, indent=2) if as_json else as_table(rows, tuple(rows[0])))
    return 0


@train.command()
@click.argument("run")
def plot(run: str) -> None:
    """Draw progress.svg of RUN, a name or a folder, again: losses, strength and curves by iteration."""
    from fiedler.training.loop.folder import PICTURE, find
    from fiedler.training.loop.ladder import rungs
    from fiedler.training.loop.picture import write_picture

    folder = find(run)
    log = folder.log()
    if not log:
        raise UsageError(f"{folder.path}: no iteration is finished")
    recipe = folder.recipe()
    write_picture(folder.path / PICTURE, recipe, log, rungs(recipe, folder))
    click.echo(folder.path / PICTURE)


@train.command()
@click.argument("model", type=click.Path(path_type=Path))
@click.option(
    "--against", default="hsp", show_default=True, help="A player's name, another model file, or `untrained`."
)
@click.option("--set", "options", multiple=True, metavar="KEY=VALUE", help="Set an option of the opponent.")
@click.option("--own", multiple=True, metavar="KEY=VALUE", help="Set an option of the model's player.")
@click.option("--games", default=200, show_default=True, type=click.IntRange(2), help="Even: each opening twice.")
@click.option("--simulations", default=400, show_default=True, type=click.IntRange(1), help="Of a model, per move.")
@click.option("--plies", default=4, show_default=True, type=click.IntRange(0), help="Random plies of an opening.")
@click.option("--seed", default=1, show_default=True, type=click.IntRange(0, 2**31))
@click.option("--untrained", is_flag=True, help="Play with the untrained model.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def match(
    model: Path,
    against: str,
    options: tuple[str, ...],
    own: tuple[str, ...],
    games: int,
    simulations: int,
    plies: int,
    seed: int,
    untrained: bool,
    as_json: bool,
) -> None:
    """Measure the player of MODEL against another one, each opening played twice with colours reversed."""
    if games % 2:
        raise UsageError(f"--games: expected an even number, got {games}")
    _need_runtime(model, Path(against))
    from fiedler.training.judge.measure import Setup, measure

    setup = Setup(model, against, options, games, simulations, plies, seed, untrained, own)
    result = measure(setup)
    click.echo(json.dumps(result.document(), indent=2) if as_json else result.sentence())


@train.command()
@click.argument("policy", type=click.Path(path_type=Path))
@click.argument("cells", type=click.Path(path_type=Path))
@click.option("-o", "--output", required=True, type=click.Path(path_type=Path), help="The new file.")
def join(policy: Path, cells: Path, output: Path) -> None:
    """Put CELLS, a network of cells, into the file of POLICY, whose player then values new nodes by it at once."""
    from fiedler.training.recipe.needs import need

    need("onnxruntime", "onnx")
    from fiedler.support.files import write_whole
    from fiedler.training.model.join import joined

    write_whole(output, joined(policy, cells))
    click.echo(output)


@train.command()
@click.argument("model", metavar="FILE", type=click.Path(path_type=Path))
@click.option("--game", "game_id", metavar="G", help="The game of the network, if the file does not name it.")
@click.option("--player", metavar="P", help="Its player, if the file does not name it and its heads do not decide.")
@click.option("-o", "--output", type=click.Path(path_type=Path), help="The new file, in place of FILE itself.")
def seal(model: Path, game_id: str | None, player: str | None, output: Path | None) -> None:
    """Make FILE, an ONNX network of another program, a model of ours: check it, then add metadata and checksum."""
    from fiedler.training.recipe.needs import need

    need("onnxruntime", "onnx")
    from fiedler.games import game
    from fiedler.players import about
    from fiedler.support.files import write_whole
    from fiedler.training.model.seal import sealed_file

    written = output or model
    write_whole(written, sealed_file(model, game(game_id) if game_id else None, player))
    click.echo(f"{written}  player {about(written)['player']}")


@train.command()
@click.argument("model", type=click.Path(path_type=Path))
@click.option("--simulations", default=400, show_default=True, type=click.IntRange(1), help="Per move, if it searches.")
@click.option("--untrained", is_flag=True, help="Measure the untrained model.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def walk(model: Path, simulations: int, untrained: bool, as_json: bool) -> None:
    """Compare the player of MODEL with exact play in every position of a small game, such as tictactoe."""
    _need_runtime(model)
    from fiedler.training.judge.measure import walk_model

    result = walk_model(model, simulations, untrained=untrained)
    click.echo(json.dumps(result.document(), indent=2) if as_json else result.sentence())


def _need_runtime(*models: Path) -> None:
    """Refuse networks that only onnxruntime evaluates where it is missing."""
    from fiedler.players.entries import NETWORK
    from fiedler.players.shipped import is_native
    from fiedler.training.recipe.needs import need

    if any(model.suffix == NETWORK and not is_native(model) for model in models):
        need("onnxruntime")


def main() -> None:
    """Run the command."""
    command_line(train)
