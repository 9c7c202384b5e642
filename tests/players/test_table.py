"""The player table: the most visited move, osp where the table has none; unfit files are refused."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest

from fiedler.games import game
from fiedler.games.openings import Opening
from fiedler.native import Limits, Position, StopFlag
from fiedler.players import Player, about, create, table_file
from fiedler.players.table import ARRAYS, TableFactory, TablePlayer, TableSettings, node_keys
from fiedler.players.table_file import Array
from fiedler.support.errors import UsageError
from fiedler.training.judge.match import play_match, score

START = game("connect4").position()


def after(moves: str) -> Position:
    return game("connect4").position(moves=list(moves))


def arrays(first: Mapping[str, int], second: Mapping[str, int]) -> dict[str, Array]:
    """The arrays of nodes that are given as lines, whose last move is the node's -> visits."""
    found: dict[str, Array] = {}
    for side, nodes in (("first", first), ("second", second)):
        pairs = sorted(
            (node_keys(after(line[:-1]))[ord(line[-1]) - ord("a")], visits) for line, visits in nodes.items()
        )
        found[f"{side}_keys"] = np.array([key for key, _ in pairs], np.uint64)
        found[f"{side}_visits"] = np.array([visits for _, visits in pairs], np.uint32)
    return found


SMALL = arrays({"a": 9, "b": 30, "d": 20, "dda": 4}, {"dc": 7, "dd": 7, "gf": 6})


def written(tmp_path: Path, content: Mapping[str, Array], **changes: str) -> Path:
    entries = {"fiedler": "1", "game": "connect4", "player": "table", "name": "small", **changes}
    path = tmp_path / "small.table"
    path.write_bytes(table_file.dump(entries, content))
    return path


def made(tmp_path: Path, **options: str) -> TablePlayer:
    factory = create(game("connect4"), "table", {"model": str(written(tmp_path, SMALL)), **options})
    player = factory.player()
    assert isinstance(player, TablePlayer)
    return player


def known(player: TablePlayer, moves: str) -> str | None:
    move = player.known(after(moves))
    return None if move is None else START.move_text(move)


def chosen(player: Player, moves: str) -> str:
    best = player.search(after(moves), Limits(), StopFlag()).best
    assert best is not None
    return START.move_text(best)


def test_plays_the_most_visited_move(tmp_path: Path) -> None:
    player = made(tmp_path)
    assert known(player, "") == "b", "the mirror image of f, which is the same node"
    assert known(player, "d") == "c", "the first of equals"
    assert known(player, "ab") is None
    assert known(player, "a") == "b", "the mirror image of g, f"
    assert chosen(player, "") == "b"
    assert chosen(player, "ab") in "abcdefg"
    assert (player.moves, player.table_moves) == (2, 1)
    assert (player.title, player.instant, player.bounded) == ("table small", True, True)


def test_a_move_with_too_few_visits_is_not_known(tmp_path: Path) -> None:
    player = made(tmp_path, visits="7")
    assert (known(player, "a"), known(player, "dd")) == (None, None)
    player.set_option("visits", "4")
    assert (known(player, "a"), known(player, "dd")) == ("b", "a")


def test_without_an_entry_it_plays_as_osp(tmp_path: Path) -> None:
    player = made(tmp_path, seed="1")
    assert known(player, "dcdcdc") is None
    assert chosen(player, "dcdcdc") == chosen(player, "dcdcd") == "d"
    assert {chosen(player, "ddd") for _ in range(60)} == set("abcdefg")


def test_the_same_seed_gives_the_same_moves(tmp_path: Path) -> None:
    def moves(seed: str) -> list[str]:
        player = made(tmp_path, seed=seed)
        return [chosen(player, "ddd") for _ in range(30)]

    assert moves("1") == moves("1") != moves("2")


def test_an_empty_table_plays(tmp_path: Path) -> None:
    path = written(tmp_path, arrays({}, {}))
    assert chosen(create(game("connect4"), "table", {"model": str(path)}).player(), "") in "abcdefg"


def test_sessions_share_the_table(tmp_path: Path) -> None:
    factory = create(game("connect4"), "table", {"model": str(written(tmp_path, SMALL))})
    assert isinstance(factory, TableFactory)
    one, other = factory.player(), factory.player()
    one.set_option("visits", "8")
    own, model = factory.settings, str(tmp_path / "small.table")
    assert (one.settings, other.settings) == (TableSettings(model=model, visits=8), own)
    assert own == TableSettings(model=model)
    assert about(tmp_path / "small.table")["player"] == "table"


def test_an_unfit_file_is_refused(tmp_path: Path) -> None:
    def refusal(content: Mapping[str, Array], **changes: str) -> str:
        with pytest.raises(UsageError) as refused:
            create(game("connect4"), "table", {"model": str(written(tmp_path, content, **changes))})
        return str(refused.value)

    assert "made for game 'uttt', expected 'connect4'" in refusal(SMALL, game="uttt")
    assert "made for player 'td', expected 'table'" in refusal(SMALL, player="td")
    for name in ARRAYS:
        assert f"needs the array '{name}'" in refusal({key: one for key, one in SMALL.items() if key != name})
        assert f"array '{name}' is" in refusal({**SMALL, name: SMALL[name].astype(np.int64)})
    assert "array 'second_visits' is" in refusal({**SMALL, "second_visits": SMALL["second_visits"][:-1]})
    assert "array 'first_keys' does not ascend" in refusal({**SMALL, "first_keys": SMALL["first_keys"][::-1]})
    with pytest.raises(UsageError, match=r"player table: expected a table file as option 'model'"):
        create(game("uttt"), "table")


def test_the_shipped_table_knows_the_opening() -> None:
    """The centre, and the centre on top of it, as a solver does; at the start against random it wins nearly always."""
    factory = create(game("connect4"), "table")
    player = factory.player()
    assert isinstance(player, TablePlayer)
    assert [known(player, line) for line in ("", "d")] == ["d", "d"]
    found = score(play_match(factory, create(game("connect4"), "random"), [Opening()] * 20, seed=1))
    assert found.mean > 0.9
