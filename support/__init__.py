"""Shared by every command: errors, console, progress bar, addresses, files, provenance."""
