"""A run for the report: its origin and its progress at one moment; its games come one by one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from fiedler import games
from fiedler.games import AnyGame
from fiedler.games.openings import Opening
from fiedler.games.others import VARIABLE
from fiedler.support.errors import UsageError
from fiedler.tournament.dispute import Dispute, WithdrawnDispute
from fiedler.tournament.game import GameRecord
from fiedler.tournament.pairing.plan import Decision
from fiedler.tournament.ratings import Results
from fiedler.tournament.ratings.colour_pairs import PlayedGame
from fiedler.tournament.report.untested import untested_nodes
from fiedler.tournament.run.metadata import OVER
from fiedler.tournament.run.node_table import RunNodes, node_table
from fiedler.tournament.run.records import Counts, PlannedStep
from fiedler.tournament.run.replayed import replayed
from fiedler.tournament.run.run_file import FILE
from fiedler.tournament.run.run_state import RunState
from fiedler.tournament.run.status import MissingPlayer, missing
from fiedler.tournament.run.store import Store
from fiedler.tournament.schedule.schedule import LimitSection, Schedule


@dataclass(frozen=True)
class RunOrigin:
    """The name, the game and the schedule of a run: enough to write down one of its games."""

    meta: dict[str, Any]
    schedule: Schedule

    @property
    def name(self) -> str:
        """The name of the tournament."""
        return str(self.meta["name"])

    @cached_property
    def game(self) -> AnyGame:
        """The game.

        Raises:
            UsageError: it is not known here.

        """
        try:
            return games.any_game(str(self.meta["game"]))
        except UsageError as error:
            if not self.schedule.rules:
                raise
            raise UsageError(f"{error}; its rules: {VARIABLE}={self.schedule.rules}") from None


@dataclass(frozen=True)
class Run(RunOrigin):
    """The origin and the progress of a run."""

    folder: Path
    starts: list[dict[str, Any]]
    players: tuple[str, ...]
    identities: dict[str, Any]
    benched: dict[str, str]
    openings: tuple[Opening, ...]
    plan: list[PlannedStep]
    voids: list[tuple[int, str, str, int, str]]
    """Number, first player, second player and void attempts of a game, without annulled and disputed attempts."""
    annulled: list[dict[str, Any]]
    """The annulled games: their records with `at` and `why`."""
    disputes: list[Dispute]
    """The games without a result, whose players did not agree on the rules."""
    withdrawn: list[WithdrawnDispute]
    """The disputes that count no more."""
    missing: list[MissingPlayer]
    counts: Counts
    state: str
    command: str
    """The command that resumes the run; empty if it is unknown."""
    decision: Decision | None
    run_state: RunState
    """What its answer depends on beside the ratings."""
    played: list[tuple[str, str, str, int]]
    """First player, second player, result and number of games."""
    nodes: RunNodes | None
    """The nodes of a run that has played in a cluster."""
    untested: list[str]
    """Lines on why nodes have no test of their results."""
    lag_credits: dict[str, float]
    """Mean lag credit by player, in milliseconds per move."""
    finished: frozenset[int]
    """The numbers of the games that were finished when the run was read."""

    @classmethod
    def read(cls, folder: Path) -> Run:
        """Read a run from its folder.

        Raises:
            UsageError: the folder has no run.

        """
        with Store.open(folder) as store, store.at_one_moment():
            nodes = node_table(store)
            return cls(
                folder=folder,
                meta=store.meta,
                schedule=store.schedule,
                starts=store.starts,
                players=store.players,
                identities=store.identities,
                benched=store.benched,
                openings=store.openings,
                plan=store.plan,
                voids=list(_void(store)),
                annulled=store.annulled,
                disputes=store.disputes,
                withdrawn=store.withdrawn,
                missing=missing(store),
                counts=store.counts,
                state=store.state,
                command=store.command,
                decision=store.decision,
                run_state=RunState.of(store),
                played=store.results,
                nodes=nodes,
                untested=untested_nodes(store, nodes),
                lag_credits=store.lag_credits,
                finished=frozenset(store.finished),
            )

    def games(self) -> Iterator[GameRecord]:
        """Yield the finished games in the order of the schedule, the same ones each time."""
        with Store.open_again(self.folder) as store:
            yield from (game for game in store.each_game() if game.number in self.finished)

    def replayed_games(self) -> Iterator[GameRecord]:
        """Yield the same games, each after a replay by the rules.

        Raises:
            UsageError: one cannot have been played so.

        """
        for game in self.games():
            yield replayed(self.folder / FILE, self.game.id, game)

    def paired_games(self) -> Iterator[PlayedGame]:
        """Yield first player, second player, opening and result of the same games; equal openings are one object."""
        openings: dict[Opening, Opening] = {}
        for game in self.games():
            opening = Opening(game.opening, game.start)
            yield game.first, game.second, openings.setdefault(opening, opening), game.result

    @property
    def over(self) -> str:
        """The reason of the end; empty as long as more games may be played."""
        return str(self.meta.get(OVER, ""))

    @property
    def marks(self) -> dict[str, str]:
        """A word for each player that plays no more, or for which games wait."""
        return {one.name: one.mark for one in self.missing} | dict.fromkeys(self.benched, "benched")

    @cached_property
    def results(self) -> Results:
        """The results, counted by pair; players without a game come last."""
        counts = (((first, second, result), count) for first, second, result, count in self.played)
        found = Results.from_counts(counts)
        idle = tuple(name for name in self.players if name not in set(found.names))
        return Results(found.names + idle, found.rows)


def _void(store: Store) -> Iterator[tuple[int, str, str, int, str]]:
    """Yield the games with void attempts; an annulled or a disputed game is another matter."""
    annulled = Counter(int(game["number"]) for game in store.annulled)
    annulled.update(one.dispute.number for one in store.withdrawn)
    for number, first, second, attempts, why in store.voids:
        if attempts > annulled[number]:
            yield number, first, second, attempts - annulled[number], why


def limit_text(limit: LimitSection) -> str:
    """Return the limit of a move or a game as text."""
    if limit.movetime_ms is not None:
        return f"{limit.movetime_ms} ms per move"
    if limit.nodes is not None:
        return f"{limit.nodes} nodes per move"
    if limit.depth is not None:
        return f"depth {limit.depth}"
    return f"{limit.base_ms} ms per game + {limit.increment_ms or 0} ms per move"


def distinct(lines: Iterable[str]) -> tuple[str, ...]:
    """Return the lines without repetitions, in order."""
    return tuple(dict.fromkeys(lines))
