"""`discover`: engines that announce themselves at a broker play in a run."""

from __future__ import annotations

from contextlib import ExitStack

import pytest

from fiedler.support.address import parse_address
from fiedler.support.errors import UsageError
from fiedler.support.mqtt.engines import engine_id
from fiedler.tournament.run.annulment import resuming
from fiedler.tournament.run.store import Store
from fiedler.tournament.schedule.validation import load
from tests.engine.engine_process import serving
from tests.mosquitto import Mosquitto
from tests.tournament.manager_process import Manager
from tests.tournament.schedules import Bench, player

ENGINE = ("--game", "tictactoe", "--player", "random")


def test_announced_engines_play_and_a_run_keeps_their_addresses(bench: Bench, broker: Mosquitto) -> None:
    discover = {"game": "tictactoe", "name": "club-?", "min": 2, "wait_s": 60.0}
    bench.write([player("a"), {"discover": discover}], tournament={"games_per_pair": 2})
    with ExitStack() as stack:
        servers = {
            name: stack.enter_context(serving(*ENGINE, "--announce", broker.address, "--announce-name", name))
            for name in ("club-x", "club-y", "other")
        }
        code, errors = Manager(bench, "--mqtt", broker.address).end()
        assert (code, errors) == (0, "")
    ids = [engine_id(name, parse_address(servers[name].address)) for name in ("club-x", "club-y")]
    with Store.open(bench.results / "test") as store:
        assert store.players == ("a", *ids)
        found = [one.address for one in store.schedule.players if one.discover is not None]
        assert resuming(store).endswith(f"{bench.path} --mqtt HOST:PORT --results {bench.results}")
    assert found == [servers["club-x"].address, servers["club-y"].address]
    assert Manager(bench, "--mqtt", broker.address).end()[0] == 0, "the finished run asks for no engine"


def test_too_few_engines_are_one_line(bench: Bench, broker: Mosquitto) -> None:
    bench.write([player("a"), {"discover": {"name": "club-*", "min": 2, "wait_s": 0.2}}])
    wrong = f"error: {broker.address}: expected at least 2 engines of tictactoe named 'club-*' within 0.2 s, got 0\n"
    assert Manager(bench, "--mqtt", broker.address).end() == (2, wrong)
    assert not (bench.results / "test").exists()


@pytest.mark.parametrize(
    ("entry", "wrong"),
    [
        ({"discover": {}}, "players.discover: expected the option --mqtt HOST:PORT, the broker of the engines"),
        ({"name": "b", "discover": {}}, "players.discover: expected no name beside it, since players are named"),
        (
            {"discover": {}, "token_file": "token"},
            "players.token_file: expected tls = true and ca beside it with discover, got neither: every engine",
        ),
        ({"discover": {}, "token_file": "token", "tls": True}, "beside it with discover, got tls: every engine"),
        (
            {"discover": {}, "token_file": "token", "tls": True, "ca": "token"},
            "players.discover: expected the option --mqtt HOST:PORT, the broker of the engines",
        ),
        ({"discover": {"wait": 1}}, "unknown key"),
        ({"discover": {}, "address": "x:1"}, "expected exactly one of player, model, models, command, address"),
    ],
)
def test_a_wrong_entry_is_one_line(bench: Bench, entry: dict[str, object], wrong: str) -> None:
    bench.write([player("a"), entry])
    (bench.path.parent / "token").touch()
    with pytest.raises(UsageError) as error:
        load(bench.path)
    assert wrong in str(error.value)


def test_engines_of_another_game_are_refused(bench: Bench) -> None:
    bench.write([player("a"), {"discover": {"game": "uttt"}}])
    with pytest.raises(UsageError, match=r"players\.discover\.game: expected 'tictactoe', got 'uttt'"):
        load(bench.path, lambda _, run, game: [(f"{run}-{game}", "127.0.0.1:1")])
