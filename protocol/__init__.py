"""The text protocols: bytes in, messages out. No socket, no clock, no rules of any game."""

from protocol.client import START, Client
from protocol.coordinates import Coordinates
from protocol.dialects import DEFAULT, DIALECTS, Dialect, FirstLine, detect
from protocol.errors import HostError, LocalProtocolError, ProtocolError, RemoteProtocolError, TooLongError
from protocol.events import (
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
from protocol.host import OUR_NAME, GameState, Host, MoveScore, Thinker, is_ours
from protocol.info import MAX_CP, Info, centipawns, expected_score
from protocol.limit import MAX_DEPTH, MAX_MS, MAX_NODES, Limit
from protocol.lines import LineAssembler
from protocol.option import MAX_OPTION_NAME, MAX_OPTION_VALUE, Option, OptionType
from protocol.server import Server
from protocol.words import MAX_LINE, MAX_MOVES

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
