"""`engine play --web`: the page of one player, in a process that ends with the command."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tomllib
import urllib.request
from pathlib import Path

import pytest

from fiedler import games
from fiedler.engine.person.foreign import foreign_engine
from fiedler.engine.person.pages import offered_by, play_in_browser
from fiedler.engine.port.port_access import PortAccess
from fiedler.engine.roster.choice import Choice
from fiedler.support.errors import UsageError

PLAY = [str(Path(sys.executable).parent / "engine"), "play", "--web", "--game", "tictactoe"]


@pytest.mark.parametrize(
    ("options", "names", "end"),
    [
        (["--player", "mcts", "--set", "seed=3"], ["mcts"], signal.SIGINT),
        (["--command", "python3 nowhere.py"], ["python3 nowhere.py"], signal.SIGTERM),
        (["--level", "easy", "--side", "second"], ["easy"], signal.SIGTERM),
        ([], ["negamax", "mcts", "td, tictactoe-td.table"], signal.SIGINT),
    ],
)
def test_the_page_offers_the_player(tmp_path: Path, options: list[str], names: list[str], end: signal.Signals) -> None:
    command = [*PLAY, *options]
    here, temporary = tmp_path / "here", tmp_path / "temporary"
    for folder in (here, temporary):
        folder.mkdir()
    with subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=here,
        env=os.environ | {"TMPDIR": str(temporary)},
    ) as child:
        assert child.stdout is not None
        line = child.stdout.readline()
        try:
            assert line.startswith("play at http://127.0.0.1:")
            page = line.split()[2]
            site, path = page.split("/play/")
            assert path == ("tictactoe?side=second" if "second" in options else "tictactoe")
            with urllib.request.urlopen(f"{site}/api/games/tictactoe/players") as answer:
                offered = [player["name"] for player in json.load(answer)["players"]]
        finally:
            child.send_signal(end)
            child.wait()
        assert child.returncode == 0
        assert child.stderr is not None
        assert child.stderr.read() == ""
    assert offered[: len(names)] == names
    assert [*here.iterdir(), *temporary.iterdir()] == []


def test_a_signal_that_comes_with_the_address_ends_it_in_order() -> None:
    before = signal.getsignal(signal.SIGTERM)
    said: list[str] = []

    def say(line: str) -> None:
        said.append(line)
        signal.raise_signal(signal.SIGTERM)

    try:
        play_in_browser(games.game("tictactoe"), None, 0, say)
    finally:
        signal.signal(signal.SIGTERM, before)
    assert len(said) == 1


def test_options_of_the_command_line_are_those_of_the_file() -> None:
    text = offered_by(games.game("connect4"), None, Choice("mcts", None, ("seed=5", "rollout=heuristic"), None))
    assert text is not None
    (player,) = tomllib.loads(text)["players"]
    options = {"seed": "5", "rollout": "heuristic"}
    assert player == {"name": "mcts", "player": "mcts", "games": ["connect4"], "options": options}


def test_a_command_runs_where_the_person_is() -> None:
    engine = foreign_engine(None, "python3 'a b.py' \"q\"", "gtp", PortAccess())
    text = offered_by(games.game("cube"), engine, Choice(None, None, (), None))
    assert text is not None
    (player,) = tomllib.loads(text)["players"]
    assert player["command"] == ["python3", "a b.py", "q"]
    assert (player["folder"], player["protocol"]) == (str(Path.cwd()), "gtp")


def test_settings_without_a_player_are_refused() -> None:
    with pytest.raises(UsageError, match="--web: --set and --device need --player or --model"):
        offered_by(games.game("cube"), None, Choice(None, None, ("seed=1",), None))
