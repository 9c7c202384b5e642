"""The policy network: files and engines, held-out games, shifted copies, runs that resume."""

from __future__ import annotations

import random
from pathlib import Path
from typing import NoReturn

import msgspec
import numpy as np
import pytest
import torch
from torch import Tensor

from fiedler.games import game
from fiedler.players.model_file import read_entries
from fiedler.support.errors import UsageError
from fiedler.training.loop.folder import TrainingFolder
from fiedler.training.loop.run import Run
from fiedler.training.model.export import Graph
from fiedler.training.nets.policy_value import PolicyValueNet
from fiedler.training.policy import engines
from fiedler.training.policy.accuracy import HeldOut
from fiedler.training.policy.engines import EngineGames
from fiedler.training.policy.entry import PolicyEntry
from fiedler.training.policy.files import FileGames
from fiedler.training.policy.recipe import EnginesTable, FilesTable, PolicyRecipe
from fiedler.training.policy.study import Studies, Study, shifted, taught
from fiedler.training.policy.system import Policy
from fiedler.training.recipe.registry import load, new_system, untrained_model
from fiedler.training.recipe.system import Stamp
from tests.training.recipes import RECIPES

RENJU = game("renju15")
WON = "h8 a1 i8 b1 j8 c1 k8 d1 l8"
"""Black has five in a row."""


MIDDLE = "h8 h9 i8 i9 j8 j9 k8 k9 l8"


def tiny() -> PolicyRecipe:
    recipe = load(RECIPES / "renju15-tiny.toml")
    assert isinstance(recipe, PolicyRecipe)
    return msgspec.structs.replace(recipe, evaluation=None)


def table() -> EnginesTable:
    found = tiny().engines
    assert found is not None
    return found


def actions(names: str) -> list[int]:
    return [RENJU.position().parse_move(name) for name in names.split()]


def study(names: str, result: int = 1) -> Study:
    moves = actions(names)
    return Study(moves, list(moves), [-1.0] * len(moves), result, held_out=False)


def rif(folder: Path, *found: str, name: str = "games.rif") -> Path:
    path = folder / name
    path.write_text("<database>\n" + "\n".join(found) + "\n</database>\n", encoding="utf-8")
    return path


def of_moves(moves: str, result: str = "1") -> str:
    return f'<game id="1" bresult="{result}"><move>{moves}</move></game>'


def refuse(key: str, wrong: str) -> NoReturn:
    raise UsageError(f"{key}: {wrong}")


def test_the_positions_of_a_game_see_the_result_from_the_side_to_move() -> None:
    one = msgspec.structs.replace(study(WON), labels=[-1, -1, *actions(WON)[2:]], scores=[-1.0] * 3 + [0.25] * 6)
    found = [(each.position.ply, each.label, each.result, each.value) for each in taught(RENJU, one)]
    assert [ply for ply, *_ in found] == list(range(2, 9))
    assert [label for _, label, *_ in found] == actions(WON)[2:]
    assert [result for *_, result, _ in found] == [1, -1, 1, -1, 1, -1, 1]
    assert [value for *_, value in found] == [1] + [-0.5] * 6


def test_a_shifted_game_is_the_same_game_elsewhere() -> None:
    stream, found = random.Random(1), set()
    for _ in range(200):
        if moved := shifted(RENJU, study(MIDDLE), stream):
            end = RENJU.position()
            for move in moved.moves:
                end.play(move)
            assert end.result == 1
            assert moved.labels == moved.moves
            found.add(moved.moves[0])
    assert len(found) > 5


def test_a_game_that_fills_the_board_from_side_to_side_has_no_copies() -> None:
    assert shifted(RENJU, study("a1 o15 h8"), random.Random(1)) is None


def test_files_give_their_finished_games(tmp_path: Path) -> None:
    resigned, unknown = of_moves("h8 h9", "0"), "<game><move>h8</move></game>"
    path = rif(tmp_path, of_moves(WON), resigned, unknown)
    for unfinished, expected in ((False, [1]), (True, [1, -1])):
        files = FileGames(RENJU, FilesTable(paths=[str(path)], unfinished=unfinished))
        assert [one.result for one in files.games()] == expected


def psq(path: Path, *lines: str) -> Path:
    path.write_text("\n".join(["Piskvorky 15x15, 0:0, 0", *lines, "A.zip", "B.zip", "-1", "1,Renju"]), "utf-8")
    return path


FIVE = ["8,8", "1,1", "9,8", "2,1", "10,8", "3,1", "11,8", "4,2", "12,8"]
"""Moves without a time; five in a row at the end."""


def test_every_game_of_the_files_is_learned_or_left_out_with_its_place(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    psq(tmp_path / "1.psq", *FIVE)
    unfinished, empty = psq(tmp_path / "2.psq", *FIVE[:4]), psq(tmp_path / "3.psq")
    wrong = psq(tmp_path / "4.psq", *FIVE[:4], "10;8;0")
    agreed = tmp_path / "5.rif"
    agreed.write_text('<d>\n<game id="7" bresult="0.5"><move>h8 h9</move></game></d>', "utf-8")
    table = FilesTable(paths=[f"{tmp_path}/*.psq", str(agreed)], skip_wrong=True)
    files = FileGames(RENJU, table)
    assert len(list(files.games())) == 1
    assert files.about_left_out == [
        f"1 game left out: no result ({unfinished})",
        f"1 game left out: no moves ({empty})",
        f"1 game left out: wrong ({wrong}:6: expected a move X,Y,MILLISECONDS, got '10;8;0')",
        f"1 game left out: not ended by the rules, and unfinished = false ({agreed}:2: game '7')",
    ]
    system = new_system(msgspec.structs.replace(tiny(), engines=None, files=table))
    entry = system.iterate(0, lambda *_: None)
    system.close()
    assert isinstance(entry, PolicyEntry)
    assert entry.summary().startswith("1 game (1 wrong one left out), ")
    assert [record.getMessage() for record in caplog.records] == [
        f"warning: files.paths: {line}" for line in files.about_left_out
    ]


def test_files_without_a_game_to_learn_name_what_was_left_out(tmp_path: Path) -> None:
    path = psq(tmp_path / "2.psq", *FIVE[:4])
    system = new_system(msgspec.structs.replace(tiny(), engines=None, files=FilesTable(paths=[str(path)])))
    with pytest.raises(UsageError, match=r"to learn, got none; 1 game left out: no result \(.*2\.psq\)$"):
        system.iterate(0, lambda *_: None)
    system.close()


def test_wrong_games_end_the_run_or_are_counted(tmp_path: Path) -> None:
    rif(tmp_path, of_moves("h8 h8"), of_moves(WON))
    pattern = str(tmp_path / "*.rif")
    with pytest.raises(UsageError, match=r"games\.rif:2: game '1': expected a legal move 2"):
        list(FileGames(RENJU, FilesTable(paths=[pattern])).games())
    files = FileGames(RENJU, FilesTable(paths=[pattern], skip_wrong=True))
    assert len(list(files.games())) == 1
    assert len(files.wrong) == 1
    with pytest.raises(UsageError, match=r"files\.paths: no file '.*\.psq' here"):
        FileGames(RENJU, FilesTable(paths=[str(tmp_path / "*.psq")]))


def test_engines_play_the_same_games_again() -> None:
    engines = EngineGames(RENJU, table())
    one, other, same = (engines.play(random.Random(seed), held_out=False) for seed in (1, 2, 1))
    engines.close()
    assert one == same
    assert one.moves != other.moves
    for found in (one, other):
        position = RENJU.position()
        for move, label in zip(found.moves, found.labels, strict=True):
            assert label < 0 or position.is_legal(label)
            position.play(move)
        opening = found.labels.count(-1)
        assert 2 <= opening <= 4
        assert all(3 < move // 15 < 11 and 3 < move % 15 < 11 for move in found.moves[:opening])
        assert all(0 <= score <= 1 for score in found.scores[opening:])


def test_a_game_may_end_with_its_proof() -> None:
    whole = EngineGames(RENJU, msgspec.structs.replace(table(), proven_plies=1000, weak_share=0.0))
    cut = EngineGames(RENJU, msgspec.structs.replace(table(), proven_plies=0, weak_share=0.0))
    for seed in range(5):
        one, short = (engines.play(random.Random(seed), held_out=False) for engines in (whole, cut))
        assert one.moves[: len(short.moves)] == short.moves
        assert len(short.moves) < len(one.moves)
        assert short.result == one.result


def test_openings_that_are_never_even_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engines, "MOST_DRAWS", 3)
    games = EngineGames(RENJU, msgspec.structs.replace(table(), balance=1e-9))
    with pytest.raises(UsageError, match=r"engines.balance: none of 3 random openings is within 1e-09 of even"):
        games.play(random.Random(1), held_out=False)
    games.close()


def test_a_wrong_player_is_refused() -> None:
    for text, message in (("negmax", "unknown player 'negmax'"), ("negamax depth", "expected KEY=VALUE, got 'depth'")):
        with pytest.raises(UsageError, match=message):
            EngineGames(RENJU, msgspec.structs.replace(table(), players=[text]))


class Fixed(PolicyValueNet):
    """Likes the cells in order, the first one most."""

    def forward(self, planes: Tensor) -> tuple[Tensor, Tensor]:
        return -torch.arange(225.0).repeat(len(planes), 1), torch.zeros(len(planes))

    def add_to(self, g: Graph) -> None:
        raise AssertionError(g)


def test_accuracy_counts_legal_moves_alone() -> None:
    """Of the moves a15, b15, c15 …, each is the first legal cell; the one at f15 is not before five others."""
    held_out = HeldOut(RENJU, 0.5)
    held_out.add(study("a15 b15 h1 h2"))
    found = held_out.measure(Fixed())
    assert (found.top1, found.top5, found.value) == (0.5, 0.5, 1.0)
    held_out.add(study("f15"))
    held_out.add(study("e15"))
    found = held_out.measure(Fixed())
    assert (found.top1, found.top5) == pytest.approx((2 / 6, 3 / 6))


def test_games_come_back_from_their_dump() -> None:
    studies, other = Studies(), Studies()
    studies.games += [study(WON), study("h8 h9", -1)]
    studies.wrong = 3
    other.load(studies.dump())
    assert (other.games, other.wrong) == (studies.games, 3)
    with pytest.raises(ValueError, match="games: "):
        other.load(b"\xc1")


def test_a_run_that_stops_gives_the_same_model(tmp_path: Path) -> None:
    path = rif(tmp_path, of_moves("h8 h8"), *[of_moves(WON)] * 20)
    recipe = msgspec.structs.replace(tiny(), files=FilesTable(paths=[str(path)], skip_wrong=True), int8=False)
    whole = Run(recipe, TrainingFolder(tmp_path / "whole"))
    whole.run(lambda *_: None, lambda _: None)

    def stop(_: object) -> None:
        raise KeyboardInterrupt

    run = Run(recipe, TrainingFolder(tmp_path / "stopped"))
    with pytest.raises(KeyboardInterrupt):
        run.run(lambda *_: None, stop)
    Run(recipe, TrainingFolder(tmp_path / "stopped")).run(lambda *_: None, lambda _: None)
    logs = [TrainingFolder(tmp_path / name).log() for name in ("whole", "stopped")]
    losses = [[(one.losses, one.top1, one.games) for one in log if isinstance(one, PolicyEntry)] for log in logs]
    assert losses[0] == losses[1]
    assert [games for *_, games in losses[0]] == [28, 36, 36]
    assert [[one.wrong for one in log if isinstance(one, PolicyEntry)] for log in logs] == [[1, 1, 1]] * 2


def test_a_network_learns_the_moves_of_a_file(tmp_path: Path) -> None:
    path = rif(tmp_path, *[of_moves(WON)] * 40)
    learning = msgspec.structs.replace(tiny().learning, steps=120, held_out=0.3, shifts=0)
    recipe = msgspec.structs.replace(tiny(), engines=None, files=FilesTable(paths=[str(path)]), learning=learning)
    system = Policy(recipe)
    first = system.iterate(0, lambda *_: None)
    last = system.iterate(1, lambda *_: None)
    assert (first.games, first.wrong, first.positions + first.held_out) == (40, 0, 360)
    assert last.policy_loss < 0.7 * first.policy_loss
    assert last.top5 is not None
    assert last.top5 > 0.4
    assert "held out: top 1" in last.summary()


def test_the_untrained_network_needs_no_games(tmp_path: Path) -> None:
    engines = msgspec.structs.replace(tiny(), files=None)
    system = Policy(engines)
    assert untrained_model(engines) == system.export(Stamp())
    system.close()
    missing = FilesTable(paths=[str(tmp_path / "none.rif")])
    players = msgspec.structs.replace(table(), players=["negmax"])
    found = untrained_model(msgspec.structs.replace(tiny(), files=missing, engines=players))
    assert read_entries(found, "net.onnx")["player"] == "policy"


def test_a_run_without_games_to_learn_is_refused(tmp_path: Path) -> None:
    path = rif(tmp_path, of_moves("h8 h9"))
    recipe = msgspec.structs.replace(tiny(), engines=None, files=FilesTable(paths=[str(path)]))
    with pytest.raises(UsageError, match="renju15-tiny: expected finished games to learn, got none"):
        Policy(recipe).iterate(0, lambda *_: None)


def test_a_run_that_lost_its_games_plays_again() -> None:
    system = Policy(tiny())
    entry = system.iterate(2, lambda *_: None)
    system.close()
    assert entry.games == 8


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"engines": None}, "files: expected a table [files] or [engines]: there are no games to learn"),
        ({"game": "connect4"}, "net.kind: 'cells' needs a game whose moves are cells, got connect4"),
    ],
)
def test_a_wrong_recipe_is_refused(changes: dict[str, object], message: str) -> None:
    with pytest.raises(UsageError) as refused:
        msgspec.structs.replace(tiny(), **changes).check(refuse)
    assert str(refused.value) == message


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"opening_least": 5}, "engines.opening_least: expected at most 4, got 5"),
        ({"opening_square": 2}, "engines.opening_square: expected room for 4 plies twice"),
    ],
)
def test_wrong_openings_are_refused(changes: dict[str, int], message: str) -> None:
    recipe = msgspec.structs.replace(tiny(), engines=msgspec.structs.replace(table(), **changes))
    with pytest.raises(UsageError) as refused:
        recipe.check(refuse)
    assert str(refused.value) == message


def test_the_samples_are_the_positions_of_the_games() -> None:
    learning = msgspec.structs.replace(tiny().learning, held_out=0.0, shifts=0)
    system = Policy(msgspec.structs.replace(tiny(), learning=learning))
    system.memory.games.append(study(WON))
    system._take_in()
    planes, policy, result, value = system.samples.draw(400, 1)
    stones = planes[:, :2].sum((1, 2, 3))
    assert set(stones) == set(range(9))
    assert np.array_equal(policy.max(1), np.ones(400))
    assert np.array_equal(result, np.where(stones % 2 == 0, 1, -1))
    assert np.array_equal(result, value)
    system.close()
