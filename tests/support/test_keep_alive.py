"""Peers that vanish without a word are noticed; peers that are only silent keep their connections."""

from __future__ import annotations

import errno
import socket
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from fiedler.support.keep_alive import LOSS_SECONDS, check, is_mute, keep_alive
from tests.patience import PATIENCE, wait_until
from tests.sockets import go_dark, losses, need_filters


@contextmanager
def connection() -> Iterator[tuple[socket.socket, socket.socket]]:
    """Yield the two ends of a connection."""
    with (
        socket.create_server(("127.0.0.1", 0)) as listener,
        socket.create_connection(listener.getsockname(), PATIENCE) as far,
        listener.accept()[0] as near,
    ):
        near.settimeout(PATIENCE)
        yield near, far


def test_a_loss_is_noticed_in_time_with_and_without_bytes_on_their_way() -> None:
    with connection() as (near, _):
        keep_alive(near, reads=False)
        assert losses(near) == (LOSS_SECONDS, float("inf"))
        keep_alive(near)
        assert losses(near) == (LOSS_SECONDS, LOSS_SECONDS)


def test_a_check_ends_the_connection_to_a_vanished_peer_alone() -> None:
    need_filters()
    with connection() as (near, far), connection() as (other, silent):
        go_dark(far)
        for one in (near, other):
            check(one)
        with pytest.raises(TimeoutError) as caught:
            near.recv(1)
        assert caught.value.errno == errno.ETIMEDOUT
        silent.sendall(b"x")
        assert other.recv(1) == b"x"
        keep_alive(other)
        assert losses(other) == (LOSS_SECONDS, LOSS_SECONDS)


def test_a_peer_that_takes_no_bytes_is_mute() -> None:
    need_filters()
    with connection() as (near, far):
        near.sendall(b"x")
        assert far.recv(1) == b"x"
        assert not is_mute(near)
        go_dark(far)
        near.sendall(b"x")
        wait_until(lambda: is_mute(near))
