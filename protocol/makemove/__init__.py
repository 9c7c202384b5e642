"""makemove, the dialect of a referee to whom the players connect: docs/protocols/makemove.md."""

from fiedler.protocol.makemove.client import MakemoveClient
from fiedler.protocol.makemove.server import MakemoveServer, refusal
from fiedler.protocol.makemove.words import LOAD_MODEL, SET_TIME_PER_MOVE, seconds_text

__all__ = ["LOAD_MODEL", "SET_TIME_PER_MOVE", "MakemoveClient", "MakemoveServer", "refusal", "seconds_text"]
