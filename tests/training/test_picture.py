"""The picture of a run: legible, the same for the same log, with as many corners as can be seen."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from pathlib import Path
from typing import ClassVar

import msgspec
import pytest
from click.testing import CliRunner

from fiedler.training.alphazero.entry import AlphaZeroEntry
from fiedler.training.cli import train
from fiedler.training.loop.folder import RUNS, TrainingFolder
from fiedler.training.loop.picture import MOST_POINTS, Rung, picture, thinned
from fiedler.training.recipe.entry import Entry
from tests.tournament.report.pictures import Picture
from tests.training.recipes import TINY

REST = dict.fromkeys(("games", "plies", "samples", "simulations", "evaluations", "first_wins", "draws", "steps"), 1)
TIMES = dict.fromkeys(("selfplay_seconds", "learning_seconds", "rate"), 1.0)


def entry(iteration: int, policy: float, value: float) -> AlphaZeroEntry:
    own = {"iteration": iteration, "seconds": 60.0 * iteration, "policy_loss": policy, "value_loss": value}
    return msgspec.convert({**REST, **TIMES, **own}, AlphaZeroEntry)


def log(length: int) -> list[AlphaZeroEntry]:
    return [entry(number, 1 + 1 / number, 0.1 / number) for number in range(1, length + 1)]


@pytest.mark.parametrize("length", [1, 2, 3, 15, 100, 3000])
def test_every_label_is_legible(length: int) -> None:
    found = Picture(picture(TINY, log(length)))
    assert found.faults() == []
    texts = [label.text for label in found.labels]
    assert "tictactoe-tiny: alphazero, tictactoe" in texts
    assert {"policy loss, nats", "value loss, squared error"} < set(texts)
    assert texts.count("iteration") == 2
    assert str(length) in texts or length == 3000


def test_the_ratings_of_the_ladder_are_a_curve_with_its_band() -> None:
    rungs = [Rung(number, 10.0 * number, 10.0 * number - 30, 10.0 * number + 30) for number in (5, 10, 15)]
    svg = picture(TINY, log(15), rungs)
    found = Picture(svg)
    assert found.faults() == []
    assert "Elo in the ladder" in [label.text for label in found.labels]
    assert "150 Elo (120 to 180) after iteration 15" in svg
    assert svg.count('class="band fill0"') == 1
    assert "Elo in the ladder" not in picture(TINY, log(15))


def test_the_same_log_gives_the_same_bytes_for_both_modes() -> None:
    svg = picture(TINY, log(20))
    assert svg == picture(TINY, log(20))
    assert "prefers-color-scheme:dark" in svg
    assert "policy loss, nats after iteration 20: 1.05" in svg


@pytest.mark.parametrize("loss", [math.nan, math.inf, 0.0])
def test_a_loss_without_a_number_leaves_a_gap(loss: float) -> None:
    for entries in ([entry(1, loss, loss)], [entry(1, 1.0, 1.0), entry(2, loss, 1.0), entry(3, 1.0, 1.0)]):
        svg = picture(TINY, entries)
        assert Picture(svg).faults() == []
        assert not re.search(r'="[^"]*\b(nan|inf)\b', svg)


class Kept(Entry, frozen=True, kw_only=True):
    curves: ClassVar[Mapping[str, str]] = {"memory_mb": "memory, MiB", "score": "score", "never": "never"}
    memory_mb: float
    score: float | None
    never: float | None = None


def test_a_system_without_losses_has_its_own_curves() -> None:
    log = [Kept(iteration=number, memory_mb=2.0**number, score=None if number % 2 else 0.5) for number in range(1, 8)]
    found = Picture(picture(TINY, log))
    assert found.faults() == []
    texts = {label.text for label in found.labels}
    assert {"memory, MiB", "score"} < texts
    assert "never" not in texts
    assert len(list(found.discs())) == 2


def test_a_long_line_keeps_its_ends() -> None:
    points = [(float(number), 0.0) for number in range(5000)]
    found = thinned(points)
    assert (len(found), found[0], found[-1]) == (MOST_POINTS, points[0], points[-1])
    assert thinned(points[:7]) == points[:7]


def test_a_picture_is_drawn_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    folder = TrainingFolder(RUNS / "tictactoe-tiny")
    folder.begin(TINY)
    runner = CliRunner()
    for wrong, message in (
        ("tictactoe-tinny", "expected the name or the folder of a run, got 'tictactoe-tinny'; did you mean"),
        ("tictactoe-tiny", "no iteration is finished"),
    ):
        assert message in str(runner.invoke(train, ["plot", wrong]).exception)
    (folder.path / "log.jsonl").write_bytes(b"".join(msgspec.json.encode(one) + b"\n" for one in log(3)))
    for name in ("tictactoe-tiny", str(folder.path)):
        assert runner.invoke(train, ["plot", name]).output == f"{folder.path / 'progress.svg'}\n"
        assert (folder.path / "progress.svg").read_text("utf-8") == picture(TINY, log(3))
        (folder.path / "progress.svg").unlink()
