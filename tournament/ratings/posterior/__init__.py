"""Posterior ratings: with a prior that is learned from the same games."""
