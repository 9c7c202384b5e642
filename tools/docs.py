"""The pages as a site, in `build/docs/site/`: `make docs`, or `python -m tools.docs`.

The site is a part of the repository, at the same paths, so that the links of a page are right at a code host and here:
README.md as home, every page that it and docs/README.md reach by links, and the other files that those pages name.
docs/README.md is the navigation: its headings are the sections, its links the pages. Pages of the Python packages come
from their docstrings. A dead link, or a page in `docs/` that docs/README.md does not name, is an error.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
OUT = ROOT / "build/docs"
INDEX = Path("docs/README.md")
STARTS = (Path("README.md"), INDEX)
API = {
    "fiedler": "the facade for programs and notebooks",
    "fiedler.client": "engines of every protocol",
    "fiedler.games": "the games, their positions and notation",
    "fiedler.tournament.ratings": "ratings",
    "fiedler.tournament.graph": "meeting graphs",
}
"""The packages that have a page, and their subjects."""
CODE = re.compile(r"^```.*?^```|^(?: {4}).*?$|`[^`\n]*`", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\(([^)\s]+)\)")
HEADING = re.compile(r"^(##+) (.+)$")
ROW = re.compile(r"^\| \[([^]]+)\]\(([^)#\s]+)\) \|")


def main() -> int:
    """Build the site; return the exit code: 0, or 1 after lines about its faults."""
    pages, others, faults = reached(STARTS)
    faults += [f"{INDEX}: expected a row for {page}" for page in unlisted()]
    if faults:
        print(*faults, sep="\n", file=sys.stderr)
        return 1
    shutil.rmtree(OUT / "pages", ignore_errors=True)
    for path in (*pages, *others):
        copy(path, OUT / "pages" / path)
    for package, subject in API.items():
        api_page(package).write_text(f"# `{package}`: {subject}\n\n::: {package}\n", encoding="utf-8")
    settings = (ROOT / "docs/zensical.toml").read_text("utf-8")
    (OUT / "zensical.toml").write_text(with_navigation(settings), encoding="utf-8")
    command = [sys.executable, "-m", "zensical", "build", "--strict", "--config-file", str(OUT / "zensical.toml")]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    print(done.stdout if done.returncode else f"{len(pages)} pages: {OUT.relative_to(ROOT)}/site/index.html")
    return 1 if done.returncode else 0


def reached(starts: Iterable[Path]) -> tuple[list[Path], list[Path], list[str]]:
    """Return the pages that links reach, the other files that they name, and a line for each dead link."""
    pages, others, faults = list(starts), dict[Path, None](), list[str]()
    for page in pages:
        for number, target in links((ROOT / page).read_text("utf-8")):
            path = (ROOT / page.parent / target).resolve()
            name = path.relative_to(ROOT)
            if not path.is_file():
                faults.append(f"{page}:{number}: expected a file, got {target}")
            elif path.suffix != ".md":
                others[name] = None
            elif name not in pages:
                pages.append(name)
    return pages, list(others), faults


def links(page: str) -> Iterator[tuple[int, str]]:
    """Yield the line and the path of each link to a file, outside of code."""
    prose = CODE.sub(lambda code: re.sub(r"[^\n]", "", code[0]), page)
    for found in LINK.finditer(prose):
        path = found[1].partition("#")[0]
        if path and not re.match(r"\w+:", path):
            yield prose.count("\n", 0, found.start()) + 1, path


def unlisted() -> list[Path]:
    """Return the pages in `docs/` that the index does not name."""
    index = (ROOT / INDEX).read_text("utf-8")
    listed = {(ROOT / INDEX.parent / path).resolve() for _, path in links(index)} | {ROOT / INDEX}
    return [page.relative_to(ROOT) for page in sorted((ROOT / "docs").rglob("*.md")) if page not in listed]


def copy(path: Path, target: Path) -> None:
    """Copy a file of the repository into the site."""
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(ROOT / path, target)


def api_page(package: str) -> Path:
    """Return the file of the page of a package, in its folder."""
    path = OUT / "pages/docs/api" / f"{package}.md"
    path.parent.mkdir(parents=True, exist_ok=True)
    return path


def with_navigation(settings: str) -> str:
    """Return the settings with the navigation, and the place of the packages."""
    sections: list[Any] = [{"Home": "README.md"}, *navigation((ROOT / INDEX).read_text("utf-8"))]
    rows = ",\n".join(toml(section) for section in sections)
    settings = settings.replace("[project]\n", f"[project]\nnav = [\n{rows},\n]\n", 1)
    handler = "[project.plugins.mkdocstrings.handlers.python]\n"
    return settings.replace(handler, f"{handler}paths = [{json.dumps(str(ROOT))}]\n", 1)


def navigation(index: str) -> list[dict[str, Any]]:
    """Return the sections of the index: `{title: [pages and inner sections]}`."""
    sections: list[dict[str, Any]] = []
    open_lists: list[list[Any]] = [sections]
    for line in index.splitlines():
        if heading := HEADING.match(line):
            depth = len(heading[1]) - 2
            del open_lists[depth + 1 :]
            open_lists.append([])
            open_lists[depth].append({heading[2]: open_lists[-1]})
        elif row := ROW.match(line):
            path = (ROOT / INDEX.parent / row[2]).resolve().relative_to(ROOT)
            open_lists[-1].append({row[1].replace("`", ""): str(path)})
    sections.append({"Python API": [{package: f"docs/api/{package}.md"} for package in API]})
    return sections


def toml(value: Any) -> str:  # noqa: ANN401 - a tree of lists, tables and texts
    """Return a value in TOML, on one line."""
    if isinstance(value, dict):
        return f"{{ {', '.join(f'{toml(key)} = {toml(one)}' for key, one in value.items())} }}"
    if isinstance(value, list):
        return "[" + ", ".join(map(toml, value)) + "]"
    return json.dumps(value, ensure_ascii=False)


if __name__ == "__main__":
    sys.exit(main())
