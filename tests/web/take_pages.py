"""`python -m web` with a game that the native core does not have."""

from games import register
from support.console import command_line
from tests.take import TAKE
from web.__main__ import web

if __name__ == "__main__":
    register(TAKE)
    command_line(web)
