"""Posterior ratings: with a prior that is learned from the same games."""

from fiedler.tournament.ratings.posterior.assumed import Assumed, PriorKind, PriorPart
from fiedler.tournament.ratings.posterior.posterior import KINDS, posterior
from fiedler.tournament.ratings.posterior.table import Posterior, PosteriorPlayer
from fiedler.tournament.ratings.posterior.text import posterior_document, posterior_heading, posterior_text

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
