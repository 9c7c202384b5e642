"""Token files: the secrets that admit clients. No message, log or repr shows a token."""

from __future__ import annotations

import functools
import hmac
import stat
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from hashlib import sha256
from pathlib import Path

from fiedler.support.address import Address, is_local
from fiedler.support.errors import UsageError, system_reason
from fiedler.support.files import read_small

MAX_TOKEN = 256
"""Most characters of a token."""


class Token:
    """One secret word."""

    __slots__ = ("_digest", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        """The word itself, for the wire alone."""
        self._digest = sha256(text.encode()).digest()

    def __repr__(self) -> str:
        return "Token(***)"

    def matches(self, text: str) -> bool:
        """Compare in a time that depends on neither word."""
        return hmac.compare_digest(self._digest, sha256(text.encode("utf-8", "backslashreplace")).digest())


class Tokens:
    """The tokens of a server: any of them admits a client."""

    def __init__(self, tokens: Sequence[Token]) -> None:
        self._tokens = tuple(tokens)

    def __len__(self) -> int:
        return len(self._tokens)

    def admit(self, token: str) -> bool:
        """Return whether this is one of the tokens; every one is compared."""
        matches = [one.matches(token) for one in self._tokens]
        return any(matches)


class PlayerTokens:
    """The tokens of players that dial in: each name has its own."""

    def __init__(self, tokens: Mapping[str, Token]) -> None:
        self._tokens = dict(tokens)
        self._nobody = Token("")

    def __contains__(self, name: object) -> bool:
        return name in self._tokens

    def admit(self, name: str, token: str) -> bool:
        """Return whether this is the token of the player; an unknown name takes the same time."""
        return self._tokens.get(name, self._nobody).matches(token) and name in self._tokens


def read_tokens(path: Path) -> Tokens:
    """Return the tokens of a file with one token a line. Blank lines and lines that begin with `#` are skipped.

    A file that others on this machine can read gets a warning on standard error.

    Raises:
        UsageError: The file cannot be read, everyone can change it, it has no token, or it has another line.
    """
    tokens: list[Token] = []
    for number, words in _lines(path):
        if len(words) != 1:
            raise UsageError(f"{path}:{number}: expected one token, got {len(words)} words")
        tokens.append(_token(path, number, words[0]))
    return Tokens(tokens)


def read_player_tokens(path: Path) -> PlayerTokens:
    """Return the tokens of a file with lines `NAME TOKEN`; the last word is the token. Otherwise like `read_tokens`.

    Raises:
        UsageError: The file cannot be read, has no token, has another line, or names a player twice.
    """
    tokens: dict[str, Token] = {}
    for number, words in _lines(path):
        if len(words) < 2:
            raise UsageError(f"{path}:{number}: expected NAME TOKEN, got one word")
        name = " ".join(words[:-1])
        if name in tokens:
            raise UsageError(f"{path}:{number}: an earlier line names {name!r}")
        tokens[name] = _token(path, number, words[-1])
    return PlayerTokens(tokens)


def read_own_token(path: Path, name: str = "") -> Token:
    """Return the token to send: that of the first line `NAME TOKEN` with this name, else the first one without a name.

    Raises:
        UsageError: The file cannot be read, or has no such token.
    """
    found: dict[str, Token] = {}
    for number, words in _lines(path):
        found.setdefault(" ".join(words[:-1]), _token(path, number, words[-1]))
    token = found.get(name) or found.get("")
    if token is None:
        raise UsageError(f"{path}: expected a token{f' of {name!r}' if name else ' alone on a line'}, got none")
    return token


def read_secret(path: Path, what: str) -> str:
    """Return the only word of a file, `what` in messages. Blank lines and lines that begin with `#` are skipped.

    Raises:
        UsageError: The file cannot be read, everyone can change it, or it has not exactly one word.
    """
    words = [word for _, words in _lines(path, what) for word in words]
    if len(words) != 1:
        raise UsageError(f"{path}: expected one {what}, got {len(words)} words")
    return words[0]


def _lines(path: Path, what: str = "token") -> Iterator[tuple[int, list[str]]]:
    """Give the words of each line that has any, with its number; the file has one or more of `what`."""
    try:
        text = read_small(path).decode("utf-8-sig")
        _check_mode(path, path.stat().st_mode, what)
    except OSError as error:
        raise UsageError(f"{path}: cannot be read: {system_reason(error)}") from None
    except UnicodeDecodeError:
        raise UsageError(f"{path}: expected a {what} file in UTF-8") from None
    lines = [(number, line.split()) for number, line in enumerate(text.splitlines(), 1)]
    filled = [(number, words) for number, words in lines if words and not words[0].startswith("#")]
    if not filled:
        raise UsageError(f"{path}: expected a {what} on a line, got none")
    yield from filled


def _check_mode(path: Path, mode: int, what: str) -> None:
    """Refuse a file that everyone can change, and so add a secret of their own."""
    if mode & stat.S_IWOTH:
        raise UsageError(f"{path}: expected a file that others cannot change, got one that all may; chmod 600 helps")
    if mode & stat.S_IROTH:
        _warn(f"{path}: everyone on this machine can read these {what}s; chmod 600 helps")
    elif mode & stat.S_IWGRP:
        _warn(f"{path}: the group of this file can change these {what}s; chmod 600 helps")


def warn_in_clear(address: Address, what: str = "the token is", option: str = "--tls") -> None:
    """Warn that others can read what goes to or from an address without TLS, unless it is on this machine alone."""
    with suppress(OSError, UnicodeError):  # an unknown host: nothing goes there
        if not is_local(address):
            _warn(f"{address} is not encrypted: {what} readable on the way; {option} encrypts")


@functools.cache
def _warn(what: str) -> None:
    """Warn once: a command may read a file several times."""
    print(f"warning: {what}", file=sys.stderr, flush=True)


def _token(path: Path, number: int, word: str) -> Token:
    if len(word) > MAX_TOKEN or not word.isprintable():
        raise UsageError(f"{path}:{number}: expected a token of at most {MAX_TOKEN} printable characters")
    return Token(word)
