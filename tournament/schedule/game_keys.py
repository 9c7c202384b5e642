"""The keys that depend on the game: its rules, its starts and openings, and the end of a game by adjudication."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import msgspec

from fiedler import games
from fiedler.games.game import START
from fiedler.games.rule_keys import chosen, wrong_rules
from fiedler.protocol import DIALECTS, MAX_MOVES
from fiedler.support.complaints import Complaint, wrong_choice
from fiedler.support.errors import UsageError
from fiedler.tournament.schedule.balance import read_balance
from fiedler.tournament.schedule.opening_file import (
    ALIASES,
    COORDINATES,
    OWN,
    first_start,
    has_points,
    opening_path,
    wrong_keys,
)
from fiedler.tournament.schedule.schedule import ORDERS, POSITIONS, Schedule


def wrong_rule_keys(schedule: Schedule) -> Iterator[Complaint]:
    """Yield wrong rules of the game."""
    if (game := _game(schedule)) is not None:
        for name, wrong in wrong_rules(game.rule_keys, schedule.tournament.rules):
            yield f"tournament.rules.{name}", wrong


def with_chosen_rules(schedule: Schedule) -> Schedule:
    """Return a checked schedule with the rules that are not the default ones."""
    table = schedule.tournament
    rules = chosen(games.any_game(table.game).rule_keys, table.rules)
    return msgspec.structs.replace(schedule, tournament=msgspec.structs.replace(table, rules=rules))


def start_of(schedule: Schedule) -> str:
    """Return the start of the games of a checked schedule: `startpos`, or the same by other rules, in one word."""
    table = schedule.tournament
    return games.any_game(table.game).with_rules(START, table.rules) if table.rules else START


def wrong_positions(schedule: Schedule) -> Iterator[Complaint]:
    """Yield players whose dialect has no words for the starts of the openings, or for a game without turns."""
    game = _game(schedule)
    if game is None or not game.has_rules:
        return  # `wrong_in_agreement` knows what a game without rules needs
    wordless = [one for one in schedule.players if one.protocol in DIALECTS and not DIALECTS[one.protocol].positions]
    starts = _first_start(game, schedule) if wordless and game.takes_turns else ""  # it reads the file
    for player in wordless:
        key, others = f"players {player.name!r}.protocol", "expected 'ugi' or 'uci'"
        if not game.takes_turns:
            yield key, f"{others}: the sides of {game.id} do not take turns, which {player.protocol} has no words for"
        elif starts:
            yield key, f"{others}: {player.protocol} has no words for the start of {starts}"


def _first_start(game: games.AnyGame, schedule: Schedule) -> str:
    """Return the place of the first opening with a start; empty without one, or if the file has another complaint."""
    with suppress(UsageError):
        if schedule.openings.has_random_starts:
            return "openings.positions"
        if schedule.openings.file is not None:
            return first_start(game, opening_path(Path(schedule.folder), schedule.openings.file))
    return ""


def _game(schedule: Schedule) -> games.AnyGame | None:
    """Return the game; None for an unknown one, which has a complaint of its own."""
    with suppress(UsageError):
        return games.any_game(schedule.tournament.game)
    return None


def wrong_openings(schedule: Schedule) -> Iterator[Complaint]:
    """Yield wrong keys of `[openings]`."""
    table = schedule.openings
    yield from _wrong_file(schedule)
    yield from _wrong_starts(schedule)
    if table.order not in ORDERS:
        yield wrong_choice("openings.order", table.order, ORDERS)
    if table.coordinates is not None and table.coordinates not in {*COORDINATES, *ALIASES}:
        yield wrong_choice("openings.coordinates", table.coordinates, COORDINATES)
    elif table.coordinates not in {None, OWN} and not _has_points(schedule.tournament.game):
        yield "openings.coordinates", f"{schedule.tournament.game} has no points x,y"
    if table.balance is not None and _lacks_core(schedule.tournament.game):
        yield "openings.balance", f"expected one of our games, got {schedule.tournament.game!r}"
    elif table.balance is not None:
        if table.file is not None:
            yield "openings.balance", f"expected none beside file, got {table.balance!r}"
        try:
            read_balance(table.balance)
        except UsageError as error:
            yield "openings.balance", str(error)


def _wrong_file(schedule: Schedule) -> Iterator[Complaint]:
    """Yield the keys that do not fit the file, and the file if it is missing."""
    wrong, table = [*wrong_keys(schedule.openings, _game(schedule))], schedule.openings
    yield from wrong
    if table.file is not None and not wrong:
        try:
            opening_path(Path(schedule.folder), table.file)
        except UsageError as error:
            yield "openings.file", str(error)


def _wrong_starts(schedule: Schedule) -> Iterator[Complaint]:
    table, game = schedule.openings, _game(schedule)
    if table.positions not in POSITIONS:
        yield wrong_choice("openings.positions", table.positions, POSITIONS)
    elif table.has_random_starts and table.file is not None:
        yield "openings", "expected one of positions, file, got both"
    elif table.has_random_starts and game is not None and game.num_starts == 1:
        yield "openings.positions", f"expected a game of several starts, got {game.id}"


def _has_points(game: str) -> bool:
    """Return whether the game has points; also for a game that is unknown, which has a complaint of its own."""
    known = games.known_game(game)
    return known is None or has_points(known)


def _lacks_core(game: str) -> bool:
    """Return whether the game is known and not one of the core."""
    return game in games.REGISTERED and game not in games.GAMES


def wrong_adjudication(schedule: Schedule) -> Iterator[Complaint]:
    """Yield wrong keys of `[adjudication]`, and a game that may become too long without them."""
    table, game = schedule.adjudication, schedule.tournament.game
    if table.proof and _lacks_core(game):
        yield "adjudication.proof", f"expected one of our games, got {game!r}"
    elif table.proof and game in games.GAMES and not games.GAMES[game].has_proofs:
        yield "adjudication.proof", f"{game} has no proofs"
    opened = schedule.openings.plies
    yield from _check_length(_game(schedule), table.max_plies)
    if table.max_plies is not None and table.max_plies <= opened:
        yield "adjudication.max_plies", f"expected more than openings.plies = {opened}, got {table.max_plies}"
    if table.resign_score is not None and table.draw_score is not None and table.draw_score >= table.resign_score:
        wrong = f"expected less than resign_score = {table.resign_score}, got {table.draw_score}"
        yield "adjudication.draw_score", wrong


def _check_length(game: games.AnyGame | None, max_plies: int | None) -> Iterator[Complaint]:
    """Yield a game that may become longer than the positions that players are sent."""
    longest = None if game is None else game.most_plies
    if game is None or (longest is not None and longest <= MAX_MOVES):
        return
    if max_plies is None or max_plies > MAX_MOVES:
        why = f"{game.id} has no longest game" if longest is None else f"a game of {game.id} may have {longest:,} plies"
        got = "none" if max_plies is None else f"{max_plies}"
        yield "adjudication.max_plies", f"expected a number from 1 to {MAX_MOVES}, got {got}: {why}"
