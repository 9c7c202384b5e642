"""Numbers that many rooms share: the width of a 95 % interval, and unknown numbers in JSON."""

from __future__ import annotations

import math
from typing import Any

Z95 = 1.959963984540054
"""Half the width of a 95 % interval of the normal distribution, in standard deviations."""
ROUNDED_Z95 = 1.96
"""The same in three digits: intervals in Elo use it, so that designs and predictions do not change."""


def without_nan(value: Any) -> Any:  # noqa: ANN401 (JSON of any shape)
    """Return a document with None for each nan or infinite number, which JSON does not have."""
    if isinstance(value, dict):
        return {key: without_nan(inner) for key, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [without_nan(inner) for inner in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
