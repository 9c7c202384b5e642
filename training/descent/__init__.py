"""Descent: best-first search teaches a value network with the states of its trees."""
