"""The protocol of Gomocup and of the Piskvork manager: docs/protocols/gomocup.md."""

from fiedler.protocol.gomocup.client import GRACE_S, PAUSE_S, GomocupClient
from fiedler.protocol.gomocup.server import GomocupServer, refusal
from fiedler.protocol.gomocup.words import is_command

__all__ = ["GRACE_S", "PAUSE_S", "GomocupClient", "GomocupServer", "is_command", "refusal"]
