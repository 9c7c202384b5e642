"""A policy-value network that learns the moves of recorded games, and of games of our own engines."""
