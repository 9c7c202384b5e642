"""Who meets whom, the games, the store, the ratings, the report."""
