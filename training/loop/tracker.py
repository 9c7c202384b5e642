"""The numbers of a run at Weights & Biases, if its recipe has the table `[wandb]`. The library is the extra `wandb`."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from uuid import uuid4

import msgspec

from fiedler.support.errors import WorkError
from fiedler.training.loop.events import scalars
from fiedler.training.recipe.entry import Entry
from fiedler.training.recipe.needs import need
from fiedler.training.recipe.recipe import Recipe, TrackerTable

ID = "wandb-id"
"""The file with the id of the run there: a run that resumes goes into the same one."""


class Tracker:
    """The run at Weights & Biases, with the numbers that TensorBoard has. Without a table it does nothing."""

    def __init__(self, recipe: Recipe, folder: Path) -> None:
        """Find the library.

        Raises:
            UsageError: It is not installed.
        """
        self._recipe = recipe
        self._folder = folder
        self._run: Any = None
        self._last = 0
        """The last iteration that is there."""
        if recipe.wandb is not None:
            need("wandb")

    def update(self, log: Sequence[Entry]) -> None:
        """Add the iterations that are missing there.

        Raises:
            WorkError: The library refuses the run, for example without a login.
        """
        if (table := self._recipe.wandb) is None or not log:
            return
        if self._run is None:
            self._run = self._opened(table, is_new=log[-1].iteration == 1)
            self._last = max(self._run.starting_step - 1, 0)
        for entry in log:
            if entry.iteration > self._last:
                self._run.log(dict(scalars(entry)), step=entry.iteration)
                self._last = entry.iteration

    def close(self) -> None:
        """Send the rest and end."""
        if self._run is not None:
            self._run.finish()

    def _opened(self, table: TrackerTable, *, is_new: bool) -> Any:  # noqa: ANN401 - the library is optional
        # Fiedler reports to nobody: no errors to the maker of the library, no code, no data of the machine.
        os.environ.setdefault("WANDB_ERROR_REPORTING", "false")
        import wandb

        quiet = {"console": "off", "silent": True, "disable_git": True, "save_code": False}
        settings = wandb.Settings(**quiet, x_disable_meta=True, x_disable_stats=True)
        try:
            return wandb.init(
                project=table.project,
                entity=table.entity,
                mode=table.mode,
                name=self._recipe.name,
                id=self._id(is_new=is_new),
                resume="allow" if table.mode == "online" else None,
                dir=str(self._folder),
                config=msgspec.json.decode(self._recipe.json()),
                settings=settings,
            )
        except (wandb.errors.Error, OSError) as error:
            raise WorkError(f"[wandb]: the run cannot be opened ({' '.join(str(error).split())})") from error

    def _id(self, *, is_new: bool) -> str:
        file = self._folder / ID
        if is_new or not file.is_file():
            file.write_text(uuid4().hex, encoding="utf-8")
        return file.read_text("utf-8").strip()
