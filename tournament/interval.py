"""How wide the intervals are that everything of the project shows."""

from __future__ import annotations

INTERVAL = 1.96
"""standard deviations to either side of a 95 % interval"""
