"""Admission: the first line of a client and its answer, in any portions."""

from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fiedler.protocol import LocalProtocolError, RemoteProtocolError
from fiedler.protocol.admission import (
    MAX_FIRST_LINE,
    PLAYER_LINE,
    TOKEN_LINE,
    AdmissionClient,
    AdmissionError,
    AdmissionServer,
    Credentials,
    NoAnswerError,
    admission_failure,
    parse_credentials,
    refused,
    welcome,
)

SECRET = "s3cret"


@pytest.mark.parametrize(
    ("credentials", "line"),
    [
        (Credentials(SECRET), b"token s3cret\n"),
        (Credentials(SECRET, "deep"), b"player deep s3cret\n"),
        (Credentials(SECRET, "deep net 2"), b"player deep net 2 s3cret\n"),
        (Credentials("", "deep net 2"), b"player deep net 2 -\n"),
    ],
)
def test_a_first_line_survives_the_wire(credentials: Credentials, line: bytes) -> None:
    assert credentials.line() == line
    assert parse_credentials(line.decode(), TOKEN_LINE) == credentials


def test_a_name_alone_has_no_token() -> None:
    assert parse_credentials("player deep", PLAYER_LINE) == Credentials("", "deep")


@pytest.mark.parametrize("line", ["", "ugi", "token", f"token {SECRET} more", "player", f"Token {SECRET}"])
def test_any_other_first_line_is_refused_without_a_quotation(line: str) -> None:
    with pytest.raises(RemoteProtocolError, match=r"^expected player NAME TOKEN as the first line$") as refusal:
        parse_credentials(line, PLAYER_LINE)
    assert SECRET not in str(refusal.value)


@pytest.mark.parametrize(
    "credentials",
    [Credentials(""), Credentials("two words"), Credentials("a\n"), Credentials("x", "a\nb"), Credentials("x", " a")],
)
def test_credentials_that_would_not_arrive_are_ours_to_fix(credentials: Credentials) -> None:
    with pytest.raises(LocalProtocolError):
        credentials.line()


def test_a_repr_hides_the_token() -> None:
    assert SECRET not in repr(Credentials(SECRET, "deep"))


@given(st.integers(1, 40))
def test_the_rest_is_for_the_dialect_in_any_portions(size: int) -> None:
    data, server = f"token {SECRET}\r\nugi\nisready\n".encode(), AdmissionServer(TOKEN_LINE)
    found = None
    for at in range(0, len(data), size):
        portion = data[at : at + size]
        if found is None:
            found = server.feed(portion)
        else:
            server.rest += portion
    assert found == Credentials(SECRET)
    assert server.rest == b"ugi\nisready\n"


def test_an_endless_first_line_is_refused_in_bounded_memory() -> None:
    server = AdmissionServer(TOKEN_LINE)
    for _ in range(MAX_FIRST_LINE // 64):
        server.feed(b"x" * 64)
    with pytest.raises(RemoteProtocolError, match=f"at most {MAX_FIRST_LINE} bytes in the first line"):
        server.feed(b"x")


@given(st.binary())
def test_garbage_raises_only_the_error_of_the_peer(data: bytes) -> None:
    for side in (AdmissionServer(TOKEN_LINE), AdmissionClient(Credentials(SECRET))):
        with suppress(RemoteProtocolError):
            side.feed(data)


def test_welcome_is_complete_with_its_newline() -> None:
    client = AdmissionClient(Credentials(SECRET))
    assert not client.feed(b"welc")
    assert client.feed(welcome()[4:] + b"ugiok\n")
    assert client.rest == b"ugiok\n"


def test_a_refusal_gives_its_reason() -> None:
    with pytest.raises(AdmissionError, match=r"^the token is unknown$"):
        AdmissionClient(Credentials(SECRET)).feed(refused("the token\nis unknown"))


def test_another_answer_is_an_error_of_the_peer() -> None:
    with pytest.raises(RemoteProtocolError, match=r"^expected welcome or refused: WHY, got 'HTTP/1\.1 400'$") as error:
        AdmissionClient(Credentials(SECRET)).feed(b"HTTP/1.1 400\r\n")
    assert not isinstance(error.value, AdmissionError)


@pytest.mark.parametrize(
    ("data", "failure"),
    [
        (b"used: full\n", "did not admit us: full"),
        (b"use\n", "did not answer the token: expected welcome or refused: WHY, got 'refuse'"),
        (b"", "closed the connection before it answered the token"),
    ],
)
def test_a_failure_is_the_end_of_a_sentence(data: bytes, failure: str) -> None:
    client = AdmissionClient(Credentials(SECRET))
    assert client.first_line == b"token s3cret\n"
    assert not client.feed(b"ref")
    with pytest.raises(RemoteProtocolError) as error:
        client.feed(data)
    assert admission_failure(error.value) == failure
    assert isinstance(error.value, NoAnswerError) == (data == b"")
