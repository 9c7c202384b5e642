"""The output of a command: text, or one JSON document."""

from __future__ import annotations

import click

from fiedler.support.console import print_json

json_option = click.option("--json", "as_json", is_flag=True, help="One JSON document instead of text.")


def show(document: object, text: str, *, as_json: bool) -> None:
    """Print the document as JSON, or else the text."""
    if as_json:
        print_json(document)
    else:
        click.echo(text)
