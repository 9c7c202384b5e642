"""Learning systems and their runs (command `train`)."""

from fiedler.support.telemetry import disable_telemetry

disable_telemetry()
