"""The devices of a run: one where its network learns (torch), one where it plays (onnxruntime)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from fiedler.players.runtime import open_session
from fiedler.support.errors import UsageError

if TYPE_CHECKING:  # torch is slow to import, and only some commands need it
    import torch

BFLOAT16 = ("avx512_bf16", "amx_bf16")
"""The instructions of processors that compute in bfloat16; on others torch is ten times slower with it."""


@dataclass(frozen=True, slots=True)
class Devices:
    """Each is `cpu` or `cuda`."""

    learning: str
    playing: str

    def sentence(self) -> str:
        """Return the choice, and the command that gives both libraries CUDA where only one has it."""
        if self.learning == self.playing:
            return f"device: {self.learning}"
        behind = "torch" if self.learning == "cpu" else "onnxruntime"
        return f"device: learning on {self.learning}, playing on {self.playing} ({behind} has no CUDA here: make gpu)"


def devices(wanted: str) -> Devices:
    """Return the devices for a recipe's `device`: auto, cpu or cuda; auto takes CUDA where a library can use it.

    Raises:
        UsageError: CUDA is wanted, and a library cannot use it.
    """
    return Devices(learning_device(wanted), open_session(_identity(), "device", wanted)[1])


def learning_device(wanted: str) -> str:
    """Return the device of torch, for auto, cpu or cuda.

    Raises:
        UsageError: CUDA is wanted, and torch cannot use it.
    """
    if wanted == "cpu":
        return "cpu"
    import torch

    if torch.cuda.is_available():
        return "cuda"
    if wanted == "cuda":
        raise UsageError("device 'cuda': torch has no CUDA here (make gpu installs a torch that has it)")
    return "cpu"


def bfloat16(device: str, *, wanted: bool) -> torch.autocast:
    """Return a context that computes in bfloat16 where that is safe, if it is wanted and the device is fast with it."""
    import torch

    found = torch.cpu.get_capabilities()
    is_fast = device != "cpu" or any(found.get(name, False) for name in BFLOAT16)
    return torch.autocast(device, torch.bfloat16, enabled=wanted and is_fast)


def _identity() -> bytes:
    """Return a network that returns its input, to try a device."""
    from onnx import TensorProto, helper

    ends = [helper.make_tensor_value_info(name, TensorProto.FLOAT, [1]) for name in ("x", "y")]
    graph = helper.make_graph([helper.make_node("Identity", ["x"], ["y"])], "identity", ends[:1], ends[1:])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])
    model.ir_version = 10
    data: bytes = model.SerializeToString()
    return data
