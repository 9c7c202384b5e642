"""The cube: its lines and symmetries, refused texts, and wins by threes."""

from __future__ import annotations

import random
from itertools import product

import pytest

from fiedler import native
from tests.native.positions import SLOW, random_positions

EMPTY = ["..../..../..../...."] * 4

CELLS = list(product(range(4), repeat=3))


def action(cell: tuple[int, ...]) -> int:
    z, y, x = cell
    return 16 * z + 4 * y + x


def all_lines() -> set[frozenset[int]]:
    """Four cells along which every coordinate is constant, rises or falls."""
    ways = [[i] * 4 for i in range(4)] + [[0, 1, 2, 3], [3, 2, 1, 0]]
    lines = {frozenset(map(action, zip(*way, strict=True))) for way in product(ways, repeat=3)}
    return {line for line in lines if len(line) == 4}


LINES = all_lines()


def images() -> list[list[int]]:
    position = native.Position("cube")
    return [[position.transformed_move(s, move) for move in range(64)] for s in range(position.num_symmetries)]


def has_line(stones: set[int]) -> bool:
    return any(line <= stones for line in LINES)


def stones_of(position: native.Position, owner: int) -> set[int]:
    return {cell for cell, of in enumerate(position.cells) if of == owner}


def completing(position: native.Position, owner: int) -> set[int]:
    """The empty cells on which this player would complete a line."""
    own = stones_of(position, owner)
    empty = {cell for cell, of in enumerate(position.cells) if not of}
    return {min(line - own) for line in LINES if len(line - own) == 1} & empty


def played(position: native.Position, move: int) -> native.Position:
    child = position.copy()
    child.play(move)
    return child


def search(position: native.Position, nodes: int) -> native.SearchInfo:
    return native.Negamax("cube", hash_mb=1).search(position, native.Limits(nodes=nodes), native.StopFlag())


def test_there_are_76_lines_and_the_core_ends_games_on_each() -> None:
    assert len(LINES) == 76
    for line in LINES:
        position = native.Position("cube")
        others = iter([cell for cell in range(64) if cell not in line][:3])
        for move in sorted(line):
            assert position.result is None
            position.play(move)
            if position.result is None:
                position.play(next(others))
        assert position.result == 1


def test_games_end_exactly_with_a_line_or_a_full_board() -> None:
    for position in random_positions("cube", 5 if SLOW else 40, seed=1):
        winner = 1 if has_line(stones_of(position, 1)) else -1 if has_line(stones_of(position, 2)) else None
        assert position.result == (0 if winner is None and position.ply == 64 else winner)


def test_symmetries_are_the_192_of_the_lines() -> None:
    maps = {tuple(image) for image in images()}
    assert len(maps) == 192
    assert all({frozenset(image[cell] for cell in line) for line in LINES} == LINES for image in maps)
    some = random.Random(1).sample(sorted(maps), 20)
    assert all(tuple(first[cell] for cell in second) in maps for first, second in product(some, maps))


@pytest.mark.numbers
def test_the_first_48_symmetries_keep_distances() -> None:
    def distance(a: tuple[int, ...], b: tuple[int, ...]) -> int:
        return sum((i - j) ** 2 for i, j in zip(a, b, strict=True))

    def keeps_distances(image: list[int]) -> bool:
        places = [CELLS[cell] for cell in image]
        return all(
            distance(CELLS[a], CELLS[b]) == distance(places[a], places[b]) for a, b in product(range(64), repeat=2)
        )

    assert images()[0] == list(range(64))
    assert [keeps_distances(image) for image in images()] == [True] * 48 + [False] * 144


def test_moves_and_positions_are_written_layer_by_layer() -> None:
    position = native.Position("cube")
    assert [position.move_text(action(cell)) for cell in [(0, 3, 0), (0, 0, 0), (3, 3, 3), (2, 1, 3)]] == [
        "1a1",
        "1a4",
        "4d1",
        "3d3",
    ]
    assert [position.move_text(move) for move in range(64)] == [f"{z + 1}{'abcd'[x]}{4 - y}" for z, y, x in CELLS]
    for name in ("1a1", "4d4", "2b3"):
        position.play(position.parse_move(name))
    assert str(position) == "O;..../..../..../X...;..../.X../..../....;..../..../..../....;...O/..../..../...."


def board(side: str, *layers: str) -> str:
    return ";".join([side, *layers, *EMPTY[len(layers) :]])


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (";".join(["X", *EMPTY[:3]]), "4 layers"),
        (board("X") + ";", "4 layers"),
        (board("X")[:-1], "4 layers"),
        (board("X").replace(";....", "/....").replace("X/", "X;"), "';' before layer 2"),
        (board("X", "..../....;..../...."), "'/' before row 3"),
        (board("X", "..../..x./..../...."), "got 'x'"),
        (board("X", "..../..\n./..../...."), "got '?'"),
        (board("Z"), "'X;' or 'O;'"),
        (board("O"), "0 X and 0 O"),
        (board("X", "XX../..../..../...."), "2 X and 0 O"),
        (board("X", "X.../O..O/..../...."), "1 X and 2 O"),
        (board("X", "XXXX/OO../OO../...."), "already"),
        (board("X", "XXXX/OOOO/..../...."), "already"),
        (board("O", "XXXX/OOOO/...X/...."), "already"),
        (board("O", "XXXX/XXXX/O.O./OO.O", "OO../..../..../...."), "no one move"),
    ],
)
def test_contradictory_positions_are_refused_with_the_reason(text: str, why: str) -> None:
    with pytest.raises(native.PositionError) as refusal:
        native.Position("cube", text)
    assert why in str(refusal.value)
    assert "\n" not in str(refusal.value)


def test_one_stone_may_complete_several_lines() -> None:
    position = native.Position("cube", board("O", "XXXX/X.../X.O./X..O", "OOO./.O../..../...."))
    assert position.result == 1
    assert position.legal_moves() == []


def test_planes_are_the_layers_of_either_side() -> None:
    for position in random_positions("cube", 3, seed=2):
        planes = position.planes()
        assert planes.shape == (8, 4, 4)
        mover = 1 + position.side_to_move
        for plane, owner in enumerate([mover] * 4 + [3 - mover] * 4):
            layer = position.cells[16 * (plane % 4) : 16 * (plane % 4 + 1)]
            assert planes[plane].flatten().tolist() == [of == owner for of in layer]


def quiet_positions(count: int, stones: int) -> list[native.Position]:
    """Random positions in which neither side can complete a line."""
    generator = random.Random(4)
    found: list[native.Position] = []
    while len(found) < count:
        position = native.Position("cube")
        while position.result is None and position.ply < stones:
            position.play(generator.choice(position.legal_moves()))
        if position.result is None and not completing(position, 1) | completing(position, 2):
            found.append(position)
    return found


def play_out(position: native.Position, mate: int) -> None:
    """Play a win by threes to its end: every move threatens, the other side has one answer or none."""
    winner = 1 + position.side_to_move
    for left in range(mate, 0, -1):
        info = search(position, nodes=1)
        assert info.mate == left
        assert info.best is not None
        position.play(info.best)
        if left == 1:
            break
        assert not completing(position, 3 - winner)
        threats = completing(position, winner)
        assert len(threats) == 1 or left == 2
        position.play(min(threats))
    assert position.result == (1 if winner == 1 else -1)


def test_wins_by_threes_are_found_at_once_and_hold_to_the_end() -> None:
    mates = []
    for position in quiet_positions(20 if SLOW else 200, stones=10):
        info = search(position, nodes=1)
        if info.mate:
            mates.append(info.mate)
            play_out(position, info.mate)
    assert max(mates) > 5
    assert len(mates) > (5 if SLOW else 80)


def test_a_threat_of_threes_is_met() -> None:
    """No proven loss is claimed if there is a defence: after the chosen move the other side has no win by threes."""
    met = 0
    for position in quiet_positions(10 if SLOW else 60, stones=8):
        info = search(position, nodes=300)
        if info.mate is None and info.best is not None:
            met += 1
            assert search(played(position, info.best), nodes=1).mate is None
    assert met > (2 if SLOW else 10)


@pytest.mark.numbers
@pytest.mark.parametrize("bot", ["osp", "hsp"])
def test_negamax_wins_as_either_side_against_the_bots(bot: str) -> None:
    choose = {"osp": native.choose_osp, "hsp": native.choose_hsp}[bot]
    for game in range(8):
        position, engine = native.Position("cube"), native.Negamax("cube", hash_mb=1)
        while position.result is None:
            if position.side_to_move == game % 2:
                best = engine.search(position, native.Limits(nodes=5000), native.StopFlag()).best
                assert best is not None
                position.play(best)
            else:
                position.play(choose(position, seed=100 * game + position.ply))
        assert position.result == (1 if game % 2 == 0 else -1)


@pytest.mark.numbers
@pytest.mark.parametrize("policy", ["random", "heuristic"])
def test_rollouts_have_the_shares_of_slow_play(policy: str) -> None:
    """From a position in which the sides are not alike, against games played by hand."""
    generator = random.Random(6)
    start = native.Position("cube")
    for name in ("1a1", "2b2", "1d1"):
        start.play(start.parse_move(name))
    games = 600
    first = 0
    for _ in range(games):
        position = start.copy()
        while position.result is None:
            mover = 1 + position.side_to_move
            urgent = (
                (completing(position, mover) or completing(position, 3 - mover)) if policy == "heuristic" else set()
            )
            position.play(min(urgent) if urgent else generator.choice(position.legal_moves()))
        first += position.result == 1
    count = 50_000
    wins, draws, losses = native.rollouts(start, count, seed=1, policy=policy)
    assert wins + draws + losses == count
    assert abs(wins / count - first / games) < 4 * 0.5 / games**0.5
