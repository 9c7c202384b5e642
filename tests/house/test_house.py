"""The pages describe the project: every file is listed, every shipped schedule runs unchanged."""

from __future__ import annotations

import re
import tokenize
from itertools import pairwise
from pathlib import Path

import pytest

from fiedler.tournament.schedule.validation import load

ROOT = Path(__file__).parents[2]
PACKAGES = (
    "native",
    "support",
    "protocol",
    "games",
    "client",
    "players",
    "engine",
    "training",
    "tournament",
    "web",
    "fiedler",
)
FOLDERS = sorted({path.parent for package in PACKAGES for path in (ROOT / package).rglob("*.py")})
SCHEDULES = [
    path
    for folder in ("configs", "configs/strength", "benchmarks/strength", "deploy")
    for path in sorted((ROOT / folder).glob("*.toml"))
]


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: str(folder.relative_to(ROOT)))
def test_the_readme_of_a_folder_lists_its_files_and_no_others(folder: Path) -> None:
    page = (folder / "README.md").read_text("utf-8")
    files = [path.name for path in folder.glob("*.py") if path.name != "__init__.py"]
    files += [str(path.relative_to(folder / "src")) for path in (folder / "src").rglob("*.*")]
    assert [name for name in files if f"`{name}`" not in page] == []
    listed = re.findall(r"^(?:\| |- )((?:`[\w./]+`(?:, )?)+)", page, re.MULTILINE)
    ghosts = [name for group in listed for name in re.findall(r"`([^`]+)`", group)]
    assert [name for name in ghosts if not ((folder / name).exists() or (folder / "src" / name).exists())] == []


NATIVE_FLOORS = (("text",), ("core",), ("net",), ("games", "graph"), ("search",), ("learn",), ("bind",))


def test_native_includes_point_down() -> None:
    source = ROOT / "native/src"
    floor = {folder: number for number, folders in enumerate(NATIVE_FLOORS) for folder in folders}
    assert {path.name for path in source.iterdir()} == set(floor)
    for path in source.rglob("*.*"):
        own = path.relative_to(source).parts[0]
        for folder in re.findall(r'#include "(\w+)/', path.read_text("utf-8")):
            assert folder == own or floor[folder] < floor[own], path


@pytest.mark.parametrize("path", SCHEDULES, ids=lambda path: path.name)
def test_every_schedule_is_listed(path: Path) -> None:
    assert f"`{path.name}`" in (path.parent / "README.md").read_text("utf-8")


@pytest.mark.parametrize("name", ["configs", "deploy", "models", "results", "benchmarks", "examples", "docs", "tests"])
def test_every_other_folder_describes_its_contents(name: str) -> None:
    assert (ROOT / name / "README.md").read_text("utf-8").startswith("# ")


def test_there_are_schedules() -> None:
    assert SCHEDULES


@pytest.mark.parametrize("path", SCHEDULES, ids=lambda path: path.name)
def test_every_schedule_that_ships_is_valid(path: Path) -> None:
    load(path)


def test_no_page_or_source_names_a_machine() -> None:
    suffixes = {".py", ".md", ".toml", ".hpp", ".cpp", ".sh"}
    for path in ROOT.rglob("*"):
        if path.suffix in suffixes and not {".venv", "build", "results"} & set(path.relative_to(ROOT).parts):
            text = path.read_text("utf-8")
            assert "/wo" + "rk/" not in text, path
            assert "../sha" + "red" not in text, path


PAGES = [path for path in sorted(ROOT.rglob("*.md")) if not re.search(r"(^|/)(\.|build/)", str(path.relative_to(ROOT)))]
BANNED = re.compile(
    r"\b(so (many|much)|whoever|whatever|wish(es)?|go(es)? on|went on|(?<!there )(is|are|was|were) no (?!longer\b)|"
    r"told|(?<!games can )(?<!n-games-)tells?|hears?|heard|(is|are|was|were) said|says? (what|how|which|who|why)|"
    r"for people|all the same|"
    r"takes? down|comes? to be|owed|ways? to pair|nothing but|far off|stands? in)\b",
    re.IGNORECASE,
)
"""Words that CONTRIBUTING.md asks to avoid; text may quote them, as words or as code."""
CODE = [
    path
    for folder in (*PACKAGES, "tools", "docs", "examples", "benchmarks", "configs")
    for path in sorted((ROOT / folder).rglob("*"))
    if path.suffix in {".py", ".toml"}
]


def prose(path: Path) -> list[str]:
    """Return the lines of a page outside its blocks of code."""
    page = re.sub(r"^```.*?^```", "", path.read_text("utf-8"), flags=re.MULTILINE | re.DOTALL)
    return [line for line in page.splitlines() if not line.startswith("    ")]


@pytest.mark.parametrize("path", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_the_prose_of_a_page_wraps_at_100_characters(path: Path) -> None:
    lines = [line for line in prose(path) if " " in line and not line.startswith(("|", "!["))]
    assert [line for line in lines if len(line) > 100] == []


@pytest.mark.parametrize("path", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_a_page_is_in_plain_english(path: Path) -> None:
    words = re.sub(r"`[^`]*`|\"[^\"]*\"", "", " ".join(" ".join(prose(path)).split()))
    assert [found[0] for found in BANNED.finditer(words)] == []


@pytest.mark.parametrize("path", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_a_list_begins_after_an_empty_line(path: Path) -> None:
    """A code host takes it as a list without one, too, the site as a paragraph."""
    lines = ["", *prose(path)]
    begun = [(before, line) for before, line in pairwise(lines) if re.match(r"[-*] |\d+\. ", line)]
    assert [line for before, line in begun if before and not re.match(r"[-*#] |\d+\. |##|  ", before)] == []


@pytest.mark.parametrize("path", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_no_line_of_a_page_is_blanks_only(path: Path) -> None:
    assert [number for number, line in enumerate(path.read_text("utf-8").splitlines(), 1) if line.isspace()] == []


def remarks(path: Path) -> str:
    """Return the comments and strings of a Python file, or the whole of another file."""
    if path.suffix != ".py":
        return path.read_text("utf-8")
    with path.open("rb") as file:
        tokens = list(tokenize.tokenize(file.readline))
    return "\n".join(token.string for token in tokens if token.type in {tokenize.COMMENT, tokenize.STRING})


@pytest.mark.parametrize("path", CODE, ids=lambda path: str(path.relative_to(ROOT)))
def test_the_comments_and_strings_of_a_file_are_in_plain_english(path: Path) -> None:
    words = " ".join(re.sub(r"`[^`\n]*`|^ *#", "", remarks(path), flags=re.MULTILINE).split())
    assert [found[0] for found in BANNED.finditer(words)] == []
