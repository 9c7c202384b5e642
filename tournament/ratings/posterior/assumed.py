"""What a posterior assumes: the prior with its estimated parameters, and the parameters of the games."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from fiedler.tournament.ratings.posterior.kernel import Warp

PriorKind = Literal["population", "curve"]


@dataclass(frozen=True, slots=True)
class PriorPart:
    """A normal distribution of a population; scaled Elo, relative to the mean of the population."""

    share: float
    mean: float
    sd: float


@dataclass(frozen=True, slots=True)
class Assumed:
    """The prior of a posterior. Deviations are scaled Elo; advantage and draw_elo are raw, as in `Rating`."""

    kind: PriorKind
    model: str
    """Of the draws: `bayeselo` or `davidson`."""
    advantage: float
    draw_elo: float
    fitted: tuple[str, ...]
    """Which of these two have the values of the Bayes-Elo fit."""
    expected: int
    """Players whose expected strength is part of the prior."""
    style_sd: float = 0.0
    """Deviation of the effects of pairs, in scaled Elo; 0 without any."""
    style_evidence: float = 0.0
    """Nats for this deviation, if it was estimated, against none."""
    parts: tuple[PriorPart, ...] = ()
    """population: the normal distributions of the likeliest mixture, by rising mean."""
    weights: tuple[float, ...] = ()
    """population: the weights of one, two and three distributions."""
    noise: float | None = None
    """curve: deviation of a player from its curve."""
    wiener: float | None = None
    """curve: deviation of the Wiener process (jumps) at the end of a series."""
    smooth: float | None = None
    """curve: deviation of the slope's Wiener process at the end of a series; a series has the length 1."""
    free_sd: float | None = None
    """curve: deviation of the players outside all series; None without any."""
    places: Mapping[str, Warp] = field(default_factory=dict)
    """curve: by stem, whether its numbers count as they are or by their logarithms."""

    @property
    def words(self) -> str:
        """The assumption as the end of a sentence that begins with "assumes that"."""
        if not self.style_sd:
            return self._prior_words
        shown = f", evidence {self.style_evidence:+.1f} nats" if self.style_evidence else ""
        return f"{self._prior_words}, and each pair has an effect of its own (sd {self.style_sd:.0f} Elo{shown})"

    @property
    def _prior_words(self) -> str:
        if self.kind == "curve":
            return _curve_words(self)
        if len(self.parts) == 1:
            return f"all players come from one normal distribution (sd {self.parts[0].sd:.0f} Elo)"
        groups = ", ".join(f"{one.share:.0%} around {one.mean:+.0f} (sd {one.sd:.0f})" for one in self.parts)
        return f"all players come from one population of {len(self.parts)} groups: {groups}"


def _curve_words(assumed: Assumed) -> str:
    names = ", ".join(f"{stem!r} ({warp})" for stem, warp in assumed.places.items())
    free = "" if assumed.free_sd is None else f"; sd of all other players {assumed.free_sd:.0f}"
    return (
        f"the strength along {names} is a curve with noise (noise {assumed.noise:.0f} Elo, "
        f"jumps {assumed.wiener:.0f}, bend {assumed.smooth:.0f}{free})"
    )
