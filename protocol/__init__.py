"""The text protocols: bytes in, messages out. No socket, no clock, no rules of any game."""

from protocol.client import START, Client
from protocol.coordinates import Coordinates
from protocol.dialects import DIALECTS, Dialect, detect
from protocol.errors import LocalProtocolError, ProtocolError, RemoteProtocolError
from protocol.events import (
    ClientEvent,
    Eof,
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
from protocol.info import MAX_CP, Info, centipawns, expected_score
from protocol.limit import MAX_DEPTH, MAX_MS, MAX_NODES, Limit
from protocol.lines import LineAssembler
from protocol.option import MAX_OPTION_NAME, MAX_OPTION_VALUE, Option, OptionType
from protocol.words import MAX_LINE

__all__ = [
    "DIALECTS",
    "MAX_CP",
    "MAX_DEPTH",
    "MAX_LINE",
    "MAX_MS",
    "MAX_NODES",
    "MAX_OPTION_NAME",
    "MAX_OPTION_VALUE",
    "START",
    "Client",
    "ClientEvent",
    "Coordinates",
    "Dialect",
    "Eof",
    "Identity",
    "Info",
    "Limit",
    "LineAssembler",
    "LocalProtocolError",
    "Malformed",
    "Message",
    "Move",
    "Offer",
    "Option",
    "OptionType",
    "ProtocolError",
    "Ready",
    "Refusal",
    "RemoteProtocolError",
    "Response",
    "Start",
    "centipawns",
    "detect",
    "expected_score",
]
