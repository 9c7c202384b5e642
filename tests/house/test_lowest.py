"""The lowest versions that pyproject.toml allows suffice: a tournament and a part of the tests run with them."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tomllib
from itertools import chain
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from fiedler.native import _cpu
from tests.folders import ROOT
from tests.house.without_core import WITHOUT_CORE

USERS = ("cpu", "mqtt", "notify", "web", "openspiel", "wandb", "train")
"""The extras of users; `cluster` takes 285 MB, `gpu` a GPU."""
EXACT = {"torch"}
"""It has one version, and 3 GB; the tests of models do without."""
TOOLS = {"chess", "hypothesis", "pytest", "pytest-asyncio", "pytest-timeout", "pytest-xdist", "sgfmill", "trustme"}
TOOLS |= {"axe-playwright-python", "playwright", "scikit-build-core"}
"""What the tests import; and a builder, for the names of our commands. They have the versions of `lock.txt`."""
PART: tuple[str, ...] = ("support", "players", "fiedler", "engine/test_choice.py", "training/test_tracker.py")
PART += ("tournament/commands/test_rank.py", "tournament/graph/test_spectrum.py")
PART += ("tournament/ratings", "tournament/report", "web/test_connection.py", "web/test_metrics.py")
"""Tests that use every library."""
TORCH: tuple[str, ...] = ("players/test_checkpoint.py", "players/test_descent.py", "players/test_policy.py")
TORCH += ("players/test_exact_moves.py::test_a_model_is_measured_raw_and_with_a_search",)
TORCH += ("support/test_telemetry.py::test_it_reports_nothing[fiedler.training.model.export]",)
"""Those of PART that train a network."""


def requirements() -> str:
    """Return what is installed, a requirement a line."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    asked = [*project["dependencies"], *chain(*(project["optional-dependencies"][extra] for extra in USERS))]
    asked += [text for text in project["optional-dependencies"]["dev"] if Requirement(text).name == "pandas"]
    locked = (ROOT / "lock.txt").read_text("utf-8").splitlines()
    tools = [line for line in locked if line.partition("==")[0] in TOOLS]
    assert len(tools) == len(TOOLS)
    return "\n".join([*(text for text in asked if Requirement(text).name not in EXACT), *tools])


def copied(tree: Path) -> Path:
    """Copy the sources, with the builds of the core in use."""
    shutil.copytree(ROOT, tree, symlinks=True, ignore=shutil.ignore_patterns(".git", ".venv", "build", "__pycache__"))
    for module in Path(str(_cpu.__file__)).parent.glob("*.so"):
        if "sanitized" not in module.name:
            shutil.copy(module, tree / "native")
    return tree


def environment(folder: Path, tree: Path) -> Path:
    """Return the Python of a new environment with the lowest versions, and the sources."""
    uv, python = [sys.executable, "-m", "uv"], folder / "bin/python"
    asked = tree / "lowest.in"
    asked.write_text(requirements(), encoding="utf-8")
    install = [*uv, "pip", "install", "--quiet", "--python", str(python)]
    own = ["--no-deps", "--no-build-isolation", *WITHOUT_CORE, "--editable", str(tree)]
    for command in (
        [*uv, "venv", "--quiet", "--python", sys.executable, str(folder)],
        [*install, "--resolution=lowest-direct", "--requirement", str(asked)],
        [*install, *own],
    ):
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert not done.returncode, done.stderr
    return python


@pytest.mark.soak
def test_the_lowest_versions_suffice(tmp_path: Path) -> None:
    """It needs the package index."""
    tree = copied(tmp_path / "tree")
    python = environment(tmp_path / "venv", tree)
    clean = {key: value for key, value in os.environ.items() if not key.startswith(("PYTHON", "PYTEST"))}
    played = subprocess.run(
        [python.with_name("tournament"), "run", "configs/quickstart.toml", "--quiet"],
        capture_output=True, text=True, cwd=tree, env=clean, check=False,
    )  # fmt: skip
    assert not played.returncode, played.stderr
    assert "mcts-10k" in played.stdout
    command = [str(python), "-m", "pytest", "-q", "-n", "2", "--dist", "loadfile", "-p", "no:cacheprovider"]
    command += ["-m", "not soak and not slow", *(f"tests/{part}" for part in PART)]
    command += [f"--{'deselect' if '::' in test else 'ignore'}=tests/{test}" for test in TORCH]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tree, env=clean, check=False)
    assert not done.returncode, done.stdout + done.stderr
