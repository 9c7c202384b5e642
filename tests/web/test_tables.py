"""The games under way on a server: their bounds, and the end of their engines. No browser."""

from __future__ import annotations

import asyncio
import sqlite3
from contextlib import closing
from pathlib import Path

import msgspec
import pytest

from fiedler.games import game
from fiedler.native import Position
from fiedler.protocol import Limit
from fiedler.support.errors import UsageError
from fiedler.web.play import table as table_module
from fiedler.web.play import tables as tables_module
from fiedler.web.play.offers import OfferedEngine, read_offers
from fiedler.web.play.people import RATED_MS, People
from fiedler.web.play.table import STREAMS, Contestants, PlayTable
from fiedler.web.play.tables import MOST, PlayTables
from tests.patience import PATIENCE

NODES = Limit(nodes=50)
PEOPLE = Contestants(None, None)


def tables(tmp_path: Path, idle_s: float = 900.0) -> PlayTables:
    return PlayTables(People(tmp_path), idle_s)


def engine(name: str, game_id: str = "tictactoe") -> OfferedEngine:
    found = read_offers("shipped").find(game_id, name)
    assert found is not None
    return found


async def until_rest(table: PlayTable) -> dict[str, object]:
    async with asyncio.timeout(PATIENCE):
        while (state := msgspec.json.decode(table.document()))["thinks"]:  # noqa: ASYNC110 - the stream is tested elsewhere
            await asyncio.sleep(0.01)
    return dict(state)


async def until_closed(made: PlayTables, table: PlayTable) -> None:
    async with asyncio.timeout(PATIENCE):
        while made.find(table.key) is not None:  # noqa: ASYNC110
            await asyncio.sleep(0.01)


async def test_a_game_that_nobody_watches_is_closed(tmp_path: Path) -> None:
    made = tables(tmp_path, idle_s=0.02)
    async with made.running():
        watched = made.begin(game("tictactoe"), PEOPLE, NODES, "")
        stream = watched.stream()
        await anext(stream)
        await until_closed(made, made.begin(game("tictactoe"), PEOPLE, NODES, ""))
        assert made.find(watched.key) is watched, "a page shows it"
        await stream.aclose()  # type: ignore[attr-defined]
        await until_closed(made, watched)


@pytest.mark.slow  # it waits for an engine
async def test_two_engines_that_nobody_watches_are_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Their moves are no sign of life."""
    made = tables(tmp_path, idle_s=1800.0)
    async with made.running():
        monkeypatch.setattr(table_module, "PAUSE_S", 0.0)
        seats = Contestants(engine("random", "gomoku15"), engine("random", "gomoku15"))
        table = made.begin(game("gomoku15"), seats, NODES, "")
        async with asyncio.timeout(PATIENCE):
            while len(table.game.moves) < 4:  # noqa: ASYNC110
                await asyncio.sleep(0.001)
        began = table.seen
        while len(table.game.moves) < 6:  # noqa: ASYNC110
            await asyncio.sleep(0.001)
        assert table.seen == began
        made._idle_s = -1.0
        await made._end_idle()
        assert made.find(table.key) is None


@pytest.mark.programs
async def test_a_task_that_fails_ends_no_other_game(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    made = tables(tmp_path)

    def fail(_: PlayTable) -> None:
        raise ValueError("a fault of one game")

    async with made.running():
        table = made.begin(game("tictactoe"), Contestants(engine("random"), engine("random")), NODES, "")
        table.on_end = fail
        await until_rest(table)
        other = made.begin(game("tictactoe"), Contestants(engine("random"), engine("random")), NODES, "")
        assert (await until_rest(other))["result"] != "*"
    assert "a fault of one game" in caplog.text


@pytest.mark.parametrize("score", ["'won'", "'nan'", "2.0", "x'00'"])
@pytest.mark.parametrize("elo", ["'high'", "1e300", "9e999", "-9e999", "''"])
async def test_a_bad_row_of_people_is_left_out(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, elo: str, score: str
) -> None:
    with closing(sqlite3.connect(tmp_path / "people.sqlite")) as file, file:  # the table of an older version
        file.execute("CREATE TABLE games (person TEXT, game TEXT, opponent TEXT, elo REAL, score REAL, played TEXT)")
        for row in (f"'negamax', {elo}, 1.0", f"'negamax', 0.0, {score}", "'negamax', 0.0, 1.0"):
            file.execute(f"INSERT INTO games VALUES ('Ann', 'tictactoe', {row}, '')")
    made, seats = tables(tmp_path), Contestants(None, engine("negamax"))
    async with made.running():
        table = made.begin(game("tictactoe"), seats, Limit(movetime_ms=RATED_MS), "Ann")
        await table.resign()
        async with asyncio.timeout(PATIENCE):
            while table.note == "…":  # noqa: ASYNC110 - the stream is tested elsewhere
                await asyncio.sleep(0.01)
        assert table.note.startswith("Ann: +0 ±")
        assert table.note.endswith("Elo after 2 rated games")
        assert made.begin(game("tictactoe"), PEOPLE, NODES, "")
    assert "2 rows left out: expected an Elo and a score of 0, 1/2 or 1" in caplog.text


async def test_there_are_at_most_so_many_games_and_streams(tmp_path: Path) -> None:
    made = tables(tmp_path)
    async with made.running():
        found = [made.begin(game("tictactoe"), PEOPLE, NODES, "") for _ in range(MOST)]
        with pytest.raises(UsageError, match="64 games are under way here"):
            made.begin(game("tictactoe"), PEOPLE, NODES, "")
        streams = [found[0].stream() for _ in range(STREAMS)]
        for stream in streams:
            assert (await anext(stream)).startswith(b"id: ")
        assert [event async for event in found[0].stream()] == []
        for stream in streams:
            await stream.aclose()  # type: ignore[attr-defined]
        await made.remove(found[0])
        made.begin(game("tictactoe"), PEOPLE, NODES, "")


async def test_an_address_has_so_many_games_at_a_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = PlayTables(People(tmp_path), most_per_address=2)

    def begin(address: str) -> PlayTable:
        return made.begin(game("tictactoe"), PEOPLE, NODES, "", address)

    async with made.running():
        one, other = begin("192.0.2.1"), begin("192.0.2.1")
        with pytest.raises(UsageError, match="2 games of your address are under way here, which is the most"):
            begin("192.0.2.1")
        assert [begin(address) for address in ("192.0.2.2", "", "", "")]
        await other.resign()
        third = begin("192.0.2.1")
        assert [made.find(table.key) for table in (one, other, third)] == [one, None, third]
        stream = one.stream()
        await anext(stream)
        monkeypatch.setattr(tables_module, "LEFT_S", -1.0)
        fourth = begin("192.0.2.1")
        assert [made.find(table.key) for table in (one, third, fourth)] == [one, None, fourth], "one is watched"
        await stream.aclose()  # type: ignore[attr-defined]


@pytest.mark.programs
async def test_two_engines_play_to_the_end_by_the_rules(tmp_path: Path) -> None:
    made = tables(tmp_path)
    async with made.running():
        table = made.begin(game("tictactoe"), Contestants(engine("random"), engine("osp")), NODES, "")
        state = await until_rest(table)
        assert state["result"] in {"1-0", "0-1", "1/2-1/2"}, state
        position = Position("tictactoe")
        for move in table.game.moves:
            position.play(position.parse_move(move))
        assert position.result is not None


@pytest.mark.programs
async def test_an_interrupted_search_leaves_the_engine_usable(tmp_path: Path) -> None:
    made = tables(tmp_path)
    async with made.running():
        seats = Contestants(None, engine("negamax", "gomoku15"))
        table = made.begin(game("gomoku15"), seats, Limit(movetime_ms=30_000), "")
        await table.play("h8", 0)
        await asyncio.sleep(0.3)
        await table.undo()
        assert (table.game.moves, msgspec.json.decode(table.document())["thinks"]) == ([], False)
        table.limit = NODES
        await table.play("h9", 0)
        assert (await until_rest(table))["error"] == ""
        assert table.game.moves[0] == "h9"
        assert len(table.game.moves) == 2
        assert table.helped


@pytest.mark.programs
async def test_a_move_does_not_wait_for_a_hint(tmp_path: Path) -> None:
    made = tables(tmp_path)
    async with made.running():
        seats = Contestants(None, engine("negamax", "gomoku15"))
        table = made.begin(game("gomoku15"), seats, Limit(movetime_ms=30_000), "")
        await table.hint()
        await asyncio.sleep(0.3)
        table.limit = NODES
        await table.play("h8", 0)
        assert (await until_rest(table))["hint"] is None
        assert len(table.game.moves) == 2


@pytest.mark.programs
async def test_scores_are_those_of_the_first_player(tmp_path: Path) -> None:
    """O to move can win at once: the engine's mate in one is a loss of X."""
    made = tables(tmp_path)
    async with made.running():
        table = made.begin(game("tictactoe"), Contestants(None, engine("negamax")), NODES, "")
        table.game.moves[:] = ["a1", "b2", "c1", "b1"]
        await table.play("a3", 4)
        await until_rest(table)
        report = table.game.reports[6]
        assert table.game.moves[5] == "b3"
        assert (report.side, report.value, report.mate) == (1, 0.0, -1)


@pytest.mark.programs
async def test_a_file_of_people_that_cannot_be_written_stops_no_game(tmp_path: Path) -> None:
    (tmp_path / "people.sqlite").write_text("damaged", "utf-8")
    made, seats = tables(tmp_path), Contestants(None, engine("negamax"))
    async with made.running():
        table = made.begin(game("tictactoe"), seats, Limit(movetime_ms=RATED_MS), "Ann")
        await table.resign()
        async with asyncio.timeout(PATIENCE):
            while table.note == "…":  # noqa: ASYNC110 - the stream is tested elsewhere
                await asyncio.sleep(0.01)
        assert table.note == "Not rated: the server cannot keep the game."
        other = made.begin(game("tictactoe"), Contestants(engine("negamax"), None), NODES, "")
        state = await until_rest(other)
        assert state["error"] == ""
        assert len(other.game.moves) == 1


@pytest.mark.programs
async def test_two_moves_at_once_during_a_hint_are_one(tmp_path: Path) -> None:
    made = tables(tmp_path)
    async with made.running():
        table = made.begin(game("connect4"), Contestants(None, engine("negamax", "connect4")), Limit(), "")
        await table.hint()
        found = await asyncio.gather(table.play("a", 0), table.play("b", 0), return_exceptions=True)
        assert [str(one) for one in found] == ["None", "the position has 1 move, not 0"]
        assert table.game.moves == ["a"]


@pytest.mark.programs
async def test_a_player_that_does_not_search_has_no_evaluation(tmp_path: Path) -> None:
    made = tables(tmp_path)
    async with made.running():
        table = made.begin(game("tictactoe"), Contestants(engine("hsp"), None), NODES, "")
        state = await until_rest(table)
        assert state["scores"] == []
        report = dict(state["report"])  # type: ignore[call-overload]
        assert [report[key] for key in ("value", "mate", "depth", "nodes", "nps")] == [None] * 5
        assert len(report["pv"]) == 1
