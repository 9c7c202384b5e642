"""onnxruntime: a session over the content of a file, and its failures as sentences."""

from __future__ import annotations

import re
from types import TracebackType
from typing import TYPE_CHECKING

from fiedler.support.errors import UsageError, WorkError, reason

if TYPE_CHECKING:
    from onnxruntime import InferenceSession

DEVICES = {"cpu": "CPUExecutionProvider", "cuda": "CUDAExecutionProvider"}
SILENT = 4
"""The level of onnxruntime's log: errors are raised, and nothing goes to the terminal."""
MOST = 4000
"""The characters of an error that are looked at."""
CODE = re.compile(r"\[ONNXRuntimeError\] : \d+ : \w+ : ")
"""The beginning of its errors."""
PLACE = re.compile(r"\S+\.(?:cc|cpp|cu|h|hpp):\d+ ")
"""A line of its source; the signature of a C++ function follows."""
QUALIFIERS = re.compile(r"(?: const| noexcept| &&?)*")
"""Those of a C++ method, behind its parentheses."""
CONDITION = re.compile(r"[^'\"]{1,200}? was false\. (?=\S)")
"""Then perhaps a condition in C++, and the reason behind it."""
NODE = re.compile(r"Non-zero status code returned while running (\w+) node\. Name:'([^']*)' Status Message: ")
"""The node that failed."""


class NetworkRunError(WorkError):
    """A run of a network failed; the text is the reason alone."""


class RunGuard:
    """Turns any exception of onnxruntime into a NetworkRunError. It has no state, and takes less than a microsecond."""

    def __enter__(self) -> None:
        """Begin a run."""

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End it."""
        if isinstance(error, Exception):
            raise NetworkRunError(network_reason(error)) from None


RUNNING = RunGuard()
"""Around every run of a network."""


def network_reason(error: Exception) -> str:
    """Return the reason of an exception of onnxruntime, without its codes, C++ files and signatures, in one line."""
    text = CODE.sub("", str(error)[:MOST])
    while (place := PLACE.search(text)) is not None:
        end = _signature_end(text, place.end())
        condition = CONDITION.match(text, end)
        text = text[: place.start()] + text[condition.end() if condition else end :]
    return reason(NODE.sub(r"node \1 '\2': ", text)) or type(error).__name__


def _signature_end(text: str, begin: int) -> int:
    """Return the place behind the signature of a C++ function: its parentheses, and what may follow them."""
    at = _closed(text, begin, "()")
    at = qualifiers.end() if (qualifiers := QUALIFIERS.match(text, at)) else at
    if text.startswith("::", at):  # a function inside that one
        at = _closed(text, at, "()")
        at += text.startswith(">", at)
    if text.startswith(" [with ", at):
        at = _closed(text, at, "[]")
    return at + text.startswith(" ", at)


def _closed(text: str, begin: int, pair: str) -> int:
    """Return the place behind the first pair of brackets, others inside it included; `begin` if none closes."""
    depth = 0
    for at in range(begin, len(text)):
        depth += (text[at] == pair[0]) - (text[at] == pair[1])
        if text[at] == pair[1] and not depth:
            return at + 1
    return begin


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
            why = network_reason(error)
    try:
        session = ort.InferenceSession(data, options, providers=[DEVICES["cpu"]], enable_fallback=0)
    except Exception as error:
        raise UsageError(f"model {name}: onnxruntime cannot load it ({network_reason(error)})") from None
    if device == "cuda":
        raise UsageError(f"device 'cuda': onnxruntime cannot start it ({why})")
    return session, "cpu"


def _wants_cuda(wanted: str, available: list[str]) -> bool:
    """Return whether CUDA is tried."""
    if wanted not in ("auto", *DEVICES):
        raise UsageError(f"device: expected auto, cpu or cuda, got {wanted!r}")
    has_cuda = DEVICES["cuda"] in available
    if wanted == "cuda" and not has_cuda:
        raise UsageError(f"device {wanted!r}: this onnxruntime has none (the extra 'gpu' brings CUDA)")
    return has_cuda and wanted != "cpu"
