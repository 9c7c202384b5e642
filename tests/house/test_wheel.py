"""An installed wheel has all files of the commands: models, opening lists, schedules, the pages of a report."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
import venv
from pathlib import Path
from zipfile import ZipFile

import click
import pytest

from fiedler.native import _cpu
from tests.folders import ROOT
from tests.patience import PATIENCE

SCHEDULE = """
[tournament]
name = "far"
game = "uttt"
[limit]
nodes = 50
[pairing]
method = "round-robin"
[openings]
file = "uttt15"
[[players]]
name = "shipped"
model = "{model}"
options = {{ simulations = 4 }}
[[players]]
name = "random"
player = "random"
"""


def build(folder: Path, *settings: str) -> Path:
    """Return a wheel of this checkout; the settings are those of scikit-build-core."""
    command = [sys.executable, "-m", "pip", "wheel", str(ROOT), "--no-deps", "--no-build-isolation", "-w", str(folder)]
    done = subprocess.run([*command, *settings], capture_output=True, text=True, timeout=60 * PATIENCE, check=False)
    assert not done.returncode, done.stdout + done.stderr
    return next(folder.glob("*.whl"))


def install(wheel: Path, folder: Path, *options: str) -> Path:
    """Return the folder of programs of a new environment with the wheel and the libraries of this one."""
    venv.create(folder, with_pip=True)
    command = [str(folder / "bin/python"), "-m", "pip", "install", "-q", "--no-deps", *options, str(wheel)]
    subprocess.run(command, check=True, timeout=60 * PATIENCE)
    theirs = Path(sysconfig.get_path("purelib", vars={"base": str(folder), "platbase": str(folder)}))
    # Behind the wheel, which comes first; editable installs of ours are not followed from there.
    (theirs / "dependencies.pth").write_text(f"{Path(click.__file__).parents[1]}\n", encoding="utf-8")
    return folder / "bin"


def try_out(programs: Path, elsewhere: Path) -> None:
    """Serve the shipped model and play a tournament from a folder outside the project."""
    elsewhere.mkdir()

    def run(program: str, *arguments: str, typed: str = "") -> str:
        clean = {key: value for key, value in os.environ.items() if not key.startswith("PYTHON")}
        done = subprocess.run(
            [programs / program, *arguments],
            input=typed, capture_output=True, text=True, cwd=elsewhere, env=clean, timeout=5 * PATIENCE, check=False,
        )  # fmt: skip
        assert not done.returncode, done.stderr
        return done.stdout

    where = run(
        "python",
        "-c",
        "import fiedler; from fiedler import native; print(native.__file__, fiedler.__file__, fiedler.match)",
    )
    assert str(ROOT) not in where
    assert "checkpoint cube" in run("engine", "serve", "--stdio", "--game", "cube", typed="ugi\nquit\n")
    model = next(programs.parent.rglob("uttt-small.onnx"))
    (elsewhere / "far.toml").write_text(SCHEDULE.format(model=model), encoding="utf-8")
    assert "shipped" in run("tournament", "run", "far.toml", "--quiet")
    assert (elsewhere / "results/far/report.html").read_text("utf-8").count("<style") == 1
    assert run("tournament", "--version").startswith("tournament, version 0.1.0 (commit ")


def test_the_files_of_an_installed_wheel_suffice(tmp_path: Path) -> None:
    """The core is not compiled again: the builds in use are copied to their places in the wheel."""
    wheel = build(tmp_path / "wheels", "--config-settings=wheel.cmake=false")
    names = ZipFile(wheel).namelist()
    assert not [name for name in names if name.startswith(("tests/", "fiedler/native/src/", "results/"))]
    programs = install(wheel, tmp_path / "environment")
    theirs = next(programs.parent.rglob("site-packages/fiedler/native"))
    for module in Path(str(_cpu.__file__)).parent.glob("*.so"):
        shutil.copy(module, theirs)
    (theirs.parent / "support/commit.txt").write_text("0123abc", encoding="utf-8")
    try_out(programs, tmp_path / "elsewhere")


@pytest.mark.soak
def test_a_wheel_with_its_core(tmp_path: Path) -> None:
    wheel = build(tmp_path / "wheels")
    try_out(install(wheel, tmp_path / "environment"), tmp_path / "elsewhere")
