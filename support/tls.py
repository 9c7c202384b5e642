"""TLS contexts: a server's from its certificate and key, a client's from the authorities that it trusts."""

from __future__ import annotations

import ssl
from pathlib import Path

from fiedler.support.errors import UsageError, system_reason
from fiedler.support.files import read_small

NOT_TLS = frozenset({"WRONG_VERSION_NUMBER", "HTTP_REQUEST", "UNKNOWN_PROTOCOL", "PACKET_LENGTH_TOO_LONG"})
"""The reasons of OpenSSL for an answer that is not TLS, such as a line of text."""


def server_context(cert: Path, key: Path | None = None) -> ssl.SSLContext:
    """Return the context of a server with a certificate (chain) and its private key, both PEM.

    Without `key` the file of the certificate has the key, too.

    Raises:
        UsageError: A file cannot be read, or the key is not that of the certificate. The message names the file.
    """
    _check_readable(cert)
    if key is not None:
        _check_readable(key)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    try:
        context.load_cert_chain(cert, key, password=_no_passphrase)
    except ssl.SSLError as error:
        alone = "; --key names the file of the key" if key is None else ""
        raise UsageError(f"{key or cert}: {_fault(error)}{alone}") from None
    return context


def client_context(ca: Path | None = None) -> ssl.SSLContext:
    """Return the context of a client that trusts the authorities of a PEM file, or by default those of the system.

    The certificate of the server must carry the name, or the IP address, that the client connects to.

    Raises:
        UsageError: The file cannot be read, or has no certificate.
    """
    if ca is not None:
        _check_readable(ca)
    try:
        context = ssl.create_default_context(cafile=ca)
    except ssl.SSLError:
        raise UsageError(f"{ca}: expected certificates in PEM form") from None
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    return context


def tls_reason(error: ssl.SSLError) -> str:
    """Return in a few words why a TLS connection failed."""
    if isinstance(error, ssl.SSLCertVerificationError):
        return f"the certificate is not trusted: {error.verify_message.rstrip('.').lower()}"
    text: str = getattr(error, "reason", None) or str(error) or "no reason given"  # not every one has the attribute
    if text in NOT_TLS:
        return "expected TLS, got another protocol: this port is not encrypted"
    return f"TLS failed: {text.replace('_', ' ').lower()}"


def _check_readable(path: Path) -> None:
    try:
        read_small(path)  # OpenSSL would wait for the other end of a pipe
    except OSError as error:
        raise UsageError(f"{path}: cannot be read: {system_reason(error)}") from None


def _no_passphrase() -> str:
    # without a callback OpenSSL would ask on the terminal
    return ""


def _fault(error: ssl.SSLError) -> str:
    if error.reason == "KEY_VALUES_MISMATCH":
        return "expected the key of the certificate, got another"
    return "expected a certificate and its key without a passphrase, in PEM form"
