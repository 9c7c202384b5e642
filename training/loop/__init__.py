"""A run: a system iterates in a folder."""
