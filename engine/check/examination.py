"""An examination: the steps of a dialect, one after the other."""

from __future__ import annotations

import time
from collections.abc import Callable

from fiedler.engine.check import diagnosis
from fiedler.engine.check.failure import SkippedError, StepError
from fiedler.engine.check.plans import plan_of
from fiedler.engine.check.report import NOT_ASKED, PASSED, CheckReport, Grade, StepResult, worst
from fiedler.engine.check.sessions import Sessions
from fiedler.engine.check.steps import CheckStep
from fiedler.engine.check.subject import Subject
from fiedler.support.errors import printable


def _silent(_text: str) -> None:
    """Show nothing."""


def examine(
    subject: Subject, progress: Callable[[int, int], None], awaited: Callable[[str], None] = _silent
) -> CheckReport:
    """Check an engine. `progress` receives the number of steps that are done, and of all; `awaited` what is awaited.

    A failed step ends its sessions, and the next step begins with others. After the failure of a foundation the rest is
    skipped: it would fail for the same reason.
    """
    plan = plan_of(subject.game, subject.dialect_name)
    sessions = Sessions(subject, plan.talk)
    results: list[StepResult] = []
    broken = False
    try:
        for number, step in enumerate(plan.steps, start=1):
            progress(number - 1, len(plan.steps))
            if broken:
                results.append(_not_asked(number, step))
                continue
            awaited(f"step {number}, {step.name}: waiting for {step.expected}")
            results.append(_result(sessions, number, step))
            if step.is_foundation and results[-1].passed is False:
                broken = True
    finally:
        sessions.drop()
    grade = worst([one.grade for one in results])
    return CheckReport(subject.dialect_name, subject.game.id, grade, grade != "failed", results)


def _not_asked(number: int, step: CheckStep) -> StepResult:
    return StepResult(number, step.name, "skipped", None, step.expected, NOT_ASKED, 0.0)


def _result(sessions: Sessions, number: int, step: CheckStep) -> StepResult:
    started = time.monotonic()
    grade, expected, got = _outcome(sessions, number, step)
    seconds = round(time.monotonic() - started, 3)
    return StepResult(number, step.name, grade, PASSED[grade], expected, printable(got), seconds)


def _outcome(sessions: Sessions, number: int, step: CheckStep) -> tuple[Grade, str, str]:
    """Return the grade of a step, the expectation, and what came."""
    try:
        return "passed", step.expected, step.run(sessions)
    except SkippedError as error:
        sessions.drop()
        return "skipped", step.expected, str(error)
    except StepError as error:
        sessions.drop()
        cure = diagnosis.other_dialect(sessions.subject, error) if number == 1 else ""
        return "failed" if step.loses_games else "remark", error.expected or step.expected, error.got + cure
