"""Network files: ONNX whose metadata names game, planes and player, and whose outputs are the heads."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from games import Game
from native import Position
from players.onnx_file import read_metadata
from support.errors import UsageError, quoted_input

if TYPE_CHECKING:
    from onnxruntime import InferenceSession

Floats = npt.NDArray[np.float32]
Heads = Mapping[str, int]
"""The width of each output of a network, by name. In the graph they are (n, width), and (n,) where the width is 1."""

FORMAT = "1"
"""The format of the metadata: the entry `fiedler` of a file."""
INPUT = "planes"
"""The name of the input in the graph: planes (n, planes, rows, columns)."""
DEVICES = {"cpu": "CPUExecutionProvider", "cuda": "CUDAExecutionProvider"}
MAX_NAME = 80
"""The longest name of a network, in characters."""
SILENT = 4
"""The level of onnxruntime's log: errors are raised, and nothing goes to the terminal."""
SEAL = "sha256"
"""The entry of the metadata with the checksum of the file in which that entry is BLANK."""
BLANK = "0" * 64
PROBES = 8
"""The number of probe positions."""
PROBE_PLIES = 5
"""The plies between two of them."""


@dataclass(frozen=True, slots=True)
class Purpose:
    """The use of a network; a file for another one is refused."""

    game: Game
    player: str
    """The kind of player."""
    heads: Heads
    """The heads that this player needs; a file may have more."""


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

    def evaluate(self, planes: Floats) -> list[Floats]:
        """Return the answers of the heads for a batch of planes."""
        answers: list[Floats] = self.session.run(list(self.heads), {INPUT: planes})
        return answers

    def bind(self, planes: Floats, answers: Sequence[Floats]) -> Callable[[], None]:
        """Return a function that evaluates the present content of `planes` at each call, into the same `answers`.

        On a CPU it does without the look-ups and allocations of `evaluate`: a tenth of the time of a small network.
        """
        return Bound(self, planes, answers) if self.device == "cpu" else partial(self._fill, planes, answers)

    def _fill(self, planes: Floats, answers: Sequence[Floats]) -> None:
        for answer, found in zip(answers, self.evaluate(planes), strict=True):
            answer[:] = found

    def answers(self, rows: int) -> list[Floats]:
        """Return arrays for the answers to `rows` positions."""
        return [np.empty((rows, width) if width > 1 else rows, np.float32) for width in self.heads.values()]


class Bound:
    """A network on a CPU over fixed arrays. On a GPU onnxruntime would copy the planes here, and never again."""

    def __init__(self, model: Model, planes: Floats, answers: Sequence[Floats]) -> None:
        self._arrays = planes, answers  # onnxruntime knows their addresses alone
        self._session = model.session
        self._binding = model.session.io_binding()
        self._binding.bind_input(INPUT, "cpu", 0, np.float32, planes.shape, planes.ctypes.data)
        for head, answer in zip(model.heads, answers, strict=True):
            self._binding.bind_output(head, "cpu", 0, np.float32, answer.shape, answer.ctypes.data)

    def __call__(self) -> None:
        """Evaluate the planes."""
        self._session.run_with_iobinding(self._binding)


def load(path: Path, purpose: Purpose, device: str = "auto") -> Model:
    """Return the network of a file. `device` is auto, cpu or cuda; auto takes CUDA if onnxruntime has it.

    Raises:
        UsageError: The file is missing, damaged or not for this purpose.
    """
    return load_bytes(read_model(path), purpose, device, name=str(path))


def load_bytes(data: bytes, purpose: Purpose, device: str = "auto", name: str = "") -> Model:
    """Return the network of a file's content; see `load`. `name` is its name in messages."""
    about = checked_metadata(data, purpose, name)
    session, device = open_session(data, name, device)
    _check_heads(session, purpose, name)
    model = Model(session, one_line(about.get("name", "")) or one_line(name), about, device, purpose.heads)
    _check_answers(model, purpose, name)
    return replace(model, step=_step(model, purpose))


def read_model(path: Path) -> bytes:
    """Return the content of a file.

    Raises:
        UsageError: It cannot be read.
    """
    try:
        return path.read_bytes()
    except OSError as error:
        raise UsageError(f"model {path}: {error.strerror or error}") from None


def checked_metadata(data: bytes, purpose: Purpose, name: str) -> dict[str, str]:
    """Return the metadata of a file's content; `name` is its name in messages.

    Raises:
        UsageError: The file is damaged or not for this purpose.
    """
    about = read_entries(data, name)
    if SEAL not in about:  # mostly a file of another program
        _check_metadata(about, purpose, name)
    _check_seal(data, about, name)
    _check_metadata(about, purpose, name)
    return about


def metadata(path: Path) -> dict[str, str]:
    """Return the unchecked metadata of a file, whose network is not loaded.

    Raises:
        UsageError: The file is missing or damaged.
    """
    return read_entries(read_model(path), str(path))


def probe_positions(game: Game) -> list[Position]:
    """Return fixed positions, spread over a game, for which a file records the answers of its network."""
    found: list[Position] = []
    position = game.position()
    while len(found) < PROBES:
        found.append(position.copy())
        for _ in range(PROBE_PLIES):
            moves = position.legal_moves()
            position.play(moves[(5 * position.ply + 3 * len(found)) % len(moves)])
            if position.result is not None:
                position = game.position()
    return found


def probe(game: Game) -> Floats:
    """Return the planes of `probe_positions`."""
    return np.stack([position.planes() for position in probe_positions(game)])


def digest(answers: Sequence[Floats]) -> list[float]:
    """Return the numbers that identify the answers of all heads to `probe`.

    First the numbers of all heads of width 1, then the standard deviation of each row of the others.
    """
    single = [answer for answer in answers if answer.ndim == 1]
    with np.errstate(all="ignore"):  # a damaged network may answer anything; the comparison finds it
        spread = [answer.std(axis=tuple(range(1, answer.ndim))) for answer in answers if answer.ndim > 1]
        return [float(x) for x in np.concatenate([*single, *spread])]


def sealed(data: bytes) -> bytes:
    """Return the content of a file with its checksum, in place of the one BLANK in it."""
    assert data.count(BLANK.encode()) == 1
    return data.replace(BLANK.encode(), hashlib.sha256(data).hexdigest().encode())


def open_session(data: bytes, name: str, device: str) -> tuple[InferenceSession, str]:
    """Return a session of onnxruntime over a file's content, and its device: cpu or cuda.

    auto takes CUDA if onnxruntime has it and can start it, else the processor.

    Raises:
        UsageError: The content is not a network, or CUDA is wanted and does not start.
    """
    try:
        import onnxruntime as ort
    except ImportError:
        raise UsageError("a network needs onnxruntime: install the extra 'cpu' or 'gpu'") from None
    wants_cuda = _wants_cuda(device, ort.get_available_providers())
    ort.set_default_logger_severity(SILENT)
    options = ort.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = SILENT  # and the fallback of its Python classes prints, so it is disabled
    why = "no GPU, or no CUDA and cuDNN libraries"
    if wants_cuda:
        try:
            session = ort.InferenceSession(data, options, providers=[DEVICES["cuda"]], enable_fallback=0)
            if DEVICES["cuda"] in session.get_providers():  # without its libraries it silently takes the processor
                return session, "cuda"
        except Exception as error:  # onnxruntime has a class of its own for each kind of damage
            why = " ".join(str(error).split())[:120]
    try:
        session = ort.InferenceSession(data, options, providers=[DEVICES["cpu"]], enable_fallback=0)
    except Exception as error:
        reason = " ".join(str(error).split())[:120]
        raise UsageError(f"model {name}: not an ONNX network, or damaged ({reason})") from None
    if device == "cuda":
        raise UsageError(f"device 'cuda': onnxruntime cannot start it ({why})")
    return session, "cpu"


def read_entries(data: bytes, name: str) -> dict[str, str]:
    """Return the unchecked metadata of a file's content; `name` is its name in messages.

    Raises:
        UsageError: The file is damaged.
    """
    try:
        return read_metadata(data)
    except UnicodeDecodeError as error:
        raise UsageError(f"model {name}: damaged, its metadata is not UTF-8 ({error.reason})") from None
    except ValueError as error:
        raise UsageError(f"model {name}: not an ONNX network, or damaged ({error})") from None


def one_line(text: str) -> str:
    """Return a name on one line of at most MAX_NAME characters, without control characters."""
    words = "".join(one if one.isprintable() else " " for one in text[: 2 * MAX_NAME]).split()
    return " ".join(words)[:MAX_NAME]


def _wants_cuda(wanted: str, available: list[str]) -> bool:
    """Return whether CUDA is tried."""
    if wanted not in ("auto", *DEVICES):
        raise UsageError(f"device: expected auto, cpu or cuda, got {wanted!r}")
    has_cuda = DEVICES["cuda"] in available
    if wanted == "cuda" and not has_cuda:
        raise UsageError(f"device {wanted!r}: this onnxruntime has none (the extra 'gpu' brings CUDA)")
    return has_cuda and wanted != "cpu"


def _check_metadata(about: Mapping[str, str], purpose: Purpose, name: str) -> None:
    position = purpose.game.position()
    expected = {
        "fiedler": FORMAT,
        "game": purpose.game.id,
        "player": purpose.player,
        "planes": shape_text(position.planes_shape),
        "actions": str(position.num_actions),
    }
    check_entries(about, expected, name)


def check_entries(about: Mapping[str, str], expected: Mapping[str, str], name: str) -> None:
    """Compare the metadata of the model file `name` with the expected entries.

    Raises:
        UsageError: An entry is missing or has another value.
    """
    for key, value in expected.items():
        if key not in about:
            raise UsageError(f"model {name}: not one of this project's: its metadata has no entry {key!r}")
        if about[key] != value:
            what = "format" if key == "fiedler" else key
            raise UsageError(f"model {name}: made for {what} {quoted_input(about[key])}, expected {value!r}")


def _check_heads(session: InferenceSession, purpose: Purpose, name: str) -> None:
    found = [head.name for head in session.get_outputs()]
    missing = [head for head in purpose.heads if head not in found]
    if missing:
        shown = quoted_input(", ".join(found))
        raise UsageError(f"model {name}: player {purpose.player} needs the head {missing[0]!r}, its heads are {shown}")


def _check_seal(data: bytes, about: Mapping[str, str], name: str) -> None:
    """Refuse a file of which any byte has changed."""
    found = about.get(SEAL, "")
    if hashlib.sha256(data.replace(found.encode() or b"-", BLANK.encode(), 1)).hexdigest() != found:
        raise UsageError(f"model {name}: damaged, its checksum does not fit")


def _check_answers(model: Model, purpose: Purpose, name: str) -> None:
    """Run the network once: its answers must have the right shapes and agree with the record in the file."""
    heads = [head.name for head in model.session.get_outputs()]
    try:
        answers = dict(zip(heads, model.session.run(heads, {INPUT: probe(purpose.game)}), strict=True))
        recorded = [float(x) for x in model.about["probe"].split()]
    except Exception as error:  # see open_session
        reason = " ".join(str(error).split())[:120]
        raise UsageError(f"model {name}: damaged, its network cannot be run ({reason})") from None
    for head, width in purpose.heads.items():
        expected = (PROBES,) if width == 1 else (PROBES, width)
        if answers[head].shape != expected:
            shape = answers[head].shape
            raise UsageError(f"model {name}: damaged, head {head!r} has the shape {shape}, expected {expected}")
    found = digest(list(answers.values()))
    if len(recorded) != len(found) or not np.allclose(found, recorded, rtol=1e-2, atol=1e-2):
        raise UsageError(f"model {name}: damaged, its network gives other answers than the file records")


def _step(model: Model, purpose: Purpose) -> int:
    """Return PROBES if batches of that many rows, and of twice and four times as many, give a row the same answer."""
    if model.device != "cpu":
        return 0
    planes = probe(purpose.game)
    once = model.evaluate(planes)
    for times in (2, 4):
        many = model.evaluate(np.concatenate([planes] * times))
        if not all(np.array_equal(np.concatenate([one] * times), two) for one, two in zip(once, many, strict=True)):
            return 0
    return PROBES


def shape_text(shape: tuple[int, int, int]) -> str:
    """Return the shape in the form of the metadata, such as `6x9x9`."""
    return "x".join(map(str, shape))
