"""The curves of a run: scores against random and osp, and the mean length of the games, as CSV and as SVG.

python -m training.dqn.curves results/training/connect4-dqn results/connect4-dqn
"""

from __future__ import annotations

import csv
import io
import sys
from collections.abc import Sequence
from pathlib import Path

from support.drawing import Drawing, Spot
from support.files import write_whole
from training.dqn.entry import DqnIteration
from training.folder import TrainingFolder
from training.picture import BELOW, HEAD, STRENGTH, WIDE, Panel

COLUMNS = ("iteration", "seconds", "games", "epsilon", "q_loss", "mean_length", "random_score", "random_length")
LAST = "osp_score"
NAMES = {"random_score": "against random", "osp_score": "against osp"}
LENGTHS = {"mean_length": "games of training", "random_length": "against random"}


def table(log: Sequence[DqnIteration]) -> str:
    """Return the numbers as CSV, one line an iteration; empty where nothing was measured."""
    file = io.StringIO()
    rows = csv.writer(file, lineterminator="\n")
    rows.writerow([*COLUMNS, LAST])
    rows.writerows([getattr(entry, name) for name in (*COLUMNS, LAST)] for entry in log)
    return file.getvalue()


def curves(name: str, log: Sequence[DqnIteration]) -> str:
    """Return the SVG: a panel of scores, and one of lengths in plies."""
    high = HEAD + 2 * (STRENGTH + BELOW)
    page = Drawing(WIDE, high, f"{name}: curves", "scores and mean lengths of games by iteration")
    page.text((8, 18), f"{name}: {_legend(NAMES)} · {_legend(LENGTHS)}", size=13, kind="title")
    page.include(_panel(high, HEAD, log, NAMES, (-0.02, 1.02), "score"))
    page.include(_panel(high, HEAD + STRENGTH + BELOW, log, LENGTHS, (0.0, 42.0), "plies"))
    return page.svg()


def _legend(names: dict[str, str]) -> str:
    return ", ".join(f"{text} ({colour})" for text, colour in zip(names.values(), ("blue", "orange"), strict=True))


def _panel(
    high: float, top: float, log: Sequence[DqnIteration], names: dict[str, str], values: Spot, label: str
) -> Panel:
    panel = Panel(high, top, STRENGTH, log, values)
    panel.axes(label, percent=label == "score")
    for place, (name, text) in enumerate(names.items()):
        points = [(float(e.iteration), float(getattr(e, name))) for e in log if getattr(e, name) is not None]
        panel.curve(points, f"own{place}")
        for point in points:
            panel.disc(point, f"fill{place}", f"{text}, iteration {point[0]:.0f}: {point[1]:.4g}")
    return panel


def main() -> None:
    """Write curves.csv and curves.svg."""
    folder, out = TrainingFolder(Path(sys.argv[1])), Path(sys.argv[2])
    log = [entry for entry in folder.log() if isinstance(entry, DqnIteration)]
    write_whole(out / "curves.csv", table(log))
    write_whole(out / "curves.svg", curves(folder.recipe().name, log))


if __name__ == "__main__":
    main()
