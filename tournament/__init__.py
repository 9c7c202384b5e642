"""Pairings, games, store, ratings, report."""
