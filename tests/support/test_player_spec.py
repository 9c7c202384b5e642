"""A player as people write it: the forms, and their errors."""

from __future__ import annotations

import tomllib
from pathlib import Path

import msgspec
import pytest

from fiedler.support.errors import UsageError
from fiedler.support.player_spec import (
    OptionValue,
    PlayerSpec,
    make_spec,
    option_texts,
    read_options,
    read_player,
)
from fiedler.support.player_table import PlayerTable, wrong_ways

FULL = PlayerSpec("checkpoint", "net.onnx", {"simulations": "9", "c_puct": "1.5"})


@pytest.mark.parametrize(
    ("text", "spec"),
    [
        ("mcts", PlayerSpec("mcts")),
        ("mcts simulations=50 rollout=random", PlayerSpec("mcts", None, {"simulations": "50", "rollout": "random"})),
        ("nets/a.onnx", PlayerSpec(None, "nets/a.onnx")),
        ("runs/lr=0.1/a.onnx simulations=9", PlayerSpec(None, "runs/lr=0.1/a.onnx", {"simulations": "9"})),
        ("checkpoint simulations=9 model=net.onnx c_puct=1.5", FULL),
        ("negamax depth=3 depth=5", PlayerSpec("negamax", None, {"depth": "5"})),
        ("negamax model=", PlayerSpec("negamax", None, {"model": ""})),
    ],
)
def test_words_name_a_player(text: str, spec: PlayerSpec) -> None:
    assert read_player(text) == spec


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("", "expected a player or a model file, then its options as KEY=VALUE, got ''"),
        ("depth=8", "expected a player or a model file, then its options as KEY=VALUE, got 'depth=8'"),
        ("negamax depth", "expected KEY=VALUE, got 'depth'"),
        ("negamax =8", "expected KEY=VALUE, got '=8'"),
        ("a.onnx model=b.onnx", "expected one model, got 'a.onnx' and model=b.onnx"),
    ],
)
def test_wrong_words_are_refused(text: str, error: str) -> None:
    with pytest.raises(UsageError) as refused:
        read_player(text)
    assert str(refused.value) == error


def test_the_forms_say_the_same() -> None:
    name = 'a "b"\x7f'
    (table,) = tomllib.loads(PlayerTable.of(name, FULL).toml)["players"]
    again = msgspec.convert(table, PlayerTable)
    assert (again.name, again.spec) == (name, FULL)
    words = FULL.arguments
    assert words[:4] == ("--player", "checkpoint", "--model", "net.onnx")
    assert words[4::2] == ("--set", "--set")
    assert make_spec(words[1], words[3], read_options(words[5::2])) == FULL
    assert FULL.settings == {"simulations": "9", "c_puct": "1.5", "model": "net.onnx"}


def test_a_model_among_the_options_is_the_model_of_the_player() -> None:
    among = PlayerTable(player="checkpoint", options={"model": "net.onnx", "simulations": 9, "c_puct": 1.5})
    assert among.spec == FULL
    assert among.spec.within(Path("/nets")).model == "/nets/net.onnx"
    assert FULL.within(Path("/nets")).within(Path("/others")).model == "/nets/net.onnx"
    assert PlayerSpec("hsp").within(Path("/nets")) == PlayerSpec("hsp")


def test_options_have_the_spelling_of_the_protocol() -> None:
    options: dict[str, OptionValue] = {"a": True, "b": 1.0, "c": 0.25, "d": "x y", "e": 123456789, "f": False}
    assert list(option_texts(options).values()) == ["true", "1", "0.25", "x y", "123456789", "false"]


class Program(PlayerTable, frozen=True, kw_only=True):
    """A table with two more ways."""

    command: str | None = None
    models: str | None = None


WAYS = ("player", "model", "models", "command")
EXPECTED = "expected exactly one of player, model, models, command, or player with model or models, got "


@pytest.mark.parametrize(
    ("table", "wrong"),
    [
        (Program(player="a"), []),
        (Program(player="a", model="b"), []),
        (Program(player="a", models="*.b"), []),
        (Program(), [("key", EXPECTED + "none")]),
        (Program(model="b", command="c"), [("key", EXPECTED + "model and command")]),
        (Program(player="a", model="b", models="*.b"), [("key", EXPECTED + "player and model and models")]),
        (Program(player="a", command="c"), [("key", EXPECTED + "player and command")]),
        (Program(model="b", options={"model": "c"}), [("key.options.model", "expected none beside model, got 'c'")]),
    ],
)
def test_a_table_names_its_player_in_one_way(table: Program, wrong: list[tuple[str, str]]) -> None:
    assert list(wrong_ways(table, "key", WAYS)) == wrong
