"""Go: captures, the two illegal moves, the end and its score, and the word of a position with a past."""

from __future__ import annotations

import random

import pytest

from fiedler import games, native
from fiedler.games.go import KOMI, area
from tests.native.go_model import SlowGo

KO = "d6 e6 c5 f5 d4 e4 g3 d5 e5"
"""Black has taken d5, and White must not take back."""
SIZES = (9, 13, 19)


def after(moves: str, start: str = "startpos") -> native.Position:
    position = native.Position("go9", start)
    for move in moves.split():
        position.play(position.parse_move(move))
    return position


def corner(*rows: str, side: str = "X") -> str:
    """A position without a past on 9×9 by the points of its upper left corner."""
    filled = [row.ljust(9, ".") for row in rows]
    return f"{side};{'/'.join([*filled, *['.' * 9] * (9 - len(rows))])}"


def rows_of(position: native.Position) -> list[str]:
    return str(position).split(";")[1].split("/")


def refused(position: native.Position, move: str) -> str:
    """The reason why a move is illegal."""
    with pytest.raises(native.IllegalMoveError) as refusal:
        position.parse_move(move)
    return str(refusal.value).split(" in ")[0]


def test_a_capture_removes_every_chain_without_a_liberty() -> None:
    two = after("c9", corner("XO.OX", ".XOX"))
    assert rows_of(two)[:2] == ["X.X.X....", ".XOX....."], "b9 and d9, but not c8, which has c7"
    long = after("c8", corner("OOX", "OO.", "XX."))
    assert rows_of(long)[:3] == ["..X......", "..X......", "XX......."]


def test_a_ko_is_open_after_a_move_elsewhere_but_not_after_a_pass() -> None:
    assert refused(after(KO), "d5") == "move d5: not legal (repetition)"
    assert after(KO).forbidden_moves() == {39: "repetition"}
    assert after(f"{KO} i9 i8").is_legal(39)
    assert not after(f"{KO} pass pass").is_legal(39), "the game is over"
    back = after(f"{KO} i9 i8 d5")
    assert refused(back, "e5") == "move e5: not legal (repetition)"


def test_a_repetition_is_illegal_though_the_last_move_was_elsewhere() -> None:
    """Two kos: White takes one, Black the other, and after a pass Black the first one again."""
    kos = ["..XO.....", ".X.XO....", "..XO.....", *["........."] * 3, "..XO.....", ".XO.O....", "..XO....."]
    start = f"O;{'/'.join(kos)}"
    assert refused(after("c8 d2 pass d8", start), "c2") == "move c2: not legal (repetition)"
    assert refused(after("c8 d2", start), "c2") == "move c2: not legal (repetition)"
    other = after("c8 d2 i5 d8 c2", start)
    assert rows_of(other)[4] == "........O"
    assert refused(other, "d2") == "move d2: not legal (repetition)"


def test_suicide_is_illegal_for_one_stone_and_for_many() -> None:
    one = native.Position("go9", corner(".X", "X", side="O"))
    assert refused(one, "a9") == "move a9: not legal (suicide)"
    assert one.forbidden_moves() == {0: "suicide"}
    many = native.Position("go9", corner("O.X", "OXX", "X", side="O"))
    assert refused(many, "b9") == "move b9: not legal (suicide)"
    assert rows_of(after("b9", corner("O.X", "OXX", "X")))[:2] == [".XX......", ".XX......"]


def test_a_move_that_captures_is_no_suicide() -> None:
    assert rows_of(after("a9", corner(".OX", "OX", "X")))[:2] == ["X.X......", ".X......."]


def test_two_passes_or_three_plies_a_point_end_the_game() -> None:
    assert after("pass pass").result == -1, "White has the komi"
    assert after("e5 pass pass").result == 1, "every point is Black's"
    assert after("pass e5 pass").result is None
    rng, longest = random.Random(2), 0
    for _ in range(40):
        position = native.Position("go9")
        while position.result is None:
            stones = [move for move in position.legal_moves() if move != 81]
            position.play(rng.choice(stones or [81]))
        longest = max(longest, position.ply)
        assert (position.ply == 243) == (position.plies_left == 0)
    assert longest == 243


def test_a_chain_may_take_its_own_last_liberty_by_the_rules_of_suicide() -> None:
    many = corner("O.X", "OXX", "X", side="O") + ";suicide=true"
    assert rows_of(after("b9", many))[:2] == ["..X......", ".XX......"], "two stones and the third one go"
    assert refused(after("", corner(".X", "X", side="O") + ";suicide=true"), "a9") == "move a9: not legal (repetition)"
    assert native.Position("go9", many).forbidden_moves() == {}
    back = after("b9 pass a9 pass", many)
    assert refused(back, "a8") == "move a8: not legal (repetition)", "it is the board before the suicide"
    assert native.Position("go9", str(back)) == back
    winning = native.Mcts("go9", rollout="heuristic").search(
        after("b9", many), native.Limits(nodes=500), native.StopFlag()
    )
    assert winning.best is not None


@pytest.mark.parametrize("rules", ["komi=6.5", "komi=0", "komi=-3", "komi=361", "suicide=true", "komi=7;suicide=true"])
def test_the_rules_are_a_part_of_the_word(rules: str) -> None:
    start = f"{native.Position('go9')};{rules}"
    position = after(KO, start)
    assert str(native.Position("go9", start)) == start
    assert str(position) == f"{after(KO)};{rules}"
    assert native.Position("go9", str(position)) == position != after(KO)
    assert native.Position("go9", str(position)).key == position.key != after(KO).key
    assert str(position.transformed(3)).endswith(f";{rules}")
    stones = after("c3 pass", f"{corner('X', '.X', side='O')};{rules}")
    assert native.Position("go9", str(stones)) == stones


def test_the_default_rules_are_not_written() -> None:
    empty = native.Position("go9")
    assert native.Position("go9", f"{empty};suicide=false;komi=7.5") == empty
    assert str(native.Position("go9", f"{empty};komi=6.0")) == f"{empty};komi=6"


@pytest.mark.parametrize(
    ("komi", "moves", "result"),
    [("0", "pass pass", 0), ("-0.5", "pass pass", 1), ("0.5", "pass pass", -1), ("81", "e5 pass pass", 0)],
)
def test_the_komi_decides_and_a_whole_one_makes_draws(komi: str, moves: str, result: int) -> None:
    end = after(moves, f"{native.Position('go9')};komi={komi}")
    assert end.result == result
    assert games.game("go9").ended_by(end) == ("0.5 points" if result else "equal points")


@pytest.mark.parametrize("wrong", ["x", "nan", "1e9", "7.3", "361.5", "-362", "", "7.", "+7", "7.50"])
def test_a_komi_that_no_rules_have_is_refused(wrong: str) -> None:
    with pytest.raises(native.PositionError, match=r"expected a komi from -361 to 361 in whole or half points, got"):
        native.Position("go9", f"{native.Position('go9')};komi={wrong}")


@pytest.mark.parametrize("wrong", ["handicap=2", "suicide=1", "=", "komi"])
def test_unknown_rules_are_refused(wrong: str) -> None:
    with pytest.raises(native.PositionError, match=r"^position: "):
        native.Position("go9", f"{native.Position('go9')};{wrong}")


@pytest.mark.parametrize(
    ("text", "points"),
    [
        ("X;........./........./........./........./........./........./........./........./.........", 0),
        ("X;....X..../....X..../....X..../....X..../....X..../....X..../....X..../....X..../....X....", 81),
        ("X;...XO..../...XO..../...XO..../...XO..../...XO..../...XO..../...XO..../...XO..../...XO....", -9),
        ("X;...X.O.../...X.O.../...X.O.../...X.O.../...X.O.../...X.O.../...X.O.../...X.O.../...X.O...", 0),
        ("X;.X.O.X.O./XX.O.X.O./..OO.X.OO/OOO..X.../.....X.../XXXXXX.../........./OOOOOOOOO/.........", -16),
    ],
)
def test_area_counts_stones_and_the_points_that_reach_one_side_alone(text: str, points: int) -> None:
    position, model = native.Position("go9", text), SlowGo(9)
    model.stones = {point: cell for point, cell in zip(model.points, position.cells, strict=True) if cell}
    assert area(position.cells, 9) == model.area() == points
    for _ in range(2):
        position.play(81)
    assert position.result == (1 if points > KOMI.default else -1)


@pytest.mark.parametrize("size", SIZES)
def test_every_end_is_scored_as_its_area(size: int) -> None:
    rng = random.Random(4)
    for _ in range(6):
        position = native.Position(f"go{size}")
        while position.result is None:
            position.play(rng.choice(position.legal_moves()))
        assert position.result == (1 if area(position.cells, size) > KOMI.default else -1)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (corner("OX", "X"), "the stones at a9 have no liberty"),
        (corner(), "its past leads to"),
        (f"{corner()};e5", "its past leads to O;"),
        (f"{corner()};", "move 1 of its past: move: expected a1 to i9 or pass, got ''"),
        (f"{corner()};e5-", "move 2 of its past: move: expected a1 to i9 or pass, got ''"),
        (f"{corner()};e5-e5", "move 2 of its past: e5 is not legal"),
        (f"{corner()};pass-pass-e5", "move 3 of its past: e5 is not legal"),
        (f"{corner()};pass-pass;{corner()}", "its past leads to"),
        (f"{corner()};pass;Q;.", "expected 'startpos', or 'X;' or 'O;'"),
    ],
)
def test_a_word_that_its_past_does_not_lead_to_is_refused(text: str, why: str) -> None:
    if text == corner():
        text += ";a1-a2"
    with pytest.raises(native.PositionError) as refusal:
        native.Position("go9", text)
    assert why in str(refusal.value)


def test_a_word_has_the_past_and_a_start_that_is_not_the_empty_board() -> None:
    assert str(after(KO)).split(";")[2:] == [KO.replace(" ", "-")]
    start = corner("X", ".X", side="O")
    position = after("c3 pass", start)
    assert str(position) == f"O;{'/'.join(rows_of(position))};c3-pass;{start}"
    assert native.Position("go9", str(position)) == position
    assert str(native.Position("go9", start)) == start
    lost = native.Position("go9", str(after(KO)).rpartition(";")[0])
    assert lost.is_legal(39), "a board without its past has no ko"
    assert lost != after(KO)


def test_a_heuristic_rollout_keeps_eyes_and_ends_with_passes() -> None:
    """Two eyes live: in random play they are filled, and the stones are lost again and again."""
    rows = [".X.X.....", "XXXX.....", ".........", ".........", "OOOOOOOOO", "OOOOOOOOO", "O.O.O.O.O", "OOOOOOOOO"]
    alive = native.Position("go9", f"X;{'/'.join(rows)}/.O.O.O.O.")
    wins, draws, losses = native.rollouts(alive, 200, seed=1, policy="heuristic")
    assert (wins, draws) == (0, 0)
    assert losses == 200


def test_the_players_of_the_core_play_it() -> None:
    position = after("d4 e4 e3 d3")
    for search in (native.Negamax("go9"), native.Mcts("go9", rollout="heuristic")):
        info = search.search(position, native.Limits(nodes=2000), native.StopFlag())
        assert info.best is not None
        assert position.is_legal(info.best)
    winning = after("pass", f"O;{'/'.join(['XXXXXXXXX', '.........'] * 4)}/XXXXXXXXX")
    for search in (native.Negamax("go9"), native.Mcts("go9")):
        info = search.search(winning, native.Limits(nodes=2000), native.StopFlag())
        assert (info.best, info.mate) == (81, 1), "the second pass wins"
