"""Games at nodes, without Ray: the same games as at home, whatever happens to nodes, and nobody is blamed for them."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from msgspec.structs import replace

from fiedler.support.errors import UsageError, WorkError
from fiedler.support.reaper import Reaper
from fiedler.tournament.cli import tournament
from fiedler.tournament.cluster import facts, node_tables, presence, venue
from fiedler.tournament.cluster.cluster import Cluster, NodePlace
from fiedler.tournament.cluster.node_tables import NodeTables
from fiedler.tournament.cluster.parcel import Parcel, packed
from fiedler.tournament.commands.nodes import nodes as nodes_command
from fiedler.tournament.run.events import Finished, Voided, Warned
from fiedler.tournament.run.live import Boards
from fiedler.tournament.run.merge import merge
from fiedler.tournament.run.nodes import NodeState, NodeStatus, read_nodes
from fiedler.tournament.run.store import Store
from fiedler.tournament.run.table_messages import ProcessSetup
from fiedler.tournament.run.venue import LocalVenue
from fiedler.tournament.schedule.schedule import LimitSection, PlayerEntry, Schedule, Tournament
from fiedler.tournament.schedule.sharding import sharded
from fiedler.tournament.schedule.validation import load
from tests.patience import PATIENCE, pass_an_hour, until, wait_until
from tests.tournament.cluster.direct import DEAD, DirectCluster, DirectNode, cached, play_at
from tests.tournament.manager_process import COMMAND, NODES, PLIES, RANDOM, UTTT, played, wait_until_gone
from tests.tournament.schedules import Bench, listening, misbehaving, player, toml
from tests.web.runs import release


@pytest.fixture(autouse=True)
def _cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(facts, "NODES", 100)
    monkeypatch.setattr(presence, "RETRY_S", 0.05)
    monkeypatch.setattr(venue, "LOOK_S", 0.05)


PATIENT = {**NODES, "startup_s": PATIENCE, "stall_s": PATIENCE}
MODELS = 100
LOST = {"lost_s": PATIENCE / 2}
"""A slow machine is not a lost node."""


def warnings(bench: Bench) -> list[str]:
    return [event.text for event in bench.events if isinstance(event, Warned)]


def playing(bench: Bench) -> int:
    """Return the number of nodes that play."""
    folder = bench.results / "test"
    nodes = read_nodes(folder) if folder.exists() else None
    return 0 if nodes is None else sum(node.state == NodeState.PLAYING for node in nodes.nodes)


def voided(bench: Bench) -> list[str]:
    return [event.why for event in bench.events if isinstance(event, Voided)]


def at_home(bench: Bench) -> dict[str, tuple[object, ...]]:
    """Return the games of the same schedule, played here."""
    bench.results = bench.folder / "home"
    return played(bench.play())


def test_the_games_are_those_of_a_run_at_home(bench: Bench) -> None:
    bench.write(RANDOM, tournament=UTTT, limit=PATIENT, openings=PLIES, cluster=LOST)
    games = play_at(DirectCluster(2, cpus=2), bench)
    nodes = read_nodes(bench.results / "test")
    assert nodes is not None
    assert [(node.name, node.tables, node.state) for node in nodes.nodes] == [("n1", 2, "left"), ("n2", 2, "left")]
    assert sum(node.games for node in nodes.nodes) == len(games) == 24
    with Store.open(bench.results / "test") as store:
        by_node = Counter[str]()
        for node, *_, count in store.results_by_node:
            by_node[node] += count
    assert by_node == {node.name: node.games for node in nodes.nodes if node.games}
    shown = CliRunner().invoke(nodes_command, [str(bench.results / "test")])
    assert (shown.exit_code, shown.output.splitlines()[0].split()[:3]) == (0, ["Node", "Address", "State"])
    document = json.loads(CliRunner().invoke(nodes_command, [str(bench.results / "test"), "--json"]).output)
    assert [node["games"] for node in document["nodes"]] == [node.games for node in nodes.nodes]
    assert not voided(bench)
    wait_until_gone(bench)
    assert at_home(bench) == played(games)


def test_a_node_that_dies_loses_no_game_and_counts_none_twice(bench: Bench) -> None:
    bench.write(RANDOM, tournament=UTTT, limit=PATIENT, openings=PLIES, cluster=LOST)
    cluster = DirectCluster(2)
    games = play_at(cluster, bench, [("Finished", cluster.die)])
    assert len(games) == len({game.id for game in games}) == 24
    assert set(voided(bench)) <= {f"node n1 lost: {DEAD}", f"node n2 lost: {DEAD}"}
    assert DEAD in " ".join(warnings(bench))  # it may have died before it played
    assert sum(isinstance(event, Finished) for event in bench.events) == 24
    wait_until_gone(bench)
    assert at_home(bench) == played(games)


def test_a_node_that_joins_late_plays_with_the_others(bench: Bench) -> None:
    bench.write(RANDOM, tournament=UTTT, limit=PATIENT, openings=PLIES, cluster=LOST)
    cluster = DirectCluster(1)
    games = play_at(cluster, bench, [("Finished", cluster.join)])
    assert len(games) == 24
    assert len(cluster.nodes) == 2


def test_a_node_that_leaves_the_cluster_gives_its_games_back(bench: Bench) -> None:
    bench.write(RANDOM, tournament=UTTT, limit=PATIENT, openings=PLIES, cluster=LOST)
    cluster = DirectCluster(2)
    games = play_at(cluster, bench, [("Finished", lambda: cluster.leave(0))])
    assert len(games) == 24
    assert set(voided(bench)) <= {"node n1 has left the cluster", "node n2 has left the cluster"}


def test_without_a_node_the_games_are_played_at_home(bench: Bench) -> None:
    bench.write(RANDOM, tournament=UTTT, limit=PATIENT, openings=PLIES, cluster={"wait_s": 0})
    games = play_at(DirectCluster(), bench)
    assert len(games) == 24
    assert "no node for 0 s: the games are played here until one joins" in warnings(bench)


def test_a_player_at_an_address_plays_at_home_and_the_others_at_nodes(bench: Bench) -> None:
    with listening([*misbehaving("fine"), "--tcp"]) as address:
        players = [{"name": "far", "address": address}, player("a"), player("b")]
        bench.write(players, limit=PATIENT, cluster=LOST)
        games = play_at(DirectCluster(1), bench)
    assert len(games) == 6
    nodes = read_nodes(bench.results / "test")
    assert nodes is not None
    assert nodes.nodes[0].games == 2


def test_a_player_that_starts_on_no_node_is_refused_with_the_name_of_the_node(bench: Bench) -> None:
    bench.write([player("a"), {"name": "b", "command": [sys.executable, "-c", "raise SystemExit(3)"]}], cluster=LOST)
    with pytest.raises(UsageError, match=r"player 'b': .*exited with status 3.* \(node n1\)"):
        play_at(DirectCluster(1), bench)
    wait_until_gone(bench)


def test_a_first_failure_at_a_node_is_void_where_another_node_can_play(bench: Bench) -> None:
    many = {"games_per_pair": 10, "bench_after": 0}
    bench.write([player("a", "crash", 1), player("b", "held")], tournament=many, limit=PATIENT, cluster=LOST)
    with ThreadPoolExecutor(1) as beside:  # the second game waits until both nodes play
        both = beside.submit(wait_until, lambda: playing(bench) == 2)
        both.add_done_callback(lambda _: (bench.folder / "released").touch())
        games = play_at(DirectCluster(2), bench)
    assert {game.termination for game in games} == {"crash"}
    excused = [event.game.id for event in bench.events if isinstance(event, Voided)]
    assert all("before its first move at this node" in why for why in voided(bench))
    assert 1 <= len(excused) == len({*excused})
    bench.results = bench.folder / "alone"
    bench.events.clear()
    assert {game.termination for game in play_at(DirectCluster(1), bench)} == {"crash"}
    assert not voided(bench)


def test_a_model_travels_by_its_contents_once(bench: Bench, tmp_path: Path) -> None:
    from fiedler.players.shipped import MODELS

    model = MODELS / "tictactoe-td.onnx" if (MODELS / "tictactoe-td.onnx").exists() else next(MODELS.glob("tictactoe*"))
    bench.write([{"name": "m", "model": str(model)}, player("b")], limit=PATIENT, cluster=LOST)
    cluster = DirectCluster(1)
    play_at(cluster, bench)
    assert cluster.nodes[0].calls.count("finish_file") == 1
    bench.results = tmp_path / "again"
    again = DirectCluster(1)
    play_at(again, bench)
    assert "finish_file" not in again.nodes[0].calls


def test_a_hundred_models_travel_once_to_each_node_and_leave_a_small_cache(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The cache keeps them all for their run, and removes them for the next one."""

    def parcel_of(run: str) -> Parcel:
        folder = tmp_path / run
        folder.mkdir()
        for number in range(MODELS):
            (folder / f"{number}.onnx").write_bytes(f"{run} {number} ".encode() * 2000)
        players = tuple(PlayerEntry(name=path.stem, model=str(path)) for path in sorted(folder.iterdir()))
        tournament, limit = Tournament(name="t", game="tictactoe"), LimitSection(nodes=1)
        return packed(Schedule(tournament=tournament, limit=limit, players=players, folder=str(folder)))

    async def sent(parcel: Parcel, address: str) -> tuple[int, list[str]]:
        """Set up a node that has a cache of its own; return the files that came, and those in the cache."""
        monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / address))
        calls = DirectNode(1)
        setup = ProcessSetup(parcel.schedule, {1: None}, 1, None, 0.0, 1)
        node = NodeTables("n", calls, setup, Boards(), PATIENCE, lambda *_: False, NodeStatus("n", ""), set())
        await node.set_up(parcel, "")
        kept = cached(tmp_path / address)
        calls.end()
        assert calls.ending is not None
        await calls.ending
        calls.node._cache.close()  # as the end of its process does
        return calls.calls.count("finish_file"), [name for name in kept if name.endswith(".onnx")]

    async def counts() -> None:
        first, second = parcel_of("first"), parcel_of("second")
        for address in ("one", "other"):
            for expected in (MODELS, 0):
                count, kept = await sent(first, address)
                assert (count, len(kept)) == (expected, MODELS)
        count, kept = await sent(second, "one")
        assert (count, len(kept)) == (MODELS, MODELS)

    asyncio.run(counts())


def test_an_unexpected_error_at_a_node_ends_the_run_at_once(bench: Bench) -> None:
    """Also while the run waits for its first node."""

    async def broken(*_: object) -> None:
        raise ValueError("a fault of ours")

    bench.write(RANDOM, tournament=UTTT, limit=PATIENT, cluster={"wait_s": 3600, **LOST})
    cluster = DirectCluster(1)
    cluster.first = lambda node: setattr(node.node, "exchange", broken)
    with pytest.raises(ExceptionGroup) as caught:
        play_at(cluster, bench)
    assert caught.group_contains(ValueError, match="a fault of ours")
    assert not (bench.results / "test").exists()


def test_a_player_that_may_be_missing_is_on_no_node_and_joins_once_it_is_there(bench: Bench) -> None:
    players = [player("late", "absent", required=False), player("a"), player("b")]
    bench.write(players, limit=PATIENT, cluster=LOST)
    games = play_at(DirectCluster(2), bench)
    assert {(game.first, game.second) for game in games} == {("a", "b"), ("b", "a")}
    assert any(text.endswith("4 games not played; the same command tries again") for text in warnings(bench))
    nodes = read_nodes(bench.results / "test")
    assert nodes is not None
    assert all("cannot find my opening book" in node.cannot["late"] for node in nodes.nodes if node.tables)
    (bench.folder / "come").touch()
    assert len(play_at(DirectCluster(2), bench)) == 6


def test_another_program_at_a_node_is_refused_with_both_values(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(venue, "facts_here", lambda game: _other(facts.facts_here(game)))
    bench.write(RANDOM[:2], tournament=UTTT, limit=PATIENT, cluster={"wait_s": 3, **LOST})
    play_at(DirectCluster(1), bench)
    nodes = read_nodes(bench.results / "test")
    assert nodes is not None
    assert (nodes.nodes[0].state, nodes.nodes[0].why) == (NodeState.REFUSED, "Fiedler: 0.1.0 there, 9.9 here")


def _other(known: facts.Facts) -> facts.Facts:
    return replace(known, version="9.9")


def test_the_file_of_nodes_is_json(bench: Bench) -> None:
    bench.write([player("a"), player("b")], limit=PATIENT, cluster=LOST)
    play_at(DirectCluster(1), bench)
    document = json.loads((bench.results / "test" / "nodes.json").read_text("utf-8"))
    assert (document["v"], document["cluster"], document["nodes"][0]["games"]) == (1, "local:1", 2)


def test_a_table_at_home_looks_at_no_game_while_nodes_play_them_all(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It would look through the whole queue after each game."""
    monkeypatch.setattr(venue.HomeTable, "may_play", None)
    bench.write(RANDOM, tournament=UTTT, limit=PATIENT, openings=PLIES, cluster=LOST)
    assert len(play_at(DirectCluster(1), bench)) == 24


def test_a_node_that_still_joins_delays_no_end(bench: Bench) -> None:
    """Ray starts its actor when there are cores for it: perhaps never."""
    bench.write(RANDOM[:2], tournament=UTTT, limit=PATIENT, cluster={"wait_s": 0, "lost_s": 3600})
    cluster = DirectCluster(1)
    cluster.waits = True
    assert len(play_at(cluster, bench)) == 8
    assert cluster.nodes[0].calls == ["facts"]


def test_a_model_that_is_gone_costs_a_node_and_not_the_run(
    bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from fiedler.players.shipped import MODELS

    stay_alone = venue.ClusterVenue._stay_alone

    def stay(self: venue.ClusterVenue, wait_s: float) -> None:
        """The node has its turn first."""
        if any(text.startswith("node n1") for text in warnings(bench)):
            stay_alone(self, wait_s)

    monkeypatch.setattr(venue.ClusterVenue, "_stay_alone", stay)

    model = tmp_path / "lost.onnx"
    model.write_bytes(next(MODELS.glob("tictactoe*")).read_bytes())
    bench.write([{"name": "m", "model": str(model)}, player("b")], limit=PATIENT, cluster={**LOST, "wait_s": 0})
    cluster = DirectCluster(1)
    cluster.first = lambda node: model.unlink(missing_ok=True)
    with pytest.raises(UsageError, match=r"player 'm'"):  # the manager lacks it too
        play_at(cluster, bench)
    silent = [text for text in warnings(bench) if text.startswith("node n1")]
    assert silent == [f"node n1 {model}: cannot be read: no such file or directory"]
    assert not (bench.results / "test").exists()


def test_a_resumed_run_goes_on_with_its_nodes(bench: Bench) -> None:
    """A node keeps its name at its address, and its games: `run.sqlite` has them under that name."""
    bench.write(RANDOM, tournament={**UTTT, "games_per_pair": 2}, limit=PATIENT, cluster=LOST)
    play_at(DirectCluster(2), bench)
    bench.write(RANDOM, tournament={**UTTT, "games_per_pair": 4}, limit=PATIENT, cluster=LOST)
    cluster = DirectCluster(2)
    cluster.leave(0)
    games = play_at(cluster, bench)
    nodes = read_nodes(bench.results / "test")
    assert nodes is not None
    assert [(node.name, node.address) for node in nodes.nodes] == [("n1", "127.0.0.3"), ("n2", "127.0.0.4")]
    assert sum(node.games for node in nodes.nodes) == len(games) == 12


def test_a_player_that_is_added_while_a_node_joins_plays_there(bench: Bench) -> None:
    bench.write([player("a", "held", 2), player("b")], tournament={"games_per_pair": 10}, limit=PATIENT, cluster=LOST)
    late = bench.folder / "late.toml"
    late.write_text(toml({"players": [player("late")]}), "utf-8")
    command = [*COMMAND, "add", "test", str(late), "--results", str(bench.results)]
    cluster = DirectCluster(1)
    added: list[subprocess.Popen[bytes]] = []

    def add() -> None:
        added.append(subprocess.Popen(command, stdout=subprocess.PIPE))
        cluster.join()

    games = play_at(cluster, bench, [("Finished", add), ("Added", lambda: release(bench))])
    output, _ = added[0].communicate(timeout=PATIENCE)
    assert (added[0].returncode, output) == (0, b"added late\n")
    assert len(games) == 30
    assert not voided(bench)
    nodes = read_nodes(bench.results / "test")
    assert nodes is not None
    assert [node.cannot for node in nodes.nodes] == [{}, {}]


def test_two_probes_of_a_node_both_get_their_answers(bench: Bench) -> None:
    """The look for missing players and a player added by hand may meet."""
    bench.write(RANDOM, tournament=UTTT, limit=PATIENT)
    schedule = load(bench.path)

    async def answers() -> tuple[dict[str, str], ...]:
        setup = ProcessSetup(packed(schedule).schedule, {1: None}, 1, None, 0.0, 1)
        calls = DirectNode(1)
        node = NodeTables("n1", calls, setup, Boards(), PATIENCE, lambda *_: False, NodeStatus("n1", ""), set())
        await node.set_up(packed(schedule), "")
        following = asyncio.create_task(node.follow())
        try:
            return tuple(await asyncio.gather(node.probe(["r1"]), node.probe(["r2"])))
        finally:
            following.cancel()
            calls.end()
            assert calls.ending is not None
            await calls.ending

    assert asyncio.run(answers()) == ({}, {})


def test_a_node_that_freezes_while_players_are_added_is_lost_in_its_time(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The call that makes them known there has much more time."""
    monkeypatch.setattr(node_tables, "CALL_S", 24 * 3600.0)
    schedule = load(bench.write(RANDOM[:2], tournament=UTTT, limit=PATIENT))
    more = load(bench.write(RANDOM, tournament=UTTT, limit=PATIENT))

    async def lost() -> str:
        setup = ProcessSetup(packed(schedule).schedule, {1: None}, 1, None, 0.0, 1)
        calls = DirectNode(1)
        node = NodeTables("n1", calls, setup, Boards(), PATIENCE, lambda *_: False, NodeStatus("n1", ""), set())
        await node.set_up(packed(schedule), "")
        following = asyncio.create_task(node.follow())
        try:
            assert await node.probe(["r1"]) == {}
            calls.freeze()
            adding = asyncio.create_task(node.probe_again(["r3"], packed(more)))
            await until(lambda: calls.calls[-1] == "missing")
            pass_an_hour(monkeypatch)
            why = await following
            node.leave(why)
            await adding
            assert "r3" not in node.probed
            return why
        finally:
            following.cancel()
            calls.end()
            assert calls.ending is not None
            await calls.ending

    assert asyncio.run(lost()) == f"no word for {PATIENCE:g} s"


def test_a_head_that_is_lost_before_its_only_node_ends_a_probe_under_way(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(node_tables, "CALL_S", 24 * 3600.0)
    monkeypatch.setattr(presence, "RETRY_S", 24 * 3600.0)
    schedule = load(bench.write(RANDOM[:2], tournament=UTTT, limit=PATIENT, cluster=LOST))
    more = load(bench.write(RANDOM, tournament=UTTT, limit=PATIENT, cluster=LOST))
    cluster, warned = DirectCluster(1), list[str]()

    async def lost() -> None:
        with closing(Reaper()) as reaper:
            home = LocalVenue(schedule, [None], reaper, 1, None, Boards())
            nodes = venue.ClusterVenue(cluster, schedule, home, Boards(), warned.append, bench.folder)
            try:
                assert await nodes.probe(["r1", "r2"]) == {}
                nodes.add(more, ["r3"])
                (node,) = cluster.nodes
                node.freeze()
                probing = asyncio.create_task(nodes.probe(["r3"]))
                await until(lambda: node.calls[-1] == "missing")
                monkeypatch.setattr(cluster, "places", away)
                await until(lambda: nodes._error is not None)
                pass_an_hour(monkeypatch)
                with pytest.raises(WorkError, match="the head is gone"):
                    await probing
                assert any(text.startswith("node n1 lost: no word for") for text in warned)
            finally:
                await nodes.close()
                for node in cluster.nodes:
                    if node.ending is not None:
                        await node.ending

    def away() -> list[NodePlace]:
        raise WorkError("the head is gone")

    asyncio.run(lost())


def test_two_commits_that_begin_alike_are_shown_whole() -> None:
    ours = facts.Facts("0.1.0", "0123456789abcdef", "", "3.11", "host", 1, 1, "", None, 0.0)
    theirs = replace(ours, commit="0123456789abcdef-dirty")
    assert facts.difference(ours, theirs) == "commit: 0123456789abcdef-dirty there, 0123456789abcdef here"
    assert facts.difference(ours, replace(ours, commit="f" * 16)) == "commit: ffffffffffff there, 0123456789ab here"


def test_a_finished_run_starts_no_node(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also a finished shard; a schedule with more games needs nodes again."""

    def opened(*_: object) -> None:
        raise ConnectionError

    monkeypatch.setattr(Cluster, "open", opened)

    def called(*words: str) -> Result:
        command = ["run", str(bench.path), "--results", str(bench.results), *words]
        return CliRunner().invoke(tournament, command)

    bench.write(RANDOM[:2], tournament={**UTTT, "games_per_pair": 2}, limit=PATIENT)
    for words in ((), ("--shard", "1/2")):
        played_here = called(*words)
        assert played_here.exit_code == 0, played_here.output
        again = called(*words, "--cluster", "local:2")
        assert again.exit_code == 0, again.output
        assert "\nFinished tournament: all games are played\n" in again.stdout
        assert again.stderr == ""
        assert not list(bench.results.rglob("nodes.json"))
    refused = called("--cluster", "local:0")
    assert "expected HOST:PORT, auto, or local:N" in str(refused.exception)
    assert isinstance(called("--cluster", "local:2", "--fresh").exception, ConnectionError)
    bench.write(RANDOM[:2], tournament={**UTTT, "games_per_pair": 4}, limit=PATIENT)
    assert isinstance(called("--cluster", "local:2").exception, ConnectionError)


def test_shards_that_play_in_clusters_keep_the_names_of_their_nodes(bench: Bench) -> None:
    """The node of a game in the merged run is its shard, followed by the node there."""
    tables = {**UTTT, "games_per_pair": 4}
    bench.write(RANDOM[:2], tournament=tables, limit=PATIENT, cluster=LOST)
    for text in ("1/2", "2/2"):
        play_at(DirectCluster(1), bench, read=lambda path, text=text: sharded(load(path), text))  # type: ignore[misc]
    merge(bench.results / "merged", [bench.results / f"test.shard-{number}-of-2" for number in (1, 2)])
    with Store.open(bench.results / "merged") as store:
        nodes = store.rows("games", "number, node")
        games = played(store.games())
    assert nodes == [(1, "shard 1/2 n1"), (2, "shard 2/2 n1"), (3, "shard 1/2 n1"), (4, "shard 2/2 n1")]
    assert games == at_home(bench)
