"""Option, the option and setoption lines."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fiedler.protocol import MAX_OPTION_NAME, MAX_OPTION_VALUE, LocalProtocolError, Option, RemoteProtocolError
from fiedler.protocol.ugi.option import option_line, read_option, read_setoption, setoption_line

HASH = Option("Hash Size", "spin", default="16", min=1, max=1024)
STYLE = Option("Style", "combo", default="Very Risky", choices=("Solid", "Very Risky"))
OPTIONS = [
    ("option name Hash Size type spin default 16 min 1 max 1024", HASH),
    ("option name seed type spin default -1 min -1 max 9", Option("seed", "spin", default="-1", min=-1, max=9)),
    ("option name Ponder type check default false", Option("Ponder", "check", default="false")),
    ("option name Style type combo default Very Risky var Solid var Very Risky", STYLE),
    ("option name Clear Hash type button", Option("Clear Hash", "button")),
    ("option name Book type string default <empty>", Option("Book", "string", default="")),
    ("option name Book type string", Option("Book", "string")),
    ("option name Log type string default min max var", Option("Log", "string", default="min max var")),
]


@pytest.mark.parametrize(("line", "option"), OPTIONS)
def test_there_and_back(line: str, option: Option) -> None:
    assert read_option(line.split()) == option
    assert option_line(option) == line


@pytest.mark.parametrize(
    ("line", "option"),
    [
        ("option name Hash Size type spin hidden max 1024 min 1 default 16", HASH),
        ("option name Book type string default", Option("Book", "string", default="")),
        ("option name seed type spin default 0", Option("seed", "spin", default="0")),
        ("option name seed type spin min 0 max 9", Option("seed", "spin", min=0, max=9)),
    ],
)
def test_any_order_and_unknown_words(line: str, option: Option) -> None:
    assert read_option(line.split()) == option


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("option", "expected option name NAME type spin|check|string|combo|button, got 'option'"),
        ("option name x", "expected option name NAME type spin|check|string|combo|button, got 'option name x'"),
        ("option name x type float", "expected option name NAME type"),
        ("option name type spin", "expected an option name of 1 to 128 characters without type or value, got ''"),
        ("option name best value type spin", "without type or value, got 'best value'"),
        ("option name " + "x" * 129 + " type spin", "expected an option name of 1 to 128 characters"),
        ("option name x type spin min a", "expected a whole number after min, got 'a'"),
        ("option name x type spin min", "expected a whole number after min, got ''"),
        ("option name x type spin min 2 max 1", "option 'x': expected min <= max, got 2 and 1"),
        ("option name x type spin default no", "default of option 'x': expected a whole number, got 'no'"),
        ("option name x type spin default 9 min 1 max 4", "expected a whole number from 1 to 4, got '9'"),
        ("option name x type check default maybe", "default of option 'x': expected true or false, got 'maybe'"),
        ("option name x type combo default c var a var b", "expected one of 'a', 'b', got 'c'"),
        ("option name x type combo default a", "option 'x': expected choices, each after var, got none"),
        ("option name x type combo var", "option 'x': expected choices in words, none of them a keyword, got ''"),
        ("option name x type combo" + " var y" * 1022, "expected at most 2048 words on an option line, got 2049"),
        ("option name x type button default y", "option 'x': expected no default, got 'y'"),
        ("option name x type string default " + "y" * 4097, "expected a default of at most 4096 characters"),
    ],
)
def test_declarations_that_are_refused(line: str, why: str) -> None:
    with pytest.raises(RemoteProtocolError) as refusal:
        read_option(line.split())
    assert why in str(refusal.value)


@pytest.mark.parametrize(
    "option",
    [
        Option("", "button"),
        Option("two  blanks", "button"),
        Option("the value", "button"),
        Option("line\nbreak", "button"),
        Option("x", "combo", choices=("a", "var b")),
        Option("x", "string", default=" padded"),
        Option("x", "string", default="<empty>"),
        Option("x", "spin", default="1.5", min=0, max=9),
        Option("x", "spin", min=0, max=9),
        Option("x", "spin", default="1", max=9),
        Option("x", "spin", default="1", min=0),
        Option("x", "check"),
        Option("x", "combo", choices=("a", "b")),
        Option("x", "combo", default="c", choices=("a", "b")),
    ],
)
def test_declarations_that_we_may_not_make(option: Option) -> None:
    with pytest.raises(LocalProtocolError, match="expected"):
        option_line(option)


@pytest.mark.parametrize(
    ("line", "name", "value"),
    [
        ("setoption name seed value 7", "seed", "7"),
        ("setoption name Hash Size value 12", "Hash Size", "12"),
        ("setoption name Book value my value of books", "Book", "my value of books"),
        ("setoption name Book value", "Book", ""),
        ("setoption name Clear Hash", "Clear Hash", None),
    ],
)
def test_setoption_there_and_back(line: str, name: str, value: str | None) -> None:
    assert read_setoption(line.split()) == (name, value)
    assert setoption_line(name, value) == line


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("setoption", "expected setoption name NAME [value VALUE], got 'setoption'"),
        ("setoption Hash value 3", "expected setoption name NAME [value VALUE], got 'setoption Hash value 3'"),
        ("setoption name", "expected setoption name NAME [value VALUE], got 'setoption name'"),
        ("setoption name value 3", "expected setoption name NAME [value VALUE], got 'setoption name value 3'"),
        ("setoption name " + "x" * 129, "expected an option name of at most 128 characters, got 129"),
        ("setoption name x value " + "y" * 4097, "expected an option value of at most 4096 characters, got 4097"),
    ],
)
def test_setoption_refused(line: str, why: str) -> None:
    with pytest.raises(RemoteProtocolError) as refusal:
        read_setoption(line.split())
    assert str(refusal.value) == why


@pytest.mark.parametrize(
    ("name", "value"),
    [("", "1"), ("my value", "1"), ("x" * 129, "1"), ("x", " 1"), ("x", "a  b"), ("x", "a\nquit"), ("x", "y" * 4097)],
)
def test_setoption_that_we_may_not_send(name: str, value: str) -> None:
    with pytest.raises(LocalProtocolError, match="expected"):
        setoption_line(name, value)


@pytest.mark.parametrize(
    ("option", "text", "value"),
    [
        (HASH, "12", 12),
        (Option("x", "spin"), "-5", -5),
        (Option("x", "check"), "true", True),
        (Option("x", "check"), "false", False),
        (Option("x", "string"), "", ""),
        (STYLE, "Very Risky", "Very Risky"),
        (Option("x", "button"), None, None),
    ],
)
def test_values(option: Option, text: str | None, value: object) -> None:
    assert option.read(text) == value


@pytest.mark.parametrize(
    ("option", "text", "why"),
    [
        (HASH, "0", "option 'Hash Size': expected a whole number from 1 to 1024, got '0'"),
        (HASH, "many", "option 'Hash Size': expected a whole number from 1 to 1024, got 'many'"),
        (HASH, None, "option 'Hash Size': expected a whole number from 1 to 1024, got no value"),
        (Option("x", "check"), "True", "option 'x': expected true or false, got 'True'"),
        (Option("x", "string"), None, "option 'x': expected a text, got no value"),
        (STYLE, "Wild", "option 'Style': expected one of 'Solid', 'Very Risky', got 'Wild'"),
        (Option("x", "button"), "now", "option 'x': expected no value, got 'now'"),
    ],
)
def test_values_that_are_refused(option: Option, text: str | None, why: str) -> None:
    with pytest.raises(RemoteProtocolError) as refusal:
        option.read(text)
    assert str(refusal.value) == why


words = st.lists(st.text(st.characters(codec="utf-8"), min_size=1, max_size=8), min_size=1, max_size=4).map(
    lambda found: " ".join(" ".join(found).split())
)


@given(words, words)
def test_every_name_and_value_come_back_or_are_refused(name: str, value: str) -> None:
    try:
        line = setoption_line(name, value)
    except LocalProtocolError:
        assert not name or "value" in name.split() or len(name) > MAX_OPTION_NAME or len(value) > MAX_OPTION_VALUE
    else:
        assert read_setoption(line.split()) == (name, value)


@given(words, words)
def test_every_declaration_comes_back_or_is_refused(name: str, default: str) -> None:
    option = Option(name, "string", default=default)
    try:
        line = option_line(option)
    except LocalProtocolError:
        assert not name or {"type", "value"} & set(name.split())
    else:
        assert read_option(line.split()) == option
