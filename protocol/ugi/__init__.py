"""UGI, the Universal Game Interface: docs/protocols/ugi.md."""

from protocol.ugi.client import UgiClient
from protocol.ugi.client_messages import ClientMessages
from protocol.ugi.events import (
    Go,
    Hello,
    IsReady,
    NewGame,
    Query,
    Quit,
    ServerEvent,
    SetOption,
    SetPosition,
    Stop,
)
from protocol.ugi.position import MAX_MOVES
from protocol.ugi.server import UgiServer, refusal
from protocol.ugi.server_messages import QUERIES, ServerMessages
from protocol.ugi.states import State

__all__ = [
    "MAX_MOVES",
    "QUERIES",
    "ClientMessages",
    "Go",
    "Hello",
    "IsReady",
    "NewGame",
    "Query",
    "Quit",
    "ServerEvent",
    "ServerMessages",
    "SetOption",
    "SetPosition",
    "State",
    "Stop",
    "UgiClient",
    "UgiServer",
    "refusal",
]
