"""The pictures can be read: nothing covers a label, axes show the errors, phones have room, many players fit."""

from __future__ import annotations

import base64
import re
import zlib
from collections.abc import Sequence
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest

from fiedler.games.result import Result
from fiedler.support.drawing import nice, tick_texts, ticks, width
from fiedler.tournament.graph import design
from fiedler.tournament.report import write_report
from fiedler.tournament.report.design_figure import design_figure
from fiedler.tournament.report.figure import Figure
from fiedler.tournament.report.figures import draw
from fiedler.tournament.report.findings import Findings
from fiedler.tournament.report.graph_drawing import Disc, Legend, Line, draw_graph
from fiedler.tournament.report.html import TALL, table
from fiedler.tournament.report.ranking import rank
from fiedler.tournament.report.run import Run
from fiedler.tournament.report.wheel import EXTREMES, NAMED
from fiedler.tournament.schedule.schedule import Pairing, Sprt
from fiedler.tournament.termination import Termination
from tests.tournament.report import made_runs
from tests.tournament.report.made_runs import make_run
from tests.tournament.report.pictures import SVG, Picture

FEW = ["random", "osp", "hsp", "negamax with a long name at depth 12", "negamax-3", "mcts-100", "mcts-1000", "棋士"]
NETS = [f"net-{number:04d}" for number in range(0, 500, 10)]
CIRCLE: dict[str, Any] = {"game": "tictactoe", "games_per_pair": 2, "steps": (1, 7, 19, 42)}
HUNDRED = [f"random-{number:03d}" for number in range(100)]


def drawn(folder: Path) -> dict[str, Figure]:
    run = Run.read(folder)
    return draw(Findings(run, rank(run)))


def identical(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make a run of players that play the same: White wins every game."""
    play = made_runs.record

    def always(*of: object) -> object:
        return msgspec.structs.replace(play(*of), result=Result.FIRST_WIN, termination=Termination.ADJUDICATION)  # type: ignore[arg-type]

    monkeypatch.setattr(made_runs, "record", always)
    names = [f"net-{number:03d}" for number in range(100)]
    return make_run(folder, names, **CIRCLE)


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, Figure]]:
    home = tmp_path_factory.mktemp("runs")
    elo = [-400.0, -250.0, -100.0, 0.0, 120.0, 130.0, 300.0, 310.0]
    folders = {
        "few": make_run(home / "few", FEW, game="connect4", pairs=14, games_per_pair=10, elo=elo, openings=8),
        "nets": make_run(home / "nets", [*NETS, "mcts"], game="connect4", steps=(1, 5, 17), openings=12),
        "hundred": make_run(home / "hundred", HUNDRED, elo=[0.0] * 100, openings=4, **CIRCLE),
        "sprt": make_run(
            home / "sprt", ["new", "old"], pairs=1, games_per_pair=40, pairing=Pairing(method="sprt", sprt=Sprt())
        ),
    }
    with pytest.MonkeyPatch.context() as monkeypatch:
        folders["identical"] = identical(home / "identical", monkeypatch)
    return {name: drawn(folder) for name, folder in folders.items()}


@pytest.mark.parametrize("name", ["few", "nets", "hundred", "identical", "sprt"])
def test_no_label_lies_on_another_or_on_a_line_or_outside(runs: dict[str, dict[str, Figure]], name: str) -> None:
    for figure in runs[name].values():
        picture = Picture(figure.svg)
        assert len(picture.labels) >= 3
        assert picture.faults() == [], figure.name


@pytest.mark.parametrize("count", [2, 3, 4, 5, 9, 24, NAMED, NAMED + 1, 64, 100, 250])
def test_names_around_a_circle_overlap_nothing(count: int) -> None:
    discs = [
        Disc(f"player number {place}", "−1234", f"reported {place}", "#123456", place % 7) for place in range(count)
    ]
    reaches = range(1, count, max(1, count // 4))
    lines = [Line(i, (i + step) % count, 2, "#654321", "") for step in reaches for i in range(count)]
    for ranked in (True, False):
        legend = Legend(((0, 0, 0), (9, 9, 9)), "Elo", ("0", "1"))
        picture = Picture(draw_graph(discs, lines, [legend], ranked=ranked, title="t", description=""))
        names = sum("player number" in label.text for label in picture.labels)
        assert names == count if count <= NAMED else 2 * EXTREMES - 2 <= names <= 2 * EXTREMES
        assert picture.faults() == []


def test_a_design_is_drawn_around_a_circle_too() -> None:
    for elo in (None, [50.0 * place for place in range(16)]):
        made = design(16, 32, names=tuple(f"player-{place}" for place in range(16)))
        picture = Picture(design_figure(made, elo))
        assert {f"player-{place}" for place in range(16)} <= {
            label.text.split("−")[0] for label in picture.labels
        } or elo
        assert picture.faults() == []


@pytest.mark.parametrize(
    ("text", "least"), [("w" * 24, 0.8), ("0123456789", 0.63), ("NEGAMAX", 0.7), ("棋士", 1.0), ("il.:", 0.27)]
)
def test_the_width_of_a_text_is_that_of_dejavu_sans(text: str, least: float) -> None:
    assert len(text) * least * 12 <= width(text, 12) <= len(text) * 12


def test_curves_with_long_names_have_a_legend_each(tmp_path: Path) -> None:
    stems = [f"{letter}-{'wide' * 9}-checkpoint-of-a-long-training-" for letter in "abcd"]
    folder = make_run(tmp_path / "trial", [f"{stem}{number}" for stem in stems for number in range(1, 6)], steps=(1, 6))
    picture = Picture(drawn(folder)["curve"].svg)
    legends = [
        label.text for label in picture.labels if re.search(r"(no trend|rises by|falls by) .*\(z = ", label.text)
    ]
    assert len(legends) == len(stems)
    assert picture.faults() == []


@pytest.mark.parametrize("name", ["few", "nets", "hundred", "identical"])
def test_the_axis_of_the_ratings_shows_every_interval_whole(runs: dict[str, dict[str, Figure]], name: str) -> None:
    figure = runs[name]["ratings"]
    axis, *_ = (node for node in Picture(figure.svg).root.iter(f"{SVG}line") if node.get("y1") == node.get("y2"))
    left, right = float(axis.attrib["x1"]), float(axis.attrib["x2"])
    bars = re.findall(r'<path d="M([\d.]+) [\d.]+L([\d.]+) ', figure.svg)
    assert len(bars) == len(figure.rows)
    assert all(left <= float(start) < float(end) <= right for start, end in bars)
    errors = [float(row[3]) + float(row[4]) for row in figure.rows if row[3] is not None and row[4] is not None]
    assert max(float(end) - float(start) for start, end in bars) < right - left
    assert max(errors) > 20


def test_equal_players_have_no_scale_of_hundredths(runs: dict[str, dict[str, Figure]]) -> None:
    found = runs["identical"]
    elo = [float(row[2]) for row in found["ratings"].rows if row[2] is not None]
    assert np.ptp(elo) < 1
    for name in ("ratings", "curve"):
        numbers = [text for label in Picture(found[name].svg).labels if re.fullmatch(r"−?\d+", text := label.text)]
        assert {"−100", "0", "100"} <= set(numbers), name
    ends = re.findall(r">(−?\d+)</text>", found["meeting-graph"].svg)
    assert any(int(end.replace("−", "-")) <= -100 for end in ends)
    fills = re.findall(r'<circle [^>]*fill="(#\w+)" class="disc"', found["meeting-graph"].svg)
    assert len(fills) == 100
    assert len(set(fills)) == 1, "noise has no colours of its own"


@pytest.mark.parametrize(
    ("low", "high"), [(-0.01, 0.01), (0.0, 1e-9), (1_000_000, 1_000_005), (-3.0, 3.0), (12_345_678, 12_345_679)]
)
def test_numbers_of_an_axis_have_different_texts(low: float, high: float) -> None:
    for percent in (False, True):
        texts = [text for _, text in tick_texts(ticks(low, high), percent=percent)]
        assert len(texts) >= 3
        assert len(set(texts)) == len(texts)


def _pixels(svg: str) -> np.ndarray[tuple[int, ...], np.dtype[np.uint8]]:
    data = base64.b64decode(re.findall(r"base64,([^\"]+)", svg)[0])
    lines = zlib.decompressobj().decompress(data[data.index(b"IDAT") + 4 :])
    size = int.from_bytes(data[16:20], "big")
    return np.frombuffer(lines, dtype=np.uint8).reshape(size, 4 * size + 1)[:, 1:].reshape(size, size, 4)


def _luminance(colour: Sequence[float]) -> float:
    """Return the relative luminance of WCAG 2.1."""
    parts = [part / 255 for part in colour]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@pytest.mark.parametrize("ground", [(240, 242, 245), (22, 27, 34)], ids=["light", "dark"])
def test_cells_of_a_large_crosstable_stand_out(
    runs: dict[str, dict[str, Figure]], ground: tuple[int, int, int]
) -> None:
    for name in ("hundred", "identical"):
        pixels = _pixels(runs[name]["crosstable"].svg)
        met = {tuple(pixel[:3]) for pixel in pixels.reshape(-1, 4).tolist() if pixel[3]}
        assert met
        for cell in met:
            one, other = sorted((_luminance(cell), _luminance(ground)))
            assert (other + 0.05) / (one + 0.05) > 2, (name, cell)


def test_a_hundred_players_have_pictures_of_one_screen(runs: dict[str, dict[str, Figure]]) -> None:
    graph = Picture(runs["hundred"]["meeting-graph"].svg)
    assert graph.high < 1.3 * graph.wide < 1300
    named = [label.text for label in graph.labels if label.text.startswith("random-")]
    ranking = [str(row[1]) for row in runs["hundred"]["ratings"].rows]
    extremes = {*ranking[:EXTREMES], *ranking[-EXTREMES:]}
    assert {name[:10] for name in named} == extremes
    reported = [
        node.findtext(f"{SVG}title") or "" for node in graph.root.iter(f"{SVG}g") if node.get("class") == "node"
    ]
    assert [text.split()[1].rstrip(":") for text in reported] == ranking, "tooltips have the others"
    ratings = Picture(runs["hundred"]["ratings"].svg)
    assert ratings.high < 1500
    assert sum("random-" in label.text for label in ratings.labels) == 100


class _Boxes(HTMLParser):
    """The nesting of the elements."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[tuple[str, dict[str, str | None]]] = []
        self.found: list[tuple[str, dict[str, str | None], list[dict[str, str | None]]]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs), [of for _, of in self.open]))
        if tag not in ("meta", "br", "hr", "img"):
            self.open.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop()[0] == tag


def test_content_broader_than_a_phone_scrolls_in_its_own_box(tmp_path: Path) -> None:
    folder = make_run(tmp_path / "trial", [f"net-{place}" for place in range(42)], game="tictactoe", steps=(1,))
    write_report(folder)
    boxes = _Boxes()
    boxes.feed((folder / "report.html").read_text("utf-8"))
    broad = [(tag, of, around) for tag, of, around in boxes.found if tag in ("svg", "table")]
    assert {tag for tag, _, _ in broad} == {"svg", "table"}
    for tag, of, around in broad:
        scroll, box = around[-1], around[-2]
        assert "scroll" in (scroll.get("class") or "").split()
        assert box.get("class") == "box", "a hint that there is more"
        if tag == "svg":
            assert scroll["style"] == f"--least:{nice(0.85 * float(of['width'] or 0))}px", "legible at its smallest"
            assert of["viewbox"] == f"0 0 {of['width']} {of['height']}"


def test_a_long_table_scrolls_by_itself() -> None:
    assert 'class="scroll tall" tabindex="0"' in table(["player"], [["x"]] * (TALL + 1))
    assert "tall" not in table(["player"], [["x"]] * TALL)
