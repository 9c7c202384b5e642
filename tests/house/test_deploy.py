"""The files of deploy/ and of the image: commands, options and files that exist, units that systemd accepts."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import click
import pytest
from ruamel.yaml import YAML

from fiedler.support.cores import available
from fiedler.tournament.cli import tournament
from tests.folders import ROOT
from tests.patience import PATIENCE
from tests.programs import need

DEPLOY = ROOT / "deploy"
UNITS = sorted(DEPLOY.glob("*.service"))
INSTALLED = "/srv/league/.venv/bin"
"""The folder of programs in the units."""
CONTAINERFILE = (ROOT / "Containerfile").read_text("utf-8")
SENT = {line[1:] for line in (ROOT / ".containerignore").read_text("utf-8").splitlines() if line.startswith("!")}
"""The files and folders of the sources that a builder gets."""
COMPOSE: dict[str, Any] = YAML(typ="safe").load(DEPLOY / "compose.yaml")


def command_of(unit: Path) -> str:
    """Return the command of a unit, whose lines may be continued."""
    found = re.search(r"^ExecStart=(.*)$", unit.read_text("utf-8").replace("\\\n", " "), re.MULTILINE)
    assert found is not None
    return found[1].removeprefix(f"{INSTALLED}/")


COMMANDS = {
    **{unit.name: command_of(unit) for unit in UNITS},
    **{name: str(service["command"]) for name, service in COMPOSE["services"].items() if "command" in service},
}


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_parses(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    shutil.copy(DEPLOY / "league.toml", tmp_path)
    for file in ("tokens", "cert.pem", "key.pem"):
        (tmp_path / file).touch()
    program, subcommand, *words = shlex.split(COMMANDS[name])
    assert program == "tournament"
    command = tournament.get_command(click.Context(tournament), subcommand)
    assert command is not None
    assert command.make_context(subcommand, words).params


def test_a_command_with_an_unknown_option_does_not_parse() -> None:
    command = tournament.get_command(click.Context(tournament), "serve")
    assert command is not None
    with pytest.raises(click.NoSuchOption):
        command.make_context("serve", ["--no-such-option"])


@pytest.mark.parametrize("unit", UNITS, ids=lambda unit: unit.name)
def test_a_unit_is_accepted_and_confined(unit: Path, tmp_path: Path) -> None:
    need("systemd-analyze")
    here = tmp_path / unit.name
    here.write_text(unit.read_text("utf-8").replace(INSTALLED, str(Path(sys.executable).parent)), "utf-8")
    for words in (["verify"], ["security", "--threshold=30", "--offline=true", "--no-pager"]):
        command = ["systemd-analyze", *words, str(here)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=False)
        assert not done.returncode, done.stdout + done.stderr
        assert "ignoring" not in done.stderr, done.stderr  # an unknown key; newer versions may warn of other things


def test_a_unit_with_a_fault_is_not_accepted(tmp_path: Path) -> None:
    need("systemd-analyze")
    unit = tmp_path / "wrong.service"
    unit.write_text("[Service]\nExecStart=/bin/true\nNoSuchKey=yes\n", "utf-8")
    command = ["systemd-analyze", "verify", str(unit)]
    assert "NoSuchKey" in subprocess.run(command, capture_output=True, text=True, check=False).stderr
    command = ["systemd-analyze", "security", "--threshold=30", "--offline=true", str(unit)]
    assert subprocess.run(command, capture_output=True, check=False).returncode


def test_the_builder_gets_files_that_exist_and_every_room() -> None:
    assert [name for name in sorted(SENT) if not (ROOT / name).exists()] == []
    links = {path.resolve().relative_to(ROOT).parts[0] for path in (ROOT / "fiedler").iterdir() if path.is_symlink()}
    assert links - SENT == set()
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    named = {*re.findall(r"/src/(\S+)", CONTAINERFILE)}
    assert {project["readme"], *project["license-files"], "pyproject.toml", "CMakeLists.txt", *named} - SENT == set()
    extras = re.search(r"^ARG EXTRAS=(.*)$", CONTAINERFILE, re.MULTILINE)
    assert extras is not None
    assert {*extras[1].split(",")} - {*project["optional-dependencies"]} == set()


def test_docker_gets_the_same_files() -> None:
    assert (ROOT / ".dockerignore").readlink() == Path(".containerignore")


def test_the_ports_of_the_league_are_those_of_its_commands_and_its_image() -> None:
    exposed = {*re.findall(r"\d+", next(iter(re.findall(r"^EXPOSE (.*)$", CONTAINERFILE, re.MULTILINE))))}
    for name in ("manager", "pages"):
        (port,) = {text.rpartition(":")[2] for text in COMPOSE["services"][name]["ports"]}
        assert port in exposed
        assert port in re.findall(r"\d+", COMMANDS[name])
    listeners = re.findall(r"^listener (\d+)", (DEPLOY / "mosquitto/mosquitto.conf").read_text("utf-8"), re.MULTILINE)
    assert {text.rpartition(":")[2] for text in COMPOSE["services"]["broker"]["ports"]} < {*listeners}
    assert COMMANDS["feed"].rpartition(":")[2] in listeners


def test_a_service_takes_its_files_from_the_league_or_from_here() -> None:
    sources = {text.split(":")[0] for service in COMPOSE["services"].values() for text in service["volumes"]}
    assert {source for source in sources if source not in COMPOSE["volumes"]} == {
        "./league", "./league/results", "./mosquitto",
    }  # fmt: skip
    assert (DEPLOY / "mosquitto").is_dir()


@pytest.mark.soak
def test_the_image_builds_and_plays(tmp_path: Path) -> None:
    builder = shutil.which("podman") or shutil.which("docker")
    if builder is None:
        pytest.skip("needs podman or docker")
    (base,) = {*re.findall(r"^FROM (\S+)", CONTAINERFILE, re.MULTILINE)}
    if subprocess.run([builder, "pull", base], capture_output=True, check=False).returncode:
        pytest.skip(f"{builder} cannot get {base}")
    name = "localhost/fiedler-test"
    command = [builder, "build", "--build-arg", "LEVELS=host", "-f", "Containerfile", "-t", name, str(ROOT)]
    subprocess.run(command, check=True, timeout=3600 * len(available()))
    try:
        command = [builder, "run", "--rm", name, "tournament", "run", "/opt/fiedler/configs/quickstart.toml"]
        done = subprocess.run([*command, "--quiet"], capture_output=True, text=True, timeout=20 * PATIENCE, check=False)
        assert (done.returncode, "mcts-10k" in done.stdout) == (0, True), done.stderr
    finally:
        subprocess.run([builder, "rmi", "--force", name], check=True, capture_output=True)
