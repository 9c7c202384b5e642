"""Token files: what they hold, who is admitted, and that nothing shows a token."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.errors import UsageError
from support.tokens import Token, read_own_token, read_player_tokens, read_tokens


def file(folder: Path, text: str | bytes, mode: int = 0o600) -> Path:
    path = folder / "tokens"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    path.chmod(mode)
    return path


def test_any_token_of_a_file_admits(tmp_path: Path) -> None:
    tokens = read_tokens(file(tmp_path, "# ours\n\nfirst\n  second  \n"))
    assert len(tokens) == 2
    assert tokens.admit("first")
    assert tokens.admit("second")
    assert not any(tokens.admit(word) for word in ("", "#", "third", "firs", "first ", "\udcff"))


def test_a_player_is_admitted_with_its_own_token(tmp_path: Path) -> None:
    tokens = read_player_tokens(file(tmp_path, "deep net s3cret\nother  word\n"))
    assert tokens.admit("deep net", "s3cret")
    assert tokens.admit("other", "word")
    assert not tokens.admit("other", "s3cret")
    assert not tokens.admit("nobody", "")
    assert "other" in tokens
    assert "nobody" not in tokens


def test_a_client_sends_its_own_token(tmp_path: Path) -> None:
    path = file(tmp_path, "common\nspare\ndeep net s3cret\n")
    assert read_own_token(path).text == "common"
    assert read_own_token(path, "deep net").text == "s3cret"
    assert read_own_token(path, "other").text == "common"
    with pytest.raises(UsageError, match="expected a token of 'other', got none"):
        read_own_token(file(tmp_path, "deep s3cret\n"), "other")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "expected a token on a line, got none"),
        ("# nothing\n", "expected a token on a line, got none"),
        ("one\ntwo s3cret\n", ":2: expected one token, got 2 words"),
        (b"\xff\xfe\n", "expected a token file in UTF-8"),
        ("s3cret" * 50, ":1: expected a token of at most 256 printable characters"),
        ("s3cret\x07\n", ":1: expected a token of at most 256 printable characters"),
    ],
)
def test_a_bad_file_is_refused_in_one_line_without_its_tokens(tmp_path: Path, text: str | bytes, message: str) -> None:
    with pytest.raises(UsageError, match=message) as refusal:
        read_tokens(file(tmp_path, text))
    assert "s3cret" not in str(refusal.value)
    assert "\n" not in str(refusal.value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("s3cret\n", ":1: expected NAME TOKEN, got one word"),
        ("deep x\ndeep y\n", ":2: an earlier line names 'deep'"),
    ],
)
def test_a_bad_file_of_players_is_refused(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        read_player_tokens(file(tmp_path, text))


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="tokens: cannot be read: no such file or directory"):
        read_tokens(tmp_path / "tokens")


@pytest.mark.parametrize(("mode", "warned"), [(0o600, False), (0o640, False), (0o644, True)])
def test_a_file_that_everyone_can_read_deserves_a_warning(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], mode: int, *, warned: bool
) -> None:
    read_tokens(file(tmp_path, "s3cret\n", mode))
    said = capsys.readouterr().err
    assert ("everyone on this machine can read these tokens" in said) == warned
    assert "s3cret" not in said


def test_a_repr_hides_the_token() -> None:
    assert repr(Token("s3cret")) == "Token(***)"
