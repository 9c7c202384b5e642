"""Learning systems and their runs (command `train`)."""
