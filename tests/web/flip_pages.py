"""`python -m fiedler.web` with a game in Python that has a board of cells."""

from fiedler.games import register
from fiedler.support.console import command_line
from fiedler.web.__main__ import web
from tests.flip import FLIP

if __name__ == "__main__":
    register(FLIP)
    command_line(web)
