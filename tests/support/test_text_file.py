"""One reader for all text that people bring."""

from __future__ import annotations

from pathlib import Path

import pytest

from fiedler.support import text_file
from fiedler.support.errors import UsageError
from fiedler.support.text_file import decoded, lines, read_text
from fiedler.support.tokens import read_tokens
from fiedler.support.toml import TomlFile

TEXT = "a = 1\nb = 'Łé'\n"


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32"])
def test_every_mark_and_every_line_end_is_the_same_text(end: str, encoding: str, tmp_path: Path) -> None:
    path = tmp_path / "a.toml"
    path.write_bytes(TEXT.replace("\n", end).encode(encoding))
    assert read_text(path) == TEXT
    assert "".join(lines(path)) == TEXT
    assert TomlFile(path).parse() == {"a": 1, "b": "Łé"}


def test_line_ends_may_be_mixed_and_cut_anywhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes(b"a\r\nb\rc\n\r\nd\r")
    for size in range(1, 12):
        monkeypatch.setattr(text_file, "CHUNK", size)
        assert list(lines(path)) == ["a\n", "b\n", "c\n", "\n", "d\n"]


def test_bytes_that_are_not_utf_8_are_named_or_latin_1() -> None:
    data = "x\nŽé".encode("latin-1", "replace")
    assert decoded(data, "f", latin1=True) == "x\n?é"
    with pytest.raises(UsageError, match=r"^f: expected UTF-8 text, got byte 0xe9 at 3, in line 2$"):
        decoded(data, "f")


def test_a_declared_encoding_counts_unless_there_is_a_mark() -> None:
    assert decoded("Žluť".encode("cp1250"), "f", declared="windows-1250", latin1=True) == "Žluť"
    assert decoded("Žluť".encode("utf-8-sig"), "f", declared="windows-1250") == "Žluť"
    with pytest.raises(UsageError, match=r"^f: expected a known encoding, got 'klingon'$"):
        decoded(b"a", "f", declared="klingon")
    with pytest.raises(UsageError, match=r"^f: expected ascii text, got byte 0xe9 at 0, in line 1$"):
        decoded(b"\xe9", "f", declared="ascii", latin1=True)
    with pytest.raises(UsageError, match=r"^f: expected a known encoding, got 'utf-8\\x00'$"):
        decoded(b"a", "f", declared="utf-8\0")
    for encoding in ("undefined", "punycode"):  # they raise errors of another kind
        with pytest.raises(UsageError, match=f"^f: expected {encoding} text, got other bytes$"):
            decoded(b"a..b" * 20, "f", declared=encoding, latin1=True)


def test_zero_bytes_and_a_contradicted_mark_are_refused() -> None:
    with pytest.raises(UsageError, match=r"^f: expected text in UTF-8, .*; got zero bytes$"):
        decoded(TEXT.encode("utf-16-le"), "f")
    with pytest.raises(UsageError, match=r"^f: expected UTF-8 text, got byte 0xff at 0, or UTF-16, by its mark$"):
        decoded(TEXT.encode("utf-16")[:-1], "f", latin1=True)


def test_a_mark_is_no_part_of_a_token(tmp_path: Path) -> None:
    path = tmp_path / "tokens"
    path.write_bytes(b"\xef\xbb\xbfsecret\r\n")
    path.chmod(0o600)
    assert read_tokens(path).admit("secret")
