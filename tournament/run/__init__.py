"""A run: its store, its manager, its result."""
