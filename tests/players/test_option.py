from __future__ import annotations

from dataclasses import dataclass

import pytest

from fiedler.players import Settings, options_of, setting
from fiedler.players.option import find
from fiedler.support.errors import UsageError
from fiedler.support.option import Option


@dataclass(slots=True)
class Everything(Settings):
    plies: int = setting(3, "a whole number", low=1, high=9)
    share: float = setting(0.5, "a number", low=0.0)
    deep: bool = setting(False, "a truth")
    style: str = setting("calm", "a choice", choices=("calm", "wild"))
    note: str = setting("", "a text")
    seed: int = setting(-1, "a large number", low=-1)
    file: str = setting("", "a file", at_start=True)


@dataclass(slots=True)
class Hashing(Settings):
    hash_mb: int = setting(64, "MiB", low=1)


OPTIONS = {option.name: option for option in options_of(Everything)}


def test_options_are_the_fields_in_order() -> None:
    assert list(OPTIONS) == ["plies", "share", "deep", "style", "note", "seed", "file"]
    assert [option.type for option in OPTIONS.values()] == [
        "spin",
        "string",
        "check",
        "combo",
        "string",
        "spin",
        "string",
    ]


def test_default_texts_set_the_defaults() -> None:
    assert [option.default_text for option in OPTIONS.values()] == ["3", "0.5", "false", "calm", "", "-1", ""]


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [
        ("plies", "9", 9),
        ("plies", " 1 ", 1),
        ("share", "2", 2.0),
        ("share", "1e-3", 0.001),
        ("deep", "true", True),
        ("style", "wild", "wild"),
        ("note", "two words", "two words"),
        ("note", "", ""),
        ("seed", "9223372036854775807", 2**63 - 1),
        ("seed", "1" + "0" * 400, 10**400),
    ],
)
def test_a_text_is_read_as_its_kind(name: str, text: str, value: object) -> None:
    assert OPTIONS[name].read(text) == value


@pytest.mark.parametrize(
    ("name", "text", "wanted"),
    [
        ("plies", "0", "a whole number from 1 to 9"),
        ("plies", "10", "a whole number from 1 to 9"),
        ("plies", "1_0", "a whole number"),
        ("plies", "٣", "a whole number"),
        ("plies", "2.0", "a whole number"),
        ("plies", "", "a whole number"),
        ("share", "-1", "a number from 0.0"),
        ("share", "nan", "a number"),
        ("share", "inf", "a number"),
        ("deep", "yes", "true or false"),
        ("style", "Wild", "one of calm, wild"),
        ("seed", "-2", "a whole number from -1"),
    ],
)
def test_a_bad_text_is_refused_with_the_expectation(name: str, text: str, wanted: str) -> None:
    with pytest.raises(UsageError, match=f"option '{name}': expected {wanted}.*got {text!r}"):
        OPTIONS[name].read(text)


def test_an_unknown_name_is_answered_with_the_nearest_known_one() -> None:
    with pytest.raises(UsageError, match="unknown option 'ply' of player one; did you mean 'plies'"):
        find(OPTIONS.values(), "ply", "one")


def test_a_name_is_known_in_any_case_and_by_its_word_in_uci() -> None:
    (hash_mb,) = options_of(Hashing)
    for name in ("hash_mb", "Hash_MB", "Hash", "hash"):
        assert find((hash_mb,), name, "one") is hash_mb
    with pytest.raises(UsageError, match="unknown option 'Hash' of player one"):
        find(OPTIONS.values(), "Hash", "one")


def test_an_option_of_a_player_without_any() -> None:
    with pytest.raises(UsageError, match=r"unknown option 'x' of player one \(known: none\)"):
        find((), "x", "one")


def test_an_option_is_a_value() -> None:
    assert Option("a", int, 1, "help") == Option("a", int, 1, "help")


def test_a_number_may_be_zero_or_from_another_one_on() -> None:
    option = Option("simulations", int, 0, "", low=0, high=9, above_zero=2)
    assert [option.read(text) for text in ("0", "2", "9")] == [0, 2, 9]
    for text in ("-1", "1", "10"):
        with pytest.raises(UsageError, match=f"expected 0, or a whole number from 2 to 9, got '{text}'"):
            option.read(text)
