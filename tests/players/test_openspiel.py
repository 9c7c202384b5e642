"""The players of OpenSpiel's games."""

from __future__ import annotations

import sys
import threading
from pathlib import Path
from typing import cast

import pytest

from fiedler import native
from fiedler.games import AnyGame
from fiedler.games.openspiel import SpielGame, loaded_game
from fiedler.games.position import Position
from fiedler.native import Limits, SearchInfo, StopFlag
from fiedler.players import OnInfo, Player, create_player
from fiedler.players.openspiel import SpielMctsPlayer
from fiedler.support.errors import UsageError, WorkError
from fiedler.support.player_spec import PlayerSpec
from tests.patience import PATIENCE
from tests.take import TAKE

TICTACTOE = loaded_game("openspiel:tic_tac_toe")
CHESS = loaded_game("openspiel:chess")
HEX = loaded_game("openspiel:hex(board_size=5)")
BOT = '''
import pyspiel

class Last(pyspiel.Bot):
    """Plays the last legal action, and checks that it knows the game."""

    def __init__(self, game, player):
        super().__init__()
        self.player, self.state = player, game.new_initial_state()

    def inform_action(self, state, player, action):
        self.state.apply_action(action)

    def step(self, state):
        assert str(self.state) == str(state) and state.current_player() == self.player
        action = state.legal_actions()[-1]
        self.state.apply_action(action)
        return action

class Wrong(Last):
    def step(self, state):
        return 99

class Angry(Last):
    def step(self, state):
        raise ValueError("no")

class Leaving(Last):
    def step(self, state):
        exit(4)

number = 3
'''


def made(game: SpielGame, kind: str, **options: str) -> Player:
    return create_player(game, PlayerSpec(kind, None, options)).player()


def searched(player: Player, position: Position, limits: Limits, stop: StopFlag, report: OnInfo | None) -> SearchInfo:
    """Let a player search a position of its own game."""
    return player.search(cast("native.Position", position), limits, stop, report)


def found(player: Player, game: AnyGame, moves: str = "", limits: Limits | None = None) -> SearchInfo:
    return searched(player, game.position(moves=moves.split()), limits or Limits(), StopFlag(), None)


def test_mcts_takes_a_win_and_proves_it() -> None:
    info = found(made(TICTACTOE, "mcts", simulations="500", seed="1"), TICTACTOE, "x(0,0) o(1,0) x(0,1) o(1,1)")
    assert TICTACTOE.position(moves=["x(0,0)", "o(1,0)", "x(0,1)", "o(1,1)"]).move_text(info.best or 0) == "x(0,2)"
    assert info.score == 1.0
    assert info.nodes < 500, "a proof ends the search"


def test_mcts_prevents_a_loss_without_proofs() -> None:
    player = made(TICTACTOE, "mcts", simulations="2000", solve="false", seed="1")
    info = found(player, TICTACTOE, "x(0,0) o(1,1) x(0,1)")
    assert TICTACTOE.position(moves=["x(0,0)", "o(1,1)", "x(0,1)"]).move_text(info.best or 0) == "o(0,2)"
    assert info.nodes == 2000
    assert 0 < info.score < 1


def test_the_same_seed_gives_the_same_game() -> None:
    def game(seed: str) -> list[int | None]:
        player = made(HEX, "mcts", simulations="20", seed=seed)
        return [found(player, HEX).best for _ in range(8)]

    assert game("1") == game("1")
    assert game("1") != game("2")


def test_the_limits_of_a_search() -> None:
    player = made(CHESS, "mcts", seed="1")
    assert not player.bounded
    assert not player.prepared
    player.prepare()
    assert player.prepared
    assert found(player, CHESS, limits=Limits(nodes=5)).nodes == 5
    assert found(player, CHESS, limits=Limits(nodes=1)).nodes == 2, "the least tree with moves"
    assert found(player, CHESS, limits=Limits(seconds=0.05)).nodes >= 1
    assert found(player, CHESS, limits=Limits(seconds=1e-6)).best in CHESS.position().legal_moves()
    bounded = made(CHESS, "mcts", simulations="3")
    assert bounded.bounded
    assert found(bounded, CHESS, limits=Limits(nodes=50)).nodes == 3


def test_a_number_and_a_time_are_both_kept() -> None:
    player = made(HEX, "mcts", simulations="50", seed="1")
    assert found(player, HEX, limits=Limits(nodes=30, seconds=3600.0)).nodes == 30
    assert found(player, HEX, limits=Limits(nodes=300, seconds=3600.0)).nodes == 50, "its own number"
    unbounded, seen = made(HEX, "mcts", seed="1"), list[int]()
    most = 3 * found(unbounded, HEX, limits=Limits(seconds=0.4)).nodes // 4
    limits = Limits(nodes=max(most, 2), seconds=0.4)  # the time for it is more than half of the time
    info = searched(unbounded, HEX.position(), limits, StopFlag(), lambda one: seen.append(one.nodes))
    assert 2 <= info.nodes <= limits.nodes
    assert seen == sorted({*seen})
    assert found(unbounded, HEX, limits=Limits(nodes=10**9, seconds=0.1)).nodes < 10**9


def test_further_trees_are_added_until_the_number_is_reached() -> None:
    """The first tree has as many simulations as would fit if each took two minutes."""
    player = made(HEX, "mcts", seed="1")
    assert isinstance(player, SpielMctsPlayer)
    player._each_s = 120.0
    seen, limits = list[int](), Limits(nodes=100, seconds=3600.0)
    info = searched(player, HEX.position(), limits, StopFlag(), lambda one: seen.append(one.nodes))
    assert (seen, info.nodes) == ([14], 100)


def test_a_proof_ends_a_search_with_a_number_and_a_time() -> None:
    line = "x(0,0) o(1,0) x(0,1) o(1,1)"
    info = found(made(TICTACTOE, "mcts", seed="1"), TICTACTOE, line, Limits(nodes=10**9, seconds=3600.0))
    assert info.score == 1.0
    last = "x(0,0) o(1,0) x(0,1) o(1,1) x(1,2) o(0,2) x(2,0) o(2,1)"
    assert found(made(TICTACTOE, "mcts", seed="1"), TICTACTOE, last, Limits(nodes=10**9, seconds=3600.0)).nodes < 9


def test_a_search_without_a_limit_reports_and_ends_at_stop() -> None:
    player, stop, seen = made(CHESS, "mcts", seed="1"), StopFlag(), list[int]()

    def report(info: SearchInfo) -> None:
        seen.append(info.nodes)
        if len(seen) == 3:
            stop.set()

    search = threading.Thread(
        target=lambda: seen.append(searched(player, CHESS.position(), Limits(), stop, report).nodes)
    )
    search.start()
    search.join(PATIENCE)
    assert not search.is_alive()
    assert len(seen) == 4, "three reports, then the end: the flag is seen after the next part"
    assert seen == sorted(seen)


def test_random_plays_any_game() -> None:
    assert found(made(CHESS, "random", seed="1"), CHESS).best in CHESS.position().legal_moves()
    assert found(create_player(TAKE, PlayerSpec("random")).player(), TAKE).best in {1, 2, 3}


@pytest.mark.parametrize(
    ("spec", "why"),
    [
        (PlayerSpec("negamax"), "unknown player 'negamax' of openspiel:chess (known: random, mcts)"),
        (PlayerSpec("mtcs"), "unknown player 'mtcs' of openspiel:chess; did you mean 'mcts'? (known: random, mcts)"),
        (PlayerSpec("mcts", "net.onnx"), "no player of openspiel:chess takes a model, got 'net.onnx'"),
        (
            PlayerSpec("mcts", None, {"hash_mb": "3"}),
            "unknown option 'hash_mb' of player mcts (known: seed, simulations, c, solve)",
        ),
        (
            PlayerSpec("mcts", None, {"simulations": "-1"}),
            "option 'simulations': expected 0, or a whole number from 2 to 2147483647, got '-1'",
        ),
        (PlayerSpec("python:mybot"), "player python:mybot: expected python:MODULE.CLASS, got no class"),
        (PlayerSpec("python:nowhere.Bot"), "player python:nowhere.Bot: ModuleNotFoundError: No module named 'nowhere'"),
    ],
)
def test_wrong_players_are_refused_in_a_line(spec: PlayerSpec, why: str) -> None:
    with pytest.raises(UsageError) as refused:
        create_player(CHESS, spec)
    assert str(refused.value) == why


def test_a_bot_of_ones_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "spiel_bots.py").write_text(BOT, "utf-8")
    monkeypatch.chdir(tmp_path)
    one = made(HEX, "python:spiel_bots.Last")
    assert one.bounded
    moves = list[str]()
    for _ in range(6):  # it plays both sides, each with its own bot
        position = HEX.position(moves=moves)
        moves.append(position.move_text(found(one, HEX, " ".join(moves)).best or 0))
    assert moves == ["e5", "d5", "c5", "b5", "a5", "e4"]
    assert found(one, HEX, "a1").best == 24, "another game without a word"
    one.new_game()
    assert found(one, HEX).best == 24
    with pytest.raises(WorkError, match=r"^player python:spiel_bots.Wrong: expected a legal action, got 99$"):
        found(made(HEX, "python:spiel_bots.Wrong"), HEX)
    with pytest.raises(WorkError, match=r"^player python:spiel_bots.Angry: ValueError: no$"):
        found(made(HEX, "python:spiel_bots.Angry"), HEX)
    with pytest.raises(WorkError, match=r"^player python:spiel_bots.Leaving: SystemExit: 4$"):
        found(made(HEX, "python:spiel_bots.Leaving"), HEX)
    for name, why in (
        ("number", "expected a class, got int"),
        ("Nobody", "AttributeError: module 'spiel_bots' has no attribute 'Nobody'"),
    ):
        with pytest.raises(UsageError, match=f"^player python:spiel_bots.{name}: {why}$"):
            made(HEX, f"python:spiel_bots.{name}")
    with pytest.raises(UsageError, match=r"^unknown option 'x' of player python"):
        made(HEX, "python:spiel_bots.Last", x="1")


def test_a_module_that_changes_the_path_keeps_its_change(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "spiel_paths.py").write_text("import sys\nsys.path.insert(0, '/elsewhere')\nkind = print\n", "utf-8")
    (tmp_path / "spiel_leaving.py").write_text("exit(3)\n", "utf-8")
    monkeypatch.chdir(tmp_path)
    before = [*sys.path]
    monkeypatch.setattr(sys, "path", [*before])
    made(HEX, "python:spiel_paths.kind")
    assert sys.path == ["/elsewhere", *before]
    with pytest.raises(UsageError, match=r"^player python:spiel_leaving.Bot: SystemExit: 3$"):
        made(HEX, "python:spiel_leaving.Bot")
    monkeypatch.delitem(sys.modules, "spiel_paths")
