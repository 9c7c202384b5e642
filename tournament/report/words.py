"""The words of a report in a sentence each; docs/glossary.md has them and more."""

from __future__ import annotations

WORDS = {
    "± Elo": "half of the 95 % interval: the true value lies within it in 19 of 20 cases",
    "LOS": "likelihood of superiority: the probability, given the games, that one player is stronger than another",
    "P(best)": "the probability, given the games, that a player is stronger than all others",
    "p": "the probability of results at least as uneven if chance alone is at work; small: not chance",
    "z": "a value in units of its standard error; beyond ± 1.96 in 5 % of cases if chance alone is at work",
    "RMS error": "root mean square of the errors of all ratings; a 95 % interval is about twice as wide to each side",
    "H0, H1": "the two hypotheses of a sequential test; it accepts one by rejecting the other",
    "llr": "log-likelihood ratio: how much likelier the results are under H1 than under H0, as a natural logarithm",
    "meeting": "two games of two players with the same opening, each with both colours",
    "opponents": "the mean Elo of the opponents, weighted by games",
    "ply": "a move of one side",
    "void": "an attempt at a game that ended without a fault of the players; the game is played again",
    "given up": "a planned game that is not played: a player was benched, or the run was decided",
    "benched": "a player that failed too often in a row and gets no more games",
    "lag credit": "time of a move that counts as the connection's and not as the player's",
    "λ2": "algebraic connectivity, the Fiedler value of the meeting graph: the larger, the better all are compared",
    "prior": "virtual draws of each player, which keep the ratings of few games finite",
}
"""Word → meaning."""


def title_of(heading: str) -> str:
    """Return the meaning of a column's heading; empty if it has none here."""
    return next((meaning for word, meaning in WORDS.items() if heading.partition(",")[0] == word), "")
