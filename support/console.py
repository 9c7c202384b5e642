"""The end of every command: exit codes 0, 1, 2 and 130, and errors of one line each on standard error."""

from __future__ import annotations

import errno
import io
import json
import os
import sys
import threading
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import TextIO, TypeVar

import click

from fiedler.support.errors import (
    MAX_MESSAGE,
    UsageError,
    UsageErrors,
    WorkError,
    printable,
    system_reason,
    without_middle,
)
from fiedler.support.interrupt import INTERRUPTED
from fiedler.support.provenance import version

FAILED, WRONG_USAGE = 1, 2
_AT_ONCE = threading.Event()
"""Set by `end_at_once`."""
NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
"""The errors of the system for a full disk and its like."""
NO_ACCESS = (errno.EACCES, errno.EPERM, errno.ENAMETOOLONG, errno.ELOOP, errno.ENOTDIR)
"""The errors of the system for a path that it does not let us look at."""


def command_line(command: click.Command) -> None:
    """Run a click command and leave the process with the project's exit codes.

    0 success, 1 the work failed (`WorkError`, no memory, or the output cannot be written), 2 the command line or a file
    is wrong (`UsageError`, click's own, and a path without access), 130 interrupted. Any other exception is a bug and
    surfaces with its traceback. A character that the output cannot encode is printed as a question mark.
    """
    replace_unencodable(sys.stdout, sys.stderr)
    code = _run(command)
    unwritten = _flush(sys.stdout)
    if unwritten is not None and not code:
        code = FAILED if isinstance(unwritten, BrokenPipeError) else _complain(_no_room(unwritten), FAILED)
    _flush(sys.stderr)
    if _AT_ONCE.is_set():
        os._exit(code)
    sys.exit(code)


def end_at_once() -> None:
    """Have the command end without the usual end of Python: a thread of a library is stuck, which would crash there."""
    _AT_ONCE.set()


Command = TypeVar("Command", bound=Callable[..., object])


def version_option(command: Command) -> Command:
    """Add `--version`, which prints the name of the command, the version and the commit."""

    def show(ctx: click.Context, _: click.Parameter, asked: bool) -> None:
        if asked and not ctx.resilient_parsing:
            click.echo(f"{ctx.find_root().info_name}, version {version()}")
            ctx.exit()

    about = "Print the version and the commit."
    return click.option("--version", is_flag=True, expose_value=False, is_eager=True, callback=show, help=about)(
        command
    )


def replace_unencodable(*streams: TextIO | None) -> None:
    """Let these streams replace the characters that their encoding lacks, as λ in Latin-1."""
    for stream in streams:
        if isinstance(stream, io.TextIOWrapper) and stream.errors in {"strict", "surrogateescape"}:
            stream.reconfigure(errors="replace")


def print_json(document: object, *, indent: int | None = None) -> None:
    """Print a JSON document in UTF-8, the encoding of JSON, for any encoding of the terminal."""
    click.echo(json.dumps(document, ensure_ascii=False, indent=indent).encode("utf-8", "replace"))


def _run(command: click.Command) -> int:
    """Return the exit code; errors have been printed."""
    try:
        return int(command.main(standalone_mode=False) or 0)
    except click.exceptions.Exit as leave:
        return leave.exit_code
    except (click.exceptions.Abort, KeyboardInterrupt):
        return _complain("interrupted", INTERRUPTED)
    except click.ClickException as error:
        return _complain(error.format_message(), WRONG_USAGE)
    except (UsageError, WorkError) as error:
        code = FAILED if isinstance(error, WorkError) else WRONG_USAGE
        for line in str(error).split("\n") if isinstance(error, UsageErrors) else [str(error)]:
            _complain(line, code)
        _advise(getattr(error, "__notes__", ()))
        return code
    except MemoryError:
        return _complain("not enough memory", FAILED)
    except OSError as error:
        if isinstance(error.__context__, KeyboardInterrupt):  # click could not end the line at a closed terminal
            return INTERRUPTED
        if error.errno in NO_ACCESS and error.filename is not None:
            return _complain(f"{error.filename}: cannot be opened: {system_reason(error)}", WRONG_USAGE)
        if error.errno not in NO_ROOM:
            raise
        return _complain(_no_room(error), FAILED)


def _complain(message: str, code: int) -> int:
    with suppress(OSError):  # a terminal that was closed: the exit code still reports the error
        print(f"error: {without_middle(' '.join(message.split()), MAX_MESSAGE)}", file=sys.stderr)
    return code


def _advise(notes: Iterable[str]) -> None:
    """Print the notes of an error as they are: a command in them may have blanks that count."""
    with suppress(OSError):
        for note in notes:
            print(printable(note), file=sys.stderr)


def _no_room(error: OSError) -> str:
    return f"cannot write {error.filename or 'the output'}: {system_reason(error)}"


def _flush(stream: TextIO | None) -> OSError | None:
    """Write the rest of a stream; return the error, if there is one (BrokenPipeError: the reader has gone)."""
    if stream is None:
        return None
    try:
        stream.flush()
    except OSError as error:
        # the interpreter must not try again at its end
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
        return error
    return None
