"""`lock.txt` has one version of every package that pyproject.toml asks for, on every Python, and names no machine."""

from __future__ import annotations

import re
import tomllib
from itertools import chain, product

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.folders import ROOT

LINES = [line for line in (ROOT / "lock.txt").read_text("utf-8").splitlines() if not line.startswith("#")]
LOCKED = [Requirement(line) for line in LINES]
TABLE = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
EXTRAS: dict[str, list[str]] = TABLE["project"]["optional-dependencies"]
ASKED = sorted({*TABLE["build-system"]["requires"], *TABLE["project"]["dependencies"], *chain(*EXTRAS.values())})
"""All that is asked for, as text."""
PYTHONS = ("3.11.2", "3.11.13", "3.12.1", "3.13.0", "3.14.0")
"""Debian 12 has the first one."""
MACHINES = [
    {
        "python_version": version[:4],
        "python_full_version": version,
        "platform_machine": machine,
        "sys_platform": "linux",
    }
    for version, machine in product(PYTHONS, ("x86_64", "aarch64"))
]


def versions(name: str, machine: dict[str, str]) -> list[str]:
    """Return the versions that a machine gets of a package."""
    return [
        str(locked.specifier).removeprefix("==")
        for locked in LOCKED
        if canonicalize_name(locked.name) == canonicalize_name(name)
        and (locked.marker is None or locked.marker.evaluate({**machine}))
    ]


@pytest.mark.parametrize("text", ASKED)
def test_a_requirement_has_one_version_inside_its_bounds(text: str) -> None:
    asked = Requirement(text)
    for machine in MACHINES:
        (version,) = versions(asked.name, machine)
        assert asked.specifier.contains(version), f"{version} of lock.txt; `make lock` follows pyproject.toml"


def test_the_tools_of_a_build_are_locked() -> None:
    assert all(len(versions(tool, machine)) == 1 for tool in ("cmake", "ninja") for machine in MACHINES)


def test_there_are_versions_alone() -> None:
    assert [line for line in LINES if not re.fullmatch(r"[a-z\d-]+==[\w.]+( ; [^/:@]+)?", line)] == []
