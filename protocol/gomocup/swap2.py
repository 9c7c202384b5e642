"""The opening swap2: three stones by one side, the other side chooses its colour."""

from fiedler.protocol.info import Info

STONES = (0, 3, 5)
"""The numbers of stones of a SWAP2BOARD."""
FIRST_STONES = {9: ("5,3", "6,3", "7,6"), 15: ("6,2", "4,7", "3,5"), 20: ("6,2", "4,7", "3,5")}
"""Our first stones, black, white and black, by the size of the board: negamax evaluates them as even."""


def is_worth_keeping(info: Info | None) -> bool:
    """Return whether White, the side to move, stands at least as well as Black."""
    if info is None:
        return True
    if info.mate is not None:
        return info.mate > 0
    return info.score_cp is None or info.score_cp >= 0
