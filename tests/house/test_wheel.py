"""An installed wheel has all files of the commands: models, opening lists, schedules, the pages of a report."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import venv
from pathlib import Path
from zipfile import ZipFile

import click
import pytest

from fiedler.native import GAMES, _cpu
from tests.folders import ROOT
from tests.house.without_core import WITHOUT_CORE
from tests.patience import PATIENCE

ROOMS = [path.resolve() for path in (ROOT / "fiedler").iterdir() if path.is_symlink()]
SUFFIXES = {".py", ".typed", ".html", ".js", ".css", ".toml", ".txt", ".onnx", ".table", ".json"}


def build(folder: Path, *settings: str, source: Path = ROOT) -> Path:
    """Return a wheel of this checkout, or of an archive; the settings are those of scikit-build-core."""
    command = [sys.executable, "-m", "pip", "wheel", str(source), "--no-deps", "--no-build-isolation", "-w"]
    done = subprocess.run(
        [*command, folder, *settings], capture_output=True, text=True, timeout=60 * PATIENCE, check=False
    )
    assert not done.returncode, done.stdout + done.stderr
    return next(folder.glob("*.whl"))


def shipped() -> set[str]:
    """Return the modules and the data of the rooms, as a wheel names them."""
    files = {path for room in (ROOT / "fiedler", *ROOMS) for path in room.rglob("*") if path.suffix in SUFFIXES}
    return {str(Path("fiedler") / path.relative_to(ROOT)).replace("fiedler/fiedler/", "fiedler/") for path in files}


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
    """Prove a wheel in a folder of a user, whose files have the names of rooms; PATH has its programs alone."""
    elsewhere.mkdir()
    for room in ROOMS:
        (elsewhere / f"{room.name}.py").write_text("raise RuntimeError('a file of the user was imported')\n", "utf-8")

    def run(program: str, *arguments: str, typed: str = "") -> str:
        clean = {key: value for key, value in os.environ.items() if not key.startswith("PYTHON")}
        done = subprocess.run(
            [programs / program, *arguments], input=typed, capture_output=True, text=True,
            cwd=elsewhere, env={**clean, "PATH": str(programs)}, timeout=10 * PATIENCE, check=False,
        )  # fmt: skip
        assert not done.returncode, done.stdout + done.stderr
        return done.stdout

    where = run("python", "-c", "import fiedler, fiedler.native as core; print(core.__file__, fiedler.match)")
    assert str(ROOT) not in where
    assert "checkpoint cube" in run("engine", "serve", "--stdio", "--game", "cube", typed="ugi\nquit\n")
    assert run("tournament", "--version").startswith("tournament, version 0.1.0 (commit ")
    proof = run("python", "-P", str(ROOT / "tools/prove_wheel.py"))
    assert re.findall(r"^(\S+): [\d,]+ move paths$", proof, re.MULTILINE) == [*GAMES]
    assert "a tournament, and its pages: http://" in proof
    assert (elsewhere / "results/first/report.html").read_text("utf-8").count("<style") == 1


def test_the_files_of_an_installed_wheel_suffice(tmp_path: Path) -> None:
    """The core is not compiled again: the builds in use are copied to their places in the wheel."""
    wheel = build(tmp_path / "wheels", *WITHOUT_CORE)
    names = ZipFile(wheel).namelist()
    assert {name.partition("/")[0] for name in names} == {"fiedler", "fiedler-0.1.0.dist-info"}
    assert shipped() - {*names} == set()
    assert not [name for name in names if name.startswith("fiedler/native/src/")]
    programs = install(wheel, tmp_path / "environment")
    theirs = next(programs.parent.rglob("site-packages/fiedler/native"))
    for module in Path(str(_cpu.__file__)).parent.glob("*.so"):
        shutil.copy(module, theirs)
    (theirs.parent / "support/commit.txt").write_text("0123abc", encoding="utf-8")
    try_out(programs, tmp_path / "elsewhere")


def test_an_archive_of_the_sources_keeps_the_links_and_makes_the_same_wheel(tmp_path: Path) -> None:
    code = "import sys; from scikit_build_core.build import build_sdist; build_sdist(sys.argv[1])"
    subprocess.run([sys.executable, "-c", code, tmp_path], cwd=ROOT, check=True, capture_output=True)
    (archive,) = tmp_path.glob("*.tar.gz")
    with tarfile.open(archive) as members:
        links = {Path(one.name) for one in members if one.issym()}
    assert {link.name for link in links if link.parent.name == "fiedler"} == {room.name for room in ROOMS}
    ours, theirs = build(tmp_path / "ours", *WITHOUT_CORE), build(tmp_path / "theirs", *WITHOUT_CORE, source=archive)
    assert {*ZipFile(ours).namelist()} == {*ZipFile(theirs).namelist()}


@pytest.mark.soak
def test_a_wheel_with_its_core(tmp_path: Path) -> None:
    wheel = build(tmp_path / "wheels")
    tag = "cp311-cp311" if sys.version_info < (3, 12) else "cp312-abi3"  # the stable ABI, for all later versions
    assert f"-{tag}-" in wheel.name
    try_out(install(wheel, tmp_path / "environment"), tmp_path / "elsewhere")
