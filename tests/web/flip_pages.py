"""`python -m web` with a game in Python that has a board of cells."""

from games import register
from support.console import command_line
from tests.flip import FLIP
from web.__main__ import web

if __name__ == "__main__":
    register(FLIP)
    command_line(web)
