"""The steps of the GitHub action of a strength test, as bash runs them on runners of their own."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import textwrap
from pathlib import Path

import pytest

from tests.folders import ROOT
from tests.patience import PATIENCE
from tests.tournament.manager_process import COMMAND
from tests.tournament.schedules import misbehaving

pytestmark = pytest.mark.programs

ACTION = ROOT / ".github" / "actions" / "strength" / "action.yml"
STEP = re.compile(r"^    - name: (.*)\n((?:(?:      .*)?\n)+)", re.MULTILINE)
SCRIPT = re.compile(r"^      run: (?:\|\n((?:(?:        .*)?\n)+)|(.*)\n)", re.MULTILINE)
INPUTS = {
    "BASE": "main",
    "CANDIDATE": "change",
    "BUILD": "chmod +x engine",
    "ENGINE": "./engine",
    "GAME": "tictactoe",
    "OPTIONS": "--movetime 20000 --games 16 --quiet",
}


def scripts() -> dict[str, str]:
    """Return the commands of the steps that have some, by name."""
    found = {}
    for name, body in STEP.findall(ACTION.read_text("utf-8")):
        if script := SCRIPT.search(body):
            found[name] = textwrap.dedent(script[1] or script[2])
    return found


class Runner:
    """A machine with a checkout of the repository, Fiedler installed, and files for the outputs of steps."""

    def __init__(self, folder: Path, repository: Path) -> None:
        self.temp, self.checkout = folder / "temp", folder / "checkout"
        program = self.temp / "fiedler" / "bin" / "tournament"
        program.parent.mkdir(parents=True)
        program.write_text(f'#!/bin/sh\nexec {shlex.join(COMMAND)} "$@"\n', "utf-8")
        program.chmod(0o755)
        subprocess.run(("git", "clone", "-q", "-b", "main", repository, self.checkout), check=True)
        subprocess.run(("git", "fetch", "-q", "origin", "change:change"), cwd=self.checkout, check=True)

    def step(self, name: str, **env: str) -> int:
        """Run a step and return its exit code."""
        files = {f"GITHUB_{kind}": str(self.temp / kind.lower()) for kind in ("OUTPUT", "STEP_SUMMARY")}
        words = ("bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", scripts()[name])
        env = {**os.environ, "PYTHONPATH": str(ROOT), "RUNNER_TEMP": str(self.temp), **files, **INPUTS, **env}
        return subprocess.run(words, cwd=self.checkout, env=env, timeout=PATIENCE, check=False).returncode

    def text(self, name: str) -> str:
        return (self.temp / name).read_text("utf-8")


def make_repository(folder: Path, base: str, candidate: str) -> Path:
    """Make a repository whose branches `main` and `change` have engines with these faults."""
    folder.mkdir()
    git = ("git", "-C", str(folder), "-c", "user.name=bot", "-c", "user.email=bot@example.org")
    subprocess.run((*git, "init", "-q", "-b", "main"), check=True)
    for branch, fault in (("main", base), ("change", candidate)):
        if branch == "change":
            subprocess.run((*git, "switch", "-q", "-c", branch), check=True)
        (folder / "engine").write_text(f"#!/bin/sh\n# {branch}\nexec {shlex.join(misbehaving(fault, 1))}\n", "utf-8")
        subprocess.run((*git, "add", "engine"), check=True)
        subprocess.run((*git, "commit", "-q", "-m", branch), check=True)
    return folder


def rehearse(folder: Path, base: str, candidate: str) -> Runner:
    """Play two shards on two runners, and return a third one with their games."""
    repository = make_repository(folder / "repository", base, candidate)
    judge = Runner(folder / "judge", repository)
    for shard in ("1/2", "2/2"):
        runner = Runner(folder / shard.replace("/", "-"), repository)
        assert runner.step("Build") == 0
        assert runner.step("Play", SHARD=shard) == 0
        name = re.search(r"^name=(.*)$", runner.text("output"), re.MULTILINE)
        assert name is not None
        shutil.copytree(runner.temp / "strength", judge.temp / "shards" / f"strength-{name[1]}")
    return judge


def test_the_shards_of_two_runners_have_a_verdict(tmp_path: Path) -> None:
    judge = rehearse(tmp_path, "fine", "fine")
    assert judge.step("Judge") == 0
    assert judge.text("output") == "outcome=undecided\n"
    assert judge.text("step_summary").startswith("### ➖ Strength test: undecided\n")
    assert "--base 'env -C base ./engine' --candidate 'env -C candidate ./engine'" in judge.text("step_summary")
    assert judge.step("Fail unless the candidate may stay", OUTCOME="undecided") == 0


def test_a_candidate_that_crashes_fails_the_job(tmp_path: Path) -> None:
    judge = rehearse(tmp_path, "fine", "crash")
    assert judge.step("Judge") == 0
    assert judge.text("output") == "outcome=failed\n"
    assert re.search(r"candidate: 1\d × crash", judge.text("step_summary"))
    assert judge.step("Fail unless the candidate may stay", OUTCOME="failed") == 1


def test_missing_shards_are_an_error(tmp_path: Path) -> None:
    judge = rehearse(tmp_path, "fine", "fine")
    shutil.rmtree(judge.temp / "shards" / "strength-2-of-2")
    assert judge.step("Judge") == 2
    assert not (judge.temp / "step_summary").exists()


def test_foreign_actions_are_pinned_by_their_commits() -> None:
    files = [ACTION, *(ROOT / ".github" / "workflows").glob("*.yml")]
    foreign = [name for file in files for name in re.findall(r"uses: ([^.\s]\S*)", file.read_text("utf-8"))]
    assert foreign
    assert all(re.fullmatch(r"[\w./-]+@[0-9a-f]{40}", name) for name in foreign)
