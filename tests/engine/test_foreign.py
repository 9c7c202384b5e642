"""`engine play` and `engine analyze` with engines of any dialect, on pipes, behind ports, and dialling in."""

from __future__ import annotations

import json
import shlex
import sys

import pytest

from fiedler.games import GAMES
from tests.engine.engine_process import engine, serving
from tests.folders import ROOT


def example(name: str, *words: str) -> str:
    return shlex.join([sys.executable, "-S", "-E", str(ROOT / "examples" / f"{name}_random.py"), *words])


ANY = [
    ("ugi", example("ugi"), "uttt", "e5"),
    ("uci", example("uci"), "connect4", "d"),
    ("gtp", example("gtp"), "gomoku9", "e5"),
    ("gomocup", example("gomocup"), "gomoku15", "h8"),
    ("rowcol", example("rowcol"), "uttt", "e5"),
    ("rowcol-list", example("rowcol_list"), "uttt", "e5"),
    ("makemove", example("makemove", "{port}", "1"), "uttt", "e5"),
]


@pytest.mark.parametrize(("protocol", "command", "game", "move"), ANY, ids=[one[0] for one in ANY])
def test_a_person_plays_against_any_dialect(protocol: str, command: str, game: str, move: str) -> None:
    words = ["--game", game, "--command", command, "--protocol", protocol]
    done = engine("play", *words, said=f"{move}\nquit\n")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.count("to move: ") == 2, "after the engine's answer the person is asked again"


@pytest.mark.parametrize(("protocol", "command", "game", "move"), ANY, ids=[one[0] for one in ANY])
def test_an_engine_of_any_dialect_analyses(protocol: str, command: str, game: str, move: str) -> None:
    words = ["--game", game, "--command", command, "--protocol", protocol, "--position", f"startpos moves {move}"]
    done = engine("analyze", *words, "--json")
    document = json.loads(done.stdout)
    assert (document["game"], document["score"], document["depth"]) == (game, None, None)
    assert [one["move"] for one in document["moves"]] == document["pv"]
    (answer,) = document["pv"]
    GAMES[game].position(moves=[move]).parse_move(answer)  # legal


def test_the_report_of_an_engine_is_shown() -> None:
    with serving("--game", "connect4", "--player", "negamax") as server:
        words = ["--game", "connect4", "--address", server.address, "--protocol", "uci", "--nodes", "20000"]
        document = json.loads(engine("analyze", *words, "--json").stdout)
        lines = engine("analyze", *words).stdout.splitlines()[7:]  # behind the board
    assert document["player"] == "Fiedler negamax"
    assert document["cp"] == document["moves"][0]["cp"]
    assert document["depth"] >= 5
    assert document["pv"][0] == document["moves"][0]["move"] == lines[1].split()[4]
    assert lines[2].startswith("Fiedler negamax: depth ")
    assert lines[3] == f"best line: {' '.join(document['pv'])}"


WRONG = [
    (["--protocol", "gtp"], "error: --protocol: expected --command or --address, which it belongs to\n"),
    (["--address", "127.0.0.1:1", "--command", "x"], "error: --command: expected one engine, got --address as well\n"),
    (["--command", "x", "--player", "osp"], "error: --command: that engine chooses its own player; leave out --player"),
    (
        ["--command", ANY[3][1], "--protocol", "rowcol", "--position", "startpos moves e5 d4"],
        "error: protocol rowcol: expected a game from its start",
    ),
    (
        ["--command", ANY[2][1], "--protocol", "gtp", "--nodes", "5"],
        "error: limit: protocol gtp cannot express nodes\n",
    ),
]


@pytest.mark.parametrize(("words", "error"), WRONG, ids=[error[7:40] for _, error in WRONG])
def test_a_wrong_command_line_is_exit_code_2(words: list[str], error: str) -> None:
    done = engine("analyze", "--game", "uttt", *words)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(error)
