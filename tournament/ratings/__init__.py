"""Ratings of the players of a tournament: the Bayes-Elo model in our own code, and the original program as a check."""

from fiedler.tournament.ratings.analysis import FitAnalysis, analyse, analysis_text, fit_document, los_text
from fiedler.tournament.ratings.answer import Answer, answer
from fiedler.tournament.ratings.bayeselo import compare, find_bayeselo, rate_with_bayeselo
from fiedler.tournament.ratings.colour_pairs import PairedErrors, paired_errors
from fiedler.tournament.ratings.cyclic import Cycle, Cyclic
from fiedler.tournament.ratings.document import document
from fiedler.tournament.ratings.fit import Bin, Calibration, Fit, ModelFit
from fiedler.tournament.ratings.model import PlayerRating, Rating, rate
from fiedler.tournament.ratings.nash import NashPlayer
from fiedler.tournament.ratings.relative import relative_to
from fiedler.tournament.ratings.results import Results
from fiedler.tournament.ratings.section import Section, rate_as, rate_by_original
from fiedler.tournament.ratings.table import table, table_of

__all__ = [
    "Answer",
    "Bin",
    "Calibration",
    "Cycle",
    "Cyclic",
    "Fit",
    "FitAnalysis",
    "ModelFit",
    "NashPlayer",
    "PairedErrors",
    "PlayerRating",
    "Rating",
    "Results",
    "Section",
    "analyse",
    "analysis_text",
    "answer",
    "compare",
    "document",
    "find_bayeselo",
    "fit_document",
    "los_text",
    "paired_errors",
    "rate",
    "rate_as",
    "rate_by_original",
    "rate_with_bayeselo",
    "relative_to",
    "table",
    "table_of",
]
