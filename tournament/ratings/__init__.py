"""Ratings of the players of a tournament: the Bayes-Elo model in our own code, and the original program as a check."""

from tournament.ratings.bayeselo import compare, find_bayeselo, rate_with_bayeselo
from tournament.ratings.model import PlayerRating, Rating, rate
from tournament.ratings.relative import relative_to
from tournament.ratings.results import Results
from tournament.ratings.table import table

__all__ = [
    "PlayerRating",
    "Rating",
    "Results",
    "compare",
    "find_bayeselo",
    "rate",
    "rate_with_bayeselo",
    "relative_to",
    "table",
]
