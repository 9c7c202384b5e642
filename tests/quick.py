"""A plugin of pytest for `make check`, `-p tests.quick`: only tests that need no process, no browser and no torch.

No list of such tests exists, so none goes stale. A test module that itself starts programs, or through the helpers that
it imports, is not collected, nor one that cannot be imported without torch. A test with the mark `slow` or `programs`
is left out. Every other test runs, and a guard refuses it a process and torch. A refused test fails, whatever became
of it, and its report asks for the mark.
"""

from __future__ import annotations

import ast
import functools
import multiprocessing.util
import sys
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import NoReturn

import pytest

ROOT = Path(__file__).parents[1]
HELPERS = {"tests", "tools", "benchmarks"}
"""Folders whose modules are read: what the packages start in a test is known only when they do."""
NEEDS = {"subprocess", "multiprocessing", "pty", "playwright", "torch"}
STARTS = {"Popen", "create_subprocess_exec", "create_subprocess_shell", "fork", "forkpty", "posix_spawn"}
EVENTS = {"subprocess.Popen", "os.system", "os.exec", "os.fork", "os.forkpty", "os.posix_spawn", "pty.spawn"}
"""Audit events of the interpreter."""
MARKS = ("slow", "programs")
"""Tests that are left out."""


class RefusedError(RuntimeError):
    """A test that needs more than this process asked for it."""


# --- modules that start programs themselves -------------------------------------------------------------------------


def starts_programs(path: Path) -> bool:
    """Return whether a test module, or a helper that it imports, names a way to start a program, or torch."""
    seen, todo = {path}, [path]
    while todo:
        starts, helpers = _read(todo.pop())
        if starts:
            return True
        todo += helpers - seen
        seen |= helpers
    return False


@functools.cache
def _read(path: Path) -> tuple[bool, frozenset[Path]]:
    """Return whether a module itself starts programs, and the helpers that it imports."""
    starts, helpers = False, set()
    for node in ast.walk(ast.parse(path.read_bytes())):
        name = node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""
        starts |= name in STARTS
        for module in _imported(node):
            starts |= module.partition(".")[0] in NEEDS
            helpers |= _helper(module)
    return starts, frozenset(helpers - {path})


def _imported(node: ast.AST) -> Iterator[str]:
    """Yield the modules of an import; the names of a `from` may be modules, too."""
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names)
    elif isinstance(node, ast.ImportFrom) and node.module:
        yield node.module
        yield from (f"{node.module}.{alias.name}" for alias in node.names)


def _helper(module: str) -> set[Path]:
    path = ROOT.joinpath(*module.split(".")).with_suffix(".py")
    return {path} if module.partition(".")[0] in HELPERS and path.is_file() else set()


def pytest_ignore_collect(collection_path: Path) -> bool | None:
    """Leave out the modules that start programs."""
    return True if collection_path.match("test_*.py") and starts_programs(collection_path) else None


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out the tests that take long or start programs."""
    left_out = {item for item in items if any(map(item.get_closest_marker, MARKS))}
    config.hook.pytest_deselected(items=left_out)
    items[:] = [item for item in items if item not in left_out]


# --- the guard ------------------------------------------------------------------------------------------------------

refusals: list[str] = []
"""Everything that was refused since the last test."""


def _refuse(what: object) -> NoReturn:
    refusals.append(str(what))
    raise RefusedError(f"the quick tests start no process and import no torch: {what}")


def _watch(event: str, arguments: tuple[object, ...]) -> None:
    if event in EVENTS:
        _refuse(f"{event} {arguments[0] if arguments else ''}")
    elif event == "import" and arguments[0] == "torch":
        _refuse("import torch")


@pytest.hookimpl(tryfirst=True)
def pytest_collection(session: pytest.Session) -> None:
    """Refuse from now on; a process that only shares out the tests has started others, which refuse."""
    if session.config.getoption("dist", "no") != "no":
        return
    sys.addaudithook(_watch)
    multiprocessing.util.spawnv_passfds = lambda path, *_: _refuse(path)


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report() -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """Leave out a module that cannot be imported without torch."""
    refusals.clear()
    report = yield
    call = getattr(report, "call", None)
    if report.failed and call and _is_refusal(call.excinfo.value):
        report.outcome = "skipped"
        report.longrepr = (report.nodeid, 0, "Skipped: it imports torch")
    return report


def _is_refusal(error: BaseException | None) -> bool:
    """Return whether the guard caused an error."""
    return error is not None and (isinstance(error, RefusedError) or _is_refusal(error.__cause__ or error.__context__))


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup() -> None:
    """Forget what was refused before."""
    refusals.clear()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Let a test fail that was refused something, even if it got along without."""
    report = yield
    if refusals:
        text = f"{refusals[0]} was refused: a test that needs it has the mark `programs`"
        report.sections.append(("make check", text))
        if not report.failed:
            report.outcome, report.longrepr = "failed", text
        refusals.clear()
    return report
