"""Limit and the go line."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fiedler.protocol import MAX_DEPTH, MAX_MS, MAX_NODES, Limit, LocalProtocolError, RemoteProtocolError
from fiedler.protocol.ugi.go import go_line, read_go

LINES = [
    ("go", Limit()),
    ("go infinite", Limit(infinite=True)),
    ("go movetime 20", Limit(movetime_ms=20)),
    ("go depth 4", Limit(depth=4)),
    (f"go nodes {MAX_NODES}", Limit(nodes=MAX_NODES)),
    ("go p1time 1000 p2time 0 p1inc 10 p2inc 0", Limit(p1time_ms=1000, p2time_ms=0, p1inc_ms=10, p2inc_ms=0)),
    ("go movetime 20 depth 4 nodes 100", Limit(movetime_ms=20, depth=4, nodes=100)),
]


@pytest.mark.parametrize(("line", "limit"), LINES)
def test_there_and_back(line: str, limit: Limit) -> None:
    assert read_go(line.split()) == limit
    assert go_line(limit) == line


@pytest.mark.parametrize("line", ["go infinite nodes 5 p2time 7", "go p2time 7 infinite nodes 5"])
def test_any_order(line: str) -> None:
    assert read_go(line.split()) == Limit(nodes=5, p2time_ms=7, infinite=True)


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("go nodes -5", "expected a whole number from 1 to 9223372036854775807 after nodes, got '-5'"),
        ("go nodes 0", "expected a whole number from 1 to 9223372036854775807 after nodes, got '0'"),
        ("go movetime 1.5", "expected a whole number from 1 to 2147483647 after movetime, got '1.5'"),
        ("go movetime", "expected a whole number from 1 to 2147483647 after movetime, got nothing"),
        ("go p1time -1", "expected a whole number from 0 to 2147483647 after p1time, got '-1'"),
        ("go depth 1_0", "expected a whole number from 1 to 2147483647 after depth, got '1_0'"),
        ("go depth ٣", "expected a whole number from 1 to 2147483647 after depth, got '٣'"),
        ("go depth depth 3", "expected a whole number from 1 to 2147483647 after depth, got 'depth'"),
        ("go nodes " + "9" * 5000, None),
        ("go depth 2 depth 3", "expected depth once, got it twice"),
        ("go infinite infinite", "expected infinite once, got it twice"),
        (
            "go fast",
            "expected one of p1time, p2time, p1inc, p2inc, movetime, depth, nodes, infinite; got 'fast'",
        ),
        ("go 5", None),
    ],
)
def test_refusals(line: str, why: str | None) -> None:
    with pytest.raises(RemoteProtocolError) as refusal:
        read_go(line.split())
    assert why is None or str(refusal.value) == why
    assert len(str(refusal.value)) < 200


@pytest.mark.parametrize("limit", [Limit(depth=0), Limit(nodes=2**63), Limit(movetime_ms=0), Limit(p1inc_ms=-1)])
def test_values_that_we_may_not_send(limit: Limit) -> None:
    with pytest.raises(LocalProtocolError, match=r"expected .* from .* to .*, got"):
        go_line(limit)


def optional(low: int, high: int) -> st.SearchStrategy[int | None]:
    return st.none() | st.integers(low, high)


clock = optional(0, MAX_MS)


@given(
    st.builds(
        Limit,
        depth=optional(1, MAX_DEPTH),
        nodes=optional(1, MAX_NODES),
        movetime_ms=optional(1, MAX_MS),
        p1time_ms=clock,
        p2time_ms=clock,
        p1inc_ms=clock,
        p2inc_ms=clock,
        infinite=st.booleans(),
    )
)
def test_every_limit_comes_back(limit: Limit) -> None:
    assert read_go(go_line(limit).split()) == limit
