"""The properties of every player without a model file."""

from __future__ import annotations

import re
import threading

import pytest

from fiedler.games import GAMES, game
from fiedler.native import Limits, Mcts, Negamax, Position, Puct, StopFlag
from fiedler.players import FRESH, PLAYERS, Player, create, player_kind
from fiedler.support.errors import UsageError
from tests.patience import PATIENCE

KINDS = [name for name in PLAYERS if all(option.name != "model" for option in player_kind(name).options())]
SEEDED = [name for name in KINDS if name != "negamax"]


def made(name: str, game_id: str = "uttt", **options: str) -> Player:
    return create(game(game_id), name, options).player()


def played(player: Player, game_id: str, nodes: int = 50) -> list[int]:
    """Return the moves of a game of the player against itself."""
    position = game(game_id).position()
    moves = []
    while position.result is None:
        best = player.search(position, Limits(nodes=nodes), StopFlag()).best
        assert best is not None
        position.play(best)  # raises for an illegal one
        moves.append(best)
    return moves


@pytest.mark.parametrize("game_id", GAMES)
@pytest.mark.parametrize("name", KINDS)
def test_plays_a_legal_game_to_its_end(name: str, game_id: str) -> None:
    assert played(made(name, game_id), game_id)


@pytest.mark.parametrize("name", KINDS)
def test_reports_its_findings(name: str) -> None:
    found = made(name).search(game("uttt").position(), Limits(nodes=200), StopFlag())
    assert 1 <= found.nodes <= 200
    assert 0.0 <= found.score <= 1.0
    assert found.pv[0] == found.best


@pytest.mark.parametrize(("name", "search"), [("negamax", Negamax), ("mcts", Mcts), ("checkpoint", Puct)])
def test_the_search_behind_a_player_has_the_same_defaults(name: str, search: type) -> None:
    documented = dict(re.findall(r"(\w+): \w+ = ([^,)]+)", search.__init__.__doc__ or ""))  # type: ignore[misc]
    ours = {option.name: repr(option.default) for option in player_kind(name).options()}
    shared = documented.keys() & ours.keys() - {"seed"}  # the core has no word for other numbers every time
    assert "hash_mb" in shared
    assert {option: documented[option] for option in shared} == {option: ours[option] for option in shared}


@pytest.mark.parametrize("name", SEEDED)
def test_the_same_seed_gives_the_same_game(name: str) -> None:
    first = played(made(name, seed="7"), "uttt")
    player = made(name)
    played(player, "uttt")  # any position before
    player.new_game()
    player.set_option("seed", "7")
    assert played(player, "uttt") == first
    player.set_option("seed", "8")
    player.new_game()
    assert played(player, "uttt") != first


@pytest.mark.parametrize("name", SEEDED)
def test_a_seed_that_is_set_back_gives_other_games(name: str) -> None:
    player = made(name, seed="7")
    first = played(player, "uttt")
    player.set_option("seed", player.options()[0].default_text)
    player.new_game()
    assert (player.settings.seed, player.options()[0].name) == (FRESH, "seed")  # type: ignore[attr-defined]
    second = played(player, "uttt")
    player.set_option("seed", "-1")
    assert first != second != played(player, "uttt")


@pytest.mark.parametrize("name", SEEDED)
def test_a_second_game_is_another_one(name: str) -> None:
    player = made(name, seed="7")
    first = played(player, "uttt")
    player.new_game()
    assert played(player, "uttt") != first


@pytest.mark.parametrize("name", SEEDED)
def test_a_seed_before_a_new_game_counts_too(name: str) -> None:
    games = []
    for _ in range(2):
        player = made(name)
        player.set_option("seed", "5")
        player.new_game()
        games.append(played(player, "uttt"))
    assert games[0] == games[1]


def test_negamax_forgets_with_a_new_game() -> None:
    player = made("negamax")
    first = player.search(game("uttt").position(), Limits(depth=5), StopFlag()).nodes
    player.new_game()
    assert player.search(game("uttt").position(), Limits(depth=5), StopFlag()).nodes == first


@pytest.mark.parametrize(("option", "limit"), [("50", 1000), ("1000", 50), ("50", 0)])
def test_the_own_limit_and_the_protocols_both_bind(option: str, limit: int) -> None:
    player = made("mcts", simulations=option)
    assert player.search(game("uttt").position(), Limits(nodes=limit), StopFlag()).nodes == 50
    assert player.bounded


def test_the_own_depth_binds() -> None:
    player = made("negamax", depth="2")
    assert player.search(game("uttt").position(), Limits(depth=5), StopFlag()).depth == 2
    player.set_option("depth", "0")
    assert player.search(game("uttt").position(), Limits(depth=3), StopFlag()).depth == 3
    assert not player.bounded


@pytest.mark.parametrize("name", ["negamax", "mcts"])
def test_a_stop_ends_the_search_at_once(name: str) -> None:
    player, stop = made(name), StopFlag()
    threading.Timer(0.05, stop.set).start()
    found = player.search(game("uttt").position(), Limits(seconds=2 * PATIENCE), stop)
    assert found.best is not None
    assert found.seconds < PATIENCE


@pytest.mark.parametrize("name", ["negamax", "mcts"])
def test_a_limit_of_time_binds(name: str) -> None:
    assert made(name).search(game("uttt").position(), Limits(seconds=0.02), StopFlag()).seconds < PATIENCE


@pytest.mark.parametrize("name", ["hsp", "osp", "negamax", "mcts"])
def test_takes_a_win(name: str) -> None:
    position = game("tictactoe").position("startpos", ["a1", "b1", "a2", "b2"])
    found = made(name, "tictactoe").search(position, Limits(nodes=500), StopFlag())
    assert found.best == position.parse_move("a3")


def test_only_instant_players_are_marked() -> None:
    assert [name for name in KINDS if player_kind(name).instant] == ["random", "osp", "hsp"]


@pytest.mark.parametrize("name", KINDS)
def test_settings_are_each_players_own(name: str) -> None:
    factory = create(game("uttt"), name, {})
    one, other = factory.player(), factory.player()
    option = one.options()[0]
    one.set_option(option.name, "5")
    assert getattr(one.settings, option.name) == 5
    assert getattr(other.settings, option.name) == option.default


def test_a_refused_option_changes_nothing() -> None:
    player = made("mcts", c="1.5")
    with pytest.raises(UsageError, match=r"option 'c': expected a number from 0\.0 to 100\.0, got 'x'"):
        player.set_option("c", "x")
    assert getattr(player.settings, "c") == 1.5  # noqa: B009 - the type of the settings is the player's business


@pytest.mark.parametrize("option", ["c", "rollout", "hash_mb"])
def test_a_changed_option_counts_in_the_next_search(option: str) -> None:
    player = made("mcts", seed="1")
    found = []
    for text in {"c": ("0.1", "3"), "rollout": ("random", "heuristic"), "hash_mb": ("1", "2")}[option]:
        player.set_option(option, text)
        found.append(player.search(game("uttt").position(), Limits(nodes=500), StopFlag()).score)
    assert found[0] != found[1]


@pytest.mark.parametrize(("name", "memory"), [("negamax", "_search"), ("mcts", "_tree")])
def test_a_player_makes_ready_and_gives_its_memory_back(name: str, memory: str) -> None:
    player = made(name, hash_mb="2")
    assert player.memory_mb == 2
    player.prepare()
    assert getattr(player, memory) is not None
    player.close()
    assert getattr(player, memory) is None


def test_a_player_without_tables_takes_no_memory() -> None:
    assert made("hsp").memory_mb == 0


def test_bytes_per_node_are_known_where_there_is_a_tree() -> None:
    assert made("mcts").bytes_per_node == 16
    assert made("negamax").bytes_per_node is None


def test_a_finished_game_has_no_best_move_in_a_search() -> None:
    position = Position("tictactoe")
    for move in ("a1", "b1", "a2", "b2", "a3"):
        position.play(position.parse_move(move))
    assert made("negamax", "tictactoe").search(position, Limits(depth=1), StopFlag()).best is None
