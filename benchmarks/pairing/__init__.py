"""Rules that choose pairs, side by side on the same players of known strength."""
