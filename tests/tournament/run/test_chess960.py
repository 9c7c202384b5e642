"""Chess and Chess960 with an engine of UCI that castles as its option says."""

from __future__ import annotations

import io
import sys
from collections import Counter

import chess.pgn
import pytest

from fiedler import client, games
from fiedler.tournament.report.pgn import pgn
from fiedler.tournament.report.run import Run
from fiedler.tournament.schedule.opening_file import OpeningFile
from tests.patience import PATIENCE
from tests.tournament.schedules import Bench, Tables

pytestmark = pytest.mark.programs

START = "4k3/8/8/8/8/8/8/4K2R_w_K_-_0_1"
ENGINE = """
import sys
castling, sets = "none", []
for line in sys.stdin:
    words = line.split()
    if words[0] == "uci":
        print("option name UCI_Chess960 type check default true")
        print("option name PONDER type check default true\\nuciok", flush=True)
    elif words[0] == "setoption":
        sets.append(line)
        if words[2:] == ["PONDER", "value", "false"]:
            continue
        castling = "e1h1" if words[-1] == "true" else "e1g1"
    elif words[0] == "isready":
        print("readyok", flush=True)
    elif words[0] == "go":
        if sys.argv[1:] and len(sets) != int(sys.argv[1]):
            sys.exit(f"{len(sets)} options")
        print("bestmove", castling, flush=True)
    elif words[0] == "quit":
        break
"""
"""Castles in its first move once it has its option; its word is the number of options that it must have got by then."""


def castling(sets: int) -> list[str]:
    return [sys.executable, "-S", "-E", "-c", ENGINE, str(sets)]


@pytest.mark.parametrize(
    ("game", "sets", "castles", "options"),
    [
        ("chess960", 2, "e1h1", {}),
        ("chess", 2, "e1g1", {}),
        ("chess960", 2, "e1g1", {"uci_chess960": False}),
    ],
)
def test_an_engine_gets_the_option_of_the_variant_once(
    bench: Bench, game: str, sets: int, castles: str, options: Tables
) -> None:
    (bench.folder / "starts.txt").write_text(f"{START}\n", encoding="utf-8")
    players: list[Tables] = [
        {"name": "castles", "command": castling(sets), "protocol": "uci", "options": options},
        {"name": "ours", "player": "random"},
    ]
    played = bench.play(
        players,
        tournament={"game": game, "games_per_pair": 4, "concurrency": 1},
        openings={"file": "starts.txt", "plies": 0},
        adjudication={"max_plies": 1},
    )
    firsts = [one for one in played if one.first == "castles"]
    legal = (game, castles) in {("chess960", "e1h1"), ("chess", "e1g1")}
    assert len(firsts) == 2
    assert {one.termination for one in firsts} == {"adjudication" if legal else "illegal move"}
    assert {one.moves for one in firsts} == {(castles,) if legal else ()}
    variant = '[Variant "Chess960"]'
    assert all((variant in text) == (game == "chess960") for text in pgn(Run.read(bench.results / "test")))


def test_a_run_plays_random_starts_and_another_library_reads_its_games(bench: Bench) -> None:
    """Each meeting has a start of its own; the games are openings again."""
    played = bench.play(
        [{"name": name, "player": "random"} for name in "ab"],
        tournament={"game": "chess960", "games_per_pair": 8},
        openings={"positions": "random", "plies": 1},
        adjudication={"max_plies": 9},
    )
    assert sorted(Counter(one.start for one in played).values()) == [2, 2, 2, 2]
    text = "".join(pgn(Run.read(bench.results / "test")))
    file = io.StringIO(text)
    for one in played:
        read = chess.pgn.read_game(file)
        assert read is not None
        assert read.errors == []
        assert [move.uci() for move in read.mainline_moves()] == list(one.moves)
        assert read.board().fen().replace(" ", "_") == one.start
    path = bench.folder / "games.pgn"
    path.write_text(text, "utf-8")
    openings = OpeningFile.read(games.game("chess960"), path, plies=1).openings
    assert [(one.start, one.moves) for one in openings] == [(one.start, one.opening) for one in played]


@pytest.mark.parametrize(("game", "sets", "castles"), [("chess960", 2, "e1h1"), ("chess", 2, "e1g1")])
def test_the_client_sets_the_option_of_the_variant(game: str, sets: int, castles: str) -> None:
    with client.open_engine(castling(sets), game, protocol="uci", start_seconds=PATIENCE) as engine:
        assert engine.play(START, PATIENCE).move == castles
