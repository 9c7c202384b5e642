"""Certificates of the tests' own authority."""

from __future__ import annotations

from pathlib import Path

import trustme


def write_certificates(folder: Path) -> None:
    """Write ca.pem, cert.pem, key.pem and both.pem for 127.0.0.1, and other.pem for another host."""
    authority = trustme.CA()
    ours, other = authority.issue_cert("127.0.0.1"), authority.issue_cert("elsewhere.example")
    authority.cert_pem.write_to_path(folder / "ca.pem")
    ours.cert_chain_pems[0].write_to_path(folder / "cert.pem")
    ours.private_key_pem.write_to_path(folder / "key.pem")
    ours.private_key_and_cert_chain_pem.write_to_path(folder / "both.pem")
    other.private_key_and_cert_chain_pem.write_to_path(folder / "other.pem")
