"""Runs for the tests of the report: a folder with a store, made without players."""

from __future__ import annotations

import random
from collections.abc import Sequence
from contextlib import closing
from datetime import UTC, datetime, timedelta
from itertools import islice
from pathlib import Path
from typing import Any

import msgspec

from fiedler.games import game as game_of
from fiedler.games.openings import Opening, candidates
from fiedler.games.result import Result
from fiedler.tournament.evaluation import MoveEvaluation, to_text
from fiedler.tournament.game import GameRecord, PlannedGame
from fiedler.tournament.graph import design
from fiedler.tournament.pairing.plan import History, plan
from fiedler.tournament.run.journal import Journal
from fiedler.tournament.run.nodes import NodeState, NodeStatus, StatusFile
from fiedler.tournament.schedule.schedule import LimitSection, Pairing, PlayerEntry, RatingSection, Schedule, Tournament
from fiedler.tournament.termination import Termination
from tests.tournament.schedules import write_finished

LOSSES = [Termination(one) for one in ("resignation", "time", "crash", "illegal move", "disconnect")]
MACHINE = {"cpu": "A <fast> processor", "cores": 8, "system": "Linux 6.1 x86_64", "python": "3.11.7"}
START = datetime(2025, 3, 1, 12, tzinfo=UTC)


def make_run(
    folder: Path,
    names: Sequence[str],
    *,
    game: str = "uttt",
    pairs: int = 0,
    games_per_pair: int = 4,
    played: float = 1.0,
    limit: LimitSection | None = None,
    rating: RatingSection | None = None,
    seed: int = 1,
    elo: Sequence[float] | None = None,
    openings: int = 1,
    pairing: Pairing | None = None,
    steps: Sequence[int] = (),
) -> Path:
    """Make a run; `played` is the share of finished games.

    The pairs are designed, or with `steps` quickly made: every player meets those at these distances around a circle.

    `elo` are the players' strengths, which fall by 60 from one to the next unless given. With several `openings` each
    favours one side by its own Elo.
    """
    count = len(names)
    pairs = pairs or count * (count - 1) // 2
    found_pairs = [(place, (place + step) % count) for step in steps for place in range(count)]
    met = found_pairs or design(count, pairs, seed=seed).edges
    schedule = Schedule(
        tournament=Tournament(name="trial", game=game, games_per_pair=games_per_pair, seed=seed),
        limit=limit or LimitSection(movetime_ms=20),
        pairing=pairing or Pairing(pairs=len(met)),
        rating=rating or RatingSection(),
        players=tuple(PlayerEntry(name=name, player="random") for name in names),
    )
    edges = [(names[i], names[j]) for i, j in met]
    found = [_opening(game)] if openings == 1 else list(islice(candidates(game_of(game), 2, seed), openings))
    meetings = edges * (games_per_pair // 2)
    planned = list(plan(meetings, lambda turn: found[turn % len(found)], seed, History(), 1))
    folder.mkdir(parents=True, exist_ok=True)
    journal = Journal.open(folder)
    meta = {"name": "trial", "game": game, "seed": seed, "schedule": msgspec.to_builtins(schedule)}
    meta |= {"version": "0.1.0", "commit": "0123abc", "created": "2025-03-01T12:00:00.000Z"}
    meta["starts"] = [{"at": meta["created"], "version": "0.1.0", "commit": "0123abc", "machine": MACHINE}]
    journal.record_start(meta, {name: {"player": "random"} for name in names})
    journal.record_step("2025-03-01T12:00:00.000Z", "", dict.fromkeys(edges, games_per_pair // 2), found, planned)
    source = random.Random(seed)
    strengths = dict(zip(names, elo or [-60.0 * place for place in range(len(names))], strict=True))
    finished = planned[: round(played * len(planned))]
    write_finished(journal, *(record(game, number, item, strengths, source) for number, item in enumerate(finished)))
    if len(finished) == len(planned):
        journal.record_end("all games are played")
    journal.close()
    return folder


def make_idle_run(folder: Path) -> Path:
    """Make a run of `idle`, `a` and `b` in which only the games of the last two are finished, and most are won by a."""
    make_run(folder, ["idle", "a", "b"], games_per_pair=20, played=0.0)
    source = random.Random(1)
    with closing(Journal.open(folder)) as journal:
        games = [game for game in journal.unplayed() if "idle" not in (game.first, game.second)]
        strengths = {"a": 500.0, "b": -500.0}
        write_finished(journal, *(record("uttt", number, game, strengths, source) for number, game in enumerate(games)))
    return folder


def make_go_run(folder: Path, scores: tuple[str, str] = ("", "")) -> Path:
    """Make a run of Go between `a` and `b` with two games that White wins, by 88.5 and by 7.5 points.

    `scores` follow the details of the games.
    """
    make_run(folder, ["a", "b"], game="go9", games_per_pair=2, played=0.0, openings=2)
    game, source = game_of("go9"), random.Random(1)
    with closing(Journal.open(folder)) as journal:
        for number, (planned, more) in enumerate(zip(journal.unplayed(), ((), ("a1",)), strict=True)):
            moves = (*planned.opening, *more, "pass", "pass")
            detail = game.won_by(game.position(moves=moves)) + scores[number]
            made = record("go9", number, planned, {"a": 0.0, "b": 0.0}, source)
            ended = {"result": Result.SECOND_WIN, "termination": Termination.RULES, "detail": detail}
            write_finished(journal, msgspec.structs.replace(made, moves=moves, evaluations="", **ended))
    return folder


def make_cluster_run(folder: Path) -> Path:
    """Make a run of `a`, `b` and `c` at two nodes whose manager was killed: `a` wins all games at n1 and none at n2."""
    make_run(folder, ["a", "b", "c"], games_per_pair=40, played=0.0)
    source = random.Random(1)
    with closing(Journal.open(folder)) as journal:
        for place, node in enumerate(("n1", "n2")):
            strengths = {"a": (1000.0, -1000.0)[place], "b": 0.0, "c": 0.0}
            games = [game for game in journal.unplayed() if game.turn % 2 == place][:50]
            made = (record("uttt", number, game, strengths, source) for number, game in enumerate(games))
            write_finished(journal, *made, node=node)
    write_nodes(folder, 50)
    return folder


def write_nodes(folder: Path, games: int) -> None:
    """Write what the manager knew of its nodes; `games` are those of the first one."""
    at = "2025-03-01T12:10:00.000+00:00"
    playing: dict[str, Any] = {
        "state": NodeState.PLAYING,
        "tables": 2,
        "nps": 2e6,
        "joined": "2025-03-01T12:00:00.000+00:00",
        "heard": at,
    }
    first = NodeStatus("n1", "10.0.0.3", games=games, cannot={"c": "/opt/c: not found"}, **playing)
    second = NodeStatus("n2", "10.0.0.4", games=50, void=3, **playing)
    refused = NodeStatus("n3", "10.0.0.5", NodeState.REFUSED, "Python: 3.10 there, 3.11 here")
    StatusFile(folder, "10.0.0.2:6379").write(at, [first, second, refused])


def _opening(game: str) -> Opening:
    position = game_of(game).position()
    moves = []
    for _ in range(2):
        moves.append(position.move_text(position.legal_moves()[-1]))
        position.play(position.legal_moves()[-1])
    return Opening(tuple(moves))


def record(
    game: str, number: int, planned: PlannedGame, strengths: dict[str, float], source: random.Random
) -> GameRecord:
    """Play some random moves, then let the strengths decide; a game that the rules end has their result."""
    position = game_of(game).position(moves=planned.opening)
    moves = list(planned.opening)
    while position.result is None and (len(moves) < 8 or source.random() < 0.97):
        move = source.choice(position.legal_moves())
        moves.append(position.move_text(move))
        position.play(move)
    if position.result is not None:
        result, termination = Result.of(position.result), Termination.RULES
    else:
        luck = 150 * (sum(map(ord, "".join(planned.opening))) % 7 - 3)
        ahead = strengths[planned.first] - strengths[planned.second] + 30 + luck
        win = 1 / (1 + 10 ** (-ahead / 400))
        result = source.choices(
            [Result.FIRST_WIN, Result.SECOND_WIN, Result.DRAW], [win * 0.85, (1 - win) * 0.85, 0.15]
        )[0]
        termination = Termination.ADJUDICATION if result == Result.DRAW else source.choice(LOSSES)
    count = len(moves) - len(planned.opening)
    reports = [MoveEvaluation(100 + ply, source.randrange(-300, 300), None, 5) for ply in range(count)]
    begun = START + timedelta(seconds=3 * number)
    stamp = "%Y-%m-%dT%H:%M:%S.000Z"
    return GameRecord(
        id=planned.id,
        number=planned.number,
        first=planned.first,
        second=planned.second,
        opening=planned.opening,
        moves=tuple(moves),
        result=result,
        termination=termination,
        detail="" if termination == Termination.ADJUDICATION else f'{termination} [made: for \\tests"]',
        started=begun.strftime(stamp),
        finished=(begun + timedelta(seconds=2)).strftime(stamp),
        seconds_first=0.4,
        seconds_second=0.6,
        evaluations=to_text(reports),
    )
