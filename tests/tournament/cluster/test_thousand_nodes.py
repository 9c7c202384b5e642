"""The benchmark of the manager's part of a large cluster measures what it names."""

from __future__ import annotations

from benchmarks.thousand_nodes import costs


def test_each_part_of_the_manager_has_its_cost() -> None:
    found = list(costs(10, 100))
    assert all(cost.amount > 0 for cost in found)
    assert [cost.what for cost in found] == [
        "choose the 60 pairs, once",
        "plan a game, of 120",
        "write it into the plan",
        "give out a game",
        "count its end",
        "store a record, alone",
        "the same, alone",
        "store a record, 20 in a commit",
        "the same, 20 in a commit",
        "an event in events.jsonl",
        "the same, and 10 listeners",
        "a lease out, a record in",
        "both",
        "a node with 4 tables, in memory",
        "a heartbeat",
        "nodes.json of 10 nodes",
        "the same",
        "test the results of a node",
    ]
