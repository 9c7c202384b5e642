"""Any bytes in any portions, in every dialect, on both sides: answers or events of the dialect, and nothing else.

`make fuzz` tries a million inputs a dialect.
"""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fiedler.protocol import DIALECTS
from tests.protocol.fuzz.client_side import check_client
from tests.protocol.fuzz.languages import LANGUAGES
from tests.protocol.fuzz.server_side import check_server
from tests.protocol.fuzz.tape import Tape
from tools.fuzz import check

tapes = st.binary(max_size=400)


def test_every_dialect_is_fuzzed() -> None:
    assert {*LANGUAGES} == {*DIALECTS}


@pytest.mark.parametrize("name", DIALECTS)
@given(tapes)
def test_server(name: str, data: bytes) -> None:
    check_server(name, Tape(data))


@pytest.mark.parametrize("name", DIALECTS)
@given(tapes, st.binary(max_size=40))
def test_client(name: str, data: bytes, cuts: bytes) -> None:
    check_client(name, Tape(data), Tape(data), Tape(cuts))


FOUND = [("gomocup", 109_501), ("gomocup", 119_071)]
"""Inputs of `make fuzz` that failed once."""


@pytest.mark.parametrize(("name", "number"), FOUND)
def test_the_inputs_that_failed_once(name: str, number: int) -> None:
    check(name, number)
