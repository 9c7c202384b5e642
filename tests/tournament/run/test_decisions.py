"""Sequential tests and stopping rules decide once, at every concurrency, for every order of ends, through kills."""

from __future__ import annotations

import asyncio
import json
import random
import re
import signal
import tempfile
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import closing
from html import escape
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import pytest
from click.testing import CliRunner
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from fiedler.games.result import Result
from fiedler.support.errors import UsageError
from fiedler.tournament import cli
from fiedler.tournament.dispute import Dispute
from fiedler.tournament.game import PlannedGame, now
from fiedler.tournament.pairing.chosen_player import Standing
from fiedler.tournament.pairing.plan import Decision
from fiedler.tournament.ratings import Answer, Results, rate
from fiedler.tournament.run import draft, manager
from fiedler.tournament.run.absentees import Absentees
from fiedler.tournament.run.conclusion import conclude
from fiedler.tournament.run.continuation import identities
from fiedler.tournament.run.events import Decided, Event, Feed, Finished, Remarked, Started, Voided
from fiedler.tournament.run.interim import look
from fiedler.tournament.run.journal import Attempt, Journal
from fiedler.tournament.run.lease import Lease
from fiedler.tournament.run.openings import OpeningList
from fiedler.tournament.run.recorder import Recorder
from fiedler.tournament.run.run_state import RunState
from fiedler.tournament.run.scheduler import Scheduler
from fiedler.tournament.run.status import status
from fiedler.tournament.run.store import Store
from fiedler.tournament.schedule.schedule import GoalRule, PlayerEntry, RatingSection, Schedule, StopRule
from tests.tournament.manager_process import NODES, PLIES, UTTT, Manager, wait_until_gone, waiting_after
from tests.tournament.run.test_store import record
from tests.tournament.schedules import Bench, Tables, example

RULES: dict[str, dict[str, Any]] = {
    "meetings": {"method": "sprt", "sprt": {"elo0": 0, "elo1": 150}},
    "games": {"method": "sprt", "games": 60, "sprt": {"elo0": 0, "elo1": 150, "pentanomial": False}},
    "normalised": {"method": "sprt", "sprt": {"elo0": 0, "elo1": 200, "model": "normalised"}},
    "top": {"method": "round-robin", "stop": {"top": 1, "confidence": 0.6}},
    "error": {"method": "meeting-graph", "pairs": 3, "stop": {"error": 190}},
    "batches": {"method": "adaptive", "games": 60, "batches": 6, "stop": {"error": 160}},
    "rounds": {"method": "swiss", "rounds": 5, "stop": {"error": 250}},
    "newcomers": {"method": "ladder", "stop": {"top": 1, "confidence": 0.7}},
    "goal": {"method": "adaptive", "games": 240, "goal": {"best": 30, "confidence": 0.7, "loss": 25}},
}
STRENGTH = {"p0": 0.6, "p1": 0.5, "p2": 0.3, "p3": 0.3, "p4": 0.2}


class KilledError(Exception):
    """The manager is killed here."""


def schedule(rule: str, **more: Any) -> Schedule:
    count = 10 if rule == "goal" else 2 if RULES[rule]["method"] == "sprt" else 4
    tables = {
        "tournament": {"name": "test", "game": "uttt", "games_per_pair": 10, "bench_after": 0},
        "limit": {"nodes": 1},
        "pairing": {**RULES[rule], **more},
        "players": [{"name": f"p{number}", "player": "random"} for number in range(count)],
    }
    return msgspec.convert(tables, Schedule)


def plain(method: str) -> Schedule:
    """A schedule of this method without anything to decide."""
    options = schedule("meetings" if method == "sprt" else "top", method=method, stop=None, **METHODS[method])
    return replace(options, tournament=replace(options.tournament, games_per_pair=2))


def result_of(game: PlannedGame, seed: int) -> Result:
    """Return the fixed result of a game."""
    source = random.Random(f"{seed} {game.id}")
    if source.random() < 0.2:
        return Result.DRAW
    first, second = (STRENGTH.get(name, 0.2) for name in (game.first, game.second))
    return Result.FIRST_WIN if source.random() < first / (first + second) else Result.SECOND_WIN


class Outcome(NamedTuple):
    """The events of a run, and its store at the end."""

    events: list[Event]
    status: Mapping[str, Any]
    decision: Decision | None


async def all_start(_: Sequence[str]) -> dict[str, str]:
    """Probe players that all start."""
    return {}


async def play(folder: Path, options: Schedule, seed: int, at_once: int, order: random.Random, kill: int) -> Outcome:
    """Play the games left with the real planning and storing, without players; be killed after `kill` games."""
    events: list[Event] = []
    with Journal.open(folder) as journal:
        openings = OpeningList(options)
        drafted = draft.prepare(options, draft.to_resume(journal, fresh=False), openings)
        meta = {"name": "test", "game": "uttt", "seed": 0, "schedule": msgspec.to_builtins(options)}
        meta["starts"] = [*([] if journal.is_new else journal.starts), {"at": now()}]
        journal.record_start(meta, identities(options))
        drafted.write(journal)
        recorder = Recorder(journal, Feed([events.append]))
        scheduler = Scheduler(options, drafted, journal, recorder, Absentees(all_start, {}))
        ended, attempts = 0, Counter(journal.attempts)

        async def work() -> None:
            nonlocal ended
            while (game := await scheduler.take()) is not None:
                attempts[game.id] += 1
                attempt = attempts[game.id]
                lease = Lease(game, attempt, 1, len(journal.starts))
                counts = {"planned": scheduler.planned, "scheduled": scheduler.scheduled}
                recorder.record(Started(at=now(), game=game, attempt=attempt, **counts), lease)
                for _ in range(order.choice((0, 1, 5, 30, 300))):
                    await asyncio.sleep(0)
                if order.random() < 0.05:
                    recorder.record(Voided(at=now(), game=game, attempt=attempt, why="chance"), lease)
                    await scheduler.put_back(game)
                    continue
                done = record(game, result=result_of(game, seed), moves=(*game.opening, "a1"))
                ended += 1
                counts = {"finished": ended, "scheduled": scheduler.scheduled}
                written = recorder.record(Finished(at=now(), game=done, attempt=attempt, waits_for=(), **counts), lease)
                if ended == kill:
                    raise KilledError
                await recorder.written(written)
                await scheduler.done(done, game.step, game.turn)

        try:
            async with asyncio.TaskGroup() as group:
                group.create_task(recorder.run())
                async with asyncio.TaskGroup() as workers:
                    for _ in range(at_once):
                        workers.create_task(work())
                recorder.finish()
        except* KilledError:
            pass
        openings.close()
        return Outcome(events, status(folder), journal.decision)


def play_on(folder: Path, options: Schedule, seed: int, at_once: int, order: random.Random, kills: int = 0) -> Outcome:
    """Play to the end, killed several times on the way."""
    folder.mkdir(exist_ok=True)
    for _ in range(kills):
        asyncio.run(play(folder, options, seed, at_once, order, order.randint(1, 9)))
    return asyncio.run(play(folder, options, seed, at_once, order, 0))


def judged(rule: str, seed: int, at_once: int, kills: int) -> None:
    options, order = schedule(rule), random.Random(seed)
    with tempfile.TemporaryDirectory() as one, tempfile.TemporaryDirectory() as other:
        plain = play_on(Path(one), options, seed, 1, order)
        folder = Path(other)
        outcome = play_on(folder, options, seed, at_once, order, kills)
        assert outcome.decision == plain.decision
        assert outcome.status["over"] == plain.status["over"]
        assert (plain.status["state"], outcome.status["state"]) == ("finished", "finished")
        assert outcome.status["scheduled"] == outcome.status["finished"]
        if plain.decision is None:
            assert plain.status["finished"] == outcome.status["finished"]
            assert re.search(r"inconclusive|stop rule not met|goal not met", plain.status["over"])
        else:
            assert plain.status["finished"] == plain.decision.games, "one at a time: none is begun after the decision"
            assert outcome.status["finished"] >= plain.decision.games
            assert outcome.status["over"] == plain.decision.why
            assert not any(event.why != plain.decision.why for event in outcome.events if isinstance(event, Decided))
        again = play_on(folder, options, seed, at_once, order)
        assert not [event for event in again.events if isinstance(event, Started | Decided | Remarked)]
        assert (again.status, again.decision) == (outcome.status, outcome.decision)


QUICK = settings(max_examples=3, deadline=None, suppress_health_check=[HealthCheck.too_slow], derandomize=True)


@pytest.mark.parametrize("rule", RULES)
@QUICK
@given(seed=st.integers(0, 10**6), at_once=st.integers(2, 9), kills=st.integers(0, 3))
def test_a_run_decides_once(rule: str, seed: int, at_once: int, kills: int) -> None:
    judged(rule, seed, at_once, kills)


@pytest.mark.soak
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("rule", RULES)
def test_many_runs_decide_once(rule: str) -> None:
    for seed in range(100):
        judged(rule, seed, 2 + seed % 15, seed % 5)


METHODS: dict[str, dict[str, Any]] = {
    "meeting-graph": {"pairs": 4},
    "round-robin": {},
    "gauntlet": {},
    "adaptive": {"games": 24},
    "ladder": {"opponents": 2},
    "swiss": {"rounds": 2},
    "knockout": {},
    "sprt": {"games": 12},
}


@pytest.mark.parametrize("method", METHODS)
def test_an_interrupted_run_that_resumes_ends_finished(method: str, tmp_path: Path) -> None:
    options, order = plain(method), random.Random(1)
    whole = play_on(tmp_path / "whole", options, 1, 1, order)
    last = whole.status["finished"]
    for kill in sorted({1, last // 2, last - 1, last}):
        folder = tmp_path / str(kill)
        folder.mkdir()
        asyncio.run(play(folder, options, 1, 3, order, kill))
        assert status(folder)["state"] == "interrupted"
        outcome = play_on(folder, options, 1, 3, order)
        assert (outcome.status["state"], outcome.status["over"]) == ("finished", whole.status["over"])
        assert outcome.status["finished"] == last


def command(*words: object) -> str:
    """Return the output of a command, run in this process."""
    done = CliRunner().invoke(cli.tournament, [*map(str, words)])
    assert done.exit_code == 0, done.output
    return done.output


def end_everywhere(bench: Bench, concurrency: int) -> tuple[str, str]:
    """Play, check that every place has the same reason of the end, and return it with the line of its test."""
    output = command("run", bench.path, "--results", bench.results, "--concurrency", concurrency)
    (why,) = re.findall(r"^Finished tournament: (.*)$", output, re.MULTILINE)
    folder = bench.results / "test"
    document = json.loads(command("status", folder, "--json"))
    assert document["over"] == why
    answer = document["answer"]["text"]
    assert why in answer
    assert f"\n{answer}\n" in command("status", folder)
    assert f"\n{answer}\n" in (folder / "ranking.txt").read_text("utf-8")
    assert f"\n{answer}\n" in output, "the ranking is printed at the end"
    assert json.loads((folder / "ranking.json").read_text("utf-8"))["answer"]["text"] == answer
    page = (folder / "report.html").read_text("utf-8")
    events = [json.loads(line) for line in (folder / "events.jsonl").read_text("utf-8").splitlines()]
    assert (events[-1]["event"], events[-1]["why"]) == ("ended", why)
    assert f"{escape(answer, quote=False)}.<" in page
    decision = document["decision"] or {"why": why, "test": "", "games": document["finished"]}
    assert decision["why"] == why
    assert {event["why"] for event in events if event["event"] == "decided"} <= {why}
    assert decision["test"] in page
    if concurrency == 1:
        assert document["finished"] == decision["games"]
    return why, decision["test"]


def is_killed(bench: Bench, concurrency: int, games: int) -> bool:
    """Kill a run once it has played `games` games; False if it was over before."""
    run = Manager(bench, "--concurrency", str(concurrency), first=waiting_after(games))
    if run.comes_to("Finished game", games):
        run.process.kill()
    code, errors = run.end()
    wait_until_gone(bench)
    if code == -signal.SIGKILL:
        return True
    assert code == 0, errors
    assert status(bench.results / "test")["state"] == "finished"
    return False


def everywhere(bench: Bench, concurrencies: Sequence[int], kills: int) -> int:
    """Play the bench's schedule at several concurrencies with the same end; return the number of kills.

    Each run is killed up to `kills` times, unless it plays one game at a time.
    """
    ends, killed = set(), 0
    for concurrency in concurrencies:
        bench.results = bench.folder / f"results {concurrency}"
        for kill in range(kills if concurrency > 1 else 0):
            killed += is_killed(bench, concurrency, 2 + kill)
        ends.add(end_everywhere(bench, concurrency))
        games = bench.games()
        ends.add(end_everywhere(bench, concurrency + 1))
        assert bench.games() == games, "a run that is over plays nothing"
    assert len(ends) == 1
    return killed


ENDS: dict[str, tuple[Tables, str]] = {
    "decided": (
        {"method": "sprt", "sprt": {"elo0": 0, "elo1": 200}},
        r"new is .*: H[01] \(\d+ Elo\) accepted against H",
    ),
    "undecided": ({"method": "sprt", "games": 8}, r"inconclusive: no games are left; neither H1 \(10 Elo\)"),
    "stopped": ({"method": "round-robin", "stop": {"error": 200}}, r"every rating is known to ± \S+ Elo after"),
    "not stopped": (
        {"method": "round-robin", "stop": {"error": 20}},
        r"all games are played; stop rule not met: every rating is known to ± \S+ Elo, wanted ± 20 Elo$",
    ),
    "goal": (
        {"method": "adaptive", "games": 60, "goal": {"best": 5, "loss": 300}},
        r"p\d is within 5 Elo of the best with \d+\.\d % after 40 games \(expected loss \d+\.\d Elo\)$",
    ),
    "no goal": (
        {"method": "adaptive", "games": 40, "goal": {"loss": 0.1}},
        r"40 games are played; goal not met: p\d has an expected loss of \S+ Elo to .* wanted a loss of at most 0\.1 E",
    ),
}


def players_of(end: str) -> list[Tables]:
    """Return two players of random games, or ten for a goal."""
    few = [example("new"), example("base")]
    return [{"name": f"p{number}", "player": "random"} for number in range(10)] if "goal" in ENDS[end][0] else few


@pytest.mark.parametrize("end", ENDS)
def test_every_place_reports_the_same_end(bench: Bench, end: str) -> None:
    pairing, why = ENDS[end]
    bench.write(players_of(end), tournament=UTTT, limit=NODES, openings=PLIES, pairing=pairing)
    kills = int(end == "decided")
    assert everywhere(bench, (1, 4) if kills else (3,), kills) == kills
    with closing(Store.open(bench.results / "test")) as store:
        assert re.match(why, store.over)
        decision, standing = store.decision, store.standing
    text = (bench.results / "test/ranking.txt").read_text("utf-8")
    assert not ("goal" in pairing and ("P(best)" in text or "for 95 %" in text)), "the goal decides by other numbers"
    if "goal" in pairing:
        answer = json.loads((bench.results / "test/ranking.json").read_text("utf-8"))["answer"]
        assert standing is not None
        assert answer["best"] in answer["text"]
        assert [answer[key] for key in ("best", "p_within", "loss")] == [
            standing.player,
            standing.chance,
            standing.loss,
        ]
        assert [answer[key] for key in ("p_best", "second", "more_games")] == [None, None, None]
        assert (decision is None) == (end == "no goal")
        assert decision is None or decision.standing == standing


@pytest.mark.soak
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("end", ENDS)
def test_every_place_reports_the_same_end_for_many_seeds(tmp_path: Path, end: str) -> None:
    killed = 0
    for seed in range(10):
        bench, table = Bench(tmp_path / str(seed)), {**UTTT, "seed": seed}
        bench.folder.mkdir()
        bench.write(players_of(end), tournament=table, limit=NODES, openings=PLIES, pairing=ENDS[end][0])
        killed += everywhere(bench, (1, 2, 3, 8), kills=3)
    assert killed > 0, "every run was over before its kill"


def decide(folder: Path, disputes: str = "continue") -> tuple[Schedule, str]:
    """Make a run that its stopping rule decides; return its schedule, and the reason."""
    options = schedule("error")
    options = replace(options, tournament=replace(options.tournament, games_per_pair=40, disputes=disputes))
    outcome = play_on(folder, options, 1, 3, random.Random(1))
    assert outcome.decision is not None
    assert outcome.status["finished"] < 40 * 3
    return options, outcome.decision.why


def test_a_decided_run_resumes_with_another_rule(tmp_path: Path) -> None:
    options, why = decide(tmp_path)
    before = status(tmp_path)["finished"]
    stricter = replace(options, pairing=replace(options.pairing, stop=StopRule(error=120)))
    with closing(Store.open(tmp_path)) as store:
        drafted = draft.prepare(stricter, store)
    assert drafted.warnings[0] == "the run was decided and is open again: pairing.stop has changed"
    outcome = play_on(tmp_path, stricter, 1, 3, random.Random(2))
    assert outcome.decision is not None
    assert outcome.decision.why != why
    assert outcome.status["finished"] > before
    assert outcome.decision.games > before - 3, "no hole is left where games had been given up"
    undisturbed = play_on(tmp_path / "other", stricter, 1, 1, random.Random(3))
    assert undisturbed.decision == outcome.decision


def test_a_rule_that_is_changed_and_changed_back_decides_as_before(bench: Bench) -> None:
    ends = []
    for error in (110, 900, 110):  # played games are enough for all of them
        pairing: Tables = {"method": "round-robin", "stop": {"error": error}}
        bench.write([example("new"), example("base")], tournament=UTTT, limit=NODES, openings=PLIES, pairing=pairing)
        output = command("run", bench.path, "--results", bench.results)
        ends += re.findall(r"^Finished tournament: (.*)$", output, re.MULTILINE)
        assert f"error = {error}" in (bench.results / "test/schedule.toml").read_text("utf-8")
    assert ends[0] == ends[2] != ends[1]


def test_a_goal_under_way_shows_what_it_decides_by(tmp_path: Path) -> None:
    options = schedule("goal", goal={"best": 1, "confidence": 0.999}, style_sd=0)
    asyncio.run(play(tmp_path, options, 1, 2, random.Random(1), kill=60))
    found = status(tmp_path)
    assert found["state"] == "interrupted"
    form = r"undecided: (p\d) is within 1 Elo of the best with \S+ % after 40 games \(.* Elo\), wanted 99\.9 %"
    shown = re.fullmatch(form, found["answer"]["text"])
    assert shown is not None, "the last batch that was judged is the first one"
    assert (shown[1], found["answer"]["decided"]) == (found["answer"]["best"], False)
    again = asyncio.run(play(tmp_path, options, 1, 2, random.Random(1), kill=0))
    remarks = [event for event in again.events if isinstance(event, Remarked) and event.standing is not None]
    assert [event.text for event in remarks] == [f"goal: {event.standing.text}" for event in remarks if event.standing]
    state = RunState()
    for event in again.events:
        state = state.after(event)
    results = [(game.first, game.second, game.result) for game in Store.open(tmp_path).games()]
    assert f"undecided: {remarks[-1].text.removeprefix('goal: ')}, wanted 99.9 %" in look(options, results, state, "")
    assert "goal not met: " in again.status["answer"]["text"]


def test_a_goal_without_a_judged_batch_names_nobody() -> None:
    options, results = schedule("goal"), Results(("p0", "p1", "p2"), ((0, 1, 3, 0, 1), (1, 2, 2, 0, 2)))
    for standing in (None, Standing("p1", 3.0, 10.0, 0.7, 40)):
        found = conclude(options, RunState(benched={"p1"}, standing=standing), rate(results), results)
        assert found == Answer("undecided: the goal is judged after the next batch", decided=False)
    over = conclude(options, RunState("goal not met: no games", benched={"p1"}), rate(results), results)
    assert over == Answer("undecided: goal not met: no games", decided=False)


def test_a_reached_goal_is_open_again_with_other_numbers(tmp_path: Path) -> None:
    options = schedule("goal", goal={"loss": 400}, style_sd=0)
    outcome = play_on(tmp_path, options, 1, 3, random.Random(1))
    assert outcome.decision is not None
    assert outcome.decision.games == 40, "the first batch"
    stricter = replace(options, pairing=replace(options.pairing, goal=GoalRule(loss=1)))
    with closing(Store.open(tmp_path)) as store:
        drafted = draft.prepare(stricter, store)
    assert drafted.warnings[0] == "the run was decided and is open again: pairing.goal has changed"
    again = play_on(tmp_path, stricter, 1, 3, random.Random(2))
    assert (again.decision, again.status["finished"]) == (None, 240)
    assert " played; goal not met: p1 has an expected loss of " in again.status["over"]


def test_a_dispute_after_the_decision_ends_a_reopened_run_that_asks_for_it(tmp_path: Path) -> None:
    options, _ = decide(tmp_path, "stop")
    before = status(tmp_path)["finished"]
    with Journal.open(tmp_path) as journal:
        game = next(game for game in journal.planned() if game.id not in {one.id for one in journal.games()})
        attempt = Attempt(game.id, journal.attempts.get(game.id, 0) + 1, len(journal.starts))
        dispute = Dispute(now(), game.number, game.id, game.first, game.second, (), "gameover", ("yes", "no"))
        assert journal.write([attempt], [], [], disputed=[(dispute, attempt)]) == set()
    stricter = replace(options, pairing=replace(options.pairing, stop=StopRule(error=120)))
    outcome = play_on(tmp_path, stricter, 1, 3, random.Random(2))
    assert not [event for event in outcome.events if isinstance(event, Started)]
    assert outcome.status["finished"] == before
    assert outcome.status["over"].startswith(f"stopped by the dispute in game {game.number}: {dispute.text}")


def test_a_decided_run_takes_new_players_and_decides_anew(tmp_path: Path) -> None:
    options, _ = decide(tmp_path)
    more = replace(
        options,
        players=(*options.players, PlayerEntry(name="p4", player="random")),
        pairing=replace(options.pairing, pairs=4),
    )
    outcome = play_on(tmp_path, more, 1, 3, random.Random(2))
    assert outcome.status["players"][4]["games"] > 0
    assert outcome.decision is not None


def test_other_changes_leave_a_run_decided(tmp_path: Path) -> None:
    options, why = decide(tmp_path)
    before = status(tmp_path)
    more = replace(options, tournament=replace(options.tournament, games_per_pair=60), rating=RatingSection(prior=0.5))
    outcome = play_on(tmp_path, more, 1, 3, random.Random(2))
    for key in ("state", "over", "decision", "scheduled", "finished"):
        assert outcome.status[key] == before[key]
    with (
        Journal.open(tmp_path) as journal,
        pytest.raises(UsageError, match=rf"--bench: .* is decided: {re.escape(why)}"),
    ):
        manager._refuse_if_decided(journal, {"bench": ["p0"], "readmit": []}, fresh=False)


def test_the_hypotheses_of_a_test_cannot_be_changed(tmp_path: Path) -> None:
    play_on(tmp_path, schedule("meetings"), 1, 1, random.Random(1))
    with pytest.raises(UsageError, match=r"pairing\.sprt\.elo1: the run has 150\.0, the schedule 90\.0; use another"):
        play_on(tmp_path, schedule("meetings", sprt={"elo0": 0, "elo1": 90}), 1, 1, random.Random(1))
