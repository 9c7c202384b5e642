"""The options of `engine serve` that name a file of players."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import click

from fiedler.engine.roster.roster import MODELS_MB
from fiedler.games import AnyGame, Game
from fiedler.support.errors import UsageError

if TYPE_CHECKING:
    from fiedler.engine.roster.choice import Choice
    from fiedler.engine.roster.roster import Roster

Result = TypeVar("Result")
MEBIBYTES = click.IntRange(1, 2**20)


@dataclass(frozen=True, slots=True)
class RosterOptions:
    """Their values."""

    players: Path | None = None
    models_mb: int | None = None
    keep_models_mb: int | None = None

    def refuse(self, game: AnyGame | None, choice: Choice, nobody: Choice) -> None:
        """Raise UsageError if the options do not fit the game and the chosen player; `nobody`: none is chosen."""
        if self.players is None:
            for option, given in (("--models-mb", self.models_mb), ("--keep-models-mb", self.keep_models_mb)):
                if given is not None:
                    raise UsageError(f"{option}: only with --players, which is missing")
        elif self.models_mb is not None and self.keep_models_mb is not None:
            raise UsageError("--keep-models-mb: in place of --models-mb, got both")
        elif choice != nobody:
            raise UsageError("--players: its file names the players; leave out --player, --model, --set and --device")
        elif game is None:
            raise UsageError("--players: expected --game G beside it, the game of the players")

    def roster(self, game: AnyGame) -> Roster | None:
        """Return the players of the file, none of them loaded; None without one. Raises UsageError."""
        if self.players is None:
            return None
        if not isinstance(game, Game):
            raise UsageError(f"--players: expected one of our games, got {game.id!r}")
        from fiedler.engine.roster.roster_file import read_roster

        bound = self.keep_models_mb or self.models_mb or MODELS_MB
        return read_roster(self.players, game, bound, refuses=self.keep_models_mb is None)


def roster_options(command: Callable[..., Result]) -> Callable[..., Result]:
    """Add --players, --models-mb and --keep-models-mb; the command gets them as one `named`."""

    @functools.wraps(command)
    def gathered(players: Path | None, models_mb: int | None, keep_models_mb: int | None, **others: object) -> Result:
        return command(named=RosterOptions(players, models_mb, keep_models_mb), **others)

    added: Callable[..., Result] = gathered
    for option in (
        click.option(
            "--keep-models-mb",
            type=MEBIBYTES,
            metavar="N",
            help="In place of --models-mb: models stay loaded up to N MiB; those in use may take more.",
        ),
        click.option(
            "--models-mb",
            type=MEBIBYTES,
            metavar="N",
            help=f"With --players: most memory of loaded models, in MiB ({MODELS_MB}).",
        ),
        click.option(
            "--players",
            type=click.Path(path_type=Path),
            metavar="FILE.toml",
            help="Named players instead of one; a client chooses by the option `player`.",
        ),
    ):
        added = option(added)
    return added
