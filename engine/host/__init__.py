"""A session: the dialect of a client in front of a player with its game; no socket."""
