"""The command `python -m fiedler.web`, which `tournament serve` becomes and `tournament run --serve` starts."""

from __future__ import annotations

import re
from dataclasses import replace

import click

from fiedler.support.address import is_local
from fiedler.support.console import command_line
from fiedler.support.errors import UsageError
from fiedler.support.priority import give_way
from fiedler.support.tokens import read_tokens
from fiedler.tournament.commands.serve_options import ServeOptions, serve_options
from fiedler.web.play.offers import read_offers
from fiedler.web.settings import SiteSettings

BASE = re.compile(r"(/[A-Za-z0-9._~-]+)+")
AWAITED_S = 20.0


@click.command()
@serve_options
@click.option("--child", is_flag=True, hidden=True, help="End with standard input.")
@click.option("--any-port", is_flag=True, hidden=True, help="Take a free port if this one is in use.")
def web(options: ServeOptions, *, child: bool, any_port: bool) -> int:
    """Show the runs of a folder in a browser; see `tournament serve`."""
    try:
        import starlette  # noqa: F401
        import uvicorn  # noqa: F401
    except ImportError:
        raise UsageError("the pages need the extra web: pip install 'fiedler[web]'") from None
    settings = settings_of(options)
    if child:  # the manager prints the address of its run before that begins
        settings = replace(settings, awaited_s=AWAITED_S)
    from fiedler.web.server import open_port, serve

    listening = open_port(options.address, or_any=any_port)
    give_way()
    return serve(settings, listening, ends_with_input=child)


def settings_of(options: ServeOptions) -> SiteSettings:
    """Return the settings; raises UsageError if an option is wrong."""
    base = options.base_path.rstrip("/")
    if base and not BASE.fullmatch(base):
        raise UsageError(f"--base-path: expected a path as /fiedler, got {options.base_path!r}")
    if options.play is None and not options.results.is_dir():
        raise UsageError(f"{options.results}: expected a folder of runs, got none")
    tokens = read_tokens(options.token_file) if options.token_file is not None else None
    try:
        is_open = not is_local(options.address)
    except (OSError, UnicodeError):
        raise UsageError(f"--host: unknown host {options.host!r}") from None
    if options.public and (tokens is not None or options.play is not None):
        raise UsageError(f"--public: not with {'--play' if tokens is None else '--token-file'}")
    if is_open and tokens is None and not options.public:
        wrong = f"{options.host} is open to other machines; --token-file is needed, or --public"
        raise UsageError(f"--host: {wrong}")
    offers, most = read_offers(options.play), options.play_per_address
    return SiteSettings(
        options.results, base, tokens, options.public, play_per_address=most, metrics=options.metrics, offers=offers
    )


if __name__ == "__main__":
    command_line(web)
