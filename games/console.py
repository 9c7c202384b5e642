"""How every command of the project ends: exit codes 0, 1, 2 and 130, and errors of one line on standard error."""

from __future__ import annotations

import sys

import click

from games.errors import UsageError, WorkError

FAILED, WRONG_USAGE, INTERRUPTED = 1, 2, 130


def command_line(command: click.Command) -> None:
    """Run a click command and leave the process with the project's exit codes.

    0 fine, 1 the work failed (`WorkError`), 2 the command line or a file is wrong (`UsageError` and click's own),
    130 interrupted. Any other exception is a bug and surfaces with its traceback.
    """
    try:
        sys.exit(command.main(standalone_mode=False) or 0)
    except click.exceptions.Exit as leave:
        sys.exit(leave.exit_code)
    except (click.exceptions.Abort, KeyboardInterrupt):
        _complain("interrupted", INTERRUPTED)
    except click.ClickException as error:
        _complain(error.format_message(), WRONG_USAGE)
    except UsageError as error:
        _complain(str(error), WRONG_USAGE)
    except WorkError as error:
        _complain(str(error), FAILED)


def _complain(message: str, code: int) -> None:
    print(f"error: {' '.join(message.split())}", file=sys.stderr)
    sys.exit(code)
