"""The speed of a player's search, and a signature of its tree."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from zlib import crc32

from fiedler.engine.roster.shares import machine_share_mb
from fiedler.games import Game
from fiedler.native import Limits, Position, SearchInfo, StopFlag, rollouts
from fiedler.players import FRESH, Evaluations, Factory, Player, Seeds
from fiedler.players.option import Settings, find, options_of, setting
from fiedler.support.errors import UsageError

POSITIONS = 8
"""The number of positions, searched in order: from the start to well into the game."""
DEFAULT_NODES = 20_000
"""The nodes of a thread, if neither a limit nor the player's options end the search."""
SEED = 1
NETWORK_SECONDS = 0.3
"""The time of the measurement of a network alone."""
_ROLLOUTS_AT_ONCE = 1000
_CALL_SECONDS = 0.005
"""A shorter call of the core doubles the rollouts of the next one, so that the cost of calls is negligible."""


@dataclass(frozen=True, slots=True)
class Bench:
    """The result of a measurement; None where it does not apply."""

    game: str
    player: str
    nodes: int
    """The sum over all threads, of nodes, simulations or rollouts."""
    seconds: float
    nps: float
    """Nodes per second."""
    bytes_per_node: int | None = None
    mean_batch: float | None = None
    """The mean number of positions in one call of the network."""
    evals_per_second: float | None = None
    network_per_second: float | None = None
    """The positions a second of the network alone, on one thread in batches of the same size."""
    signature: int | None = None
    """A checksum over the results of the first session (nodes, depth, score, line), if only nodes or depth ended it and
    one thread searched: another number means another search."""


@dataclass(frozen=True, slots=True)
class Budget:
    """The limits of one thread: nodes or seconds, the first to end; with neither, the player's options decide."""

    nodes: int = 0
    seconds: float = 0.0

    def lasts(self, done: int, started: float) -> bool:
        """Return whether the budget exceeds `done` nodes and the time since `started` (of time.monotonic)."""
        in_time = not self.seconds or time.monotonic() < started + self.seconds
        return in_time and (not self.nodes or done < self.nodes)

    def share(self, parts: int) -> Limits:
        """Return the limits of one of `parts` equal searches."""
        return Limits(0, -(-self.nodes // parts), self.seconds / parts)


def bench_positions(game: Game) -> list[Position]:
    """Return the fixed positions: random games from one seed, each longer than the one before."""
    seeds = Seeds(SEED)
    most = len(game.position().cells)
    return [_after(game, most * number // (POSITIONS + 4), seeds) for number in range(POSITIONS)]


def bench_player(factory: Factory, budget: Budget, threads: int, position: Position | None = None) -> Bench:
    """Let `threads` concurrent sessions search the fixed positions, or the given running one.

    Raises:
        UsageError: Their trees and tables together may exceed the memory share of a server.
    """
    assert isinstance(factory.game, Game)
    positions = bench_positions(factory.game) if position is None else [position]
    players = [_seeded(factory.player(), SEED + number) for number in range(threads)]
    _check_memory(players)
    ends_by_itself = players[0].bounded and not players[0].instant
    if not (budget.nodes or budget.seconds or ends_by_itself):
        budget = Budget(nodes=DEFAULT_NODES)
    for player in players:
        player.prepare()
    before = factory.evaluations()
    stop = StopFlag()
    searched: list[list[SearchInfo]] = [[] for _ in players]
    jobs = [partial(_searched, *pair, positions, budget, stop) for pair in zip(players, searched, strict=True)]
    counts, seconds = _side_by_side(jobs, stop)
    return Bench(
        game=factory.game.id,
        player=factory.kind.name,
        nodes=sum(counts),
        seconds=seconds,
        nps=sum(counts) / seconds,
        bytes_per_node=players[0].bytes_per_node,
        signature=None if budget.seconds or getattr(players[0].settings, "threads", 1) > 1 else _checksum(searched[0]),
        **_evaluation_rates(factory, before, seconds),
    )


@dataclass(slots=True)
class RolloutSettings(Settings):
    """The options of the player `rollouts`, which exists only here."""

    seed: int = setting(SEED, "seed of the rollouts", low=0)
    rollout: str = setting("random", "how they play", choices=("random", "heuristic"))
    side_by_side: int = setting(1, "rollouts at a time: 1, or 16 for games that support it", low=1, high=16)


def bench_rollouts(game: Game, values: dict[str, str], budget: Budget, threads: int) -> Bench:
    """Let `threads` threads play rollouts from the start of the game.

    Raises:
        UsageError: An option or its value is wrong.
    """
    own = RolloutSettings()
    for name, text in values.items():
        setattr(own, name, find(options_of(RolloutSettings), name, "rollouts").read(text))
    try:
        rollouts(game.position(), 0, own.seed, own.rollout, own.side_by_side)
    except ValueError as error:
        raise UsageError(f"--set {error}") from None
    budget = budget if budget.nodes or budget.seconds else Budget(nodes=DEFAULT_NODES)
    stop = StopFlag()
    jobs = [partial(_rolled_out, game, own, number, budget, stop) for number in range(threads)]
    counts, seconds = _side_by_side(jobs, stop)
    return Bench(game.id, "rollouts", sum(counts), seconds, sum(counts) / seconds)


def _after(game: Game, plies: int, seeds: Seeds) -> Position:
    """Return a running position of about `plies` random plies."""
    position = game.position()
    for _ in range(plies):
        moves = position.legal_moves()
        after = position.copy()
        after.play(moves[seeds.below(len(moves))])
        if after.result is None:
            position = after
    return position


def _check_memory(players: Sequence[Player]) -> None:
    wanted, most = sum(player.memory_mb for player in players), machine_share_mb()
    if wanted > most:
        raise UsageError(
            f"hash_mb: expected at most {most} MiB for all threads together, half of this machine's memory; "
            f"got {len(players)} times {players[0].memory_mb}"
        )


def _seeded(player: Player, seed: int) -> Player:
    if getattr(player.settings, "seed", SEED) == FRESH:
        player.set_option("seed", str(seed))
    return player


def _searched(
    player: Player, searched: list[SearchInfo], positions: list[Position], budget: Budget, stop: StopFlag
) -> int:
    """Return the nodes of one thread, and append the result of the first search of every position to `searched`."""
    if player.instant:
        return _asked(player, searched, positions, budget, stop)
    limits = budget.share(len(positions))
    searched.extend(player.search(position, limits, stop) for position in positions)
    return sum(info.nodes for info in searched)


def _asked(
    player: Player, searched: list[SearchInfo], positions: list[Position], budget: Budget, stop: StopFlag
) -> int:
    """Ask a player that answers at once, repeatedly; return the number of answers."""
    started = time.monotonic()
    asked = 0
    while not stop.is_set and budget.lasts(asked, started):
        info = player.search(positions[asked % len(positions)], Limits(), stop)
        if asked < len(positions):
            searched.append(info)
        asked += 1
    return asked


def _checksum(searched: list[SearchInfo]) -> int:
    """Return a 32-bit checksum of the results of the searches."""
    return crc32(repr([(info.nodes, info.depth, round(info.score, 6), info.pv) for info in searched]).encode())


def _rolled_out(game: Game, own: RolloutSettings, thread: int, budget: Budget, stop: StopFlag) -> int:
    """Return the rollouts of one thread."""
    seeds = Seeds(own.seed + thread)
    started = time.monotonic()
    played, at_once = 0, _ROLLOUTS_AT_ONCE
    while not stop.is_set and budget.lasts(played, started):
        count = min(at_once, budget.nodes - played) if budget.nodes else at_once
        began = time.monotonic()
        rollouts(game.position(), count, seeds.next(), own.rollout, own.side_by_side)
        played += count
        if time.monotonic() - began < _CALL_SECONDS:
            at_once *= 2
    return played


def _side_by_side(jobs: Sequence[Callable[[], int]], stop: StopFlag) -> tuple[list[int], float]:
    """Run each job in its own thread; return the count of each, and the seconds until the last was done."""
    started = time.perf_counter()
    with ThreadPoolExecutor(len(jobs)) as pool:
        futures = [pool.submit(job) for job in jobs]
        try:
            counts = [future.result() for future in futures]
        finally:
            stop.set()  # Ctrl-C ends them all
    return counts, max(time.perf_counter() - started, 1e-9)


def _evaluation_rates(factory: Factory, before: Evaluations | None, seconds: float) -> dict[str, float | None]:
    after = factory.evaluations()
    if before is None or after is None or after.batches == before.batches:
        return {}
    done = after.evaluations - before.evaluations
    mean_batch = done / (after.batches - before.batches)
    return {
        "mean_batch": mean_batch,
        "evals_per_second": done / seconds,
        "network_per_second": factory.network_rate(max(1, round(mean_batch)), NETWORK_SECONDS),
    }


def bench_table(bench: Bench) -> str:
    """Return the measurement as readable lines."""
    lines = [
        f"{bench.player} on {bench.game}",
        f"{bench.nodes} nodes in {bench.seconds:.3f} s: {bench.nps:.0f} a second",
    ]
    if bench.bytes_per_node is not None:
        lines.append(f"{bench.bytes_per_node} bytes a node")
    if bench.mean_batch is not None:
        lines.append(f"{bench.evals_per_second:.0f} evaluations a second, {bench.mean_batch:.1f} in a batch")
    if bench.evals_per_second and bench.network_per_second:
        share = bench.evals_per_second / bench.network_per_second
        lines.append(f"{bench.network_per_second:.0f} by the network alone: the search reaches {share:.2f} of it")
    if bench.signature is not None:
        lines.append(f"signature {bench.signature}")
    return "\n".join(lines)
