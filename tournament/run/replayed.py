"""A finished game, played again by the rules: sealed rows can hold moves and evaluations that no manager writes."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from fiedler.games import AnyGame, known_game
from fiedler.games.errors import IllegalMoveError, PositionError
from fiedler.games.result import Result
from fiedler.games.rules import RulesError
from fiedler.games.sides import sides_of, turns
from fiedler.support.errors import UsageError, quoted_input
from fiedler.tournament.evaluation import from_text
from fiedler.tournament.game import GameRecord
from fiedler.tournament.run.rows import row_name
from fiedler.tournament.termination import Termination


def replayed(file: Path, game: str, record: GameRecord) -> GameRecord:
    """Return a finished game of a run of this game, in this file, after a replay by the rules.

    Raises:
        UsageError: it cannot have been played so, although its row is sealed.
        RulesError: the rules of a user fail in it.

    """
    known, row = known_game(game), row_name("games", record.number)
    try:
        wrong = "" if known is None else _wrong_moves(known, record)
    except RulesError as error:
        raise RulesError(f"{file}: {row}: {error}") from error
    wrong = wrong or _wrong_evaluations(record)
    if wrong:
        raise UsageError(f"{file}: cannot be read as a run: it is damaged: {row}: {wrong}")
    return record


def wrong_opening(game: str, rows: Iterable[tuple[int, str, str]]) -> str:
    """Return a row of the table `openings` that is not one of this game, and its fault; empty without one.

    Raises:
        RulesError: the rules of a user fail in it.

    """
    known = known_game(game)
    if known is None:
        return ""
    for place, moves, start in rows:
        try:
            known.position(start, moves.split())
        except PositionError as error:
            return f"{row_name('openings', place)}: start_position: {error}"
        except IllegalMoveError as error:
            return f"{row_name('openings', place)}: moves: {error}"
        except RulesError as error:
            raise RulesError(f"{row_name('openings', place)}: {error}") from error
    return ""


def _wrong_moves(game: AnyGame, record: GameRecord) -> str:
    if not game.has_rules:
        return ""  # moves and result are those that the players agreed on
    try:
        position = game.position(record.start)
    except PositionError as error:
        return f"start_position: {error}"
    first, movers = position.side_to_move, None if game.takes_turns else list[int]()
    for ply, text in enumerate(record.moves, start=1):
        if movers is not None:
            movers.append(position.side_to_move)
        try:
            move = position.parse_move(text)
            written = position.move_text(move)
            position.play(move)
        except IllegalMoveError as error:
            return f"moves: ply {ply}: {error}"
        if ply <= 2 and written != text:  # those that the report counts
            return f"moves: ply {ply}: expected {written!r}, got {text!r}"
    sides = turns(first, len(record.moves)) if movers is None else sides_of(movers)
    if sides != record.sides:
        return f"sides: expected {sides or 'nothing'}, got {quoted_input(record.sides)}"
    found = None if position.result is None else Result.of(position.result)
    if record.termination == Termination.RULES and found is not record.result:
        return f"result: expected {found or 'another end'} after these moves, got {record.result} by the rules"
    return ""


def _wrong_evaluations(record: GameRecord) -> str:
    try:
        count = len(from_text(record.evaluations))
    except ValueError as error:
        return f"evaluations: {error}"
    most = len(record.moves) - len(record.opening)
    return f"evaluations: expected {most} at most, got {count}" if count > most else ""
