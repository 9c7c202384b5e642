"""The devices of a run: one where its network learns (torch), one where it plays (onnxruntime)."""

from __future__ import annotations

from dataclasses import dataclass

from players.model import open_session
from support.errors import UsageError


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


def _identity() -> bytes:
    """Return a network that returns its input, to try a device."""
    from onnx import TensorProto, helper

    ends = [helper.make_tensor_value_info(name, TensorProto.FLOAT, [1]) for name in ("x", "y")]
    graph = helper.make_graph([helper.make_node("Identity", ["x"], ["y"])], "identity", ends[:1], ends[1:])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])
    model.ir_version = 10
    data: bytes = model.SerializeToString()
    return data
