"""Servers whose clients choose the game: one player after the other, and their shares of the server."""

from __future__ import annotations

import pytest

from fiedler.engine.host.terms import Terms
from fiedler.engine.roster.lineup import Lineup
from fiedler.engine.roster.shares import Shares
from fiedler.games import GAMES, Game, game
from fiedler.players import Factory, Player, create
from fiedler.players.negamax import NegamaxPlayer
from fiedler.protocol import HostError
from fiedler.support.errors import UsageError
from tests.engine.engine_driver import Conversation
from tests.engine.engine_process import Client, serving
from tests.folders import ROOT


def player(memory_mb: int) -> Player:
    return create(game("gomoku9"), "negamax", {"hash_mb": str(memory_mb)}).player()


def test_a_factory_is_made_when_its_game_is_first_needed() -> None:
    made: list[str] = []

    def make(one: Game) -> Factory:
        made.append(one.id)
        return create(one, "hsp", {})

    lineup = Lineup(make, map(game, ("gomoku15", "renju15")))
    assert lineup.games == ("gomoku15", "renju15")
    assert lineup.first is GAMES["gomoku15"]
    assert made == []
    assert lineup.player("renju15").game.id == "renju15"
    assert lineup.player("renju15") is not lineup.player("renju15")
    assert made == ["renju15"]
    lineup.close()


def test_another_game_needs_no_second_share() -> None:
    lineup = Lineup(lambda one: create(one, "negamax", {"hash_mb": "60"}), map(game, ("gomoku15", "gomoku20")))
    shares = Shares(memory_mb=100)
    talk = Conversation("gomoku15", lineup.player("gomoku15"), Terms(shares), lineup, pinned="gomocup")
    for size in (20, 15, 20):
        assert talk.say(f"START {size}") == ["OK"]
    talk.session.close()
    shares.enter(player(100))


def test_a_share_that_does_not_fit_changes_nothing() -> None:
    shares, old = Shares(memory_mb=100), player(60)
    shares.enter(old)
    with pytest.raises(UsageError, match="expected at most 100 MiB"):
        shares.exchange(old, player(101))
    with pytest.raises(UsageError, match="expected at most 40 MiB"):
        shares.enter(player(60))
    shares.exchange(old, player(90))


def test_a_player_of_another_game_that_does_not_fit_is_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    closed: list[str] = []
    monkeypatch.setattr(NegamaxPlayer, "close", lambda player: closed.append(player.game.id))
    sizes = {"gomoku15": "60", "gomoku20": "101"}
    lineup = Lineup(lambda one: create(one, "negamax", {"hash_mb": sizes[one.id]}), map(game, sizes))
    talk = Conversation("gomoku15", lineup.player("gomoku15"), Terms(Shares(memory_mb=100)), lineup, pinned="gomocup")
    with pytest.raises(HostError, match="hash_mb: expected at most 100 MiB"):
        talk.session._host.change_game("gomoku20")
    assert closed == ["gomoku20"]
    assert talk.say("START 15") == ["OK"]
    talk.session.close()
    assert closed == ["gomoku20", "gomoku15"]


def test_a_model_for_one_game_only_is_named_by_its_player(caplog: pytest.LogCaptureFixture) -> None:
    net = ROOT / "models" / "uttt-small.onnx"
    lineup = Lineup(lambda one: create(one, "checkpoint", {"model": str(net)}), map(game, ("uttt", "gomoku15")))
    talk = Conversation("uttt", lineup.player("uttt"), None, lineup, pinned="ugi")
    with pytest.raises(HostError) as refused:
        talk.session._host.change_game("gomoku15")
    assert str(refused.value) == "player checkpoint: its model: made for game 'uttt', expected 'gomoku15'"
    assert f"model {net}: made for game" in caplog.text
    talk.session.close()
    lineup.close()


def test_an_engine_for_one_game_plays_no_other() -> None:
    talk = Conversation("gomoku15", "hsp", pinned="gomocup")
    with pytest.raises(HostError, match="expected one of gomoku15, got renju15"):
        talk.session._host.change_game("renju15")


def test_clients_of_one_port_choose_their_games() -> None:
    with serving("--player", "hsp", "--protocol", "gomocup") as server:
        clients = [Client(server.port) for _ in range(2)]
        for client, size, rule in zip(clients, (20, 15), (0, 4), strict=True):
            client.say(f"START {size}", f"INFO rule {rule}")
            assert client.line() == "OK"
        for client, point in zip(clients, ("19,19", "14,14"), strict=True):
            client.say(f"TURN {point}")
            assert client.line().count(",") == 1
            client.say("END")
            client.close()
