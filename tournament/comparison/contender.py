"""One side of a strength test, as its text on a command line and as a player of a schedule."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from pathlib import Path

from fiedler.client.command import command_words
from fiedler.support.address import parse_address
from fiedler.support.errors import UsageError
from fiedler.support.player_spec import option_texts, read_player
from fiedler.tournament.run.known_options import offered
from fiedler.tournament.schedule.schedule import PlayerEntry

TCP = "tcp://"
"""The beginning of the address of a listening engine."""
MODEL_END = ".onnx"
ANSWER_S = 10.0
"""Seconds for `engine players` to list our players."""


def read_contender(name: str, text: str, game: str, protocol: str, options: Mapping[str, str]) -> PlayerEntry:
    """Return the player of `tcp://HOST:PORT`, of `PLAYER KEY=VALUE …`, or a command.

    PLAYER is one of `engine players` or a model file; a program of the same name needs a path, as `./mcts`. `name` is
    the player's name, and its option without the dashes.

    Raises:
        UsageError: the text is wrong; the message begins with the option.

    """
    try:
        if text.startswith(TCP):
            address = str(parse_address(text.removeprefix(TCP)))
            return PlayerEntry(name=name, address=address, protocol=protocol, options=dict(options))
        words = command_words(text)
        if words[0].endswith(MODEL_END) or (_may_be_ours(words) and words[0] in offered(ANSWER_S, game)):
            spec = read_player(text)
            model = None if spec.model is None else str(Path(spec.model).resolve())
            return PlayerEntry(name=name, player=spec.kind, model=model, options={**options, **spec.options})
    except UsageError as error:
        raise UsageError(f"--{name}: {str(error).removeprefix('--command: ')}") from None
    return PlayerEntry(name=name, command=tuple(words), protocol=protocol, options=dict(options))


def contender_text(player: PlayerEntry) -> str:
    """Return the text from which `read_contender` makes this player, but for the options of both sides."""
    if player.address is not None:
        return f"{TCP}{player.address}"
    if player.command is not None:
        return shlex.join(player.command)
    given = dict(player.options)
    if player.player is not None and player.model is not None:
        given["model"] = player.model
    first = player.player or player.model or ""
    return " ".join([first, *(f"{key}={value}" for key, value in option_texts(given).items())])


def _may_be_ours(words: list[str]) -> bool:
    return "/" not in words[0] and all("=" in word for word in words[1:])
