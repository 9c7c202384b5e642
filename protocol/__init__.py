"""The text protocols: bytes in, messages out. No socket, no clock, no rules of any game."""

from fiedler.protocol.client import START, Client
from fiedler.protocol.coordinates import Coordinates
from fiedler.protocol.dialects import DEFAULT, DIALECTS, Dialect, FirstLine, detect
from fiedler.protocol.errors import HostError, LocalProtocolError, ProtocolError, RemoteProtocolError, TooLongError
from fiedler.protocol.events import (
    RESIGN,
    ClientEvent,
    Eof,
    FinalScore,
    Identity,
    Malformed,
    Message,
    Move,
    Offer,
    Ready,
    Refusal,
    Response,
    Start,
)
from fiedler.protocol.host import OUR_NAME, GameState, Host, MoveScore, Thinker, is_ours
from fiedler.protocol.info import MAX_CP, Info, centipawns, expected_score
from fiedler.protocol.limit import MAX_DEPTH, MAX_MS, MAX_NODES, Limit
from fiedler.protocol.lines import LineAssembler
from fiedler.protocol.option import MAX_OPTION_NAME, MAX_OPTION_VALUE, Option, OptionType
from fiedler.protocol.server import Server
from fiedler.protocol.words import MAX_LINE, MAX_MOVES

__all__ = [
    "DEFAULT",
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
    "RESIGN",
    "START",
    "Client",
    "ClientEvent",
    "Coordinates",
    "Dialect",
    "Eof",
    "FinalScore",
    "FirstLine",
    "GameState",
    "Host",
    "HostError",
    "Identity",
    "Info",
    "Limit",
    "LineAssembler",
    "LocalProtocolError",
    "Malformed",
    "Message",
    "Move",
    "MoveScore",
    "Offer",
    "Option",
    "OptionType",
    "ProtocolError",
    "Ready",
    "Refusal",
    "RemoteProtocolError",
    "Response",
    "Server",
    "Start",
    "Thinker",
    "TooLongError",
    "centipawns",
    "detect",
    "expected_score",
    "is_ours",
]
