"""openings.svg: the first player's score after each opening, the worst on the left."""

from __future__ import annotations

from fiedler.games import AnyGame
from fiedler.games.game import START
from fiedler.support.drawing import Plot, nice
from fiedler.support.text import counted
from fiedler.tournament.report.figure import Figure
from fiedler.tournament.report.statistics import SIGNIFICANT, GameTally


def opening_name(game: AnyGame, text: str) -> str:
    """Return an opening, the words of `Opening`, as people write it: in chess `1. e4 e5`, or moves behind a start."""
    if not game.steps or not text:
        return text
    words = text.split()
    start, moves = (words[0], words[1:]) if game.is_notation(words[0]) else (START, words)
    names = game.pgn_moves(moves, start)
    if start != START:
        return " ".join([game.written_start(start), *names])
    return " ".join(f"{ply // 2 + 1}. {name}" if ply % 2 == 0 else name for ply, name in enumerate(names))


def opening_figure(found: GameTally, title: str, game: AnyGame) -> Figure:
    """Draw the openings sorted by score, with 95 % intervals; one-sided ones have another colour."""
    openings = sorted(found.openings.items(), key=lambda item: (item[1].score, item[0]))
    count = len(openings)
    plot = Plot((1000, 340), title, x=(0, count + 1), y=(0, 1), margins=(44, 16, 46, 64))
    plot.text((8, 16), title, size=13, kind="title")
    plot.y_axis("first player's score", percent=True)
    plot.x_axis("openings by score", at=[])
    plot.line((plot.left, plot.y(found.outcomes.score)), (plot.right, plot.y(found.outcomes.score)), kind="axis dashed")
    above = [plot.spot(place, one.interval[1]) for place, (_, one) in enumerate(openings, 1)]
    below = [plot.spot(place, one.interval[0]) for place, (_, one) in enumerate(openings, 1)]
    if count > 100:
        plot.path([*above, *reversed(below)], kind="band fill0", closed=True)
    else:
        for high, low in zip(above, below, strict=True):
            plot.path([high, low], kind="line own0 band")
    for place, (moves, one) in enumerate(openings, 1):
        name = opening_name(game, moves) or "start position"
        about = f"{name}: {nice(100 * one.score)} % of {counted(one.games, 'game')}"
        sided = abs(one.sigmas) >= SIGNIFICANT
        plot.circle(
            plot.spot(place, one.score),
            4 if sided else max(1.2, min(3.5, 300 / count)),
            kind=_kind(sided),
            tooltip=about,
        )
    rows = [(moves, one.games, one.wins, one.draws, one.losses, one.score, one.error) for moves, one in openings]
    columns = ("opening", "games", "first_won", "drawn", "second_won", "first_score", "error")
    return Figure("openings", plot.svg(), columns, rows)


def _kind(sided: bool) -> str:
    return "fill1" if sided else "fill0"
