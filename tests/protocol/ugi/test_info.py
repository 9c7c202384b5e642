"""Info, the info line, centipawns."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fiedler.protocol import MAX_CP, Info, centipawns, expected_score
from fiedler.protocol.ugi.info import info_line, read_info


@pytest.mark.parametrize(
    ("line", "info"),
    [
        ("info", Info()),
        (
            "info depth 3 nodes 100 nps 5000 time 20 score cp 34 pv a1 b2",
            Info(depth=3, nodes=100, nps=5000, time_ms=20, score_cp=34, pv=("a1", "b2")),
        ),
        ("info depth 0 score cp -34", Info(depth=0, score_cp=-34)),
        ("info score mate -2 pv c3", Info(mate=-2, pv=("c3",))),
    ],
)
def test_there_and_back(line: str, info: Info) -> None:
    assert read_info(line.split()) == info
    assert info_line(info) == line


@pytest.mark.parametrize(
    ("line", "info"),
    [
        ("info multipv 1 depth 3 seldepth 9 hashfull 12 tbhits 0 nodes 7", Info(depth=3, nodes=7)),
        ("info depth 5 score cp 34 lowerbound nodes 7", Info(depth=5, score_cp=34, nodes=7)),
        ("info score 0.53 time 12.5 nps many depth 2", Info(depth=2)),
        ("info nodes -5 depth", Info()),
        ("info cp 7 mate 3", Info()),
        ("info score", Info()),
        ("info currmove a1 currmovenumber 3", Info()),
        ("info depth 2 string depth 9 pv a1", Info(depth=2)),
        ("info pv", Info()),
        ("info pv depth 3", Info(pv=("depth", "3"))),
        ("info nodes " + "9" * 60000, Info()),
        ("info depth 3" + " tbhits 0" * 127 + " nodes 5 pv a1", Info(depth=3)),
    ],
)
def test_info_of_foreign_engines_is_never_an_error(line: str, info: Info) -> None:
    assert read_info(line.split()) == info


def test_a_mate_score_replaces_cp() -> None:
    assert info_line(Info(score_cp=900, mate=1)) == "info score mate 1"


count = st.none() | st.integers(0, 10**15)
moves = st.lists(st.from_regex(r"[a-o][1-9]", fullmatch=True)).map(tuple)


@given(
    st.builds(Info, depth=count, nodes=count, nps=count, time_ms=count, score_cp=st.integers(-MAX_CP, MAX_CP), pv=moves)
)
def test_every_info_comes_back(info: Info) -> None:
    assert read_info(info_line(info).split()) == info


@pytest.mark.parametrize(
    ("score", "cp"),
    # 10/11 is +1 in log10 of the odds: 400; 0.64 is close to 100 Elo
    [(0.5, 0), (10 / 11, 400), (1 / 11, -400), (0.6400649998, 100), (1.0, MAX_CP), (0.0, -MAX_CP), (1e-300, -MAX_CP)],
)
def test_centipawns(score: float, cp: int) -> None:
    assert centipawns(score) == cp


@given(st.integers(-4000, 4000))
def test_centipawns_come_back(cp: int) -> None:
    assert centipawns(expected_score(cp)) == cp


@pytest.mark.parametrize("score", [-0.1, 1.1, math.nan])
def test_an_expected_score_outside_0_to_1_is_refused(score: float) -> None:
    with pytest.raises(ValueError, match="expected a score from 0 to 1"):
        centipawns(score)


@pytest.mark.parametrize("cp", [10**9, -(10**9)])
def test_any_cp_has_an_expected_score(cp: int) -> None:
    assert expected_score(cp) == pytest.approx(float(cp > 0))
