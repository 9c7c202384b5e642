"""The result of an examination."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class StepResult:
    """The outcome of a step."""

    n: int
    """Its number, from 1."""
    name: str
    passed: bool | None
    """None: skipped."""
    expected: str
    got: str
    """What came; of a skipped step the reason."""


@dataclass(frozen=True, slots=True)
class CheckReport:
    """The outcomes of all steps; its fields are those of `--json`."""

    dialect: str
    game: str
    passed: bool
    """Whether no step failed."""
    steps: Sequence[StepResult]


NOT_ASKED = "not asked"
"""What came of a step after a failed foundation."""
WORDS = {True: "ok", False: "FAILED", None: "skipped"}


def report_text(report: CheckReport) -> str:
    """Return the report as readable lines."""
    lines = [line for step in report.steps if step.got != NOT_ASKED for line in _lines(step)]
    return "\n".join([f"{report.dialect}, {report.game}", *lines, _summary(report)])


def _lines(step: StepResult) -> list[str]:
    line = f"{step.n:>3}  {WORDS[step.passed]:<7}  {step.name}: {step.got}"
    return [line] if step.passed is not False else [line, f"{'':14}expected: {step.expected}"]


def _summary(report: CheckReport) -> str:
    failed = [str(step.n) for step in report.steps if step.passed is False]
    not_asked = sum(step.got == NOT_ASKED for step in report.steps)
    if failed:
        rest = f"; the {not_asked} steps after step {failed[-1]} were not asked" if not_asked else ""
        return f"failed: step{'s' if len(failed) > 1 else ''} {', '.join(failed)} of {len(report.steps)}{rest}"
    skipped = sum(step.passed is None for step in report.steps)
    return f"passed: {len(report.steps) - skipped} steps" + (f", {skipped} skipped" if skipped else "")
