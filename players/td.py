"""The player td: one ply ahead by a table of values, learned by temporal differences, for each side."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from fiedler.games import Game
from fiedler.native import Limits, Position, SearchInfo, StopFlag
from fiedler.players.afterstates import greedy_move
from fiedler.players.option import Settings, setting
from fiedler.players.player import Factory, OnInfo, Player
from fiedler.players.table_file import Needed, TablePurpose, load
from fiedler.support.errors import UsageError

Values = Mapping[int, float]
"""Code of a position -> its value for the side that moved into it, -1 to 1; 0 if it is not there."""
SIDES = ("first", "second")
ARRAYS: Needed = {
    "first_codes": ("uint64", ("n",)),
    "first_values": ("float32", ("n",)),
    "second_codes": ("uint64", ("m",)),
    "second_values": ("float32", ("m",)),
}
"""The table of each side: the codes of positions after its moves, and their values."""


def board_code(position: Position) -> int:
    """Return the board as a number in base 3: its cells from the top left, 0 empty, 1 first, 2 second player."""
    code = 0
    for cell in position.cells:
        code = 3 * code + cell
    return code


@dataclass(slots=True)
class TdSettings(Settings):
    """The settings of td."""

    model: str = setting("", "file of the tables (*.table)", at_start=True)


class TdPlayer(Player):
    """The move to the position of the highest value in the table of its side."""

    name = "td"
    description = "one ply ahead by a table of values for each side"
    settings_type = TdSettings
    settings: TdSettings
    instant = True

    def __init__(self, game: Game, settings: TdSettings, tables: Sequence[Values], model: str) -> None:
        """`tables`: that of the first and that of the second player; `model`: their name."""
        super().__init__(game, settings)
        self._tables = tables
        self._model = model

    @classmethod
    def purpose(cls, game: Game) -> TablePurpose:
        """Return the purpose that a file must have for this player."""
        return TablePurpose(game, cls.name, ARRAYS)

    @classmethod
    def factory(cls, game: Game, values: Mapping[str, str]) -> Factory:
        """Return the factory of players that share the tables.

        Raises:
            UsageError: The file is missing or unfit, or an option is wrong.
        """
        return TdFactory(cls, game, values)

    @property
    def title(self) -> str:
        """The name with that of the tables."""
        return f"{self.name} {self._model}"

    def search(
        self,
        position: Position,
        limits: Limits,  # noqa: ARG002 - no limit is too short for it
        stop: StopFlag,  # noqa: ARG002
        on_info: OnInfo | None = None,  # noqa: ARG002
    ) -> SearchInfo:
        """Return its choice; see Player."""
        table = self._tables[position.side_to_move]
        return SearchInfo(greedy_move(position, lambda after: [table.get(board_code(one), 0.0) for one in after]))


class TdFactory(Factory):
    """The factory of players that share the tables of one file."""

    game: Game
    settings: TdSettings

    def __init__(self, kind: type[TdPlayer], game: Game, values: Mapping[str, str]) -> None:
        """Load the tables.

        Raises:
            UsageError: The file is missing or unfit, or an option is wrong.
        """
        super().__init__(kind, game, values)
        if not self.settings.model:
            raise UsageError(f"player {kind.name}: expected a table as option 'model' (--model F.table)")
        table = load(Path(self.settings.model), kind.purpose(game))
        self._kind = kind
        self._model = table.name
        self._tables = tuple(
            dict(zip(table.arrays[f"{side}_codes"].tolist(), table.arrays[f"{side}_values"].tolist(), strict=True))
            for side in SIDES
        )

    def player(self) -> Player:
        """Return a new player over the shared tables."""
        return self._kind(self.game, copy.copy(self.settings), self._tables, self._model)
