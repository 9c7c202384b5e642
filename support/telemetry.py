"""Nothing here reports to anybody, and neither do the libraries in use."""

from __future__ import annotations

import os

OFF = "ORT_DISABLE_TELEMETRY"
"""The environment variable that onnxruntime reads once, when it is imported."""


def disable_telemetry() -> None:
    """Keep onnxruntime from reporting its use to its makers, as its packages do from 1.29 on.

    It also keeps it from an identifier and a database in `~/.cache`, and from a warning where there is no such folder.
    A value that the user has set remains.
    """
    os.environ.setdefault(OFF, "1")
