"""The sides of a strength test as text: commands, addresses and players of ours, and back."""

from __future__ import annotations

from pathlib import Path

import pytest

from fiedler.tournament.comparison.contender import contender_text, read_contender
from fiedler.tournament.schedule.schedule import PlayerEntry


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("./engine --hash 16", {"command": ("./engine", "--hash", "16"), "protocol": "gtp"}),
        ("'my engine' x=1 '$HOME'", {"command": ("my engine", "x=1", "$HOME"), "protocol": "gtp"}),
        ("tcp://127.0.0.1:4081", {"address": "127.0.0.1:4081", "protocol": "gtp"}),
        ("tcp://[::1]:4081", {"address": "[::1]:4081", "protocol": "gtp"}),
    ],
)
def test_programs_and_addresses(text: str, expected: dict[str, object]) -> None:
    found = read_contender("base", text, "uttt", "gtp", {"hash": "1"})
    assert found == PlayerEntry(name="base", options={"hash": "1"}, **expected)  # type: ignore[arg-type]
    assert read_contender("base", contender_text(found), "uttt", "gtp", {"hash": "1"}) == found


def test_a_model_file_is_a_player_of_ours(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    found = read_contender("base", "nets/a.onnx simulations=5", "uttt", "ugi", {})
    assert found == PlayerEntry(name="base", model=str(tmp_path / "nets" / "a.onnx"), options={"simulations": "5"})
    assert contender_text(found) == f"{tmp_path}/nets/a.onnx simulations=5"


@pytest.mark.programs
def test_the_name_of_a_player_is_a_player_and_a_path_is_a_program() -> None:
    player = read_contender("base", "mcts simulations=5", "uttt", "gtp", {})
    assert player == PlayerEntry(name="base", player="mcts", options={"simulations": "5"})
    assert contender_text(player) == "mcts simulations=5"
    assert read_contender("base", "./mcts simulations=5", "uttt", "ugi", {}).command == ("./mcts", "simulations=5")
    assert read_contender("base", "cat name=5", "uttt", "ugi", {}).command == ("cat", "name=5")
