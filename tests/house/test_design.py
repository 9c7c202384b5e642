"""The design page names rooms, files and functions that exist."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "docs/design.md").read_text("utf-8")
NAMED = sorted(set(re.findall(r"`([^`\n]+)`", TEXT)))
FILES = [name for name in NAMED if re.fullmatch(r"[a-z_]+(/[a-z_0-9]+)*(/|/[a-z_0-9]+\.[a-z]+)", name)]
METHODS = [name for name in NAMED if re.fullmatch(r"[A-Z]\w+(::\w+)?(\.|::)(?!md$)\w+", name)]
LINKS = sorted(path for path in (ROOT / "fiedler").iterdir() if path.is_symlink())
SOURCES = {
    path: path.read_text("utf-8")
    for room in ("protocol", "support", "games", "client", "players", "engine", "training", "tournament", "native/src")
    for pattern in ("*.py", "*.hpp")
    for path in (ROOT / room).rglob(pattern)
}


def test_it_names_files_and_functions() -> None:
    assert len(FILES) > 20
    assert len(METHODS) > 5


@pytest.mark.parametrize("name", FILES)
def test_a_named_file_exists(name: str) -> None:
    assert (ROOT / name).exists()


@pytest.mark.parametrize("name", METHODS)
def test_a_named_function_or_attribute_exists(name: str) -> None:
    *_, owner, function = re.split(r"\.|::", name)
    holders = [text for text in SOURCES.values() if re.search(rf"\b(class|struct) {owner}\b", text)]
    assert any(re.search(rf"\b{function}[(:]", text) for text in holders)


def test_every_room_is_described() -> None:
    rooms = {link.name for link in LINKS if (link / "__init__.py").is_file()}
    assert {*rooms, "fiedler"} == set(re.findall(r"^\| `(\w+)/` \|", TEXT, re.MULTILINE))


@pytest.mark.parametrize("link", LINKS, ids=lambda link: link.name)
def test_a_room_imports_below_fiedler(link: Path) -> None:
    assert link.readlink() == Path("..", link.name)
    assert link.is_dir()
