"""A person plays, in the terminal or in a browser, against a player of this process or an engine elsewhere."""
