"""Standard input and output <-> an engine port, for GUIs and managers that start programs."""

from __future__ import annotations

import asyncio
import os
import select
import socket
import ssl
import threading
import time
from concurrent.futures import CancelledError
from contextlib import suppress

from protocol import RemoteProtocolError
from protocol.admission import REFUSED, AdmissionClient, Credentials, admission_failure
from support.address import Address, reason
from support.errors import WorkError, printable
from support.tokens import Token

CHUNK = 65536
CONNECT_SECONDS = 10.0
"""The time to connect, again for a TLS handshake, and again to be admitted."""
LEAST_SECONDS = 0.001
"""The least time-out of a socket: 0 would mean that it does not wait."""
LAST_ANSWERS_SECONDS = 5.0
"""Over TLS, which has no half-closed connections: the time for answers after the end of the input."""


def open_socket(
    address: Address, token: Token | None = None, tls: ssl.SSLContext | None = None
) -> tuple[socket.socket, bytes]:
    """Return a socket to the engine that sends small lines at once, admitted with the token, and its first bytes.

    Over TLS only one thread at a time may use it.

    Raises:
        WorkError: The engine cannot be reached, or does not admit us.
    """
    try:
        link = socket.create_connection((address.host, address.port), timeout=CONNECT_SECONDS)
    except (OSError, UnicodeError) as error:
        raise WorkError(f"cannot connect to {address}: {reason(error)}") from None
    link.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    link = link if tls is None else _encrypted(link, tls, address)
    early = b""
    if token is not None:
        try:
            early = _apply(link, token, address)
        except WorkError:
            link.close()
            raise
    link.settimeout(None)
    return link, early


def _encrypted(link: socket.socket, tls: ssl.SSLContext, address: Address) -> socket.socket:
    encrypted = None
    try:
        encrypted = tls.wrap_socket(link, server_hostname=address.host, do_handshake_on_connect=False)
        _shake_hands(encrypted)
    except OSError as error:
        (encrypted or link).close()
        raise WorkError(f"cannot connect to {address}: {reason(error)}") from None
    return encrypted


def _shake_hands(link: ssl.SSLSocket) -> None:
    """Do the TLS handshake; its time is bounded as a whole, also for a peer that sends byte by byte."""
    until = time.monotonic() + CONNECT_SECONDS
    link.setblocking(False)
    while (left := until - time.monotonic()) > 0:
        try:
            link.do_handshake()
        except ssl.SSLWantReadError:
            select.select([link], [], [], left)
        except ssl.SSLWantWriteError:
            select.select([], [link], [], left)
        else:
            return
    raise TimeoutError


def _apply(link: socket.socket, token: Token, address: Address) -> bytes:
    """Send the token, wait for the answer, and return the bytes after it."""
    admission = AdmissionClient(Credentials(token.text))
    until = time.monotonic() + CONNECT_SECONDS
    try:
        link.settimeout(CONNECT_SECONDS)
        link.sendall(admission.first_line)
        while not admission.feed(link.recv(CHUNK)):
            link.settimeout(max(LEAST_SECONDS, until - time.monotonic()))
    except (OSError, RemoteProtocolError) as error:
        raise _refusal(address, error) from None
    return admission.rest


def _refusal(address: Address, error: OSError | RemoteProtocolError) -> WorkError:
    if isinstance(error, TimeoutError):
        return WorkError(f"{address} did not answer the token within {CONNECT_SECONDS:g} s")
    if isinstance(error, OSError):
        return WorkError(f"{address} did not admit us: {reason(error)}")
    return WorkError(f"{address} {printable(admission_failure(error))}")


def bridge(
    address: Address, reading: int = 0, writing: int = 1, token: Token | None = None, tls: ssl.SSLContext | None = None
) -> None:
    """Copy both ways until the server closes. `reading` and `writing` are file descriptors.

    At the end of the input only our half of the connection is closed: pending answers still come.

    Raises:
        WorkError: The connection fails, or the engine does not admit us.
    """
    if tls is not None:
        asyncio.run(_bridge_tls(address, reading, writing, token, tls))
        return
    link, early = open_socket(address, token)
    with link:
        threading.Thread(target=_send_all, args=(reading, link), name="bridge", daemon=True).start()
        try:
            _write_all(writing, early)
            if token is None:
                _write_all(writing, _first(address, link.recv(CHUNK)))
            while data := link.recv(CHUNK):
                _write_all(writing, data)
        except (ConnectionResetError, BrokenPipeError):  # one end is gone, which is a normal end
            return
        except OSError as error:
            raise WorkError(f"{address}: {reason(error)}") from None


def _first(address: Address, data: bytes) -> bytes:
    """Return the first bytes of an engine that was sent no token, unless they are a refusal."""
    if data.startswith(REFUSED.encode()):
        why = data.splitlines()[0].removeprefix(REFUSED.encode()).decode(errors="backslashreplace")
        raise WorkError(f"{address} did not admit us: {printable(why)}; --token-file F sends a token")
    return data


def _send_all(reading: int, link: socket.socket) -> None:
    try:
        while data := os.read(reading, CHUNK):
            link.sendall(data)
        link.shutdown(socket.SHUT_WR)
    except OSError:  # the server is gone; the other direction notices
        return


def _write_all(writing: int, data: bytes) -> None:
    while data:
        data = data[os.write(writing, data) :]


# --- TLS: one thread alone may use a connection, so that the loop has it, and a thread reads the input ----------------


async def _bridge_tls(address: Address, reading: int, writing: int, token: Token | None, tls: ssl.SSLContext) -> None:
    try:
        async with asyncio.timeout(CONNECT_SECONDS):
            reader, writer = await asyncio.open_connection(address.host, address.port, ssl=tls)
    except (OSError, UnicodeError) as error:
        raise WorkError(f"cannot connect to {address}: {reason(error)}") from None
    try:
        early = b"" if token is None else await _apply_tls(reader, writer, token, address)
        _start_reading(reading, writer)
        if token is None:
            early = _first(address, await reader.read(CHUNK))
        await asyncio.to_thread(_write_all, writing, early)
        while data := await reader.read(CHUNK):
            await asyncio.to_thread(_write_all, writing, data)
    except (ConnectionResetError, BrokenPipeError):
        return
    except OSError as error:
        raise WorkError(f"{address}: {reason(error)}") from None
    finally:
        writer.close()


async def _apply_tls(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter, token: Token, address: Address
) -> bytes:
    admission = AdmissionClient(Credentials(token.text))
    writer.write(admission.first_line)
    try:
        async with asyncio.timeout(CONNECT_SECONDS):
            while not admission.feed(await reader.read(CHUNK)):
                pass
    except (OSError, RemoteProtocolError) as error:
        raise _refusal(address, error) from None
    return admission.rest


def _start_reading(reading: int, writer: asyncio.StreamWriter) -> None:
    """Send the input from a thread, which the end of the process does not wait for."""
    loop = asyncio.get_running_loop()

    async def send(data: bytes) -> None:
        writer.write(data)
        await writer.drain()

    def work() -> None:
        with suppress(OSError, RuntimeError, CancelledError):  # the server is gone, or the loop has ended
            while data := os.read(reading, CHUNK):
                asyncio.run_coroutine_threadsafe(send(data), loop).result()
            loop.call_soon_threadsafe(loop.call_later, LAST_ANSWERS_SECONDS, writer.close)

    threading.Thread(target=work, name="bridge", daemon=True).start()
