"""Methods with fixed pairs: the meeting graph, the round robin, the gauntlet."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from contextlib import suppress
from math import isfinite
from typing import TYPE_CHECKING, cast

from msgspec.structs import replace

from fiedler.support.errors import UsageError
from fiedler.support.text import counted
from fiedler.tournament.pairing.order import in_order
from fiedler.tournament.pairing.plan import History, in_rounds
from fiedler.tournament.pairing.planner import Over, Planner, Step
from fiedler.tournament.pairing.standings import Strengths
from fiedler.tournament.schedule.pairs import Pair, gauntlet, number_of_pairs, shares_games
from fiedler.tournament.schedule.schedule import Schedule

if TYPE_CHECKING:
    from fiedler.tournament.graph import Criterion, DegreeCap, Design
    from fiedler.tournament.graph.problem import Beliefs as Known


ALL_PLAYED = "all games are played"
"""The reason of the end."""
MOST_PREDICTED = 1000
"""Most players for whom λ2 and the error are predicted: the time grows with their cube, a second at 1,000."""


class FixedPlanner(Planner):
    """Plays each edge of a fixed graph the planned number of times.

    With a stopping rule a step has at most as many meetings as there are pairs, else all meetings.
    """

    overlaps = True

    def following(self, history: History) -> Step | Over:
        """Return the missing meetings.

        A shard plans no more games in place of those that a benched player leaves: the plan of all shards is the same.
        """
        if self.schedule.shard is not None and history.benched:
            return self.end(_played(history), history)
        present = self.present(history)
        targets = self._targets(history)
        missing = {pair: target - history.meetings[frozenset(pair)] for pair, target in targets.items()}
        meetings = self._in_order({pair: number for pair, number in missing.items() if number > 0}, present, history)
        if self.schedule.pairing.stop:
            meetings = meetings[: len(targets)]
        return Step(meetings, "", targets) if meetings else self.end(_played(history), history)

    def _targets(self, history: History) -> Mapping[Pair, int]:
        """Return the total number of meetings of each pair; the pairs chosen earlier are kept.

        If no graph connects the players without the benched ones, only these pairs remain.
        """
        kept = [pair for pair in history.pairs.values() if history.benched.isdisjoint(pair)]
        shared = shares_games(self.schedule.pairing)
        try:
            if shared:
                return self._shared(kept, history)
            schedule = without(self.schedule, history.benched, kept) if history.benched else self.schedule
            return dict.fromkeys(choose_pairs(schedule, kept), self.per_meeting)
        except UsageError:
            if not history.benched:
                raise
            return {pair: history.targets[frozenset(pair)] if shared else self.per_meeting for pair in kept}

    def _shared(self, kept: Sequence[Pair], history: History) -> Mapping[Pair, int]:
        """Return the targets after the distribution of all remaining games over the pairs."""
        targets = {pair: history.targets[frozenset(pair)] for pair in kept}
        lost = sum(not history.benched.isdisjoint((game.first, game.second)) for game in history.finished)
        games = (self.schedule.pairing.games or 0) - lost - 2 * sum(targets.values())
        if games < self.schedule.tournament.games_per_pair:
            return targets
        before = [(a, b, 2 * number) for (a, b), number in targets.items()]
        schedule = without(self.schedule, history.benched, kept) if history.benched else self.schedule
        pairing = replace(schedule.pairing, games=games, prior_games=(*schedule.pairing.prior_games, *before))
        made = free_games(replace(schedule, pairing=pairing))
        for (i, j), more in zip(made.edges, made.games, strict=True):
            pair = history.pairs.get(frozenset((made.names[i], made.names[j])), (made.names[i], made.names[j]))
            targets[pair] = targets.get(pair, 0) + more // 2
        return targets

    def _in_order(self, missing: Mapping[Pair, int], present: Sequence[str], history: History) -> list[Pair]:
        if self.schedule.pairing.kind.challenged:
            rounds = ([pair for pair in missing if missing[pair] > number] for number in range(self.per_meeting))
            return [pair for pairs in rounds for pair in in_rounds(pairs)]
        return in_order(missing, present, Strengths.of_players(self.schedule.players), history)


def _played(history: History) -> str:
    """Return that the games are played: all of them, or the number of those that were not given up."""
    number = len(history.finished)
    return f"{counted(number, 'game')} {'is' if number == 1 else 'are'} played" if history.given_up else ALL_PLAYED


def without(schedule: Schedule, benched: Set[str], kept: Sequence[Pair]) -> Schedule:
    """Return the schedule without the benched players, with proportionally fewer pairs but all `kept` ones."""
    pairing = schedule.pairing
    players = tuple(player for player in schedule.players if player.name not in benched)
    changes = {
        key: tuple(entry for entry in getattr(pairing, key) if benched.isdisjoint(entry[:2]))
        for key in ("required", "forbidden", "prior_games")
    }
    if pairing.kind.challenged:
        challengers = pairing.challengers or schedule.names[:1]
        changes["challengers"] = tuple(name for name in challengers if name not in benched)
    reduced = replace(schedule, players=players, pairing=replace(pairing, **changes))
    if not pairing.kind.designed:
        return reduced
    from fiedler.tournament.graph.spectrum import components

    place = {player.name: index for index, player in enumerate(players)}
    fixed = {frozenset(pair) for pair in (*kept, *changes["required"])}
    parts = components(len(players), [(place[a], place[b]) for a, b in map(sorted, fixed)])
    share = round(number_of_pairs(schedule) * len(players) / len(schedule.players))
    most = len(players) * (len(players) - 1) // 2 - len({frozenset(pair) for pair in changes["forbidden"]})
    pairs = min(most, max(share, len(fixed) + parts - 1))
    if shares_games(pairing):
        return reduced
    return replace(reduced, pairing=replace(reduced.pairing, pairs=pairs, degree=None, games=None))


def choose_pairs(schedule: Schedule, kept: Sequence[Pair] = ()) -> list[Pair]:
    """Return the pairs that meet: the pairs `kept` from an earlier part of the run, then the others.

    Raises:
        UsageError: no set of pairs satisfies the schedule.

    """
    if schedule.pairing.kind.designed:
        found = _meeting_graph(schedule, kept)
    elif schedule.pairing.kind.challenged:
        found = gauntlet(schedule)
    else:
        found = list(itertools.combinations(schedule.names, 2))
    known = {frozenset(pair) for pair in kept}
    return [*kept, *(pair for pair in found if frozenset(pair) not in known)]


def meeting_graph(schedule: Schedule, kept: Iterable[Pair] = ()) -> Design:
    """Return the meeting graph of a schedule that contains the pairs `kept`.

    Every pair plays `games_per_pair` games; `free_games` distributes a budget of games freely.

    Raises:
        UsageError: no graph satisfies the schedule.

    """
    kept, pairs = tuple(kept), number_of_pairs(schedule)
    try:
        for cap in _looser_caps(schedule, kept):
            with suppress(UsageError):
                return _design(schedule, kept, cap, pairs=pairs)
        cap = cast("DegreeCap", schedule.pairing.degree_cap)
        return _design(schedule, kept, cap, pairs=pairs)
    except UsageError as error:
        reason = f"{error} (the {counted(len(kept), 'pair')} of the run are required, too)" if kept else str(error)
        raise schedule.error("pairing", reason) from error


def _looser_caps(schedule: Schedule, kept: Sequence[Pair]) -> Iterator[DegreeCap]:
    """Yield the caps to try in turn for `near-equal` with kept pairs, which may leave no room within it.

    In a regular graph that grows, every player already has the most opponents within `near-equal`.
    """
    if kept and schedule.pairing.degree_cap == "near-equal":
        opponents = Counter(name for pair in kept for name in pair)
        yield from ("near-equal", max(opponents.values()) + 1, "none")


def free_games(schedule: Schedule) -> Design:
    """Return the design that distributes `pairing.games` over the pairs for the most precise ratings.

    Each pair plays any multiple of `games_per_pair`: `Design.games`.

    Raises:
        UsageError: no design satisfies the schedule.

    """
    try:
        cap = cast("DegreeCap", schedule.pairing.degree_cap)
        return _design(schedule, (), cap, games=schedule.pairing.games)
    except UsageError as error:
        raise schedule.error("pairing", str(error)) from error


def known_before(schedule: Schedule) -> Known:
    """Return the prior knowledge in a schedule: ratings, styles and earlier games."""
    from fiedler.tournament.graph.problem import beliefs

    place = schedule.places
    pairing = schedule.pairing
    prior_games = [(place[a], place[b], games) for a, b, games in pairing.prior_games]
    return beliefs(
        len(place), *believed(schedule), schedule.tournament.games_per_pair, prior_games, pairing.style_sd or 0.0
    )


def lambda2(schedule: Schedule, pairs: Iterable[Pair]) -> float | None:
    """Return the Fiedler value of the unweighted graph of these pairs and of earlier games.

    It is None for more than MOST_PREDICTED players.
    """
    if len(schedule.players) > MOST_PREDICTED:
        return None
    from fiedler.tournament.graph import spectrum

    place = schedule.places
    earlier = ((a, b) for a, b, _games in schedule.pairing.prior_games)
    edges = [(place[a], place[b]) for a, b in (*pairs, *earlier)]
    return spectrum.lambda2(spectrum.laplacian(spectrum.adjacency(len(place), edges)))


def predicted_rms(schedule: Schedule, meetings: Mapping[frozenset[str], int]) -> float | None:
    """Return the predicted RMS error in Elo of ratings from these meetings, two games each.

    It is None if they do not connect all players, and for more than MOST_PREDICTED players.
    """
    if len(schedule.players) > MOST_PREDICTED:
        return None
    from fiedler.tournament.graph.sample_size import error_after

    place = schedule.places
    games = {(place[a], place[b]): 2 * number for (a, b), number in meetings.items()}
    error = error_after(known_before(schedule), games)
    return error if isfinite(error) else None


def _design(
    schedule: Schedule,
    kept: Sequence[Pair],
    degree_cap: DegreeCap,
    *,
    pairs: int | None = None,
    games: int | None = None,
) -> Design:
    from fiedler.tournament.graph import design

    place = schedule.places
    pairing = schedule.pairing
    elo, elo_sd = believed(schedule)
    return design(
        len(place),
        pairs,
        games=games,
        style_sd=pairing.style_sd or 0.0,
        criterion=cast("Criterion", pairing.criterion),
        degree_cap=degree_cap,
        seed=schedule.tournament.seed,
        names=schedule.names,
        elo=elo,
        elo_sd=elo_sd,
        games_per_pair=schedule.tournament.games_per_pair,
        prior_games=[(place[a], place[b], games) for a, b, games in pairing.prior_games],
        required=[(place[a], place[b]) for a, b in (*kept, *pairing.required)],
        forbidden=[(place[a], place[b]) for a, b in pairing.forbidden],
    )


def _meeting_graph(schedule: Schedule, kept: Sequence[Pair]) -> list[Pair]:
    met = {frozenset(pair) for pair in kept}
    required = {frozenset(pair) for pair in schedule.pairing.required}
    if len(kept) == number_of_pairs(schedule) and met >= required and frozenset().union(*met) == set(schedule.names):
        return list(kept)
    found = meeting_graph(schedule, kept)
    return [(found.names[i], found.names[j]) for i, j in found.edges]


def believed(schedule: Schedule) -> tuple[list[float] | None, list[float] | None]:
    """Return `elo` and `elo_sd` of every player, by default the mean and a wide deviation; None without any `elo`."""
    return Strengths.of_players(schedule.players).of(schedule.names)
