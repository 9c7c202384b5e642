"""Any text gives moves or one documented error."""

from __future__ import annotations

import re
from contextlib import suppress

from hypothesis import given
from hypothesis import strategies as st

from fiedler.protocol import RemoteProtocolError
from fiedler.protocol.gtp.sgf import read_sgf

SGF = ["(", ")", ";", "B", "W", "SZ", "AB", "C", "[3]", "[aa]", "[cc]", "[]", "[zz]", "[\\]]", "[", "]", " ", "x"]


@given(st.lists(st.sampled_from(SGF), max_size=30).map("".join) | st.text(max_size=30))
def test_sgf(text: str) -> None:
    with suppress(RemoteProtocolError):
        moves = read_sgf(text, 3)
        assert all(side in (0, 1) and re.fullmatch("[ABC][123]", point) for side, point in moves)
