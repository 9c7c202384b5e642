"""The declarations of options, as a strict reader of the published UCI takes them, and each set back to its default."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from fiedler.engine.commands.speed import RolloutSettings
from fiedler.engine.host.answers import MOST, declared
from fiedler.players import PLAYERS, Option, options_of, player_kind
from fiedler.protocol.ugi.option import option_line
from tests.engine.engine_driver import Conversation
from tests.engine.engine_process import Client, serving

SPIN = re.compile(r"option name \S.* type spin default (-?\d+) min (-?\d+) max (-?\d+)")
CHECK = re.compile(r"option name \S.* type check default (true|false)")
COMBO = re.compile(r"option name \S.* type combo default (.+?)((?: var .+?)+)")
STRING = re.compile(r"option name \S.* type string default (\S.*)")
ROSTER = """
[[players]]
name = "a bot"
player = "hsp"

[[players]]
name = "tree"
player = "mcts"
"""


def assert_is_uci(line: str) -> None:
    """Assert that a declaration has all that python-chess and fastchess demand."""
    if found := SPIN.fullmatch(line):
        default, low, high = map(int, found.groups())
        assert -MOST - 1 <= low <= default <= high <= MOST, line
    elif found := COMBO.fullmatch(line):
        assert found[1] in found[2].split(" var ")[1:], line
    else:
        assert CHECK.fullmatch(line) or STRING.fullmatch(line), line


def all_options() -> list[Option]:
    found = [option for name in PLAYERS for option in player_kind(name).options() if not option.at_start]
    return [*found, *options_of(RolloutSettings), Option("any", int, 3, "a whole number without bounds")]


@pytest.mark.parametrize(
    "option", {repr(option): option for option in all_options()}.values(), ids=lambda one: one.name
)
def test_the_option_of_a_player(option: Option) -> None:
    assert_is_uci(option_line(declared(option, option.default)))


def assert_takes_its_defaults(say: Callable[[str], list[str]]) -> None:
    lines = [line for line in say("uci") if line.startswith("option")]
    assert any(" name seed " in line for line in lines), lines
    for line in lines:
        assert_is_uci(line)
        name, default = re.findall(r"name (.*) type .* default (.*?)(?: min .*| var .*)?$", line)[0]
        value = "" if default == "<empty>" else default
        assert say(f"setoption name {name} value {value}") == [], line


@pytest.mark.parametrize("name", ["random", "osp", "hsp", "mcts"])
def test_a_session_takes_its_defaults(name: str) -> None:
    talk = Conversation("uttt", name)
    assert_takes_its_defaults(talk.say)


def test_a_session_declares_the_seed_of_its_start() -> None:
    said = Conversation("uttt", "random", seed="4").say("uci")
    assert "option name seed type spin default 4 min -1 max 9223372036854775807" in said


def test_a_shared_server_and_its_players(tmp_path_factory: pytest.TempPathFactory) -> None:
    file = tmp_path_factory.mktemp("players") / "players.toml"
    file.write_text(ROSTER, encoding="utf-8")
    with serving("--game", "uttt", "--players", str(file)) as server, Client(server.port) as client:

        def say(line: str) -> list[str]:
            client.say(line, "isready")
            return client.until("readyok")[:-1]

        assert_takes_its_defaults(say)
        assert say("setoption name player value tree") == []
        assert_takes_its_defaults(say)
