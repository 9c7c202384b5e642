"""The examination of a network that is loaded: its input and outputs, and runs of it as in play, within a time."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from fiedler.players.runtime import RUNNING, NetworkRunError
from fiedler.support.errors import quoted_input

if TYPE_CHECKING:
    from fiedler.players.model import Floats, Model

ROWS = (1, 8, 16, 32)
"""The sizes of the batches: play has those, and multiples."""
LEAST_S, ROW_S = 3.0, 0.5
"""The longest run: this time, or this for each row, in seconds of one core."""
LOOK_S = 0.05
"""The time between two looks at a run, in seconds."""
FLOAT = "tensor(float)"


class UnfitError(ValueError):
    """The text is a statement about the network, in one line, without its name."""


@dataclass(frozen=True, slots=True)
class Examined:
    """The findings."""

    answers: Sequence[Floats]
    """The answers of all heads of the graph to the planes of the examination."""
    same: bool
    """Whether a row of the larger batches has the same answer in each, to the last bit."""


def examine(model: Model, source: str, planes: Floats) -> Examined:
    """Examine a network. `source` is the name of its input, `planes` (8, planes, rows, columns) are known ones.

    Raises:
        UnfitError: It cannot be used in play.
    """
    _check_input(model.session.get_inputs(), source, planes.shape[1:])
    _check_outputs(model)
    answers = _answers(model, source, planes)
    batches = [_bound(model, _rows_of(planes, rows)) for rows in ROWS]
    larger = [found for rows, found in zip(ROWS, batches, strict=True) if rows >= len(planes)]
    return Examined(answers, model.device == "cpu" and all(_repeats(larger[0], found) for found in larger[1:]))


def _check_input(inputs: Sequence[Any], source: str, shape: tuple[int, ...]) -> None:
    """Refuse a graph whose one input is not a batch of planes of any size."""
    names = [one.name for one in inputs]
    if names != [source]:
        raise UnfitError(f"expected one input {source!r}, got {quoted_input(', '.join(names) or 'none')}")
    (found,) = inputs
    if found.type != FLOAT:
        raise UnfitError(f"expected {source} in float32, got {found.type}; export it in float32")
    _check_rows(found)
    known = [size if isinstance(size, int) else None for size in found.shape[1:]]
    if found.shape and (len(known) != len(shape) or any(a not in (None, b) for a, b in zip(known, shape, strict=True))):
        wanted, got = (", ".join(["n", *map(str, sizes)]) for sizes in (shape, found.shape[1:]))
        raise UnfitError(f"expected {source} of the shape ({wanted}), got {quoted_input(f'({got})')}")


def _check_outputs(model: Model) -> None:
    """Refuse heads of other numbers than those that play reads, or of a batch of one size."""
    for head in model.session.get_outputs():
        if head.name in model.heads and head.type != FLOAT:
            raise UnfitError(f"expected head {head.name!r} in float32, got {head.type}; export it in float32")
        if head.name in model.heads:
            _check_rows(head)


def _check_rows(end: Any) -> None:  # noqa: ANN401 - onnxruntime has no types
    """Refuse an input or an output whose declared batch has one size."""
    if end.shape and isinstance(end.shape[0], int):
        raise UnfitError(f"the first dimension of {end.name} is fixed to {end.shape[0]}; export it with dynamic axes")


def _answers(model: Model, source: str, planes: Floats) -> list[Floats]:
    """Return the answers of all heads; those that play needs must have the right shapes and finite numbers."""
    names = [head.name for head in model.session.get_outputs()]
    with _run(len(planes)) as options, RUNNING:
        found: list[Floats] = model.session.run(names, {source: planes}, options)
    by_name = dict(zip(names, found, strict=True))
    for head, width in model.heads.items():
        expected = (len(planes),) if width == 1 else (len(planes), width)
        if by_name[head].shape != expected:
            raise UnfitError(f"head {head!r} has the shape {by_name[head].shape}, expected {expected}")
    _check_finite(model, [by_name[head] for head in model.heads])
    return found


def _rows_of(planes: Floats, rows: int) -> Floats:
    """Return a batch of `rows` rows, the planes again and again."""
    return np.concatenate([planes] * -(-rows // len(planes)))[:rows]


def _bound(model: Model, planes: Floats) -> list[Floats]:
    """Return the answers of a batch, in arrays like those of play."""
    answers = model.answers(len(planes))
    for answer in answers:
        answer.fill(np.nan)  # a number that is not written is not finite
    with _run(len(planes), advice="; export it with dynamic axes") as options:
        model.bind(planes, answers)(options)
    _check_finite(model, answers)
    return answers


def _check_finite(model: Model, answers: Sequence[Floats]) -> None:
    for head, answer in zip(model.heads, answers, strict=True):
        if not np.isfinite(answer).all():
            raise UnfitError(f"the answers of head {head!r} are not finite")


def _repeats(once: Sequence[Floats], many: Sequence[Floats]) -> bool:
    """Return whether a larger batch has the same answers again and again."""
    return all(
        np.array_equal(np.concatenate([one] * (len(two) // len(one))), two) for one, two in zip(once, many, strict=True)
    )


def _own_clock() -> int:
    """Return the clock of the processor time of this thread; of time itself where a system lacks it (macOS)."""
    own = getattr(time, "pthread_getcpuclockid", None)
    return time.CLOCK_MONOTONIC if own is None else int(own(threading.get_ident()))


@contextmanager
def _run(rows: int, advice: str = "") -> Iterator[Any]:
    """Give the options of a run of this thread, which ends after its time: a graph may have a loop without an end.

    Its failure is an UnfitError, with the `advice` at its end.
    """
    import onnxruntime as ort

    options, ended = ort.RunOptions(), threading.Event()
    clock, most = _own_clock(), max(LEAST_S, ROW_S * rows)
    last = time.clock_gettime(clock) + most

    def watch() -> None:
        while not ended.wait(LOOK_S):
            if time.clock_gettime(clock) > last:
                options.terminate = True

    thread = threading.Thread(target=watch, name="examination", daemon=True)
    thread.start()
    try:
        yield options
    except NetworkRunError as error:
        if options.terminate:
            raise UnfitError(f"it gave no answer to {rows} positions within {most:g} s of one core") from None
        raise UnfitError(f"it cannot be run on a batch of {rows} ({error}){advice}") from None
    finally:
        ended.set()
        thread.join()
