"""Openings of PGN files: the first moves of each game."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from fiedler.games.game import START, AnyGame
from fiedler.games.openings import Opening
from fiedler.games.pgn_reader import PgnGame, read_games
from fiedler.games.registry import known_game
from fiedler.games.rule_keys import NO_RULES, GivenRules
from fiedler.support.errors import UsageError, quoted_input
from fiedler.tournament.schedule.opening_file.soundness import FINISHED, SoundOpenings, UnsoundError


def read_pgn(game: AnyGame, path: Path, plies: int = 0, rules: GivenRules = NO_RULES) -> list[Opening]:
    """Return the openings of a file: the first `plies` moves of each game, all of them if it has fewer; 0: all moves.

    A game begins at its tag FEN, unless its tag SetUp is 0.

    Raises:
        UsageError: The file cannot be read, or a game is one of another variant, has a move that is not legal, or ends
            within its opening: `FILE:LINE: game NUMBER: …`.
    """
    sound = SoundOpenings(game, rules)
    return [_opening(sound, path, one, whole=not plies) for one in read_games(path, plies or None)]


def first_start(game: AnyGame, path: Path) -> str:
    """Return `FILE:LINE` of the first game that begins with stones on the board; empty if there is none.

    Raises:
        UsageError: As `read_pgn`.
    """
    return next((f"{path}:{one.line}" for one in read_games(path, 0) if not game.is_bare(_start(one) or START)), "")


def _opening(sound: SoundOpenings, path: Path, one: PgnGame, *, whole: bool) -> Opening:
    place = f"game {one.number}"
    for wrong in _other_rules(sound.game, one):
        raise UsageError(f"{path}:{one.line}: {place}: {wrong}")
    start = _start(one)
    try:
        return sound.opening(sound.game.read_start(start) if start else START, one.moves)
    except UnsoundError as error:
        if error.ply is not None:
            turn = f"{place}, ply {error.ply + 1}"
            raise UsageError(f"{path}:{one.places[error.ply]}: {turn}: {error}") from error
        advice = "; openings.plies takes its first moves" if whole and one.moves and str(error) == FINISHED else ""
        raise UsageError(f"{path}:{one.line}: {place}: {error}{advice}") from error


def _start(one: PgnGame) -> str:
    """Return the position of the tag FEN; empty if the game begins at the start of its rules."""
    return "" if one.tags.get("SetUp") == "0" else one.tags.get("FEN", "").strip()


def _other_rules(game: AnyGame, one: PgnGame) -> Iterator[str]:
    """Yield the reason that a game has other rules, by the tags of our own files or of others."""
    named = one.tags.get("Game", game.id)
    if named != game.id and known_game(named) is not None:
        yield f"expected a game of {game.id}, got one of {named}"
    if (variant := one.tags.get("Variant")) is not None and not game.plays_variant(variant):
        yield f"expected a game of {game.id}, got the variant {quoted_input(variant)}"
