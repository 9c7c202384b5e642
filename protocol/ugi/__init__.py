"""UGI, the Universal Game Interface, and UCI: docs/protocols/ugi.md, docs/protocols/uci.md."""

from fiedler.protocol.ugi.client import UgiClient
from fiedler.protocol.ugi.client_messages import ClientMessages
from fiedler.protocol.ugi.events import (
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
from fiedler.protocol.ugi.queries import QUERIES
from fiedler.protocol.ugi.server import UgiServer, refusal
from fiedler.protocol.ugi.server_messages import ServerMessages
from fiedler.protocol.ugi.states import State
from fiedler.protocol.ugi.vocabulary import UCI, UGI, Vocabulary
from fiedler.protocol.words import MAX_MOVES

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
