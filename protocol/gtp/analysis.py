"""The analysis commands of GoGui, and the answers about a search."""

from collections.abc import Container, Sequence

from fiedler.protocol.host import MoveScore
from fiedler.protocol.info import Info
from fiedler.protocol.option import Option

ANALYSES = (
    "gfx/Board/gogui-rules_board_gfx",
    "pspairs/Scores of all moves/fiedler-scores",
    "pspairs/Visits of the last search/fiedler-visits",
    "var/Principal variation/fiedler-pv",
    "string/Last search/fiedler-search",
    "plist/Legal moves/gogui-rules_legal_moves",
    "string/Position/fiedler-position",
    "string/Result/final_score",
)
"""Type, label and command of each."""


def analysis_lines(options: Sequence[Option], commands: Container[str]) -> str:
    """Return the analysis commands of GoGui, those among `commands`, a line each; an option asks for its value."""
    analyses = [line for line in ANALYSES if line.rpartition("/")[2] in commands]
    settings = [f"none/Set {option.name}/{option.name} %s" for option in options if option.type != "button"]
    buttons = [f"none/{option.name}/{option.name}" for option in options if option.type == "button"]
    return "\n".join([*analyses, *settings, *buttons])


def search_text(info: Info | None) -> str:
    """Return the figures of a search on one line."""
    if info is None:
        return "no search yet"
    figures = [_score_text(info)]
    for name, value in (("depth", info.depth), ("nodes", info.nodes), ("ms", info.time_ms)):
        if value is not None:
            figures.append(f"{name} {value}")
    return ", ".join(figures)


def label(score: MoveScore) -> str:
    """Return the worth of a move in few characters: percent, or W, D and L for what is proven."""
    if score.mate is not None:
        return f"W{score.mate}" if score.mate > 0 else f"L{-score.mate}"
    if score.proven is not None:
        return score.proven[0].upper()
    return f"{100 * score.score:.0f}"


def _score_text(info: Info) -> str:
    if info.mate is not None:
        return f"{'wins' if info.mate > 0 else 'loses'} in {abs(info.mate)}"
    return "score unknown" if info.score_cp is None else f"score {info.score_cp:+d} cp"
