"""The settings of a server of pages."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from fiedler.support.tokens import Tokens
from fiedler.tournament.commands.serve_options import PER_ADDRESS
from fiedler.web.play.offers import Offers


@dataclass(frozen=True)
class SiteSettings:
    """What a server shows, and to whom."""

    results: Path
    """The folder of the runs."""
    base: str = ""
    """The path in front of every address, as `/fiedler`; empty for none."""
    tokens: Tokens | None = None
    """Each of them admits a visitor; None: everybody on this machine is admitted, and nobody else."""
    public: bool = False
    """Whether everybody may read the results, from anywhere, and nothing else."""
    viewers: int = 2000
    """Most open streams."""
    play_per_address: int = PER_ADDRESS
    """Most games of people from one address of another machine."""
    metrics: str | None = None
    """The address of the numbers for Prometheus."""
    awaited_s: float = 0.0
    """Seconds for which the page of a run waits until the run begins."""
    offers: Offers = field(default_factory=Offers)
    """The players that people may play against."""
