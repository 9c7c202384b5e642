"""The command `tournament serve`."""

from __future__ import annotations

import os
import sys

import click

from fiedler.support.programs import PYTHON
from fiedler.tournament.commands.serve_options import ServeOptions, serve_options

PROGRAM = (*PYTHON, "-m", "fiedler.web")
"""The pages are a program of their own, which knows the manager; not the other way round."""


@click.command()
@serve_options
def serve(options: ServeOptions) -> None:
    """Show the runs of a folder in a browser, running and finished ones.

    RESULTS is the folder of the runs; default: results. The server may start, end and start again at any time: no game
    notices. Ctrl-C ends it.
    """
    sys.stdout.flush()
    sys.stderr.flush()
    os.execv(PROGRAM[0], [*PROGRAM, *options.words])  # noqa: S606
