"""Posterior ratings: with a prior that is learned from the same games."""

from tournament.ratings.posterior.assumed import Assumed, PriorKind, PriorPart
from tournament.ratings.posterior.posterior import KINDS, posterior
from tournament.ratings.posterior.table import Posterior, PosteriorPlayer
from tournament.ratings.posterior.text import posterior_document, posterior_heading, posterior_text

__all__ = [
    "KINDS",
    "Assumed",
    "Posterior",
    "PosteriorPlayer",
    "PriorKind",
    "PriorPart",
    "posterior",
    "posterior_document",
    "posterior_heading",
    "posterior_text",
]
