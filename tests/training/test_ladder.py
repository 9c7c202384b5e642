"""A run rates itself: a tournament beside it, which grows, resumes, and never ends the training."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import msgspec
import pytest
from click.testing import CliRunner

import fiedler.training.loop.ladder
from fiedler.support.errors import UsageError
from fiedler.tournament.cli import tournament as cli
from fiedler.tournament.run.journal import Journal
from fiedler.tournament.run.status import status
from fiedler.tournament.schedule.validation import load
from fiedler.training.alphazero.recipe import AlphaZeroRecipe
from fiedler.training.cli import train
from fiedler.training.loop.folder import TrainingFolder
from fiedler.training.loop.ladder import LOG, SCHEDULE, Ladder, rungs
from fiedler.training.loop.run import Run
from fiedler.training.recipe.recipe import Checkpoints, LadderTable
from fiedler.training.recipe.registry import new_system
from fiedler.training.recipe.system import Stamp
from tests.patience import PATIENCE
from tests.training.recipes import TINY
from tests.training.test_checkpoints import StoppedError, stop_after

RATING = LadderTable(every=2, games=2, against=["random", "mcts simulations=4"], simulations=4, plies=2)


def recipe(rating: LadderTable | None = RATING, iterations: int = 4) -> AlphaZeroRecipe:
    learning = msgspec.structs.replace(TINY.learning, samples=100, capacity=500)
    kept = Checkpoints(keep=1)
    return msgspec.structs.replace(TINY, iterations=iterations, learning=learning, rating=rating, checkpoints=kept)


def folder(root: Path) -> TrainingFolder:
    return TrainingFolder(root / "results" / "training" / "tictactoe-tiny")


def begun(one: TrainingFolder) -> tuple[Ladder, subprocess.Popen[bytes]]:
    """Return the ladder of a run with a checkpoint, and the process of its tournament."""
    one.begin(recipe())
    (one.path / "checkpoints").mkdir()
    (one.path / "checkpoints" / "0002.onnx").touch()
    ladder = Ladder(recipe(), one)
    ladder.after(2)
    assert ladder._process is not None
    return ladder, ladder._process


def program(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    """Let a small program take the place of the tournament."""
    monkeypatch.setattr(fiedler.training.loop.ladder, "COMMAND", (sys.executable, "-c", text))


def test_the_tournament_grows_with_the_run_and_resumes(tmp_path: Path) -> None:
    notes: list[str] = []
    with pytest.raises(StoppedError):
        Run(recipe(), folder(tmp_path)).run(lambda *_: None, stop_after(2), notes.append)
    assert len(load(folder(tmp_path).path / SCHEDULE).players) == 3
    Run(recipe(), folder(tmp_path)).run(lambda *_: None, lambda _: None, notes.append)
    assert not [note for note in notes if note.startswith("warning")]
    ranking = json.loads((tmp_path / "results" / "tictactoe-tiny-ladder" / "ranking.json").read_text("utf-8"))
    assert not list((tmp_path / "results").glob("*.old-*")), "the second start resumes"
    names = ["mcts simulations=4", "random", "tictactoe-tiny-0002", "tictactoe-tiny-0004"]
    assert sorted(player["name"] for player in ranking["players"]) == names
    ladder = tmp_path / "results" / "tictactoe-tiny-ladder"
    assert (ladder / "report.html").is_file()
    assert [one.iteration for one in rungs(recipe(), folder(tmp_path))] == [2, 4]
    assert "Elo in the ladder" in (folder(tmp_path).path / "progress.svg").read_text("utf-8")
    assert status(ladder)["summary"].startswith("finished: ")
    with folder(tmp_path).locked():
        found = status(ladder)
    assert (found["state"], found["awaits"]) == ("finished", "the next checkpoint of the training tictactoe-tiny")
    assert found["summary"].startswith("waiting for the next checkpoint of the training tictactoe-tiny: ")


def test_the_ladder_of_a_training_that_was_stopped_names_the_iteration_and_the_way_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    one = TrainingFolder(Path("results/training/tictactoe-tiny"))
    with pytest.raises(StoppedError):
        Run(recipe(), one).run(lambda *_: None, stop_after(2), lambda _: None)
    subprocess.run(
        [*fiedler.training.loop.ladder.COMMAND, one.path / SCHEDULE, "--quiet"], check=True, stdout=subprocess.DEVNULL
    )
    ladder = Path("results/tictactoe-tiny-ladder")
    found = status(ladder)
    where, command = "stopped after iteration 2 of 4", "train run results/training/tictactoe-tiny/recipe.json --resume"
    assert re.fullmatch(rf"the training tictactoe-tiny, {where}: `\S*{command}`", found["awaits"])
    assert found["state"] == "finished"
    assert found["summary"].startswith(f"waiting for {found['awaits']}: ")
    ran = CliRunner().invoke(train, command.split()[1:])
    assert ran.exit_code == 0, ran.output
    assert (status(ladder)["awaits"], status(ladder)["state"]) == ("", "finished")
    assert [one.iteration for one in rungs(recipe(), one)] == [2, 4]


@pytest.mark.parametrize("is_probed", [False, True], ids=["no folder", "no plan"])
@pytest.mark.parametrize("iterations", [0, 1])
def test_a_ladder_that_has_not_begun_waits_for_its_training(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, iterations: int, is_probed: bool
) -> None:
    """`no plan` is the state after a kill while its first players are probed."""
    monkeypatch.chdir(tmp_path)
    one = TrainingFolder(Path("results/training/tictactoe-tiny"))
    one.begin(recipe(iterations=2))
    if iterations:
        with pytest.raises(StoppedError):
            Run(recipe(iterations=2), one).run(lambda *_: None, stop_after(1), lambda _: None)
    if is_probed:
        Path("results/tictactoe-tiny-ladder").mkdir()
        Journal.open(Path("results/tictactoe-tiny-ladder")).close()
    coming = "the next checkpoint of the training tictactoe-tiny"
    with one.locked():
        assert asked("status") == f"tictactoe-tiny-ladder: waiting for {coming}\n"
        assert asked("rank").endswith(f"results/tictactoe-tiny-ladder: the run has not begun, it waits for {coming}")
        found = json.loads(asked("status", "--json"))
        assert (found["state"], found["awaits"], found["scheduled"]) == ("starting", coming, 0)
    where = "after iteration 1 of 2" if iterations else "in iteration 1 of 2"
    command = "train run results/training/tictactoe-tiny/recipe.json --resume"
    stop = rf"the training tictactoe-tiny, stopped {where}: `\S*{command}`"
    assert re.fullmatch(rf"tictactoe-tiny-ladder: waiting for {stop}\n", asked("status"))
    assert re.search(rf"the run has not begun, it waits for {stop}$", asked("report"))
    assert status(Path("results/tictactoe-tiny-ladder"))["state"] == "interrupted"
    ran = CliRunner().invoke(train, command.split()[1:])
    assert ran.exit_code == 0, ran.output
    assert status(Path("results/tictactoe-tiny-ladder"))["summary"].startswith("finished: ")


def asked(command: str, *options: str) -> str:
    """The answer of a command of `tournament` about the ladder, or its error."""
    done = CliRunner().invoke(cli, [command, "tictactoe-tiny-ladder", *options])
    return done.output if done.exit_code == 0 else str(done.exception)


def test_a_training_without_a_ladder_has_no_run_of_that_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    one = TrainingFolder(Path("results/training/tictactoe-tiny"))
    one.begin(recipe(rating=None))
    assert asked("status").startswith("no run 'tictactoe-tiny-ladder': neither a folder")
    one.begin(recipe())
    one.path.rename(one.path.parent / "other")
    assert asked("status").startswith("no run 'tictactoe-tiny-ladder': neither a folder")


@pytest.mark.parametrize(
    "text", ["", "{", '{"players": [{"name": 1}]}', '{"players": [{"name": "tictactoe-tiny-0002"}]}']
)
def test_a_ranking_that_cannot_be_read_gives_no_ratings(tmp_path: Path, text: str) -> None:
    assert rungs(recipe(), folder(tmp_path)) == []
    (tmp_path / "results" / "tictactoe-tiny-ladder").mkdir(parents=True)
    (tmp_path / "results" / "tictactoe-tiny-ladder" / "ranking.json").write_text(text, encoding="utf-8")
    assert rungs(recipe(), folder(tmp_path)) == []


def test_the_schedule_names_all_rated_checkpoints(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program(monkeypatch, "")
    monkeypatch.chdir(tmp_path)
    Path("net.onnx").write_bytes(new_system(TINY).export(Stamp()))
    rating = LadderTable(
        every=3, games=10, against=["osp", "./net.onnx c_puct=2"], simulations=7, options={"c_puct": "3"}
    )
    notes: list[str] = []
    Run(recipe(rating, iterations=7), folder(tmp_path)).run(lambda *_: None, lambda _: None, notes.append)
    assert not [note for note in notes if note.startswith("warning")]
    found = load(folder(tmp_path).path / SCHEDULE)
    assert (found.tournament.games_per_pair, found.pairing.method, found.openings.plies) == (10, "ladder", 4)
    assert [(player.name, player.options) for player in found.players] == [
        ("osp", {}),
        ("./net.onnx c_puct=2", {"simulations": "7", "c_puct": "2"}),
        *((f"tictactoe-tiny-000{number}", {"simulations": 7, "c_puct": "3"}) for number in (3, 6, 7)),
    ]
    kept = sorted(path.name for path in (folder(tmp_path).path / "checkpoints").iterdir())
    assert kept == ["0003.onnx", "0006.onnx", "0007.onnx"], "the last one is also that of [checkpoints]"


def test_long_references_have_distinct_names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program(monkeypatch, "")
    monkeypatch.chdir(tmp_path)
    nets = [Path("a" * 60, word, "b" * 60, "net.onnx") for word in ("one", "two")]
    for net in nets:
        net.parent.mkdir(parents=True)
        net.write_bytes(new_system(TINY).export(Stamp()))
    rating = LadderTable(every=1, games=2, against=[*map(str, nets), " mcts   simulations=4 "], simulations=4)
    one = msgspec.structs.replace(recipe(rating, iterations=2), name="n" * 80)
    notes: list[str] = []
    Run(one, folder(tmp_path)).run(lambda *_: None, lambda _: None, notes.append)
    *long, short = [player.name for player in load(folder(tmp_path).path / SCHEDULE).players]
    *references, mcts, first = long
    assert mcts == "mcts simulations=4"
    assert [len(name) for name in (*references, first, short)] == [64] * 4
    assert all(name.startswith("aaa") and name.endswith("bbb/net.onnx") for name in references)
    assert first.removesuffix("1") == short.removesuffix("2"), "one curve"


def test_a_new_run_begins_a_new_tournament(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program(monkeypatch, "import sys; print(*sys.argv[1:], file=sys.stderr); sys.exit(1)")
    starts = []
    for _ in range(2):
        notes: list[str] = []
        Run(recipe(iterations=2), folder(tmp_path)).run(lambda *_: None, lambda _: None, notes.append)
        starts.append("--fresh" in notes[-1])
    assert starts == [True, False]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("import sys; print('warning: x\\nerror: no room\\n', file=sys.stderr); sys.exit(1)", "1 (error: no room)"),
        ("import os; os.kill(os.getpid(), 9)", "-9 (no message)"),
    ],
)
def test_a_failure_is_one_warning(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, said: str) -> None:
    program(monkeypatch, text)
    notes: list[str] = []
    run = Run(recipe(iterations=2), folder(tmp_path))
    run.run(lambda *_: None, lambda _: None, notes.append)
    assert run.finished
    (warning,) = (note for note in notes if note.startswith("warning"))
    assert f"tictactoe-tiny-ladder ended with exit code {said}; see " in warning
    assert "\n" not in warning


def test_the_log_keeps_the_messages_of_all_starts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    warnings = []
    for text in ("import sys; sys.exit('error: no room')", "import sys; sys.exit(3)"):
        program(monkeypatch, text)
        notes: list[str] = []
        Run(recipe(iterations=2), folder(tmp_path)).run(lambda *_: None, lambda _: None, notes.append)
        (warning,) = [note for note in notes if note.startswith("warning")]
        warnings.append(warning.partition(" ended with ")[2].partition(";")[0])
    assert warnings == ["exit code 1 (error: no room)", "exit code 3 (no message)"]
    assert (folder(tmp_path).path / LOG).read_text("utf-8") == "error: no room\n"


def test_a_schedule_that_cannot_be_written_is_one_warning(tmp_path: Path) -> None:
    (folder(tmp_path).path / SCHEDULE).mkdir(parents=True)
    notes: list[str] = []
    Run(recipe(iterations=2), folder(tmp_path)).run(lambda *_: None, lambda _: None, notes.append)
    (note,) = notes
    assert note.endswith("ladder.toml: cannot be written: is a directory)")


def test_a_missing_program_is_one_warning(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fiedler.training.loop.ladder, "COMMAND", ("/no/such/program",))
    notes: list[str] = []
    Run(recipe(iterations=2), folder(tmp_path)).run(lambda *_: None, lambda _: None, notes.append)
    (note,) = notes
    assert "cannot start ([Errno 2] No such file or directory: '/no/such/program')" in note


@pytest.mark.parametrize("heeds", [True, False])
def test_the_tournament_ends_with_the_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, heeds: bool) -> None:
    monkeypatch.setattr(fiedler.training.loop.ladder, "PATIENCE_S", 60.0 if heeds else 0.1)
    ignore = "" if heeds else "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
    program(monkeypatch, f"{ignore}open('begun', 'w').close()\nimport time; time.sleep(3600)")
    one = folder(tmp_path)
    ladder, process = begun(one)
    if not heeds:
        while not (one.path / "begun").exists():
            assert process.poll() is None
    ladder.after(2)
    assert ladder._process is process, "one at a time"
    ladder.close()
    assert process.returncode is not None


def test_the_tournament_ends_also_if_its_interruption_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program(monkeypatch, "import time; time.sleep(3600)")
    ladder, process = begun(folder(tmp_path))

    def interrupted() -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(process, "terminate", interrupted)
    with pytest.raises(KeyboardInterrupt):
        ladder.close()
    assert process.wait(PATIENCE) == -signal.SIGKILL


def test_a_wrong_reference_is_refused_before_the_first_iteration(tmp_path: Path) -> None:
    rating = msgspec.structs.replace(RATING, against=["rnadom"])
    with pytest.raises(UsageError, match="rating: unknown player 'rnadom'; did you mean 'random'"):
        Run(recipe(rating), folder(tmp_path))
    assert not folder(tmp_path).exists


@pytest.mark.parametrize(
    ("table", "complaint"),
    [
        ({"against": ["mcts"]}, "rating: against 'mcts': its search has no end; set its simulations=N"),
        ({"options": {"nonsense": "1"}}, "rating: unknown option 'nonsense' of player checkpoint"),
    ],
)
def test_a_ladder_that_cannot_be_played_is_refused_at_the_start(
    table: dict[str, Any], complaint: str, tmp_path: Path
) -> None:
    with pytest.raises(UsageError, match=re.escape(complaint)):
        Run(recipe(LadderTable(every=3, games=10, **table), iterations=3), folder(tmp_path))
