"""`python -m fiedler.web` with a game that the native core does not have."""

from fiedler.games import register
from fiedler.support.console import command_line
from fiedler.web.__main__ import web
from tests.take import TAKE

if __name__ == "__main__":
    register(TAKE)
    command_line(web)
