"""The libraries that only training needs."""

from __future__ import annotations

import importlib
import shlex
import sys
from collections.abc import Collection
from pathlib import Path

from fiedler.support import stages
from fiedler.support.errors import UsageError
from fiedler.support.text import listed

EXTRAS = {"torch": "train", "onnx": "train", "onnxruntime": "cpu", "wandb": "wandb"}
"""The library, and the extra of this project that installs it."""
PATIENCE_S = 2.0
"""Seconds after which a terminal shows that the libraries are imported: torch takes some."""

MAKEFILE = Path(__file__).resolve().parents[2] / "Makefile"
"""Of a checkout, whose environment `make` installs."""


def need(*libraries: str) -> None:
    """Import the libraries; a terminal shows it if that takes long.

    Raises:
        UsageError: Some cannot be imported; the text names them, and the command that installs them.
    """
    with stages.shown(f"importing {listed(libraries)}", PATIENCE_S):
        missing = {name: why for name in libraries if (why := _missing(name))}
    if missing:
        why = f"train needs {' and '.join(missing)} ({'; '.join(missing.values())})"
        raise UsageError(f"{why}; install: {_command(missing)}")


def _command(missing: Collection[str]) -> str:
    """Return the command that installs libraries: `make train` in a checkout, which leaves wandb out."""
    if MAKEFILE.is_file() and "wandb" not in missing:
        return "make train"
    extras = ",".join(dict.fromkeys(EXTRAS[name] for name in missing))
    return shlex.join([sys.executable, "-m", "pip", "install", f"fiedler[{extras}]"])


def _missing(name: str) -> str:
    """Return the reason why a library cannot be imported; empty if it can."""
    try:
        importlib.import_module(name)
    except (ImportError, OSError) as error:  # OSError: the system cannot load a part of it
        if isinstance(error.__cause__, KeyboardInterrupt):  # Ctrl-C while a native module begins
            raise KeyboardInterrupt from error
        return str(error)
    return ""
