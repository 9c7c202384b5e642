"""Token files: what they hold, who is admitted, and that nothing shows a token."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from fiedler.support.address import Address
from fiedler.support.errors import UsageError
from fiedler.support.tokens import Token, read_own_token, read_player_tokens, read_tokens, warn_in_clear


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


def test_a_file_that_its_group_can_change_deserves_a_warning(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    read_own_token(file(tmp_path, "s3cret\n", 0o660))
    assert "the group of this file can change these tokens; chmod 600 helps" in capsys.readouterr().err


@pytest.mark.parametrize("mode", [0o602, 0o666, 0o777])
@pytest.mark.parametrize("read", [read_tokens, read_own_token])
def test_a_file_that_everyone_can_change_is_refused(tmp_path: Path, read: Callable[[Path], object], mode: int) -> None:
    with pytest.raises(UsageError, match="expected a file that others cannot change, got one that all may; chmod 600"):
        read(file(tmp_path, "s3cret\n", mode))


@pytest.mark.parametrize("read", [read_tokens, read_player_tokens, read_own_token])
def test_what_is_no_small_file_is_refused_at_once(tmp_path: Path, read: Callable[[Path], object]) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "large").write_bytes(b"# \n" * 2**19)
    (tmp_path / "large").chmod(0o600)
    for path, wrong in (
        (tmp_path / "pipe", "pipe: expected a regular file, got a pipe"),
        (Path("/dev/zero"), "/dev/zero: expected a regular file, got a device"),
        (tmp_path, "cannot be read: is a directory"),
        (tmp_path / "large", "large: expected at most 1048576 bytes, got more"),
    ):
        with pytest.raises(UsageError, match=wrong) as error:
            read(path)
        assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("host", "warned"), [("127.0.0.1", False), ("192.0.2.7", True), ("no.such.host.invalid", False)]
)
def test_a_token_in_the_clear_deserves_a_warning_once(
    capsys: pytest.CaptureFixture[str], host: str, *, warned: bool
) -> None:
    for _ in range(2):
        warn_in_clear(Address(host, 4081))
    warning = f"warning: {host}:4081 is not encrypted: the token is readable on the way; --tls encrypts\n"
    assert capsys.readouterr().err == (warning if warned else "")


def test_a_repr_hides_the_token() -> None:
    assert repr(Token("s3cret")) == "Token(***)"
