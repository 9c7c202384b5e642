"""The life of a silent TCP connection: the system asks the peer for a sign of it, and ends a connection without one.

On systems that lack an option the loss is noticed later.
"""

from __future__ import annotations

import socket
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from asyncio.trsock import TransportSocket

    Link = socket.socket | TransportSocket

LOSS_SECONDS = 25
"""The time without a sign of life after which a connection is lost."""
CHECK_SECONDS = 3
"""The time of a check: about 1 s to the probe, 1 s for the answer, and some more."""
_SLOW = {"TCP_KEEPIDLE": 10, "TCP_KEEPINTVL": 5, "TCP_KEEPCNT": 3}
"""The probes of a silent peer: the delay of the first (s), the interval (s) and their number."""
_QUICK = {"TCP_KEEPIDLE": 1, "TCP_KEEPINTVL": 1, "TCP_KEEPCNT": 1}
"""Those of a check. A change of the first takes effect at once."""
_QUICK_LOSS_SECONDS = 2
_INFO_RETRANSMITS = 2
"""The place of the number of repetitions in Linux's `struct tcp_info`."""
_MUTE_RETRANSMITS = 2
"""Repetitions of the same bytes, without an answer, of a peer that is probably gone."""


def keep_alive(link: Link, *, reads: bool = True) -> None:
    """Notice a peer that is gone without a word, within LOSS_SECONDS.

    `reads`: The peer takes all bytes at once, so that bytes without a receipt are a loss, too. Without it a peer may
    pause as long as it has room for no more bytes, and such a loss is noticed much later.

    Raises:
        OSError: The connection has ended.
    """
    link.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    _set(link, {**_SLOW, **({"TCP_USER_TIMEOUT": 1000 * LOSS_SECONDS} if reads else {})})


def check(link: Link) -> None:
    """Notice a peer that is gone within CHECK_SECONDS; `keep_alive` follows then.

    Raises:
        OSError: The connection has ended.
    """
    link.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    # the probe is sent with the last option, the first of _QUICK
    _set(link, {"TCP_USER_TIMEOUT": 1000 * _QUICK_LOSS_SECONDS, **dict(reversed(_QUICK.items()))})


def is_mute(link: Link) -> bool:
    """Return whether bytes to the peer were repeated without a receipt: no probes are sent meanwhile.

    Raises:
        OSError: The connection has ended.
    """
    option: int | None = getattr(socket, "TCP_INFO", None)
    if option is None:
        return False
    found = link.getsockopt(socket.IPPROTO_TCP, option, _INFO_RETRANSMITS + 1)
    return bool(found[_INFO_RETRANSMITS] >= _MUTE_RETRANSMITS)


def _set(link: Link, options: dict[str, int]) -> None:
    for name, value in options.items():
        option: int | None = getattr(socket, name, None)
        if option is not None:
            link.setsockopt(socket.IPPROTO_TCP, option, value)
