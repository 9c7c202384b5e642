"""UGI, the Universal Game Interface, and UCI: docs/protocols/ugi.md, docs/protocols/uci.md."""

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
from protocol.ugi.queries import QUERIES
from protocol.ugi.server import UgiServer, refusal
from protocol.ugi.server_messages import ServerMessages
from protocol.ugi.states import State
from protocol.ugi.vocabulary import UCI, UGI, Vocabulary
from protocol.words import MAX_MOVES

__all__ = [
    "MAX_MOVES",
    "QUERIES",
    "UCI",
    "UGI",
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
    "Vocabulary",
    "refusal",
]
