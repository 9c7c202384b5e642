"""The text protocols: bytes in, messages out. No socket, no clock, no rules of any game."""

from protocol import dialects
from protocol.dialects import DIALECTS, Dialect, detect
from protocol.errors import LocalProtocolError, ProtocolError, RemoteProtocolError
from protocol.events import (
    BestMove,
    ClientEvent,
    EngineId,
    Eof,
    Go,
    Hello,
    InfoLine,
    InfoString,
    IsReady,
    Malformed,
    NewGame,
    OptionOffer,
    Query,
    Quit,
    ReadyOk,
    Response,
    ServerEvent,
    SetOption,
    SetPosition,
    Stop,
    UgiOk,
)
from protocol.info import MAX_CP, Info, centipawns, expected_score
from protocol.limit import MAX_DEPTH, MAX_MS, MAX_NODES, Limit
from protocol.lines import LineAssembler
from protocol.option import MAX_OPTION_NAME, MAX_OPTION_VALUE, Option, OptionType
from protocol.position import MAX_MOVES, GrowingPosition
from protocol.ugi_client import UgiClient
from protocol.ugi_server import OUR_NAME, QUERIES, UgiServer, is_ours
from protocol.ugi_states import State
from protocol.words import MAX_LINE

__all__ = [
    "DIALECTS",
    "MAX_CP",
    "MAX_DEPTH",
    "MAX_LINE",
    "MAX_MOVES",
    "MAX_MS",
    "MAX_NODES",
    "MAX_OPTION_NAME",
    "MAX_OPTION_VALUE",
    "OUR_NAME",
    "QUERIES",
    "BestMove",
    "ClientEvent",
    "Dialect",
    "EngineId",
    "Eof",
    "Go",
    "GrowingPosition",
    "Hello",
    "Info",
    "InfoLine",
    "InfoString",
    "IsReady",
    "Limit",
    "LineAssembler",
    "LocalProtocolError",
    "Malformed",
    "NewGame",
    "Option",
    "OptionOffer",
    "OptionType",
    "ProtocolError",
    "Query",
    "Quit",
    "ReadyOk",
    "RemoteProtocolError",
    "Response",
    "ServerEvent",
    "SetOption",
    "SetPosition",
    "State",
    "Stop",
    "UgiClient",
    "UgiOk",
    "UgiServer",
    "centipawns",
    "detect",
    "dialects",
    "expected_score",
    "is_ours",
]
