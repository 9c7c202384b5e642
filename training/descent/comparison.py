"""The folder of a comparison of architectures: its finished networks, so that a comparison that ends early resumes."""

from __future__ import annotations

import hashlib
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path

import msgspec

from fiedler.support import lock
from fiedler.support.errors import UsageError, reason
from fiedler.support.files import write_whole
from fiedler.support.provenance import commit
from fiedler.training.descent.recipe import DescentRecipe
from fiedler.training.recipe.recipe import OBSERVING
from fiedler.training.recipe.rows import Row

COMPARISONS = Path("results/architectures")
"""The folder of all comparisons, in the current directory."""
ABOUT, FINISHED, OWN = "about.json", "candidates.jsonl", "own.onnx"


class ComparisonOrigin(msgspec.Struct, frozen=True):
    """The origin of all lines: `about.json`."""

    seed: int
    commit: str
    """The commit of the checkout that began the comparison."""
    expert: str
    """SHA-256 of the expert's file, in hexadecimal digits."""
    recipe: DescentRecipe


class FinishedCandidate(msgspec.Struct, frozen=True, kw_only=True):
    """A network that has learned and played: a row of the table, and a line of `candidates.jsonl`."""

    describe: int
    depth: int
    width: int
    weights: int
    error: float
    """The mean squared error of the held-out states, for values in -1 to 1."""
    expansions_per_second: int
    expansions: int
    """A move in the match: as many as it makes while the recipe's own network makes those of the table."""
    score: float | None = None
    """Against the recipe's own network, 0 to 1, with its 95 % interval `low` to `high`; None for that one."""
    low: float | None = None
    high: float | None = None

    def row(self) -> Row:
        """Return it as a row of the table."""
        return msgspec.structs.asdict(self)


@dataclass(frozen=True, slots=True)
class ComparisonFolder:
    """`about.json`, `candidates.jsonl` (a line for each finished network) and `own.onnx`, the recipe's own network."""

    recipe: DescentRecipe
    expert: Path

    @property
    def path(self) -> Path:
        """The folder."""
        return COMPARISONS / self.recipe.name

    @property
    def exists(self) -> bool:
        """Whether a comparison was begun here."""
        return (self.path / ABOUT).is_file()

    @property
    def own(self) -> Path:
        """The file of the recipe's own network."""
        return self.path / OWN

    def locked(self) -> AbstractContextManager[None]:
        """Keep other processes from the comparison.

        Raises:
            UsageError: Another process works on it.
        """
        return lock.run_lock(self.path, "train architectures")

    def begin(self) -> list[FinishedCandidate]:
        """Note the recipe and the expert, or check that they are those of the folder; return the finished networks.

        Raises:
            UsageError: The folder has another recipe or expert, or is damaged.
        """
        expert = hashlib.sha256(self.expert.read_bytes()).hexdigest()
        if not self.exists:
            origin = ComparisonOrigin(self.recipe.seed, commit() or "unknown", expert, self.recipe)
            write_whole(self.path / ABOUT, msgspec.json.encode(origin).decode() + "\n")
        try:
            origin = msgspec.json.decode((self.path / ABOUT).read_bytes(), type=ComparisonOrigin)
        except (ValueError, msgspec.MsgspecError) as error:
            path, rest = self.path / ABOUT, "put it back, or remove the folder to begin again"
            raise UsageError(f"{path}: damaged ({reason(error)}); {rest}") from None
        found = [self._finished(number, line) for number, line in enumerate(self._lines(), 1)]
        if changed := origin.recipe.differences(self.recipe, OBSERVING - {"architectures"}):
            raise UsageError(
                f"{self.path}: begun with another recipe (different: {', '.join(changed)}); remove it to begin again"
            )
        if origin.expert != expert:
            raise UsageError(f"{self.path}: begun with another {self.expert}; remove the folder to begin again")
        return found

    def _finished(self, number: int, line: bytes) -> FinishedCandidate:
        """Return the network of a line of the file."""
        try:
            return msgspec.json.decode(line, type=FinishedCandidate)
        except (ValueError, msgspec.MsgspecError) as error:
            path, rest = self.path / FINISHED, "remove this line: its network learns again"
            raise UsageError(f"{path}:{number}: damaged ({reason(error)}); {rest}") from None

    def keep(self, own: bytes) -> None:
        """Keep the recipe's own network, before its line."""
        write_whole(self.own, own)

    def add(self, one: FinishedCandidate) -> None:
        """Keep a finished network.

        Raises:
            WorkError: The file cannot be written.
        """
        lines = [*self._lines(), msgspec.json.encode(one)]
        write_whole(self.path / FINISHED, (line.decode() + "\n" for line in lines))

    def _lines(self) -> list[bytes]:
        path = self.path / FINISHED
        return path.read_bytes().splitlines() if path.is_file() else []
