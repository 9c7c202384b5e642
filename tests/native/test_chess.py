"""Chess: published move counts, another library, the ends of games, and FEN."""

from __future__ import annotations

import random

import chess
import pytest

from fiedler import native
from tests.native.chess_model import PythonChess
from tests.native.positions import SLOW, load

GAMES = ("chess", "chess960")
PERFT = load("chess_perft")
STARTS = load("chess960_starts")["starts"]


def fen(text: str) -> str:
    return text.replace(" ", "_")


@pytest.mark.slow
@pytest.mark.parametrize("row", PERFT["positions"], ids=[row["name"] for row in PERFT["positions"]])
def test_perft_has_the_published_counts(row: dict[str, object]) -> None:
    counts = row["counts"]
    assert isinstance(counts, list)
    counts = counts[: 3 if SLOW else 5]
    assert native.perft(native.Position("chess", fen(str(row["fen"]))), len(counts)) == counts


@pytest.mark.slow
def test_perft_from_every_start_of_chess960() -> None:
    for number, (row, *counts) in enumerate(STARTS[:: 40 if SLOW else 1]):
        position = native.Position("chess960", start(row))
        assert native.perft(position, len(counts)) == counts, number


def start(row: str) -> str:
    """The FEN of a start by its first rank."""
    return f"{row.lower()}/pppppppp/8/8/8/8/PPPPPPPP/{row}_w_KQkq_-_0_1"


def test_the_starts_of_chess960_are_all_of_them() -> None:
    assert [row for row, *_ in STARTS] == [chess.Board.from_chess960_pos(n).board_fen()[-8:] for n in range(960)]


@pytest.mark.slow
@pytest.mark.parametrize("game", GAMES)
def test_random_games_agree_with_another_library(game: str) -> None:
    compare(game, range(10 if SLOW else 100))


@pytest.mark.soak
@pytest.mark.parametrize("game", GAMES)
def test_many_random_games_agree_with_another_library(game: str) -> None:
    compare(game, range(10_000))


def compare(game: str, seeds: range) -> None:
    """Legal moves, FEN and ends of random games; in a third of them pieces are taken wherever they can be."""
    for seed in seeds:
        generator = random.Random(seed)
        other = model_of(game, seed)
        position = native.Position(game, other.notation())
        while True:
            names = sorted(map(position.move_text, position.legal_moves()))
            assert (names, str(position)) == (sorted(other.moves()), other.notation()), seed
            assert (position.result, position.ending) == (other.result(), other.ending()), (seed, str(position))
            if position.result is not None:
                break
            name = generator.choice(names)
            if seed % 3 == 0:
                name = generator.choice([move for move in names if takes(other, move)] or names)
            position.play(position.parse_move(name))
            other.play(name)
        assert position.cells == other.cells()


def takes(model: PythonChess, name: str) -> bool:
    return model.board.is_capture(chess.Move.from_uci(name))


def model_of(game: str, seed: int) -> PythonChess:
    """The start; of Chess960 one of its 960."""
    if game == "chess":
        return PythonChess()
    board = chess.Board.from_chess960_pos(seed % 960)
    return PythonChess(shuffled=True, fen=board.fen())


ENDS = {
    "checkmate": "f2f3 e7e5 g2g4 d8h4",
    "stalemate": "e2e3 a7a5 d1h5 a8a6 h5a5 h7h5 a5c7 a6h6 h2h4 f7f6 c7d7 e8f7 d7b7 d8d3 b7b8 d3h7 b8c8 f7g6 c8e6",
    "threefold repetition": "g1f3 g8f6 f3g1 f6g8 g1f3 g8f6 f3g1 f6g8",
}


@pytest.mark.parametrize(("ending", "moves"), ENDS.items())
def test_a_game_ends_at_once_with_its_reason(ending: str, moves: str) -> None:
    position = native.Position("chess")
    for name in moves.split():
        assert (position.result, position.ending) == (None, "")
        position.play(position.parse_move(name))
    assert position.ending == ending
    assert position.result == (-1 if ending == "checkmate" else 0)
    assert position.legal_moves() == []
    with pytest.raises(native.IllegalMoveError, match="the game is over"):
        position.parse_move("a2a3")


@pytest.mark.parametrize(
    ("text", "ending", "result"),
    [
        ("7k/8/8/8/8/8/8/K7_w_-_-_0_1", "insufficient material", 0),
        ("7k/8/8/8/8/8/8/KN6_w_-_-_0_1", "insufficient material", 0),
        ("7k/8/8/8/8/8/8/KNN5_w_-_-_0_1", "", None),
        ("5b1k/8/8/8/8/8/8/K1B5_w_-_-_0_1", "insufficient material", 0),
        ("6bk/8/8/8/8/8/8/K1B5_w_-_-_0_1", "", None),
        ("7k/8/8/8/8/8/8/KR6_w_-_-_99_80", "", None),
        ("7k/8/8/8/8/8/8/KR6_w_-_-_100_80", "the 50-move rule", 0),
        ("R6k/6pp/8/8/8/8/8/K7_b_-_-_100_80", "checkmate", 1),
        ("7k/5Q2/8/8/8/8/8/K7_b_-_-_100_80", "stalemate", 0),
    ],
)
def test_positions_are_over_by_the_laws(text: str, ending: str, result: int | None) -> None:
    position = native.Position("chess", text)
    assert (position.ending, position.result) == (ending, result)


def test_a_pawn_that_no_rule_lets_take_in_passing_leaves_no_square() -> None:
    """The square counts for a repetition, and stands in the FEN, only if a pawn may legally take there."""
    position = native.Position("chess", "8/8/8/8/k2p3R/8/4P3/K7_w_-_-_0_1")
    position.play(position.parse_move("e2e4"))
    assert str(position) == "8/8/8/8/k2pP2R/8/8/K7_b_-_-_0_1"
    free = native.Position("chess", "8/8/8/k7/3p3R/8/4P3/K7_w_-_-_0_1")
    free.play(free.parse_move("e2e4"))
    assert str(free) == "8/8/8/k7/3pP2R/8/8/K7_b_-_e3_0_1"


def test_castling_is_a_move_of_the_king_and_in_chess960_to_its_rook() -> None:
    text = "r3k2r/8/8/8/8/8/8/R3K2R_w_KQkq_-_0_1"
    expected = {"chess": ("e1g1", "e1c1"), "chess960": ("e1h1", "e1a1")}
    for game, names in expected.items():
        after = [played(game, text, name) for name in names]
        assert after == ["r3k2r/8/8/8/8/8/8/R4RK1_b_kq_-_1_1", "r3k2r/8/8/8/8/8/8/2KR3R_b_kq_-_1_1"]
        for name in expected["chess960" if game == "chess" else "chess"]:
            with pytest.raises(native.IllegalMoveError, match=rf"move {name}: not legal in r3k2r"):
                played(game, text, name)


def played(game: str, text: str, *names: str) -> str:
    position = native.Position(game, text)
    for name in names:
        position.play(position.parse_move(name))
    return str(position)


@pytest.mark.parametrize(
    "text", ["1r2k1r1/8/8/8/8/8/8/1RR1K1R1_w_GBgb_-_0_1", "2r1kr1r/8/8/8/8/8/8/1R2K1R1_w_KQfq_-_3_9"]
)
def test_rooks_that_castle_have_letters_of_x_fen(text: str) -> None:
    """A rook has the letter of its file only where it is not the outermost one."""
    position = native.Position("chess960", text)
    assert str(position) == PythonChess(shuffled=True, fen=text.replace("_", " ")).notation()
    assert native.Position("chess960", str(position)) == position


def test_positions_are_taken_with_blanks() -> None:
    text = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1"
    assert str(native.Position("chess", text)) == fen(text)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR", "the six fields of a FEN"),
        ("k6k/8/8/8/8/8/8/K7_w_-_-_0_1", "expected one king of Black, found 2"),
        ("8/8/8/8/8/8/8/K7_w_-_-_0_1", "expected one king of Black, found 0"),
        ("7k/8/8/8/8/8/8/8K_w_-_-_0_1", "8 ranks of 8 squares"),
        ("7k/8/8/8/8/8/K7_w_-_-_0_1", "8 ranks of 8 squares"),
        ("7k/8/8/8/8/8/8/8/K7_w_-_-_0_1", "8 ranks of 8 squares"),
        ("7k/8/8/8/x7/8/8/K7_w_-_-_0_1", "got 'x'"),
        ("P6k/8/8/8/8/8/8/K7_w_-_-_0_1", "no pawn on the first or last rank"),
        ("7k/PPPPPPPP/P7/8/8/8/8/K7_w_-_-_0_1", "of White at most, found 9"),
        ("7k/8/QQQ5/QQQ5/QQQ5/Q7/8/K7_b_-_-_0_1", "of White at most, found 9"),
        ("7k/8/8/8/8/8/8/K6R_w_-_-_0_1", "the side to move could take the king"),
        ("7k/8/8/8/8/8/8/K7_x_-_-_0_1", "the side to move, w or b"),
        ("7k/8/8/8/8/8/8/K6R_b_K_-_0_1", "KQkq"),
        ("4k3/8/8/8/8/8/8/R3K3_w_KQ_-_0_1", "KQkq"),
        ("4k3/8/8/8/8/8/8/R3K3_w_QQ_-_0_1", "KQkq"),
        ("4k3/8/8/8/8/8/8/R3K3_w__-_0_1", "letters"),
        ("4k3/8/8/8/4P3/8/8/4K3_b_-_e6_0_1", "third rank"),
        ("4k3/8/8/8/8/8/8/4K3_b_-_e3_0_1", "a pawn has just passed"),
        ("7k/8/8/8/8/8/8/KR6_w_-_-_101_80", "from 0 to 100"),
        ("7k/8/8/8/8/8/8/KR6_w_-_-_-1_80", "from 0 to 100"),
        ("7k/8/8/8/8/8/8/KR6_w_-_-_0_0", "from 1 to 9999"),
        ("7k/8/8/8/8/8/8/KR6_w_-_-_0_99999999999999999999", "from 1 to 9999"),
    ],
)
def test_contradictory_fens_are_refused_in_one_line(text: str, why: str) -> None:
    for game in GAMES:
        if why == "KQkq" and game == "chess960":
            continue
        with pytest.raises(native.PositionError, match=why) as refusal:
            native.Position(game, text)
        assert "\n" not in str(refusal.value)


@pytest.mark.parametrize("name", ["e7e8", "e7e8k", "e7e8Q", "e7e8qq", "0000", "--", "e8e9", "e7"])
def test_wrong_moves_are_refused(name: str) -> None:
    position = native.Position("chess", "7k/4P3/8/8/8/8/8/K7_w_-_-_0_1")
    with pytest.raises(native.IllegalMoveError):
        position.parse_move(name)


def test_a_position_may_have_218_moves() -> None:
    position = native.Position("chess", "R6R/3Q4/1Q4Q1/4Q3/2Q4Q/Q4Q2/pp1Q4/kBNN1KB1_w_-_-_0_1")
    assert len(position.legal_moves()) == 218


def test_the_longest_game_is_bounded() -> None:
    generator = random.Random(3)
    position = native.Position("chess")
    assert position.plies_left == 12_700
    left = position.plies_left
    while position.result is None:
        position.play(generator.choice(position.legal_moves()))
        assert position.plies_left < left
        left = position.plies_left
    assert position.plies_left == 0


def test_searches_find_mates_and_see_draws() -> None:
    search = native.Negamax("chess", hash_mb=16)
    mate = native.Position("chess", "6k1/5ppp/8/8/8/8/8/K2R4_w_-_-_0_1")
    found = search.search(mate, native.Limits(depth=3), native.StopFlag())
    assert (mate.move_text(found.pv[0]), found.mate) == ("d1d8", 1)
    found = native.Mcts("chess", hash_mb=16, seed=1).search(mate, native.Limits(nodes=2000), native.StopFlag())
    assert (mate.move_text(found.pv[0]), found.mate) == ("d1d8", 1)
    lost = native.Position("chess", "7k/8/8/8/8/3q4/8/K7_b_-_-_0_1")
    for name in ("d3e3", "a1b2", "e3d3", "b2a1", "d3e3", "a1b2", "e3d3"):
        lost.play(lost.parse_move(name))
    assert lost.result is None
    search.clear()
    found = search.search(lost, native.Limits(depth=1), native.StopFlag())
    drawn = lost.copy()
    drawn.play(drawn.parse_move("b2a1"))
    assert drawn.ending == "threefold repetition"
    assert (lost.move_text(found.pv[0]), found.score) == ("b2a1", 0.5)


@pytest.mark.parametrize("game", GAMES)
def test_no_policy_is_learned(game: str) -> None:
    with pytest.raises(ValueError, match=f"^{game} has 20480 moves by name: expected a game with at most 1024"):
        native.Samples(game, 10, "policy-value")


def test_a_mate_found_early_is_none_near_the_draw_by_fifty_moves() -> None:
    engine, stop = native.Negamax("chess", hash_mb=8), native.StopFlag()
    early = native.Position("chess", "7k/8/8/5K2/8/8/8/6Q1_w_-_-_0_1")
    assert engine.search(early, native.Limits(depth=9), stop).mate
    late = native.Position("chess", "7k/8/8/5K2/8/8/8/6Q1_w_-_-_98_60")
    assert engine.search(late, native.Limits(depth=3), stop).mate is None
    assert late.key != early.key


@pytest.mark.numbers
@pytest.mark.parametrize("nodes", [2_000, 10_000, 15_000, 30_000, 45_000])
def test_a_search_that_is_stopped_has_searched_the_best_move_first(nodes: int) -> None:
    """The exchange of queens is the best move at no depth, but has the highest promise of all captures."""
    position = native.Position("chess", "3qk2r/pp3ppp/8/8/8/8/PP3PPP/3QK2R_w_-_-_0_1")
    info = native.Negamax("chess", hash_mb=8).search(position, native.Limits(nodes=nodes), native.StopFlag())
    assert info.best is not None
    assert position.move_text(info.best) != "d1d8"
