"""The snapshot of a run, and what replaces its parts, as JSON."""

from __future__ import annotations

from typing import TypedDict

from fiedler.tournament.run.node_table import NodesDocument
from fiedler.tournament.run.status import TimeLeft
from fiedler.web.run_model import ModelDocument
from fiedler.web.running import RunningGame
from fiedler.web.standings import Standings

PairPlan = tuple[int, int, int]
"""The places of two players, and their games of the plan."""


class StoredState(TimeLeft):
    """How far a run is, by its store."""

    game: str
    """The id of the game that is played."""
    over: str
    """Why no more games are planned; empty as long as more may be."""
    scheduled: int
    """Games planned so far, without those given up."""
    finished: int
    void: int
    """Attempts without a fault of the players, which do not count."""
    void_text: str
    """The same in words; empty without one."""
    given_up: int
    """Games that are not played any more: a player was benched, or the run decided."""
    benched: dict[str, str]
    """Player -> why it gets no more games."""
    absent: dict[str, str]
    """Missing player -> the reason."""
    away: dict[str, str]
    """Player that dials in and has no connection -> since when; ISO 8601."""
    command: str
    """The command that resumes the run; empty if it is unknown."""


class ShownState(StoredState):
    """How far a run is."""

    state: str
    """`running`, `finished` or `interrupted`."""
    expected: int
    """Games that the run is going to have."""
    text: str
    """The finished and the planned games in words."""
    per_minute: float | None
    """Finished games a minute; null while no manager is at work, and at its start."""


class RunSnapshot(ModelDocument):
    """A run at one moment. Players are numbered by their places, from 0."""

    id: str
    """`BIRTH-SEQ`: the birth changes when a run starts anew."""
    name: str
    progress: ShownState
    plan: list[PairPlan]
    standings: Standings | None
    """Null until there is the first one."""
    nodes: NodesDocument | None
    """Null for a run that never played in a cluster."""
    tables: list[RunningGame]
    """The running games that a page shows."""


class RunTrouble(TypedDict):
    """Why there is no snapshot."""

    name: str
    trouble: str
