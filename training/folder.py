"""The folder of a run: whole at any moment, so that a killed run can resume.

A listing of runs needs no torch, so it is imported where a checkpoint is written or read.
"""

from __future__ import annotations

import io
import os
import pickle
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from native import Samples
from support.errors import UsageError
from training.recipe import Recipe

RUNS = Path("results/training")
"""Where runs are kept, in the current directory."""


class Entry(msgspec.Struct, frozen=True):
    """One line of log.jsonl: one iteration."""

    iteration: int
    """From 1."""
    seconds: float
    """Since the run began, pauses not counted."""
    games: int
    plies: int
    samples: int
    simulations: int
    evaluations: int
    first_wins: int
    draws: int
    selfplay_seconds: float
    learning_seconds: float
    policy_loss: float
    value_loss: float
    steps: int
    rate: float


@dataclass(frozen=True, slots=True)
class RunFolder:
    """`recipe.json`, `checkpoint.pt`, `samples.bin`, `log.jsonl` and, after every iteration, `net.onnx`."""

    path: Path

    @property
    def exists(self) -> bool:
        """Tell whether a run was begun here."""
        return (self.path / "recipe.json").is_file()

    @property
    def model(self) -> Path:
        """The newest network."""
        return self.path / "net.onnx"

    def begin(self, recipe: Recipe) -> None:
        """Make the folder and note the recipe."""
        self.path.mkdir(parents=True, exist_ok=True)
        self.write("recipe.json", recipe.json().encode())

    def recipe(self) -> Recipe:
        """Return the recipe that the run was begun with; raises UsageError if it is damaged."""
        return Recipe.from_json((self.path / "recipe.json").read_text(encoding="utf-8"))

    def write(self, name: str, data: bytes) -> None:
        """Put a file in its place whole or not at all."""
        partial = self.path / f"{name}.partial"
        with partial.open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        partial.replace(self.path / name)

    def save(self, state: dict[str, Any], samples: Samples, entry: Entry) -> None:
        """Keep all that the next iteration needs; the checkpoint goes last, it counts."""
        import torch

        self.write("samples.bin", samples.dump())
        log = [*self.log(entry.iteration - 1), entry]
        self.write("log.jsonl", b"".join(msgspec.json.encode(one) + b"\n" for one in log))
        checkpoint = io.BytesIO()
        torch.save({"iteration": entry.iteration, "seconds": entry.seconds, **state}, checkpoint)
        self.write("checkpoint.pt", checkpoint.getvalue())

    def restore(self, samples: Samples) -> dict[str, Any] | None:
        """Return the last state and fill the samples; None if no iteration was finished. Raises UsageError."""
        if not (self.path / "checkpoint.pt").is_file():
            return None
        import torch

        try:
            state: dict[str, Any] = torch.load(self.path / "checkpoint.pt", weights_only=True)
            samples.load((self.path / "samples.bin").read_bytes())
        except (OSError, ValueError, RuntimeError, EOFError, pickle.UnpicklingError) as error:
            raise UsageError(f"{self.path}: damaged ({' '.join(str(error).split())[:120]}); remove it") from None
        return state

    def log(self, upto: int | None = None) -> list[Entry]:
        """Return the finished iterations, the first `upto` of them."""
        path = self.path / "log.jsonl"
        lines = path.read_bytes().splitlines() if path.is_file() else []
        entries = [msgspec.json.decode(line, type=Entry) for line in lines]
        return [entry for entry in entries if upto is None or entry.iteration <= upto]


def runs(root: Path = RUNS) -> list[RunFolder]:
    """Return the runs under `root`, by name."""
    folders = (RunFolder(path) for path in sorted(root.glob("*")))
    return [folder for folder in folders if folder.exists]
