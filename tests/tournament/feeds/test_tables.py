"""The tables of running games."""

from __future__ import annotations

from fiedler.tournament.feeds.live_reader import LiveLine
from fiedler.tournament.feeds.tables import REFRESH_S, Tables
from fiedler.tournament.run.live import Board


def board(number: int, *moves: str) -> Board:
    return Board(number, f"id{number}", "a", "b", (), moves, None, len(moves) % 2, None, None, None)


def taken(tables: Tables, now: float = 0.0) -> dict[int, tuple[int, tuple[str, ...]]]:
    return {table: (one.number, one.moves) for table, one in tables.take(now)}


def test_a_game_takes_the_lowest_free_table_and_keeps_it() -> None:
    tables = Tables()
    tables.receive(LiveLine((board(5), board(7))))
    assert taken(tables) == {1: (5, ()), 2: (7, ())}
    tables.receive(LiveLine((board(9, "a1"), board(7, "b2")), ended=(5,)))
    assert taken(tables) == {1: (9, ("a1",)), 2: (7, ("b2",))}
    tables.receive(LiveLine((board(11), board(12)), ended=(7, 9)))
    assert taken(tables) == {1: (11, ()), 2: (12, ())}


def test_the_latest_position_is_published_once_and_again_before_the_broker_forgets_it() -> None:
    tables = Tables()
    tables.receive(LiveLine((board(1, "a1"),)))
    tables.receive(LiveLine((board(1, "a1", "b2"),)))
    assert taken(tables) == {1: (1, ("a1", "b2"))}
    assert taken(tables, REFRESH_S - 1) == {}
    assert taken(tables, REFRESH_S) == {1: (1, ("a1", "b2"))}
    tables.receive(LiveLine((), ended=(1,)))
    assert taken(tables, 3 * REFRESH_S) == {}
    tables.publish_again(())
    assert taken(tables) == {}


def test_tables_without_a_manager_and_those_of_an_earlier_feed_are_removed_once() -> None:
    tables = Tables()
    tables.publish_again({1, 4})
    tables.receive(LiveLine((board(1), board(2))))
    assert set(taken(tables)) == {1, 2}
    assert list(tables.remove()) == [4]
    tables.clear()
    assert list(tables.remove()) == [1, 2]
    assert list(tables.remove()) == []


def test_everything_is_removed_at_the_end() -> None:
    tables = Tables()
    tables.receive(LiveLine((board(1), board(2))))
    assert set(taken(tables)) == {1, 2}
    assert list(tables.remove(everything=True)) == [1, 2]
