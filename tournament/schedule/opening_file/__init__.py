"""Opening files: lists, EPD, PGN, and books of PolyGlot, by the ending of the name."""

from __future__ import annotations

from fiedler.tournament.schedule.opening_file.form import FileForm, form_of, opening_path, wrong_keys
from fiedler.tournament.schedule.opening_file.points import ALIASES, COORDINATES, OWN, has_points
from fiedler.tournament.schedule.opening_file.whole_file import OpeningFile, drawn_lines, first_start

__all__ = [
    "ALIASES",
    "COORDINATES",
    "OWN",
    "FileForm",
    "OpeningFile",
    "drawn_lines",
    "first_start",
    "form_of",
    "has_points",
    "opening_path",
    "wrong_keys",
]
