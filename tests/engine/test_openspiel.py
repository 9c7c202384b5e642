"""The command `engine` and OpenSpiel's games: sessions, the list, and what needs the core."""

from __future__ import annotations

import json
import re

import pytest

from fiedler.games import GAMES
from fiedler.games.openspiel import loaded_game
from fiedler.games.openspiel_library import playable_names
from tests.engine.engine_process import Client, engine, serving
from tests.folders import ROOT

pytestmark = pytest.mark.programs
BREAKTHROUGH = "openspiel:breakthrough(rows=6,columns=6)"
ONLY_OURS = f"error: --game: expected one of our games ({', '.join(GAMES)}), got 'openspiel:hex'\n"


def test_a_session_of_mcts() -> None:
    game = loaded_game(BREAKTHROUGH)
    with (
        serving("--game", BREAKTHROUGH, "--player", "mcts", "--set", "seed=1") as server,
        Client(server.port) as client,
    ):
        client.hello().say("isready", "position startpos moves a5a4", "go nodes 40")
        client.until("readyok")
        *_, info, best = client.until("bestmove")
        after = game.position(moves=["a5a4"])
        assert " nodes 40 " in info
        assert re.search(r" score cp -?\d+ pv (\S+)$", info)
        after.play(after.parse_move(best.split()[1]))
        client.say("query board", "query position", "query p1turn")
        board = client.until("response ok")[:-1]
        assert "\n".join(line.removeprefix("info string ") for line in board) == game.draw(
            game.position(moves=["a5a4"])
        )
        assert client.line() == f"response {game.position(moves=['a5a4'])}"
        assert client.line() == "response false"
        client.say("position startpos moves a5a4 a5a4", "position fen x", "position fen 0,0")
        assert client.line().startswith("info string error: move: expected a legal move such as a2a3, got 'a5a4' in ")
        assert client.line() == ("info string error: position: expected startpos or actions such as 0,15,7, got 'x'")
        assert client.line() == "info string error: position: action 1: expected a legal one, got 0"
        client.say("go infinite", "stop")
        assert client.until("bestmove")[-1].startswith("bestmove ")
        client.say("go movetime 50", "go p1time 2000 p2time 2000")
        assert client.until("bestmove")[-1].startswith("bestmove ")
        client.say("query legalmoves")
        assert client.until("response")[-1].split()[1:] == sorted(
            map(after.move_text, game.position(moves=["a5a4"]).legal_moves())
        ), "the board of the session did not move"


def test_a_game_to_its_end_in_the_words_of_uci() -> None:
    name, moves = "openspiel:tic_tac_toe", "x(0,0) o(1,0) x(0,1) o(1,1)"
    words = ("--game", name, "--player", "mcts", "--set", "simulations=200")
    with serving(*words) as server, Client(server.port) as client:
        client.say("uci", f"position startpos moves {moves}", "go")
        assert client.until("uciok")[0] == "id name Fiedler mcts"
        assert client.until("bestmove")[-1] == "bestmove x(0,2)"
        client.say(f"position startpos moves {moves} x(0,2)", "query result", "go")
        assert client.until("response")[-1] == "response p1win"
        assert client.until("bestmove")[-1].startswith("bestmove ")


def test_the_list() -> None:
    found = json.loads(engine("games", "--openspiel", "--json").stdout)["games"]
    assert [one["id"] for one in found] == [f"openspiel:{name}" for name in playable_names()]
    assert found[4] == {
        "id": "openspiel:chess",
        "name": "Chess",
        "plies": 17695,
        "turns": True,
        "actions": 4674,
    }
    shown = engine("games", "--openspiel")
    assert shown.stderr == ""
    assert ["openspiel:mancala", "1000", "no", "14", "Mancala"] in [line.split() for line in shown.stdout.splitlines()]


def test_the_page_has_the_list() -> None:
    page = (ROOT / "docs" / "games" / "openspiel.md").read_text("utf-8")
    rows = re.findall(r"^\| `(\w+)` \| (.+?) \| `(.+?)` \| ([\d,]+) \| (yes|no) \| \d+ \|$", page, re.MULTILINE)
    games = [loaded_game(f"openspiel:{name}") for name in playable_names()]
    assert rows == [
        (
            game.id.removeprefix("openspiel:"),
            game.name,
            game.example.split()[2],
            f"{game.most_plies:,}",
            "yes" if game.takes_turns else "no",
        )
        for game in games
    ]


@pytest.mark.parametrize(
    "words",
    [
        ("perft", "--depth", "2"),
        ("analyze",),
        ("bench",),
    ],
)
def test_what_needs_the_core_says_so(words: tuple[str, ...]) -> None:
    done = engine(*words, "--game", "openspiel:hex")
    assert (done.returncode, done.stdout, done.stderr) == (2, "", ONLY_OURS)


def test_gtp_is_spoken_where_moves_are_points() -> None:
    done = engine("serve", "--game", "openspiel:chess", "--protocol", "gtp")
    assert done.stderr == "error: --protocol: expected one of ugi, uci for openspiel:chess, got gtp\n"
    with serving("--game", "openspiel:othello", "--player", "random") as server:
        with Client(server.port) as client:
            client.say("boardsize 8", "play b d3", "genmove b")
            assert [client.line() for _ in range(6)] == ["=", "", "=", "", "? not B's turn", ""]
        with Client(server.port) as client:
            client.say("uci", "position startpos moves d3", "go nodes 1")
            assert client.until("bestmove")[-1].split()[1] in {"c3", "e3", "c5"}


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("--player", "negamax"), "unknown player 'negamax' of openspiel:hex (known: random, mcts)"),
        (("--protocol", "gomocup"), "--protocol: expected one of ugi, uci, gtp for openspiel:hex, got gomocup"),
        (("--players", "x.toml"), "--players: expected one of our games, got 'openspiel:hex'"),
    ],
)
def test_wrong_options_of_serve(words: tuple[str, ...], why: str) -> None:
    done = engine("serve", "--game", "openspiel:hex", *words)
    assert (done.returncode, done.stderr) == (2, f"error: {why}\n")
