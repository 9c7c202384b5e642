"""What a cluster of 1,000 nodes costs its manager: each part measured in this process, without nodes and without Ray.

    python -m benchmarks.thousand_nodes                 # 1,000 nodes, 30,000 games of 100 players
    python -m benchmarks.thousand_nodes --quick         # a tenth of each

The nodes are the manager's own objects, with actors that answer at once; so these are the costs of Fiedler's side
alone. Times are processor times of this process, with its threads; beside the store also the time by the clock, which
has the disk. The first line has the load of the machine.
"""

from __future__ import annotations

import asyncio
import itertools
import os
import random
import tempfile
import time
import tracemalloc
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import click
import msgspec
from msgspec import Struct

from fiedler.games.result import Result
from fiedler.tournament.cluster.cluster import NodeLostError
from fiedler.tournament.cluster.node_tables import NodeTables
from fiedler.tournament.game import GameRecord, PlannedGame, now
from fiedler.tournament.pairing import Step, planner
from fiedler.tournament.pairing.plan import History
from fiedler.tournament.ratings.agreement import agreements
from fiedler.tournament.run.absentees import Absentees
from fiedler.tournament.run.continuation import identities
from fiedler.tournament.run.draft import Draft, games_of
from fiedler.tournament.run.event_log import EventLog
from fiedler.tournament.run.events import Event, Feed, Finished
from fiedler.tournament.run.journal import Attempt, Journal
from fiedler.tournament.run.lease import FinishedLease, Lease
from fiedler.tournament.run.live import Boards
from fiedler.tournament.run.nodes import FILE, NodeState, NodeStatus, StatusFile
from fiedler.tournament.run.openings import OpeningList
from fiedler.tournament.run.recorder import Recorder
from fiedler.tournament.run.remote_tables import reader
from fiedler.tournament.run.scheduler import Scheduler
from fiedler.tournament.run.table_messages import Alive, ProcessSetup, encoded
from fiedler.tournament.schedule.schedule import Schedule
from fiedler.tournament.termination import Termination

PLAYERS, QUICK_PLAYERS = 100, 20
SHARE = 0.3
"""Of the other players, those that a player meets."""
TABLES = 4
"""Tables of a node."""
TOGETHER = 20
"""Records of a busy run that share a commit."""
PLIES = 40
MOVES = ("e5",) * PLIES
TABLE: dict[str, dict[str, Any]] = {
    "tournament": {"name": "nodes", "game": "uttt", "seed": 1},
    "limit": {"nodes": 1000},
    "pairing": {"method": "meeting-graph"},
    "openings": {"plies": 2},
}


class Cost(Struct):
    """The cost of one thing of a kind."""

    what: str
    amount: float
    unit: str
    """`µs` of processor time, `µs by the clock`, or bytes."""


class _Took:
    """The time of a block, in seconds."""

    cpu = clock = 0.0


@contextmanager
def timed() -> Iterator[_Took]:
    """Measure a block; the answer is filled at its end."""
    took = _Took()
    cpu, clock = time.process_time(), time.perf_counter()
    yield took
    took.cpu, took.clock = time.process_time() - cpu, time.perf_counter() - clock


def schedule_of(games: int) -> Schedule:
    """Return a schedule of about this number of games."""
    players = PLAYERS if games >= 30_000 else QUICK_PLAYERS
    pairs = round(players * SHARE) * players // 2
    tournament = {**TABLE["tournament"], "games_per_pair": 2 * max(1, games // pairs // 2)}
    pairing = {**TABLE["pairing"], "pairs": pairs}
    entries = [{"name": f"p{place}", "player": "random"} for place in range(players)]
    return msgspec.convert({**TABLE, "tournament": tournament, "pairing": pairing, "players": entries}, Schedule)


def record_of(game: PlannedGame) -> GameRecord:
    """Return a record of the usual size."""
    at, evaluations = now(), " ".join(["31/9/500"] * (PLIES - len(game.opening)))
    where = game.id, game.number, game.first, game.second, game.opening
    return GameRecord(*where, MOVES, Result.DRAW, Termination.RULES, "", at, at, 1.0, 1.0, evaluations)


def planned(journal: Journal, schedule: Schedule) -> tuple[Draft, list[Cost]]:
    """Plan all games and write the plan; return the cost of a game."""
    start = {"at": now(), "version": "0", "commit": None, "schedule": msgspec.to_builtins(schedule)}
    meta = {"name": "nodes", "game": "uttt", "seed": 1, "created": start["at"], "version": "0", "commit": None}
    meta |= {"schedule": start["schedule"], "starts": [start]}
    method = planner(schedule)
    with closing(OpeningList(schedule)) as openings:
        openings.extend(1)
        with timed() as choosing:
            step = method.next_step(History())
        assert isinstance(step, Step)
        with timed() as planning:
            drafted = Draft(History(), [], step, games_of(step, History(), schedule, openings), openings, method)
        journal.record_start(meta, identities(schedule))
        with timed() as writing:
            drafted.write(journal)
    games = len(drafted.games)
    return drafted, [
        Cost(f"choose the {len(step.pairs):,} pairs, once", 1e6 * choosing.cpu, "µs"),
        Cost(f"plan a game, of {games:,}", 1e6 * planning.cpu / games, "µs"),
        Cost("write it into the plan", 1e6 * writing.cpu / games, "µs"),
    ]


async def scheduled(journal: Journal, schedule: Schedule, drafted: Draft, games: int) -> list[Cost]:
    """Give out games and count them as finished; return the cost of a game."""
    scheduler = Scheduler(schedule, drafted, journal, Recorder(journal, Feed()), Absentees(_nobody, {}))
    with timed() as taking:
        taken = [game for _ in range(games) if (game := await scheduler.take()) is not None]
    records = [(record_of(game), game) for game in taken]
    with timed() as counting:
        for record, game in records:
            await scheduler.done(record, game.step, game.turn)
    return [
        Cost("give out a game", 1e6 * taking.cpu / len(taken), "µs"),
        Cost("count its end", 1e6 * counting.cpu / len(taken), "µs"),
    ]


async def _nobody(_: Sequence[str]) -> dict[str, str]:
    return {}


def stored(journal: Journal, games: Sequence[PlannedGame], commits: int) -> Iterator[Cost]:
    """Commit records one by one, then TOGETHER at a time; yield the costs of a record."""
    left = iter(games)
    for together in (1, TOGETHER):
        batches = [list(itertools.islice(left, together)) for _ in range(commits)]
        ends = [[(record_of(game), Attempt(game.id, 1, 1, "n1")) for game in batch] for batch in batches]
        with timed() as took:
            for finished in ends:
                refused = journal.write([attempt for _, attempt in finished], [], finished)
                assert not refused
        number = sum(map(len, batches))
        shared = "alone" if together == 1 else f"{together} in a commit"
        yield Cost(f"store a record, {shared}", 1e6 * took.cpu / number, "µs")
        yield Cost(f"the same, {shared}", 1e6 * took.clock / number, "µs by the clock")


def emitted(folder: Path, game: PlannedGame, events: int, listeners: int) -> list[Cost]:
    """Emit the ends of games to `events.jsonl` alone, then to this number of listeners beside it; return the costs."""
    seen = 0

    def listen(_: Event) -> None:
        nonlocal seen
        seen += 1

    event = Finished(at=now(), game=record_of(game), finished=1, scheduled=1)
    costs = []
    with EventLog(folder) as log:
        for feed, what in (
            (Feed([log]), "an event in events.jsonl"),
            (Feed([log, *[listen] * listeners]), f"the same, and {listeners:,} listeners"),
        ):
            with timed() as took:
                for _ in range(events):
                    feed.emit(event)
            costs.append(Cost(what, 1e6 * took.cpu / events, "µs"))
    assert seen == events * listeners
    return costs


def sent(game: PlannedGame, games: int) -> list[Cost]:
    """Write leases and read records, as the line to a node has them; return the cost and the bytes of a game."""
    lease = Lease(game, 1, 1, 1, "n1")
    answer, messages = encoded(FinishedLease(lease, record_of(game))), reader()
    with timed() as took:
        for _ in range(games):
            encoded(lease)
            assert len(list(messages.receive(answer))) == 1
    size = float(len(encoded(lease)) + len(answer))
    return [Cost("a lease out, a record in", 1e6 * took.cpu / games, "µs"), Cost("both", size, "bytes")]


class AnsweringNode:
    """An actor that is there for some polls, and then lost."""

    def __init__(self, polls: int) -> None:
        """Prepare this number of answers."""
        self._polls = polls
        self._news = encoded(Alive(3))

    async def call(self, method: str, *words: object) -> tuple[bytes, str]:  # noqa: ARG002
        """Answer a poll."""
        self._polls -= 1
        if self._polls < 0:
            raise NodeLostError("the polls are over")
        return self._news, ""

    def tell(self, method: str, *words: object) -> None:
        """Take a message."""

    def end(self) -> None:
        """End nothing."""


def node_of(number: int, schedule: Schedule, polls: int = 0) -> NodeTables:
    """Return the manager's side of a node."""
    status = NodeStatus(f"n{number}", f"10.0.{number // 250}.{number % 250}", NodeState.PLAYING, tables=TABLES, nps=2e6)
    status.joined = status.heard = now()
    setup = ProcessSetup(schedule, dict.fromkeys(range(1, TABLES + 1)), 1, None, 0.0, number)
    return NodeTables(status.name, AnsweringNode(polls), setup, Boards(), 10.0, lambda *_: False, status, set())


async def kept(schedule: Schedule, nodes: int) -> Cost:
    """Return the memory of a node in the manager."""
    tracemalloc.start()
    before, _ = tracemalloc.get_traced_memory()
    made = [node_of(number, schedule) for number in range(nodes)]
    after, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert len(made) == nodes
    return Cost(f"a node with {TABLES} tables, in memory", (after - before) / nodes, "bytes")


async def alive(schedule: Schedule, nodes: int, beats: int) -> Cost:
    """Return the cost of a word of a node that it is there, with all nodes polled at once."""
    made = [node_of(number, schedule, beats) for number in range(nodes)]
    with timed() as took:
        ends = await asyncio.gather(*(node.follow() for node in made))
    assert set(ends) == {"the polls are over"}
    return Cost("a heartbeat", 1e6 * took.cpu / nodes / beats, "µs")


def noted(folder: Path, nodes: int, times: int) -> list[Cost]:
    """Write `nodes.json` after each change; return the cost and the size of the file."""
    statuses = [NodeStatus(f"n{number}", "10.0.0.1", joined=now(), heard=now()) for number in range(nodes)]
    file = StatusFile(folder, "10.0.0.2:6379")
    with timed() as took:
        for games in range(times):
            statuses[0].games = games
            file.write(now(), statuses)
    size = float((folder / FILE).stat().st_size)
    return [Cost(f"nodes.json of {nodes:,} nodes", 1e6 * took.cpu / times, "µs"), Cost("the same", size, "bytes")]


def agreed(games: Sequence[PlannedGame], nodes: int) -> Cost:
    """Test the results of each node after all games; return the cost of a node."""
    source = random.Random(1)
    results = [*Result]
    places = Counter((f"n{source.randrange(nodes)}", one.first, one.second, source.choice(results)) for one in games)
    with timed() as took:
        found = agreements((*place, number) for place, number in places.items())
    return Cost("test the results of a node", 1e6 * took.cpu / len(found), "µs")


def costs(nodes: int, games: int) -> Iterator[Cost]:
    """Measure each part."""
    schedule = schedule_of(games)
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        with closing(Journal.open(folder)) as journal:
            drafted, found = planned(journal, schedule)
            yield from found
            yield from asyncio.run(scheduled(journal, schedule, drafted, min(nodes, len(drafted.games))))
            yield from stored(journal, drafted.games, nodes // 5)
        yield from emitted(folder, drafted.games[0], nodes, nodes)
        yield from sent(drafted.games[0], 10 * nodes)
        yield asyncio.run(kept(schedule, nodes))
        yield asyncio.run(alive(schedule, nodes, 20))
        yield from noted(folder, nodes, 50)
        yield agreed(drafted.games, nodes)


@click.command()
@click.option("--quick", is_flag=True, help="A tenth of the nodes and the games.")
def main(*, quick: bool) -> None:
    """Measure what 1,000 nodes cost their manager."""
    click.echo(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}")
    for cost in costs(100, 3000) if quick else costs(1000, 30_000):
        click.echo(f"| {cost.what} | {cost.amount:,.1f} {cost.unit} |")


if __name__ == "__main__":
    main()
