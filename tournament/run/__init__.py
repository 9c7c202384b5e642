"""A run: its store, its manager, what it has come to."""
