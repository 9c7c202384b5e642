"""The fixtures and settings of all tests."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from fiedler.support.telemetry import disable_telemetry
from tests.folders import ROOT
from tests.mosquitto import Mosquitto

# A run in the background of a shell, or under nohup, ignores Ctrl-C and the end of the terminal, and its children
# inherit that; our commands are tested with both signals.
signal.signal(signal.SIGINT, signal.default_int_handler)
for number in (signal.SIGHUP, signal.SIGTERM, signal.SIGCHLD):
    signal.signal(number, signal.SIG_DFL)

# The options of the user's terminal and interpreter do not reach the tests.
OPTIONS = ("COLUMNS", "LINES", "FORCE_COLOR", "NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "TTY_COMPATIBLE")
for name in (*OPTIONS, "TTY_INTERACTIVE", "PYTHONUNBUFFERED", "PYTHONWARNINGS"):
    os.environ.pop(name, None)
# Tests start some thousand programs, each of which would compile its modules again. Who wants no bytecode beside the
# sources, as many containers do, has it in build/.
if os.environ.pop("PYTHONDONTWRITEBYTECODE", ""):
    sys.dont_write_bytecode = False
    sys.pycache_prefix = os.environ.setdefault("PYTHONPYCACHEPREFIX", str(ROOT / "build" / "bytecode"))
os.environ["TERM"] = "xterm"  # a build server's is `dumb`, or missing
# One thread each: the tests run side by side, and threads of one multiplication wait for each other in busy loops.
os.environ.update(OPENBLAS_NUM_THREADS="1", OMP_NUM_THREADS="1")
disable_telemetry()  # in tests that import onnxruntime themselves
if os.environ.get("FIEDLER_LEVEL") != "sanitized":  # `make sanitize`
    os.environ.pop("FIEDLER_LEVEL", None)

# The same examples in every run, and none of them judged by its time: a test fails for what was changed, not by chance,
# and not beside other work.
settings.register_profile("same", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("same")


@pytest.fixture
def broker(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Mosquitto]:
    """A broker without persistence if the parameter says so."""
    one = Mosquitto(tmp_path / "broker", **getattr(request, "param", {}))
    yield one
    one.close()
