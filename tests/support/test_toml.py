"""TOML files as structs: every error is one line with its place."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import msgspec
import pytest
from msgspec import Meta

from fiedler.support.errors import UsageError
from fiedler.support.toml import MOST_UNKNOWN, TomlFile


class Inner(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    size: Annotated[int, Meta(ge=1)] = 1


class Entry(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    name: str = ""
    inner: Inner | None = None
    shares: dict[str, Annotated[float, Meta(le=1)]] = {}


class Whole(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="kind", tag="whole"):
    entries: tuple[Entry, ...] = ()
    pairs: tuple[tuple[str, Inner], ...] = ()
    origin: str = ""


def read(folder: Path, text: str) -> Whole:
    (folder / "x.toml").write_text(text, encoding="utf-8")
    file = TomlFile(folder / "x.toml")
    raw = file.parse()
    file.refuse_unknown(raw, Whole, hidden=("origin",))
    return file.convert(raw, Whole)


def test_a_correct_file_becomes_the_struct(tmp_path: Path) -> None:
    text = 'kind = "whole"\npairs = [["a", {size = 2}]]\n[[entries]]\nname = "a"\nshares = {x = 1}\n'
    assert read(tmp_path, text) == Whole((Entry("a", shares={"x": 1.0}),), (("a", Inner(2)),))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a = 1\nb = [", ":2:6: Invalid value"),
        ("[entries", ":1:9: Expected ']' at the end of a table declaration"),
        ("entires = []", ": entires: unknown table or key; did you mean 'entries'?"),
        ("origin = 'x'", ": origin: unknown table or key"),
        ("[[entries]]\nname = 'a'\nsahres = {}", ": entries 'a'.sahres: unknown key; did you mean 'shares'?"),
        ("[[entries]]\n[[entries]]\nzzz = {}", ": entries[2].zzz: unknown key; known: name, inner, shares"),
        ("[[entries]]\ninner = {siz = 1}", ": entries[1].inner.siz: unknown key; did you mean 'size'?"),
        ("pairs = [['a', {siz = 1}]]", ": pairs[1][2].siz: unknown key; did you mean 'size'?"),
        ("pairs = [['a', {size = 0}]]", ": pairs[1][2].size: expected a whole number >= 1, got 0"),
        ("[[entries]]\nshares = {x = 0.5, y = 2}", ": entries[1].shares.y: expected a number <= 1.0, got 2"),
        ("kind = 'part'", ": kind: invalid value 'part'"),
        ("kind = 3", ": kind: expected a text, got 3"),
        ("entries = 3", ": entries: expected an array, got 3"),
    ],
)
def test_an_error_is_one_line_with_its_place(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(UsageError) as refused:
        read(tmp_path, text)
    assert str(refused.value).removeprefix(str(tmp_path / "x.toml")).startswith(message)
    assert "\n" not in str(refused.value)


DEEP = ".".join("a" * 17)


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (f"{DEEP} = 1", 1),
        (f"x = 1 # {DEEP}\n[{DEEP}]", 2),
        (f'x = """\n{DEEP}\n"""\ny = {{ {DEEP} = 1 }}', 4),
        (f"[[ {' . '.join('a' * 17)} ]]", 1),
        (f"""{'."b".'.join("a" * 9)} = 1""", 1),
        (".".join(["a"] * 1_000_000) + " = 1", 1),
    ],
)
def test_a_deep_key_is_refused_before_it_costs_memory(tmp_path: Path, text: str, line: int) -> None:
    path = tmp_path / "file.toml"
    path.write_text(text)
    with pytest.raises(UsageError) as error:
        TomlFile(path).parse()
    assert str(error.value) == f"{path}:{line}: expected keys of at most 16 parts a.b.c, got more"


@pytest.mark.parametrize(
    "text",
    [
        f"{'.'.join('a' * 16)} = 1",
        f"x = '{DEEP}' # {DEEP}",
        f'x = "\\"{DEEP}"',
        f'x = """\n"{DEEP}\\"""\n{DEEP}"""',
        f"x = '''\n'{DEEP}\n'''",
        f"x = [{', '.join(['1.5'] * 100)}]",
    ],
)
def test_dots_in_texts_comments_and_numbers_are_no_keys(tmp_path: Path, text: str) -> None:
    path = tmp_path / "file.toml"
    path.write_text(text)
    assert len(TomlFile(path).parse()) == 1


def test_a_large_file_and_an_endless_one_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "file.toml"
    path.write_bytes(b"#" * (2**22 + 1))
    for one in (path, Path("/dev/zero")):
        with pytest.raises(UsageError, match=f"{one}: expected at most 4194304 bytes, got more"):
            TomlFile(one).parse()


def test_a_long_key_is_quoted_in_part(tmp_path: Path) -> None:
    with pytest.raises(UsageError) as error:
        read(tmp_path, f"{'k' * 100_000} = 1\n")
    assert str(error.value) == f"{tmp_path / 'x.toml'}: {'k' * 40}…: unknown table or key"


@pytest.mark.parametrize("text", ["x = " + "[" * 5000 + "]" * 5000, "x = " + "{a = " * 5000 + "1" + "}" * 5000])
def test_deep_tables_and_arrays_are_refused(tmp_path: Path, text: str) -> None:
    with pytest.raises(UsageError, match="cannot be read: expected fewer tables or arrays inside each other"):
        read(tmp_path, text)


def test_of_very_many_unknown_keys_the_first_ones_are_named(tmp_path: Path) -> None:
    with pytest.raises(UsageError) as error:
        read(tmp_path, "".join(f"k{number} = 1\n" for number in range(100_000)))
    lines = str(error.value).splitlines()
    assert len(lines) == MOST_UNKNOWN
    assert lines[0].endswith("x.toml: k0: unknown table or key")
