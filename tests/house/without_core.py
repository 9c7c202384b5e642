"""Settings of a build without the native core, which takes minutes: its compiled files are copied instead."""

WITHOUT_CORE = ("--config-settings=wheel.cmake=false", "--config-settings=wheel.py-api=")
"""The files that need no compiler, and so are of any Python."""
