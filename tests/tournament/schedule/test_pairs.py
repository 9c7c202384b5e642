"""The pairs of a schedule: their number and their graph."""

from __future__ import annotations

from pathlib import Path

import pytest

from fiedler.support.errors import UsageError
from fiedler.tournament.pairing.graph import choose_pairs
from fiedler.tournament.schedule.pairs import number_of_pairs
from tests.tournament.schedule.test_schedule import A, B, C, complaint, loaded
from tests.tournament.schedules import Tables, tables

PAIRINGS: list[tuple[Tables, int]] = [
    ({"method": "round-robin"}, 10),
    ({"method": "gauntlet"}, 4),
    ({"method": "gauntlet", "challengers": ["p0", "p1"]}, 7),
    ({"pairs": 6}, 6),
    ({"degree": 2}, 5),
    ({"games": 13}, 6),
    ({"games": 1000}, 10),
    ({"games": 1000, "forbidden": [["p0", "p2"], ["p2", "p0"]]}, 9),
    ({"pairs": 5, "criterion": "precision", "degree_cap": "none"}, 5),
    ({"pairs": 4, "required": [["p0", "p1"]], "forbidden": [["p0", "p2"]], "prior_games": [["p3", "p4", 9]]}, 4),
]


@pytest.mark.parametrize(("pairing", "number"), PAIRINGS)
def test_number_of_pairs(tmp_path: Path, pairing: Tables, number: int) -> None:
    players = [{"name": f"p{place}", "player": "random"} for place in range(5)]
    schedule = loaded(tmp_path, tables(players, pairing=pairing))
    pairs = choose_pairs(schedule)
    assert len(pairs) == number_of_pairs(schedule) == number
    assert len({frozenset(pair) for pair in pairs}) == number
    assert {name for pair in pairs for name in pair} == set(schedule.names)
    assert all(frozenset(pair) != {"p0", "p2"} or not pairing.get("forbidden") for pair in pairs)


@pytest.mark.parametrize(
    ("pairing", "pairs"), [({}, 120), ({"method": "meeting-graph"}, 120), ({"forbidden": [["p0", "p1"]]}, 119)]
)
def test_a_few_players_all_meet_by_default(tmp_path: Path, pairing: Tables, pairs: int) -> None:
    players = [{"name": f"p{place}", "player": "random"} for place in range(17)]
    schedule = loaded(tmp_path, tables(players[:16], pairing=pairing))
    assert len(choose_pairs(schedule)) == number_of_pairs(schedule) == pairs
    got = "got none: only 16 players or fewer all meet by default, and there are 17"
    assert complaint(tmp_path, tables(players, pairing=pairing)) == (
        f": pairing: expected exactly one of pairs, degree, games, {got}"
    )


def test_a_schedule_without_a_table_of_pairing_is_complete(tmp_path: Path) -> None:
    content = tables([A, B, C])
    del content["pairing"]
    assert len(choose_pairs(loaded(tmp_path, content))) == 3


def test_kept_pairs_stay_in_place(tmp_path: Path) -> None:
    players = [{"name": f"p{place}", "player": "random", "elo": 10 * place} for place in range(6)]
    few = loaded(tmp_path, tables(players[:4], pairing={"pairs": 4}))
    kept = choose_pairs(few)
    assert choose_pairs(few, kept) == kept
    more = loaded(tmp_path, tables(players, pairing={"pairs": 8}))
    assert choose_pairs(more, kept)[:4] == kept


def test_newcomers_join_a_regular_graph(tmp_path: Path) -> None:
    players = [{"name": f"p{place}", "player": "random"} for place in range(12)]
    kept = choose_pairs(loaded(tmp_path, tables(players[:10], pairing={"degree": 4})))
    found = choose_pairs(loaded(tmp_path, tables(players, pairing={"degree": 4})), kept)
    assert found[:20] == kept
    assert len({frozenset(pair) for pair in found}) == 24
    assert {name for pair in found[20:] for name in pair} >= {"p10", "p11"}
    with pytest.raises(UsageError, match="raise degree_cap"):
        choose_pairs(loaded(tmp_path, tables(players, pairing={"degree": 4, "degree_cap": 4})), kept)
