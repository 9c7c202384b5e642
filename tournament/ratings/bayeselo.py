"""The original program `bayeselo`, driven over its pipes. The user installs it; none of it is in this project.

It never gets the players' names. It reads safe ones (P0001, P0002, …) from a PGN file in a temporary folder, so no name
can break a command line or be truncated. Its tables have whole numbers, so they are requested at scale 100000.
"""

from __future__ import annotations

import math
import os
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from fiedler.support.errors import UsageError, WorkError
from fiedler.tournament.ratings import checks
from fiedler.tournament.ratings.anchors import Anchors
from fiedler.tournament.ratings.conversation import Conversation
from fiedler.tournament.ratings.intervals import Kind, Uncertainty
from fiedler.tournament.ratings.likelihood import Point
from fiedler.tournament.ratings.model import (
    DEFAULT_ADVANTAGE,
    DEFAULT_DRAW_ELO,
    DEFAULT_PRIOR,
    Parameter,
    Rating,
    check_parameters,
    fitted,
    in_order,
    player_ratings,
    rate,
)
from fiedler.tournament.ratings.origin import Origin
from fiedler.tournament.ratings.pairs import Floats, Pairs
from fiedler.tournament.ratings.rao_kupper import RaoKupper
from fiedler.tournament.ratings.results import OUTCOMES, Results

PROGRAM = "bayeselo"
VARIABLE = "BAYESELO"
"""The environment variable that may hold the program's path."""

START_S = 10.0
"""Time limit of the program's first answer in seconds."""
TOTAL_S = 600.0
"""Time limit of all answers in seconds."""
FINE = 100_000
"""Scale at which the rounded tables have five decimals."""
NOT_A_NUMBER = "-2147483648"
"""The program's output for nan and for numbers that do not fit an integer."""
DIFFERENT = 1.0
"""Difference of two ratings or intervals in Elo from which they differ."""
INTERVAL_COMMANDS: dict[Kind, str] = {"covariance": "covariance", "variance": "", "exact": "exactdist"}
"""The command after `mm` for each kind of intervals; `mm` alone gives `variance`."""


def find_bayeselo(path: str | Path | None = None) -> Path | None:
    """Find the original program: at `path`, else at the variable BAYESELO, else on PATH, else None.

    Raises:
        UsageError: `path` or the variable is given, and there is no executable program.
    """
    for given, source in ((path, ""), (os.environ.get(VARIABLE), f" (from the variable {VARIABLE})")):
        if given:
            found = shutil.which(given)
            if found is None:
                raise UsageError(f"{given}{source}: expected the program {PROGRAM}, found no executable program")
            return Path(found)
    found = shutil.which(PROGRAM)
    return Path(found) if found else None


def rate_with_bayeselo(
    results: Results,
    *,
    program: Path | None = None,
    advantage: Parameter = DEFAULT_ADVANTAGE,
    draw_elo: Parameter = DEFAULT_DRAW_ELO,
    prior: float = DEFAULT_PRIOR,
    intervals: Kind = "covariance",
    anchors: Mapping[str, float] | None = None,
    start_s: float = START_S,
    total_s: float = TOTAL_S,
) -> Rating:
    """Rate the players with the original program.

    The program does not print covariances; they are computed here, at the ratings that it found.

    Parameters
    ----------
    results, advantage, draw_elo, prior, intervals, anchors
        As in `rate`, with one anchor at most.
    program : Path, optional
        Default: see `find_bayeselo`.
    start_s, total_s : float
        Time limits of the first and of all answers, in seconds.

    Returns
    -------
    Rating
        As of `rate`.

    Raises
    ------
    UsageError
        There is no program, or a parameter is out of range.
    WorkError
        The program failed, did not answer in time, or gave an unexpected answer.

    """
    check_parameters(advantage, draw_elo, prior, intervals)
    program = program or find_bayeselo()
    if program is None:
        raise UsageError(
            f"the program {PROGRAM} was not found: put it on PATH, or give its path by {VARIABLE} or --bayeselo"
        )
    rateable = results.rateable()
    if not rateable.names:
        return rate(results, advantage=advantage, draw_elo=draw_elo, prior=prior, intervals=intervals)
    fixed = Anchors.of(anchors or {}, rateable)
    if fixed.held.size:
        raise UsageError("anchors: expected at most one with the original program, which holds none")
    settings = _Settings(advantage, draw_elo, prior, intervals)
    answers = _consult(program, rateable, settings, start_s, total_s)
    factor = answers.scale if draw_elo == "fit" else RaoKupper.scale(answers.draw_elo)
    values = factor * answers.values
    values[0] += fixed.shift(values[0])
    players = player_ratings(results, values)
    real = Pairs.of(rateable)
    point = Point(answers.values[0], answers.advantage, answers.draw_elo)
    uncertainty = Uncertainty(RaoKupper(real.with_prior(prior)), point, Origin.of(real), original=True)
    return Rating(
        players=players,
        advantage=answers.advantage,
        draw_elo=answers.draw_elo,
        scale=factor,
        log_likelihood=answers.log_likelihood,
        warnings=checks.warnings_about(results, rateable, real) + answers.warnings,
        superiority=lambda: in_order(rateable, players, answers.los),
        covariances=lambda: in_order(rateable, players, factor**2 * uncertainty.known_covariance()),
        fitted=fitted(advantage, draw_elo),
        anchors=dict(anchors or {}),
    )


def compare(ours: Rating, original: Rating, tolerance: float = DIFFERENT) -> list[str]:
    """Return a line for each player whose rating or interval differs by more than `tolerance` Elo."""
    theirs = {player.name: player for player in original.players}
    lines = []
    for player in ours.players:
        other = theirs[player.name]
        values = {"elo": (player.elo, other.elo), "+": (player.plus, other.plus), "-": (player.minus, other.minus)}
        differing = [f"{key} {a:.1f} and {b:.1f}" for key, (a, b) in values.items() if _differ(a, b, tolerance)]
        if differing:
            lines.append(f"{player.name!r}, here and by the original program: {', '.join(differing)}")
    return lines


def _differ(ours: float, theirs: float, tolerance: float) -> bool:
    if math.isnan(ours) or math.isnan(theirs):
        return math.isnan(ours) != math.isnan(theirs)
    return abs(ours - theirs) > tolerance


@dataclass(frozen=True, slots=True)
class _Settings:
    advantage: Parameter
    draw_elo: Parameter
    prior: float
    intervals: Kind

    def preparations(self) -> Iterator[str]:
        """The commands before the estimation, for parameters other than the program's defaults."""
        if self.prior != DEFAULT_PRIOR:
            yield f"prior {_number(self.prior)}"
        if self.advantage not in {"fit", DEFAULT_ADVANTAGE}:
            yield f"advantage {_number(self.advantage)}"
        if self.draw_elo not in {"fit", DEFAULT_DRAW_ELO}:
            yield f"drawelo {_number(self.draw_elo)}"

    def estimation(self) -> str:
        flags = [int(self.advantage == "fit"), int(self.draw_elo == "fit")]
        return "mm {} {}".format(*flags) if any(flags) else "mm"


@dataclass(frozen=True, slots=True, eq=False)
class _Answers:
    values: Floats
    """Raw elo, plus and minus, shape (3, players)."""
    los: Floats
    scale: float
    advantage: float
    draw_elo: float
    log_likelihood: float
    warnings: tuple[str, ...]


def _consult(program: Path, results: Results, settings: _Settings, start_s: float, total_s: float) -> _Answers:
    ids = _safe_names(len(results.names))
    count = len(ids)
    idle_s = 60.0 + 60.0 * (count / 1000) ** 3  # it inverts a matrix without output
    room = 100_000_000 + 64 * count * count
    with tempfile.TemporaryDirectory(prefix="bayeselo-") as folder:
        _write_pgn(Path(folder) / "games.pgn", results, ids)
        with Conversation(program, Path(folder), idle_s=idle_s, total_s=total_s, max_bytes=room) as talk:
            talk.ask("prompt off", idle_s=start_s)
            talk.ask("readpgn games.pgn")
            talk.ask("elo")
            return _estimate(talk, results, settings, ids)


def _estimate(talk: Conversation, results: Results, settings: _Settings, ids: list[str]) -> _Answers:
    for command in settings.preparations():
        talk.ask(command)
    cut_off = "Iteration 10000:" in talk.ask(settings.estimation())
    numbers = [_scalar(talk, command) for command in ("scale", "advantage", "drawelo", "likelihood")]
    if INTERVAL_COMMANDS[settings.intervals]:
        talk.ask(INTERVAL_COMMANDS[settings.intervals])
    talk.ask(f"scale {FINE}")
    talk.ask("offset 0")
    values = _ratings(talk, results, ids)
    los = _los(talk, ids)
    warning = "the original program stopped after 10000 rounds: its values are not the maximum"
    return _Answers(values, los, numbers[0], numbers[1], numbers[2], numbers[3], (warning,) if cut_off else ())


def _scalar(talk: Conversation, command: str) -> float:
    answer = talk.ask(command)
    try:
        return float(answer)
    except ValueError:
        raise _unexpected(talk, command, answer) from None


def _ratings(talk: Conversation, results: Results, ids: list[str]) -> Floats:
    """Return raw elo, plus and minus, shape (3, players), from the program's table; it must contain all games."""
    answer = talk.ask("ratings")
    expected = Pairs.of(results)
    games = expected.per_player(expected.games(), expected.games())
    try:
        lines = parse_ratings(answer)
        columns = [lines[name] for name in ids]
    except (ValueError, KeyError, IndexError):
        raise _unexpected(talk, "ratings", answer) from None
    rated = np.array([column[3] for column in columns])
    if not np.allclose(rated, games, rtol=0.05, atol=0.0):  # it rounds a million games to two digits
        raise WorkError(f"{talk.program}: rated {rated.sum() / 2:.0f} games, expected {games.sum() / 2:.0f}")
    return np.array([column[:3] for column in columns]).T / FINE


def parse_ratings(text: str) -> dict[str, tuple[float, float, float, float]]:
    """Return elo, plus, minus and games by name from a printed table, nan for unknown numbers.

    Names have no blanks. The later version of the program prints more columns; its header has a `Rating`.

    Raises:
        ValueError: the text is not such a table.
    """
    header, *lines = text.splitlines()
    words = header.split()
    if words[:2] != ["Rank", "Name"] or len(words) < 3:
        raise ValueError(header)
    places = (2, 4, 5, 6) if words[2] == "Rating" else (2, 3, 4, 5)
    table = {}
    for line in lines:
        cells = line.split()
        if len(cells) > max(places) and cells[0].isdigit():
            elo, plus, minus, games = (_printed(cells[place]) for place in places)
            table[cells[1]] = (elo, plus, minus, games)
    return table


def _los(talk: Conversation, ids: list[str]) -> Floats:
    """Return the likelihood of superiority with seven digits; all nan if the program prints none."""
    size = len(ids)
    answer = talk.ask(f"los 0 {size} 8")
    try:
        return _parse_los(answer, ids)
    except (ValueError, KeyError, IndexError):
        raise _unexpected(talk, f"los 0 {size} 8", answer) from None


def _parse_los(text: str, ids: list[str]) -> Floats:
    size, width = len(ids), len(ids[0])
    if NOT_A_NUMBER in text:
        return np.full((size, size), np.nan)
    number = {name: place for place, name in enumerate(ids)}
    header, *lines = text.strip("\n").splitlines()
    columns = [number[name] for name in header.split()]
    matrix = np.full((size, size), np.nan)
    for line in lines:
        row = number[line[:width]]
        for place, column in enumerate(columns):
            cell = line[width + 1 + 8 * place : width + 9 + 8 * place]
            if column != row:
                matrix[row, column] = int(cell) / 1e7
    return matrix


def _printed(cell: str) -> float:
    return math.nan if cell == NOT_A_NUMBER else float(cell)


def _unexpected(talk: Conversation, command: str, answer: str) -> WorkError:
    return WorkError(f"{talk.program}: expected the answer of {PROGRAM} to {command!r}, got {answer.strip()[:80]!r}")


def _safe_names(count: int) -> list[str]:
    digits = max(4, len(str(count)))
    return [f"P{number:0{digits}}" for number in range(1, count + 1)]


def _write_pgn(path: Path, results: Results, ids: list[str]) -> None:
    with path.open("w", encoding="ascii") as file:
        for first, second, *counts in results.rows:
            for result, count in zip(OUTCOMES, counts, strict=True):
                tags = f'[White "{ids[first]}"]\n[Black "{ids[second]}"]\n[Result "{result}"]\n\n{result}\n\n'
                file.write(tags * count)


def _number(value: Parameter) -> str:
    """Format a number without trailing zeros: 10 and 0.1, not 10.0."""
    return f"{value:.12g}"
