"""An examination: the steps of a dialect, one after the other."""

from __future__ import annotations

from collections.abc import Callable

from engine.check import diagnosis
from engine.check.failure import SkippedError, StepError
from engine.check.plans import PLANS
from engine.check.report import NOT_ASKED, CheckReport, StepResult
from engine.check.sessions import Sessions
from engine.check.steps import CheckStep
from engine.check.subject import Subject
from support.errors import printable


def examine(subject: Subject, progress: Callable[[int, int], None]) -> CheckReport:
    """Check an engine. `progress` receives the number of steps that are done, and of all.

    A failed step ends its sessions, and the next step begins with others. After the failure of a foundation the rest is
    skipped: it would fail for the same reason.
    """
    plan = PLANS[subject.dialect_name]
    sessions = Sessions(subject, plan.talk)
    results: list[StepResult] = []
    broken = False
    try:
        for number, step in enumerate(plan.steps, start=1):
            progress(number - 1, len(plan.steps))
            if broken:
                results.append(StepResult(number, step.name, None, step.expected, NOT_ASKED))
                continue
            results.append(_result(sessions, number, step))
            if step.is_foundation and results[-1].passed is False:
                broken = True
    finally:
        sessions.drop()
    passed = all(one.passed is not False for one in results)
    return CheckReport(subject.dialect_name, subject.game.id, passed, results)


def _result(sessions: Sessions, number: int, step: CheckStep) -> StepResult:
    try:
        return StepResult(number, step.name, passed=True, expected=step.expected, got=printable(step.run(sessions)))
    except SkippedError as error:
        sessions.drop()
        return StepResult(number, step.name, None, step.expected, printable(str(error)))
    except StepError as error:
        sessions.drop()
        cure = diagnosis.other_dialect(sessions.subject, error) if number == 1 else ""
        expected = error.expected or step.expected
        return StepResult(number, step.name, passed=False, expected=expected, got=printable(error.got + cure))
