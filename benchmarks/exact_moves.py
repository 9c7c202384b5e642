"""Measures players over the exact sets of Connect 4: the share of moves that keep the value of the position.

    python -m benchmarks.exact_moves --player mcts --set simulations=1000
    python -m benchmarks.exact_moves --model models/connect4-dqn.onnx
    python -m benchmarks.exact_moves --model results/training/connect4-small/net.onnx --simulations 0 [--untrained]

The sets (tools/connect4_sets.py) have 500 positions each in which some legal move loses value, so that a player which
ignores the position fails. A model with a policy moves by its greatest legal logit at 0 simulations: the raw network.
A model without a search (Q-values, a table) has no simulations. `--untrained` takes the first model of the recipe and
its seed. The error stands beside that of AlphaZero.jl, which was measured over positions with and without a choice: a
player errs only in the others, so its error over all positions is that over ours times their share.
"""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import AbstractContextManager, ExitStack, closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
import msgspec
import numpy as np

from fiedler.games import game
from fiedler.games.score import interval, score_text
from fiedler.native import Limits, Position, StopFlag
from fiedler.players import Factory, create
from fiedler.players.checkpoint import POLICY
from fiedler.players.network_player import NetworkFactory
from fiedler.support.bar import bar
from fiedler.support.console import command_line
from fiedler.support.errors import UsageError
from fiedler.support.player_spec import read_options
from fiedler.training.judge.match import naming
from fiedler.training.judge.measure import model_file
from fiedler.training.judge.sides import model_player
from tools.connect4_sets import OUT, Line, after

CHUNK = 50
"""Positions of one player, with a seed of their own: the moves do not depend on the number of threads."""
ALPHAZERO_JL = {
    "begin-easy": 0.0,
    "middle-easy": 0.0,
    "end-easy": 0.0,
    "begin-medium": 2.0,
    "middle-medium": 2.25,
    "begin-hard": 7.0,
}
"""The error of AlphaZero.jl (0.5) with 600 simulations, in percent, read off the plot of its tutorial."""
CHOICE = {
    "begin-easy": 0.437,
    "middle-easy": 0.469,
    "end-easy": 0.569,
    "begin-medium": 0.518,
    "middle-medium": 0.581,
    "begin-hard": 0.714,
}
"""The share of positions with a choice among all that were drawn for the set (tests/data/games/README.md)."""
Choose = Callable[[Position], int]


@dataclass(frozen=True)
class Kept:
    """The moves in one set, or in all of them."""

    name: str
    kept: int
    """Moves that keep the value."""
    positions: int

    @property
    def share(self) -> float:
        """The share of these moves, 0 to 1."""
        return self.kept / self.positions

    @property
    def bounds(self) -> tuple[float, float]:
        """Its 95 % interval."""
        return interval(self.kept, self.kept, self.positions)

    @property
    def error_of_all(self) -> float | None:
        """The error over positions with and without a choice, in percent."""
        choice = CHOICE.get(self.name)
        return None if choice is None else 100 * (1 - self.share) * choice

    def document(self) -> dict[str, Any]:
        """Return it for programs."""
        low, high = self.bounds
        share = {"share": round(self.share, 4), "low": round(low, 4), "high": round(high, 4)}
        error = None if self.error_of_all is None else round(self.error_of_all, 2)
        theirs = {"error_of_all": error, "alphazero_jl": ALPHAZERO_JL.get(self.name)}
        return {"set": self.name, "positions": self.positions, "kept": self.kept, **share, **theirs}

    def row(self) -> str:
        """Return it as a row of the table."""
        error = "" if self.error_of_all is None else f"{self.error_of_all:.1f}"
        theirs = f"{ALPHAZERO_JL[self.name]:g}" if self.name in ALPHAZERO_JL else ""
        return f"| {self.name} | {self.positions} | {score_text(self.share, self.bounds, 1)} | {error} | {theirs} |"


def lines(file: Path) -> list[Line]:
    """Return the positions of a file.

    Raises:
        UsageError: It is not such a file.
    """
    try:
        return msgspec.json.Decoder(Line).decode_lines(file.read_bytes())
    except (OSError, msgspec.MsgspecError) as error:
        raise UsageError(f"{file}: expected the sets of tools/connect4_sets.py: {error}") from None


def keeps_value(line: Line, move: int) -> bool:
    """Return whether a move has the sign of the best score."""
    best = max(score for score in line.scores if score is not None)
    score = line.scores[move]
    return score is not None and (score > 0) - (score < 0) == (best > 0) - (best < 0)


Seat = Callable[[Factory, int], AbstractContextManager[Choose]]
"""Gives the moves of a new player of a factory, with a seed."""


@contextmanager
def searching(factory: Factory, seed: int) -> Iterator[Choose]:
    """Give the moves of a player that forgets each position."""
    with closing(factory.player()) as player:
        if any(option.name == "seed" for option in player.options()):
            player.set_option("seed", str(seed))

        def choose(position: Position) -> int:
            player.new_game()
            best = player.search(position, Limits(), StopFlag()).best
            assert best is not None
            return best

        yield choose


@contextmanager
def raw(factory: Factory, _: int) -> Iterator[Choose]:
    """Give the legal moves with the greatest logit of the policy."""
    assert isinstance(factory, NetworkFactory)
    batcher = factory.network.batcher
    policy = [name for name, _ in batcher.heads].index(POLICY)

    def choose(position: Position) -> int:
        logits = batcher.evaluate(position.planes()[None])[policy][0]
        moves = position.legal_moves()
        return moves[int(np.argmax(logits[moves]))]

    yield choose


def kept_in(chunk: list[Line], factory: Factory, seat: Seat, seed: int) -> Counter[str]:
    """Return the number of moves that keep the value, by set."""
    kept: Counter[str] = Counter()
    with seat(factory, seed) as choose:
        for line in chunk:
            kept[line.set] += keeps_value(line, choose(after(line.moves)))
    return kept


def measure(found: list[Line], factory: Factory, seat: Seat, seed: int, threads: int) -> list[Kept]:
    """Return the moves in each set and in all of them."""
    chunks = [found[at : at + CHUNK] for at in range(0, len(found), CHUNK)]
    kept: Counter[str] = Counter()
    with bar() as progress, ThreadPoolExecutor(threads) as pool:
        task = progress.add_task("positions", total=len(found))
        jobs = [pool.submit(kept_in, chunk, factory, seat, seed + i) for i, chunk in enumerate(chunks)]
        for job in as_completed(jobs):
            kept.update(job.result())
            progress.advance(task, CHUNK)
    positions = Counter(line.set for line in found)
    each = [Kept(name, kept[name], positions[name]) for name in ALPHAZERO_JL if positions[name]]
    return [*each, Kept("all", kept.total(), len(found))]


def model_factory(model: Path, simulations: int, options: dict[str, str]) -> tuple[Factory, Seat]:
    """Return the factory of the player that the file names, and its seat.

    Raises:
        UsageError: The file or an option is wrong, or the player has no raw network.
    """
    factory = model_player(model, game("connect4"), simulations, options)
    if simulations or not factory.kind.budget:
        return factory, searching
    if isinstance(factory, NetworkFactory) and POLICY in factory.network.model.heads:
        return factory, raw
    factory.close()
    raise UsageError(f"{model}: 0 simulations need a policy, which its player {factory.kind.name} does not have")


@click.command(help="Measure a player over the exact sets of Connect 4.")
@click.option("--player", help="A player by its name; its own options must bound its search.")
@click.option("--model", type=click.Path(path_type=Path), help="A model file.")
@click.option("--simulations", default=400, show_default=True, type=click.IntRange(0), help="Of a model; 0: raw.")
@click.option("--untrained", is_flag=True, help="The first model of the recipe in place of the model.")
@click.option("--set", "options", multiple=True, metavar="KEY=VALUE", help="Set an option of the player.")
@click.option("--sets", "file", default=OUT, type=click.Path(path_type=Path), help="The file of the sets.")
@click.option("--first", type=click.IntRange(1), help="Only the first positions of each set.")
@click.option("--seed", default=1, show_default=True, type=click.IntRange(0, 2**31))
@click.option("--threads", default=2, show_default=True, type=click.IntRange(1, 256))
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def exact_moves(
    player: str | None,
    model: Path | None,
    simulations: int,
    untrained: bool,
    options: tuple[str, ...],
    file: Path,
    first: int | None,
    seed: int,
    threads: int,
    as_json: bool,
) -> None:
    """Measure and print."""
    if (player is None) == (model is None) or (untrained and model is None):
        raise UsageError("expected either --player or --model; --untrained goes with --model")
    found = some(lines(file), first)
    with naming("--set"):
        values = read_options(options)
    with ExitStack() as stack:
        if model:
            path = stack.enter_context(model_file(model, untrained=untrained))
            factory, seat = model_factory(path, simulations, values)
        else:
            factory, seat = create(game("connect4"), player, values), searching
        stack.enter_context(closing(factory))
        if seat is searching and not factory.player().bounded:
            raise UsageError(f"player {player}: expected an option that bounds its search, such as simulations")
        began = time.monotonic()
        sets = measure(found, factory, seat, seed, threads)
        seconds = time.monotonic() - began
    if as_json:
        about_it = {"player": factory.kind.name, "model": str(model) if model else None, "untrained": untrained}
        budget = {"simulations": simulations if model else None, "options": list(options), "seed": seed}
        document = {**about_it, **budget, "seconds": round(seconds, 1), "sets": [one.document() for one in sets]}
        click.echo(json.dumps(document, indent=2))
        return
    click.echo("| set | positions | moves that keep the value | error over all positions, % | AlphaZero.jl, % |")
    click.echo("|---|---|---|---|---|")
    for one in sets:
        click.echo(one.row())


def some(found: list[Line], first: int | None) -> list[Line]:
    """Return the first positions of each set, or all."""
    taken: Counter[str] = Counter()
    chosen = []
    for line in found:
        taken[line.set] += 1
        if first is None or taken[line.set] <= first:
            chosen.append(line)
    return chosen


if __name__ == "__main__":
    command_line(exact_moves)
