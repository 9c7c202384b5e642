"""Posteriors of thousands of players: the same models without any matrix that is dense in them."""
