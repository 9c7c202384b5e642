"""The model against closed forms, a slow second implementation, and properties that must hold for any results."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize
from scipy.special import logit
from scipy.stats import beta

from fiedler.support.errors import UsageError
from fiedler.tournament.ratings import Rating, Results, rate
from fiedler.tournament.ratings.imitation import walk
from fiedler.tournament.ratings.intervals import normal_quantile
from fiedler.tournament.ratings.likelihood import NATURAL, Point
from fiedler.tournament.ratings.newton import maximise
from fiedler.tournament.ratings.pairs import Pairs
from fiedler.tournament.ratings.rao_kupper import RaoKupper

PROPERTY = settings(max_examples=25, deadline=None)


@st.composite
def connected_results(draw: st.DrawFn) -> Results:
    """A few players on a tree of pairings with some more, and any counts."""
    size = draw(st.integers(2, 6))
    tree = [(draw(st.integers(0, player - 1)), player) for player in range(1, size)]
    more = draw(st.lists(st.sampled_from(list(itertools.permutations(range(size), 2))), max_size=6))
    count = st.integers(0, 5)
    rows = [(a, b, draw(count), draw(count), draw(count) + 1) for a, b in [*tree, *more]]
    return Results(tuple(f"player {number}" for number in range(size)), tuple(rows))


def elos(rating: Rating) -> dict[str, float]:
    return {player.name: player.elo for player in rating.players}


def plain_log_likelihood(results: Results, prior: float, elo: np.ndarray, advantage: float, draw_elo: float) -> float:
    """The model of docs/ratings.md game by game, in the simplest form."""

    def value(first: int, second: int) -> tuple[float, float, float]:
        difference = elo[first] - elo[second]
        wins = 1 / (1 + 10 ** ((-difference - advantage + draw_elo) / 400))
        losses = 1 / (1 + 10 ** ((difference + advantage + draw_elo) / 400))
        return math.log(wins), math.log(1 - wins - losses), math.log(losses)

    total = 0.0
    games = np.zeros((len(results.names),) * 2)
    for first, second, *counts in results.rows:
        total += float(np.dot(counts, value(first, second)))
        games[first, second] += sum(counts)
        games[second, first] += sum(counts)
    for giver, taker in zip(*np.nonzero(games), strict=True):
        share = prior / 4 * games[giver, taker] / games[giver].sum()
        total += share * (value(giver, taker)[1] + value(taker, giver)[1])
    return total


@PROPERTY
@given(connected_results(), st.floats(0.1, 8), st.floats(-100, 100), st.floats(1, 300))
def test_the_likelihood_is_that_of_the_games_one_by_one(
    results: Results, prior: float, advantage: float, draw_elo: float
) -> None:
    elo = np.linspace(-200, 300, len(results.names))
    ours = RaoKupper(Pairs.of(results).with_prior(prior)).value(Point(elo, advantage, draw_elo))
    assert ours == pytest.approx(plain_log_likelihood(results, prior, elo, advantage, draw_elo), rel=1e-9)


@PROPERTY
@given(connected_results(), st.sampled_from([32.8, -50.0]), st.sampled_from([97.3, 5.0, 300.0]))
def test_a_general_optimiser_finds_nothing_better(results: Results, advantage: float, draw_elo: float) -> None:
    rating = rate(results, advantage=advantage, draw_elo=draw_elo)
    start = np.array([elos(rating)[name] for name in results.names]) / rating.scale

    def cost(elo: np.ndarray) -> float:
        return -plain_log_likelihood(results, 2.0, elo, advantage, draw_elo)

    other = minimize(cost, start + 1.0, method="BFGS")
    assert -other.fun <= rating.log_likelihood + 1e-7


@PROPERTY
@given(connected_results())
def test_slopes_are_the_differences_of_the_value(results: Results) -> None:
    likelihood = RaoKupper(Pairs.of(results).with_prior(2.0))
    elo = np.linspace(-100, 250, len(results.names))
    slopes = likelihood.slopes(Point(elo, 20.0, 80.0))
    step = 1e-4
    for place in range(len(elo) + 2):
        change = np.zeros(len(elo) + 2)
        change[place] = step / NATURAL
        ends = [Point(elo + s * change[:-2], 20.0 + s * change[-2], 80.0 + s * change[-1]) for s in (-1, 1)]
        difference = (likelihood.value(ends[1]) - likelihood.value(ends[0])) / (2 * step)
        assert slopes.gradient[place] == pytest.approx(difference, abs=1e-5, rel=1e-5)


@PROPERTY
@given(connected_results(), st.randoms(use_true_random=False))
def test_relabelling_and_reordering_change_nothing(results: Results, generator: object) -> None:
    names = list(results.names)
    order = list(range(len(names)))
    generator.shuffle(order)  # type: ignore[attr-defined]
    rows = [(order.index(a), order.index(b), w, d, l) for a, b, w, d, l in results.rows][::-1]  # noqa: E741
    other = Results(tuple(names[place] for place in order), tuple(rows))
    before, after = rate(results, advantage="fit", prior=3), rate(other, advantage="fit", prior=3)
    assert elos(after) == pytest.approx(elos(before), abs=1e-5)
    assert {p.name: p.plus for p in after.players} == pytest.approx({p.name: p.plus for p in before.players}, abs=1e-5)


@PROPERTY
@given(connected_results())
def test_exchanging_winners_and_losers_reverses_the_ranking(results: Results) -> None:
    turned = Results(results.names, tuple((b, a, w, d, l) for a, b, w, d, l in results.rows))  # noqa: E741
    before, after = rate(results, advantage=0.0), rate(turned, advantage=0.0)
    assert elos(after) == pytest.approx({name: -elo for name, elo in elos(before).items()}, abs=1e-6)


@PROPERTY
@given(connected_results())
def test_properties_of_every_rating(results: Results) -> None:
    rating = rate(results, draw_elo="fit", advantage="fit")
    assert [player.elo for player in rating.players] == sorted((player.elo for player in rating.players), reverse=True)
    assert sum(player.elo for player in rating.players) == pytest.approx(0, abs=1e-6)
    assert all(player.plus == player.minus > 0 for player in rating.players)
    assert sum(player.games for player in rating.players) == 2 * results.games
    assert sum(player.score * player.games for player in rating.players) == pytest.approx(results.games)
    los = rating.los()
    off_diagonal = ~np.eye(len(los), dtype=bool)
    assert np.allclose((los + los.T)[off_diagonal], 1)
    assert np.all(los[np.triu_indices(len(los), 1)] >= 0.5 - 1e-9)


@PROPERTY
@given(connected_results(), st.integers(1, 20))
def test_draws_in_both_colours_reduce_the_difference(results: Results, count: int) -> None:
    """A draw pulls towards equality, if the colours are balanced: here in a match, where nothing else can move."""
    first, second, wins, _, losses = results.rows[0]
    match = Results(("a", "b"), ((0, 1, wins, 0, losses), (1, 0, losses, 0, wins)))
    drawn = Results(match.names, (*match.rows, (0, 1, 0, count, 0), (1, 0, 0, count, 0)))
    assert abs(rate(drawn).players[0].elo) <= abs(rate(match).players[0].elo) + 1e-9
    assert rate(drawn).players[0].plus < rate(match).players[0].plus
    assert first != second


def test_two_players_and_no_draws_have_the_logistic_closed_form() -> None:
    """With no advantage, draws that (nearly) never happen and no prior, the score is the logistic function."""
    results = Results(("a", "b"), ((0, 1, 30, 0, 10), (1, 0, 10, 0, 30)))
    rating = rate(results, advantage=0.0, draw_elo=1e-6, prior=0)
    difference = rating.players[0].elo - rating.players[1].elo
    assert difference == pytest.approx(400 * math.log10(3), abs=1e-4)
    assert rating.scale == pytest.approx(1)
    information = NATURAL**2 * 80 * 0.75 * 0.25
    assert rating.players[0].plus == pytest.approx(1.959964 * math.sqrt(1 / information) / 2, rel=1e-5)


def test_the_exact_interval_of_two_players_is_that_of_a_beta_distribution() -> None:
    """A flat density in Elo and 60 : 20 games make the winning probability Beta(60, 20)."""
    results = Results(("a", "b"), ((0, 1, 30, 0, 10), (1, 0, 10, 0, 30)))
    player = rate(results, advantage=0.0, draw_elo=1e-6, prior=0, intervals="exact").players[0]
    low, high = (logit(beta.ppf(share, 60, 20)) / NATURAL / 2 for share in (0.025, 0.975))
    assert (player.elo - player.minus, player.elo + player.plus) == pytest.approx((low, high), abs=0.01)


def test_advantage_and_draw_elo_of_two_equal_players_have_closed_forms() -> None:
    """50 % first wins, 20 % draws, 30 % second wins: the odds give both parameters at once."""
    results = Results(("a", "b"), ((0, 1, 500, 200, 300), (1, 0, 500, 200, 300)))
    rating = rate(results, advantage="fit", draw_elo="fit", prior=0)
    logit_win, logit_loss = math.log(0.5 / 0.5), math.log(0.3 / 0.7)
    assert rating.advantage == pytest.approx((logit_win - logit_loss) / 2 / NATURAL, abs=1e-6)
    assert rating.draw_elo == pytest.approx(-(logit_win + logit_loss) / 2 / NATURAL, abs=1e-6)
    assert [player.elo for player in rating.players] == pytest.approx([0, 0], abs=1e-7)


def test_the_prior_adds_its_virtual_draws() -> None:
    results = Results(("a", "b", "c"), ((0, 1, 3, 0, 0), (1, 2, 0, 0, 1)))
    for prior in (0.5, 2.0, 7.0):
        pairs = Pairs.of(results).with_prior(prior)
        assert pairs.draws() == pytest.approx(3 * prior / 2)
        assert pairs.with_prior(0).draws() == pairs.draws()


def test_covariance_is_the_pseudo_inverse_of_the_information() -> None:
    """And it can come from dropping a player, inverting, and projecting, as the original does."""
    results = Results(("a", "b", "c", "d"), ((0, 1, 3, 1, 2), (1, 2, 1, 1, 0), (2, 3, 0, 2, 2), (3, 0, 1, 0, 0)))
    rating = rate(results)
    elo = np.array([elos(rating)[name] for name in results.names]) / rating.scale
    k = NATURAL

    def curvature(x: np.ndarray) -> float:
        return plain_log_likelihood(results, 2.0, x, 32.8, 97.3)

    h = 0.5
    information = np.zeros((4, 4))
    for i, j in itertools.product(range(4), repeat=2):
        a, b = h * np.eye(4)[i], h * np.eye(4)[j]
        mixed = curvature(elo + a + b) - curvature(elo + a - b) - curvature(elo - a + b) + curvature(elo - a - b)
        information[i, j] = -mixed / (4 * h * h)
    inverse = np.linalg.inv(information[:3, :3])
    centring = np.vstack([np.eye(3), np.zeros((1, 3))]) - 0.25
    covariance = centring @ inverse @ centring.T
    deviations = {name: math.sqrt(covariance[i, i]) for i, name in enumerate(results.names)}
    for player in rating.players:
        assert player.plus == pytest.approx(1.959964 * deviations[player.name] * rating.scale, rel=1e-4)
    assert k > 0


def test_the_scale_and_the_normal_quantiles_are_the_documented_ones() -> None:
    assert RaoKupper.scale(97.3) == pytest.approx(0.925497, abs=5e-7)
    for confidence, original in ((0.95, 1.9601273), (0.99, 2.5760229), (0.5, 0.6745360)):
        assert normal_quantile(confidence, original=True) == pytest.approx(original, abs=5e-8)
    assert normal_quantile(0.95) == pytest.approx(1.959963985, abs=1e-9)


@pytest.mark.parametrize("distance", [600.0, 5_000.0])
def test_the_climb_converges_from_any_point(distance: float) -> None:
    """Far away the curvature vanishes, and full Newton steps would overshoot the maximum."""
    results = Results(("a", "b", "c"), ((0, 1, 5, 2, 3), (1, 2, 4, 1, 1), (2, 0, 3, 3, 3)))
    pairs = Pairs.of(results).with_prior(2.0)
    found = [
        maximise(
            RaoKupper(pairs),
            Point(factor * np.array([1.0, -1.0, 0.0]), factor, 97.3),
            fit_advantage=True,
            fit_draw_elo=True,
        )
        for factor in (0.0, distance)
    ]
    assert [maximum.converged for maximum in found] == [True, True]
    np.testing.assert_allclose(found[1].point.elo, found[0].point.elo, atol=1e-5)
    assert found[1].point.draw_elo == pytest.approx(found[0].point.draw_elo)


def test_a_climb_that_does_not_converge_gives_a_warning(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fiedler.tournament.ratings.newton.MAX_STEPS", 1)
    rating = rate(Results(("a", "b"), ((0, 1, 9, 1, 1),)))
    assert any("did not converge" in warning for warning in rating.warnings)


def test_levels_give_the_sweep_of_one_player_after_the_other() -> None:
    """The imitation updates many players at once; here they are updated one by one, in plain Python."""
    generator = np.random.default_rng(5)
    rows = [(a, b, *generator.integers(0, 4, 3).tolist()) for a, b in itertools.permutations(range(6), 2) if a != b - 2]
    results = Results(tuple("abcdef"), tuple((a, b, w, d, l + 1) for a, b, w, d, l in rows))  # noqa: E741
    pairs = Pairs.of(results).with_original_prior(2.0)
    found = walk(pairs, 32.8, 97.3)
    table = np.zeros((6, 6, 3))
    for low, high, counts in zip(pairs.low, pairs.high, pairs.counts.T, strict=True):
        table[low, high], table[high, low] = counts[:3], counts[3:]
    strength = np.ones(6)
    first, draw = 10 ** (32.8 / 400), 10 ** (97.3 / 400)
    for _ in range(found.iterations):
        for i in range(5, -1, -1):
            above = below = 0.0
            for j in range(6):
                (w, d, l), (w2, d2, l2) = table[i, j], table[j, i]  # noqa: E741
                above += w + d + l2 + d2
                below += (w + d) * first / (first * strength[i] + draw * strength[j])
                below += (d + l) * draw * first / (draw * first * strength[i] + strength[j])
                below += (d2 + w2) * draw / (first * strength[j] + draw * strength[i])
                below += (d2 + l2) / (draw * first * strength[j] + strength[i])
            strength[i] = above / below
    elo = 400 * np.log10(strength)
    np.testing.assert_allclose(found.point.elo, elo - elo.mean(), atol=1e-4)


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        ({"advantage": math.nan}, "advantage: expected 'fit' or a number"),
        ({"advantage": "much"}, "advantage: expected 'fit' or a number"),
        ({"draw_elo": 0}, "draw_elo: expected 'fit' or a number of Elo above 0"),
        ({"draw_elo": math.inf}, "draw_elo: expected"),
        ({"advantage": -10_001}, "advantage: expected 'fit' or a number of Elo from -10000 to 10000, got -10001"),
        ({"draw_elo": 1e9}, "draw_elo: expected .* at most 10000, got 1000000000.0"),
        ({"anchors": {"a": 1e9}}, "anchor 'a': expected a number of Elo from -10000 to 10000"),
        ({"prior": -1}, "prior: expected a number of virtual draws, 0 or more, got -1"),
        ({"prior": True}, "prior: expected"),
        ({"intervals": "wide"}, "intervals: expected covariance, variance, exact, got 'wide'"),
    ],
)
def test_parameters_out_of_range_are_refused(options: dict[str, object], complaint: str) -> None:
    with pytest.raises(UsageError, match=complaint):
        rate(Results(("a", "b"), ((0, 1, 1, 1, 1),)), **options)  # type: ignore[arg-type]


def test_results_refuse_impossible_rows() -> None:
    with pytest.raises(ValueError, match="names must differ"):
        Results(("a", "a"), ())
    with pytest.raises(ValueError, match="below 2"):
        Results(("a", "b"), ((0, 2, 1, 0, 0),))
    with pytest.raises(ValueError, match="three counts"):
        Results(("a", "b"), ((0, 1, 1, -1, 0),))
    with pytest.raises(ValueError, match="1/2-1/2"):
        Results.from_games([("a", "b", "2-0")])


def test_results_count_games_in_order_of_appearance() -> None:
    games = [("b", "a", "1-0"), ("c", "b", "1/2-1/2"), ("b", "a", "0-1"), ("a", "b", "1-0")]
    results = Results.from_games(games)
    assert results == Results(("b", "a", "c"), ((0, 1, 1, 0, 1), (2, 0, 0, 1, 0), (1, 0, 1, 0, 0)))
    assert results.games == 4


def test_a_large_tournament_is_rated() -> None:
    """1,000 players and 300,000 games, a circle and random meetings; the truth lies within the intervals."""
    generator = np.random.default_rng(2)
    truth = generator.normal(0, 200, 1000)
    rows = []
    for _ in range(10):
        order = generator.permutation(1000)
        for first, second in zip(order.tolist(), np.roll(order, 1).tolist(), strict=True):
            difference = truth[first] - truth[second]
            wins = 1 / (1 + 10 ** ((-difference - 32.8 + 97.3) / 400))
            losses = 1 / (1 + 10 ** ((difference + 32.8 + 97.3) / 400))
            counts = generator.multinomial(30, [wins, 1 - wins - losses, losses]).tolist()
            rows.append((first, second, counts[0], counts[1], counts[2]))
    results = Results(tuple(f"p{number}" for number in range(1000)), tuple(rows))
    rating = rate(results)
    wanted = dict(zip(results.names, rating.scale * (truth - truth.mean()), strict=True))
    inside = sum(abs(player.elo - wanted[player.name]) < player.plus for player in rating.players)
    assert results.games == 300_000
    assert 920 <= inside <= 980
