"""The metadata of a model file that players need, and the error of a file without an entry."""

from __future__ import annotations

from fiedler.support.errors import UsageError

PROBE = "probe"
"""The entry with the answers of all heads of a network in fixed positions."""
SEAL = "sha256"
"""The entry with the checksum of the file in which it is blank."""
SEALED = ("fiedler", "game", "player", "planes", "actions", PROBE, SEAL)
"""The entries of a network, which `train seal` adds."""
NETWORK = ".onnx"
"""The ending of a model that onnxruntime runs."""


def missing_entry(name: str, key: str) -> UsageError:
    """Return the error of the model file `name` without an entry."""
    advice = "; `train seal` adds it" if key in SEALED and name.endswith(NETWORK) else ""
    return UsageError(f"model {name}: not one of this project's: its metadata has no entry {key!r}{advice}")
