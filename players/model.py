"""A network of a file that onnxruntime runs: its outputs are the heads."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import numpy as np
import numpy.typing as npt

from fiedler.games import Game
from fiedler.players.examination import UnfitError, examine
from fiedler.players.model_file import (
    PROBES,
    Heads,
    Purpose,
    check_probe_length,
    checked_metadata,
    one_line,
    probe_positions,
    read_model,
    recorded_probe,
)
from fiedler.players.runtime import RUNNING, open_session
from fiedler.support.errors import UsageError, quoted_input

if TYPE_CHECKING:
    from onnxruntime import InferenceSession, RunOptions

Floats = npt.NDArray[np.float32]

INPUT = "planes"
"""The name of the input in the graph: planes (n, planes, rows, columns)."""


@dataclass(frozen=True, slots=True)
class Model:
    """A checked network."""

    session: InferenceSession
    name: str
    """One printable line of at most MAX_NAME characters."""
    about: Mapping[str, str]
    """The file's metadata: fiedler, game, planes, actions, player, name, recipe, commit, seconds, probe."""
    device: str
    heads: Heads
    """The heads that `evaluate` returns."""
    step: int = 0
    """A batch may have any multiple of this number of rows: a row gets the same answer to the last bit. 0: only batches
    of one size do so."""

    def evaluate(self, planes: Floats, options: RunOptions | None = None) -> list[Floats]:
        """Return the answers of the heads for a batch of planes.

        Raises:
            NetworkRunError: The network cannot be run.
        """
        with RUNNING:
            answers: list[Floats] = self.session.run(list(self.heads), {INPUT: planes}, options)
        return answers

    def bind(self, planes: Floats, answers: Sequence[Floats]) -> Evaluate:
        """Return a function that evaluates the present content of `planes` at each call, into the same `answers`.

        On a CPU it does without the look-ups and allocations of `evaluate`: a tenth of the time of a small network.
        Both this and the function raise as `evaluate`.
        """
        return Bound(self, planes, answers) if self.device == "cpu" else partial(self._fill, planes, answers)

    def _fill(self, planes: Floats, answers: Sequence[Floats], options: RunOptions | None = None) -> None:
        for answer, found in zip(answers, self.evaluate(planes, options), strict=True):
            answer[:] = found

    def answers(self, rows: int) -> list[Floats]:
        """Return arrays for the answers to `rows` positions."""
        return [np.empty((rows, width) if width > 1 else rows, np.float32) for width in self.heads.values()]


class Evaluate(Protocol):
    """Evaluates a network over fixed arrays."""

    def __call__(self, options: RunOptions | None = None, /) -> None:
        """Evaluate the planes; `options` are those of onnxruntime for this run."""


class Bound:
    """A network on a CPU over fixed arrays. On a GPU onnxruntime would copy the planes here, and never again."""

    def __init__(self, model: Model, planes: Floats, answers: Sequence[Floats]) -> None:
        self._arrays = planes, answers  # onnxruntime knows their addresses alone
        self._session = model.session
        with RUNNING:
            self._binding = model.session.io_binding()
            self._binding.bind_input(INPUT, "cpu", 0, np.float32, planes.shape, planes.ctypes.data)
            for head, answer in zip(model.heads, answers, strict=True):
                self._binding.bind_output(head, "cpu", 0, np.float32, answer.shape, answer.ctypes.data)

    def __call__(self, options: RunOptions | None = None) -> None:
        """Evaluate the planes."""
        with RUNNING:
            self._session.run_with_iobinding(self._binding, options)


def load(path: Path, purpose: Purpose, device: str = "auto") -> Model:
    """Return the network of a file. `device` is auto, cpu or cuda; auto takes CUDA if onnxruntime has it.

    Raises:
        UsageError: The file is missing, damaged or not for this purpose.
    """
    return load_bytes(read_model(path), purpose, device, name=str(path))


def load_bytes(data: bytes, purpose: Purpose, device: str = "auto", name: str = "") -> Model:
    """Return the network of a file's content; see `load`. `name` is its name in messages."""
    about = checked_metadata(data, purpose, name)
    recorded = recorded_probe(about, name)
    model, answers = examined(data, purpose, device, name)
    found = digest(answers)
    check_probe_length(recorded, len(found), name)
    if not np.allclose(found, recorded, rtol=1e-2, atol=1e-2):
        raise UsageError(f"model {name}: damaged, its network gives other answers than the file records")
    return replace(model, name=one_line(about.get("name", "")) or model.name, about=about)


def examined(data: bytes, purpose: Purpose, device: str = "auto", name: str = "") -> tuple[Model, Sequence[Floats]]:
    """Return the network of a file's content with any metadata, and the answers of all its heads to `probe`.

    Raises:
        UsageError: It cannot be used for this purpose.
    """
    session, device = open_session(data, name, device)
    try:
        _check_heads(session, purpose, name)
        model = Model(session, one_line(name), {}, device, purpose.heads)
        found = examine(model, INPUT, probe(purpose.game))
    except UnicodeDecodeError:  # of a name of an input, a head or a dimension
        raise UsageError(f"model {name}: damaged, a name in its graph is not UTF-8") from None
    except UnfitError as error:
        raise UsageError(f"model {name}: {error}") from None
    return replace(model, step=PROBES if found.same else 0), found.answers


def probe(game: Game) -> Floats:
    """Return the planes of `probe_positions`."""
    return np.stack([position.planes() for position in probe_positions(game)])


def digest(answers: Sequence[Floats]) -> list[float]:
    """Return the numbers that identify the answers of all heads to `probe`.

    First the numbers of all heads of width 1, then the standard deviation of each row of the others.
    """
    known = [answer for answer in answers if isinstance(answer, np.ndarray) and answer.dtype.kind in "fiub"]
    single = [answer for answer in known if answer.ndim == 1]
    with np.errstate(all="ignore"):  # a damaged network may answer anything; the comparison finds it
        spread = [answer.std(axis=tuple(range(1, answer.ndim))) for answer in known if answer.ndim > 1]
        return [float(x) for x in np.concatenate([*single, *spread])]


def record(answers: Sequence[Floats]) -> str:
    """Return the answers of all heads to `probe` as the entry PROBE of the metadata."""
    return " ".join(f"{x:.6g}" for x in digest(answers))


def _check_heads(session: InferenceSession, purpose: Purpose, name: str) -> None:
    found = [head.name for head in session.get_outputs()]
    missing = [head for head in purpose.heads if head not in found]
    if missing:
        shown = quoted_input(", ".join(found))
        raise UsageError(f"model {name}: player {purpose.player} needs the head {missing[0]!r}, its heads are {shown}")
