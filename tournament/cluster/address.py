"""The value of `--cluster`: a cluster that runs, or nodes of our own on this machine."""

from __future__ import annotations

from dataclasses import dataclass

from fiedler.support.address import Address, parse_address
from fiedler.support.errors import UsageError

AUTO, LOCAL = "auto", "local:"
MOST_LOCAL = 64
"""Most nodes on this machine; a node has its own address there."""
EXPECTED = f"HOST:PORT, auto, or local:N with N from 1 to {MOST_LOCAL}"


@dataclass(frozen=True, slots=True)
class ClusterAddress:
    """A cluster: that of Ray's own settings, one at an address, or one that is made here."""

    head: Address | None = None
    """The address of its head node; None: Ray finds it, by RAY_ADDRESS or on this machine."""
    local: int = 0
    """The number of nodes to start here; 0: it runs already."""

    @classmethod
    def parse(cls, text: str) -> ClusterAddress:
        """Return the cluster of a text.

        Raises:
            UsageError: it is none of the three forms.

        """
        if text == AUTO:
            return cls()
        if text.startswith(LOCAL):
            number = text.removeprefix(LOCAL)
            if not (number.isascii() and number.isdigit() and 1 <= int(number) <= MOST_LOCAL):
                raise UsageError(f"--cluster: expected {EXPECTED}, got {text!r}")
            return cls(local=int(number))
        try:
            return cls(head=parse_address(text))
        except UsageError:
            raise UsageError(f"--cluster: expected {EXPECTED}, got {text!r}") from None

    def __str__(self) -> str:
        if self.local:
            return f"{LOCAL}{self.local}"
        return AUTO if self.head is None else str(self.head)
