"""The rules by name."""

from __future__ import annotations

from benchmarks.pairing.rules.against_base import AgainstBase
from benchmarks.pairing.rules.even import RandomMeetings, RoundRobinMeetings
from benchmarks.pairing.rules.gain import InformationGain
from benchmarks.pairing.rules.near import NearestRating, SwissRounds
from benchmarks.pairing.rules.own import Adaptive, GoalBest, PosteriorAdaptive
from benchmarks.pairing.rules.rule import PairingRule, RuleCase
from benchmarks.pairing.rules.top_two import TopTwo

__all__ = ["RULES", "PairingRule", "RuleCase"]

RULES: dict[str, type[PairingRule]] = {
    "goal": GoalBest,
    "posterior": PosteriorAdaptive,
    "adaptive": Adaptive,
    "top-two": TopTwo,
    "asap": InformationGain,
    "nearest": NearestRating,
    "swiss": SwissRounds,
    "round-robin": RoundRobinMeetings,
    "random": RandomMeetings,
    "run-games": AgainstBase,
}
"""The rules in the order of the table, ours first."""
