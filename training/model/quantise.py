"""Networks in int8: smaller files, and two to four times as many positions a second on CPUs."""

from __future__ import annotations

import logging
import random
import tempfile
import warnings
from pathlib import Path

import numpy as np
import numpy.typing as npt
import onnx
from onnxruntime.quantization import CalibrationDataReader, CalibrationMethod, QuantFormat, QuantType, quantize_static

from fiedler.games import Game
from fiedler.players.model import INPUT
from fiedler.training.recipe.system import DivergedError

LAYERS = ["Conv", "Gemm"]
"""The kinds of layers whose weights and inputs become int8; the others stay in fp32."""


class _Planes(CalibrationDataReader):  # type: ignore[misc]
    """Gives the planes once, as one batch."""

    def __init__(self, planes: npt.NDArray[np.float32]) -> None:
        self._batches = iter([{INPUT: planes}])

    def get_next(self) -> dict[str, npt.NDArray[np.float32]] | None:
        return next(self._batches, None)


def quantised(model: onnx.ModelProto, planes: npt.NDArray[np.float32]) -> onnx.ModelProto:
    """Return the network in int8; its values have the ranges that they have for these planes.

    Weights have seven bits and a scale for each output, so that processors with and without int8 dot products give the
    same answers.

    Raises:
        DivergedError: The numbers are too large.
    """
    quiet = logging.getLogger()
    level = quiet.level
    quiet.setLevel(logging.ERROR)  # it advises a preparation that these networks do not need
    try:
        with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings(action="ignore"):
            path = Path(folder) / "net.onnx"
            quantize_static(
                model,
                path,
                _Planes(planes),
                quant_format=QuantFormat.QDQ,
                op_types_to_quantize=LAYERS,
                per_channel=True,
                reduce_range=True,
                activation_type=QuantType.QUInt8,
                weight_type=QuantType.QInt8,
                calibrate_method=CalibrationMethod.MinMax,
            )
            return onnx.load(path)
    except (ArithmeticError, AssertionError, ValueError) as error:  # its own checks of ranges and scales
        raise DivergedError("the network's values are too large for int8") from error
    finally:
        quiet.setLevel(level)


def random_planes(game: Game, count: int, seed: int) -> npt.NDArray[np.float32]:
    """Return the planes of the positions of random games, (count, planes, rows, columns)."""
    stream, position = random.Random(seed), game.position()
    planes: list[npt.NDArray[np.float32]] = []
    while len(planes) < count:
        planes.append(position.planes())
        position.play(stream.choice(position.legal_moves()))
        if position.result is not None:
            position = game.position()
    return np.stack(planes)
