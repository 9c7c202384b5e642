"""The course of the games, as sections of the page: colours, openings, first moves, endings, players."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from markupsafe import Markup
from msgspec import convert

from fiedler.games.go import BY_POINTS, EQUAL_POINTS, is_go
from fiedler.support.drawing import nice
from fiedler.support.text import counted
from fiedler.tournament.game import GameRecord, reason
from fiedler.tournament.report.figure import Figure
from fiedler.tournament.report.findings import Findings
from fiedler.tournament.report.first_moves import FirstMoves
from fiedler.tournament.report.html import (
    PageSection,
    Row,
    code,
    definitions,
    failed,
    folded,
    note,
    paragraph,
    percent,
    picture,
    section,
    table,
    wrapped,
)
from fiedler.tournament.report.opening_figure import opening_name
from fiedler.tournament.report.statistics import SIGNIFICANT, Outcomes
from fiedler.tournament.run.status import since_text
from fiedler.tournament.termination import FAILURES

SHOWN = 12
"""Most lines of a long table."""
EM_SPACE = "\u2003"


def colours(found: Findings, figures: Mapping[str, Figure]) -> PageSection:
    """Return the score of the first player, overall and by opening."""
    outcomes = found.tally.outcomes
    if not outcomes.games:
        return section("Moving first", paragraph("No games yet."))
    shortest, mean, longest = found.tally.lengths
    scores = definitions(
        {
            "first player's score": outcomes.text(1),
            "first player won": _of(outcomes.wins, outcomes.games),
            "drawn": _of(outcomes.draws, outcomes.games),
            "second player won": _of(outcomes.losses, outcomes.games),
            "plies per game": f"{shortest} to {longest}, mean {mean:.1f}",
        }
    )
    if "openings" not in figures:
        return section("Moving first", scores)
    ordered = found.tally.one_sided()
    sided = sum(abs(one.sigmas) >= SIGNIFICANT for _, one in ordered)
    text = (
        f"{counted(len(ordered), 'opening')}, {sided} of them one-sided: their score lies {SIGNIFICANT:g} or more "
        "standard errors from one half. Every opening is played with both colours, so it favours neither player; "
        "a one-sided one gives little information."
    )
    named = [(opening_name(found.run.game, moves), one) for moves, one in ordered[:SHOWN]]
    rows = [[_moves(moves), *_outcome(one), nice(one.sigmas, 1)] for moves, one in named]
    return section(
        "Moving first",
        scores,
        picture(figures["openings"], text),
        table(["furthest from one half", *_OUTCOME, "standard errors"], rows),
    )


_OUTCOME = ("games", "first won", "drawn", "second won", "first player's score, 95 %")


def _outcome(one: Outcomes) -> list[str]:
    return [str(one.games), str(one.wins), str(one.draws), str(one.losses), one.text()]


def _moves(moves: str) -> str:
    return code(moves) if moves else "start position"


def _first(one: FirstMoves) -> str:
    return Markup("{} {}").format(_moves(one.moves[0]), one.name).rstrip()


def beginnings(found: Findings, figures: Mapping[str, Figure]) -> PageSection | None:
    """Return first moves and the replies to them; None without a board."""
    if "first-moves" not in figures or found.board_game is None:
        return None
    lots = max((len(opening.moves) for opening in found.run.openings), default=0)
    plies = "The first move comes" if lots == 1 else f"Up to {lots} plies come"
    by_lot = f" {plies} from the openings, not from the players." if lots else ""
    total = sum(one.games for one in found.tally.beginnings.values())  # without those that began elsewhere
    first = [
        [_first(one), str(len(one.moves)), percent(one.outcomes.games / total, 1), *_outcome(one.outcomes)]
        for one in found.first_moves
        if one.outcomes.games
    ]
    second = [
        [
            _moves(" ".join(one.moves)),
            str(one.replies),
            percent(one.outcomes.games / max(one.first.outcomes.games, 1), 1),
            percent(one.outcomes.games / total, 1),
            *_outcome(one.outcomes),
        ]
        for one in found.second_moves
    ]
    classes, reached = len(found.first_moves), len(found.second_moves)
    symmetries = len(found.board_game.board_symmetries)
    caption = f"Under the {symmetries} symmetries of the board there are {classes} different first moves.{by_lot}"
    after = (
        f"The most frequent of {reached} different replies: replies count as one if a symmetry of the "
        "board that keeps the first move makes them equal."
    )
    heading = ["first move", "moves like it", "share", *_OUTCOME]
    replies = ["first move and reply", "replies like it", "of the replies", "share", *_OUTCOME]
    return section(
        "First and second moves",
        picture(figures["first-moves"], caption),
        _long(heading, first, "first moves"),
        picture(figures["second-moves"], after),
        folded("As a table", table(replies, second[: 10 * SHOWN])),
    )


def _long(header: Sequence[str], rows: Sequence[Row], what: str) -> Markup:
    """Return a table, folded if it is long."""
    whole = table(header, rows)
    return whole if len(rows) <= SHOWN else folded(f"All {len(rows)} {what}", whole)


def endings(found: Findings) -> PageSection | None:
    """Return the ends of the games, if there are any."""
    ended = found.tally.endings
    if not ended:
        return None
    total = sum(ended.values())
    kinds = Counter[str]()
    for (termination, _), count in ended.items():
        kinds[termination] += count
    rows: list[list[str]] = []
    for kind, count in kinds.most_common():
        rows.append([_kind(kind), str(count), percent(count / total, 1)])
        details = Counter[str]()
        for (one, detail), n in ended.items():
            if one == kind and detail:
                details[_by_points(detail) if is_go(found.run.game) else detail] += n
        rows += [[f"{EM_SPACE}{detail}", str(n), percent(n / total, 1)] for detail, n in details.most_common(SHOWN)]
    tally = found.tally
    otherwise = {"scores otherwise": f"{tally.scored_otherwise} of {counted(tally.scored, 'game')}"}
    return section(
        "How games ended",
        table(["ended by", "games", "share"], rows, kind=""),
        *([definitions(otherwise)] if tally.scored else []),
    )


def _by_points(detail: str) -> str:
    """Return the end of a game of Go without its points and the scores of its players."""
    ended = detail.partition("; ")[0]
    return ended if ended == EQUAL_POINTS else BY_POINTS


def _kind(termination: str) -> str:
    return failed(termination) if termination in FAILURES else termination


def behaviours(found: Findings) -> PageSection:
    """Return time and failures of every player, the benched players, and the void games."""
    players = [found.tally.players[name] for name in found.ranking.names]
    lag = found.ranking.lag_credits
    columns = ["ms per move"] if lag is None else ["ms per move", "lag credit, ms per move"]
    header = ["player", "games", "moving first", *columns, *(f"lost: {kind}" for kind in FAILURES)]
    rows = [
        [
            player.name,
            str(player.games),
            str(player.first),
            nice(1000 * player.seconds_per_move, 1),
            *([] if lag is None else [nice(lag[player.name], 1)]),
            *(failed(one.games) if one.games else "0" for one in player.failures.values()),
        ]
        for player in players
    ]
    total = sum(player.failed for player in players)
    text = f"Lost by a failure: {counted(total, 'game')}." if total else "No game was lost by a failure."
    timed = note(
        "Milliseconds per move count the moves after the opening, and those that never came in time."
        + ("" if lag is None else " The lag credit, a mean over the games, is subtracted from them.")
    )
    return section(
        "Players",
        paragraph(text),
        _failures(found),
        _benched(found),
        _missing(found),
        table(header, rows),
        timed,
        _disputes(found),
        _withdrawn(found),
        _annulled(found),
        _voids(found),
    )


def _failures(found: Findings) -> Markup:
    """Return the last failure of each kind of every player that failed."""
    rows: list[Row] = [
        [
            name,
            failed(kind),
            str(one.games),
            str(one.number),
            wrapped(one.detail),
        ]
        for name, kind, one in found.failures
    ]
    header = ["player", "lost by", "games", "last game", "message"]
    return _long(header, rows, "failures by player and kind") if rows else Markup()


def _benched(found: Findings) -> Markup:
    rows: list[Row] = [[name, wrapped(why)] for name, why in found.run.benched.items()]
    return table(["benched, no more games", "why"], rows, left=2, kind="") if rows else Markup()


def _missing(found: Findings) -> Markup:
    rows: list[Row] = [[one.name, wrapped(one.why), str(one.games)] for one in found.run.missing]
    return table(["missing, its games wait", "why", "games not played"], rows, left=2, kind="") if rows else Markup()


def _disputes(found: Findings) -> Markup:
    """Return the games that ended without a result, with the opinions of both players."""
    rows: list[Row] = [
        [str(one.number), one.first, one.second, code(one.question), wrapped(one.text), wrapped(" ".join(one.moves))]
        for one in found.run.disputes
    ]
    header = ["disputed game", "first", "second", "question", "opinions", "moves before"]
    return _long(header, rows, "games without a result, whose players did not agree") if rows else Markup()


def _withdrawn(found: Findings) -> Markup:
    """Return the disputes that the organiser withdrew: their games are played again."""
    rows: list[Row] = [
        [
            str(one.dispute.number),
            one.dispute.first,
            one.dispute.second,
            wrapped(one.dispute.text),
            wrapped(one.why),
            since_text(one.at),
        ]
        for one in found.run.withdrawn
    ]
    header = ["withdrawn dispute of game", "first", "second", "opinions", "why", "withdrawn at"]
    return table(header, rows, left=6) if rows else Markup()


def _annulled(found: Findings) -> Markup:
    """Return the finished games that the organiser annulled."""
    rows: list[Row] = [
        [
            str(game["number"]),
            game["first"],
            game["second"],
            f"{game['result']} {{{reason(convert(game, GameRecord))}}}",
            wrapped(game["why"]),
            since_text(game["at"]),
        ]
        for game in found.run.annulled
    ]
    header = ["annulled game", "first", "second", "result", "why", "annulled at"]
    return table(header, rows, left=6) if rows else Markup()


def _voids(found: Findings) -> Markup:
    voids = found.run.voids
    if not voids:
        return note("No game became void.")
    attempts = sum(count for *_, count, _ in voids)
    rows: list[Row] = [
        [str(number), first, second, str(count), wrapped(why)] for number, first, second, count, why in voids
    ]
    became = f"{counted(attempts, 'attempt')} at {counted(len(voids), 'game')} became void"
    summary = f"{became}, without a fault of the players, and was repeated if both still played"
    return folded(summary, table(["game", "first", "second", "void attempts", "the last reason"], rows[: 20 * SHOWN]))


def _of(count: int, games: int) -> str:
    return f"{count} ({percent(count / games)})"
