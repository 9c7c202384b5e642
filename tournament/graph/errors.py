"""The error of this package."""

from __future__ import annotations

from fiedler.support.errors import UsageError


class DesignError(UsageError):
    """No meeting graph satisfies the options. The message names the option that cannot be satisfied."""
