"""Chess by engines of UCI, and Go by gnugo: games of real programs, checked by python-chess and sgfmill."""

from __future__ import annotations

import io
import shutil
import warnings
from collections.abc import Sequence

import chess.pgn
import pytest
from sgfmill.boards import Board

from fiedler.tournament.evaluation import from_text
from fiedler.tournament.game import GameRecord
from fiedler.tournament.report.pgn import pgn
from fiedler.tournament.report.run import Run
from fiedler.tournament.report.sgf import sgf
from fiedler.tournament.termination import Termination
from tests.patience import PATIENCE
from tests.programs import need
from tests.tournament.schedules import Bench, Tables

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # its strings have unknown escapes, which show where it is compiled
    from sgfmill import sgf as sgfmill_sgf
    from sgfmill import sgf_moves

pytestmark = pytest.mark.programs
ENGINES: dict[str, tuple[str, ...]] = {"fairy-stockfish": (), "ethereal-chess": (), "gnuchess": ("--uci",)}
"""Engines of UCI that keep a depth, the smallest packages of Debian."""


def command(program: str, *arguments: str) -> list[str]:
    """Return the command of a program of Debian; leave the test out without it."""
    need(program)
    return [shutil.which(program) or f"/usr/games/{program}", *arguments]


def players(names: Sequence[str] = tuple(ENGINES)) -> list[Tables]:
    return [{"name": name, "command": command(name, *ENGINES[name]), "protocol": "uci"} for name in names]


def read(bench: Bench) -> list[chess.pgn.Game]:
    """Return the games of `games.pgn` as python-chess reads them, without an error."""
    found = []
    for text in pgn(Run.read(bench.results / "test")):
        game = chess.pgn.read_game(io.StringIO(text))
        assert game is not None
        assert not game.errors
        found.append(game)
    return found


def by_the_rules(board: chess.Board, played: GameRecord) -> bool:
    """Return whether a finished game has the end that python-chess sees, with every draw at once."""
    ends = {
        "checkmate": board.is_checkmate(),
        "stalemate": board.is_stalemate(),
        "insufficient material": board.is_insufficient_material(),
        "the 50-move rule": board.halfmove_clock >= 100,
        "threefold repetition": board.is_repetition(3),
    }
    return ends[played.detail] and (played.result == "1/2-1/2") == (played.detail != "checkmate")


@pytest.mark.parametrize(("game", "names"), [("chess", tuple(ENGINES)), ("chess960", ("fairy-stockfish", "ours"))])
def test_engines_of_uci_play_chess(bench: Bench, game: str, names: Sequence[str]) -> None:
    entries = [*players([name for name in names if name != "ours"])]
    if "ours" in names:
        entries.append({"name": "ours", "player": "negamax", "protocol": "uci"})
    played = bench.play(
        entries,
        tournament={"game": game, "concurrency": 1},
        openings={"plies": 6},
        limit={"depth": 2, "startup_s": PATIENCE, "stall_s": PATIENCE},
        adjudication={"max_plies": 300},
    )
    assert len(played) == len(names) * (len(names) - 1)
    assert {one.termination for one in played} <= {Termination.RULES, Termination.ADJUDICATION}
    assert any(one.termination is Termination.RULES for one in played)
    for one, text in zip(played, read(bench), strict=True):
        board = text.end().board()
        assert [move.uci() for move in text.mainline_moves()] == [*one.opening, *one.moves][-len(board.move_stack) :]
        assert text.headers["Result"] == one.result
        assert one.termination is Termination.ADJUDICATION or by_the_rules(board, one)
        assert all(report.depth for report in from_text(one.evaluations))


def area_of(board: Board) -> float:
    """Return Black's lead by area and 7.5 points, as Tromp and Taylor count: empty points reach one colour or both."""
    return float(board.area_score() - 7.5)


def test_gnugo_plays_go(bench: Bench) -> None:
    words = ("--mode", "gtp", "--level", "1", "--chinese-rules")
    gnugo: Tables = {"name": "gnugo", "command": command("gnugo", *words), "protocol": "gtp"}
    played = bench.play(
        [gnugo, {"name": "ours", "player": "mcts", "options": {"simulations": 20, "seed": 1}}],
        tournament={"game": "go9"},
        openings={"plies": 40},  # gnugo takes a third of a second a move, at any level
        limit={"movetime_ms": 1000 * int(PATIENCE), "startup_s": PATIENCE},
    )
    assert len(played) == 2
    assert {one.termination for one in played} == {Termination.RULES}
    for one, text in zip(played, sgf(Run.read(bench.results / "test")), strict=True):
        board, moves = sgf_moves.get_setup_and_moves(tree := sgfmill_sgf.Sgf_game.from_string(text))
        for color, point in moves:
            if point is not None:
                board.play(*point, color)
        lead = area_of(board)
        assert len(moves) == len(one.moves)
        assert tree.get_winner() == ("b" if lead > 0 else "w") == ("b" if one.result == "1-0" else "w")
        assert tree.get_root().get("RE") == f"{'B' if lead > 0 else 'W'}+{abs(lead):g}"
        assert tree.get_komi() == 7.5
