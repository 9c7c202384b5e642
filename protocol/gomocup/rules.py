"""The games of Gomocup: the size of the board and the rule of each."""

FREESTYLE, STANDARD, RENJU = 0, 1, 4
RULES = {0: FREESTYLE, 1: STANDARD, 2: RENJU, 4: RENJU}
"""The rule of a value of `INFO rule`; some managers write 2 for renju."""
GAMES = {
    "gomoku15": (15, FREESTYLE),
    "gomoku9": (9, FREESTYLE),
    "gomoku20": (20, FREESTYLE),
    "standard15": (15, STANDARD),
    "renju15": (15, RENJU),
}
"""Size and rule of each game."""
SIZES = "9, 15 and 20"
"""All sizes, for messages."""


def rule_of(game: str) -> int:
    """Return the `INFO rule` of a game."""
    return GAMES[game][1]


def is_size(size: int) -> bool:
    """Return whether a game has a board of this size."""
    return any(size == one for one, _ in GAMES.values())


def games_of(size: int, rule: int | None) -> list[str]:
    """Return the games on a board of this size by this value of `INFO rule`, None: by any rule."""
    return [name for name, (one, by) in GAMES.items() if one == size and (rule is None or by == RULES.get(rule))]
