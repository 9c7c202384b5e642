"""GTP 2, the Go Text Protocol, with the extensions of GoGui for other games: docs/protocols/gtp.md."""

from fiedler.protocol.gtp.client import GtpClient
from fiedler.protocol.gtp.commands import COMMANDS
from fiedler.protocol.gtp.response import refusal
from fiedler.protocol.gtp.server import GtpServer, is_command

__all__ = ["COMMANDS", "GtpClient", "GtpServer", "is_command", "refusal"]
