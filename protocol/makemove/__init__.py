"""makemove, the dialect of a referee to whom the players connect: docs/protocols/makemove.md."""

from protocol.makemove.client import MakemoveClient
from protocol.makemove.server import MakemoveServer, refusal
from protocol.makemove.words import LOAD_MODEL, SET_TIME_PER_MOVE, seconds_text

__all__ = ["LOAD_MODEL", "SET_TIME_PER_MOVE", "MakemoveClient", "MakemoveServer", "refusal", "seconds_text"]
