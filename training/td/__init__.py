"""TD(0) for small games: a table of values for each side, or a value network."""
