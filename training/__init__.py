"""Learning systems and their runs (command `train`)."""

from support.telemetry import disable_telemetry

disable_telemetry()
