"""The result of an examination."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from fiedler.support.text import counted

Grade = Literal["passed", "remark", "failed", "skipped"]
"""A remark is a wrong answer by which no game of a tournament is lost; the manager never asks for it."""
PASSED: dict[Grade, bool | None] = {"passed": True, "remark": True, "failed": False, "skipped": None}
"""Whether a step of this grade passed."""
LONG_SECONDS = 5.0
"""A step that took longer reports its time."""


@dataclass(frozen=True, slots=True)
class StepResult:
    """The outcome of a step."""

    n: int
    """Its number, from 1."""
    name: str
    grade: Grade
    passed: bool | None
    """Whether no game can be lost by it; None: skipped."""
    expected: str
    got: str
    """What came; of a skipped step the reason."""
    seconds: float
    """The time that the step took."""


@dataclass(frozen=True, slots=True)
class CheckReport:
    """The outcomes of all steps; its fields are those of `--json`."""

    dialect: str
    game: str
    grade: Grade
    """The worst of the steps, skipped ones left out."""
    passed: bool
    """Whether no step failed."""
    steps: Sequence[StepResult]


NOT_ASKED = "not asked"
"""What came of a step after a failed foundation."""
WORDS: dict[Grade, str] = {"passed": "ok", "remark": "remark", "failed": "FAILED", "skipped": "skipped"}


def worst(grades: Sequence[Grade]) -> Grade:
    """Return the grade of a whole examination."""
    order: tuple[Grade, ...] = ("failed", "remark")
    return next((grade for grade in order if grade in grades), "passed")


def report_text(report: CheckReport) -> str:
    """Return the report as readable lines."""
    lines = [line for step in report.steps if step.got != NOT_ASKED for line in _lines(step)]
    return "\n".join([f"{report.dialect}, {report.game}", *lines, _summary(report)])


def _lines(step: StepResult) -> list[str]:
    lines = [f"{step.n:>3}  {WORDS[step.grade]:<7}  {step.name}: {step.got}"]
    if step.grade in ("remark", "failed"):
        lines.append(f"{'':14}expected: {step.expected}")
        if step.seconds > LONG_SECONDS:
            lines.append(f"{'':14}waited:   {step.seconds:.0f} s in all")
    return lines


def _summary(report: CheckReport) -> str:
    failed = [str(step.n) for step in report.steps if step.grade == "failed"]
    not_asked = sum(step.got == NOT_ASKED for step in report.steps)
    if failed:
        were = "was" if not_asked == 1 else "were"
        rest = f"; the {counted(not_asked, 'step')} after step {failed[-1]} {were} not asked" if not_asked else ""
        return f"failed: step{'s' if len(failed) > 1 else ''} {', '.join(failed)} of {len(report.steps)}{rest}"
    grades = [step.grade for step in report.steps]
    counts = [counted(grades.count("passed"), "step")]
    if remarks := grades.count("remark"):
        counts.append(f"{counted(remarks, 'remark')}, by which no game is lost")
    if skipped := grades.count("skipped"):
        counts.append(f"{skipped} skipped")
    return f"passed: {', '.join(counts)}"
