"""Engines at a real broker: `engine serve --announce` and `engine engines`."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import msgspec
import pytest

from fiedler.support.address import parse_address
from fiedler.support.mqtt.broker import Broker
from fiedler.support.mqtt.connection import connected
from fiedler.support.mqtt.engines import EngineInfo, EngineState, engine_id, find_engines
from fiedler.support.mqtt.topics import at
from tests.certificates import write_certificates
from tests.engine.engine_process import Client, Serving, engine, serving
from tests.folders import ROOT
from tests.mosquitto import Mosquitto
from tests.patience import PATIENCE, wait_until
from tests.programs import need

MCTS = ("--game", "uttt", "--player", "mcts")


@contextmanager
def announced(broker: Mosquitto, *words: str, name: str = "club") -> Iterator[Serving]:
    """Start an engine and wait until it is announced."""
    with serving(*MCTS, "--announce", broker.address, "--announce-name", name, *words) as server:
        wait_until(lambda: state_topic(server, name) in broker.retained("fiedler/1/engines/#"))
        yield server


def state_topic(server: Serving, name: str = "club") -> str:
    return f"fiedler/1/engines/{engine_id(name, parse_address(server.address))}/state"


def listed(broker: Mosquitto, *words: str) -> list[dict[str, Any]]:
    done = engine("engines", "--broker", broker.address, "--json", *words)
    assert (done.returncode, done.stderr) == (0, "")
    found: list[dict[str, Any]] = json.loads(done.stdout)["engines"]
    return found


def test_an_engine_is_listed_as_long_as_it_serves(broker: Mosquitto) -> None:
    assert listed(broker, "--wait", "0.2") == []
    subscriber = broker.subscribe("fiedler/1/engines/#")
    with announced(broker, "--max-sessions", "1") as server:
        kept = broker.retained("fiedler/1/engines/#")
        info, state = kept[state_topic(server).replace("/state", "/info")], kept[state_topic(server)]
        assert list(info) == list(msgspec.to_builtins(msgspec.convert(info, EngineInfo)))
        assert list(state) == list(msgspec.to_builtins(msgspec.convert(state, EngineState)))
        (found,) = listed(broker)
        expected = {"name": "club", "game": "uttt", "player": "mcts", "address": server.address, "state": "ready"}
        assert found | expected | {"sessions": 0, "sessions_max": 1, "tls": False, "token": False} == found
        assert "ugi" in found["protocols"]
        assert not {"makemove", "rowcol-list"} & set(found["protocols"]), "no first line opens these"
        assert "threads" not in found["options"] or found["options"]["threads"] == found["threads"]
        assert found["options"]
        assert listed(broker, "--game", "cube", "--wait", "0.2") == []
        with Client(server.port) as client:
            client.hello()
            subscriber.wait_for(lambda one: one.text and one.topic.endswith("/state") and one.payload["sessions"] == 1)
            assert listed(broker)[0]["state"] == "busy"
            subscriber.messages.clear()
        subscriber.wait_for(lambda one: one.text and one.topic.endswith("/state") and one.payload["state"] == "ready")
        assert re.search(
            r"^club-[0-9a-f]{6} +ready +0 of 1 +uttt +mcts +127\.0\.0\.1:\d+$", table(broker), re.MULTILINE
        )
        assert server.end() == 0
        assert server.rest() == ""
    assert subscriber.wait_for(lambda one: one.text and one.payload["state"] == "gone")
    assert broker.retained("fiedler/1/engines/#") == {}


def table(broker: Mosquitto) -> str:
    return engine("engines", "--broker", broker.address).stdout


def test_a_killed_engine_is_lost_and_its_successor_repairs_that(broker: Mosquitto) -> None:
    with announced(broker) as server:
        port, topic = server.port, state_topic(server)
        server.end(signal.SIGKILL)
        wait_until(lambda: broker.retained(topic)[topic]["state"] == "lost")
        assert listed(broker)[0]["state"] == "lost"
    with serving(*MCTS, "--announce", broker.address, "--announce-name", "club", "--port", str(port)):
        wait_until(lambda: broker.retained(topic)[topic]["state"] == "ready")
        old = '{"v":1,"at":"","session":"old","state":"lost","sessions":0,"sessions_max":1}'
        subprocess.run(
            ["mosquitto_pub", "-h", "127.0.0.1", "-p", str(broker.port), "-t", topic, "-r", "-q", "1", "-m", old],
            check=True,
        )
        wait_until(lambda: broker.retained(topic)[topic]["state"] == "ready")


@pytest.mark.parametrize("broker", [{"persistent": False}], indirect=True)
def test_an_engine_serves_without_a_broker_and_is_announced_again(broker: Mosquitto) -> None:
    with announced(broker) as server:
        broker.stop(signal.SIGKILL)
        assert "trying again until it answers" in server.line()
        with Client(server.port) as client:
            client.hello()
        broker.start()
        wait_until(lambda: state_topic(server) in broker.retained("fiedler/1/engines/#"))
        broker.stop()
        started = time.monotonic()
        assert server.end() == 0
        assert time.monotonic() - started < 30.0


@pytest.mark.parametrize(
    ("words", "wrong"),
    [
        (("--announce-name", "n"), "--announce-name: only with --announce, which is missing"),
        (("--user", "n"), "--user: only with --announce, which is missing"),
        (("--tls",), "--tls: only with --dial or --announce, which are missing"),
        (("--announce", "x"), "--announce: expected HOST:PORT with a port from 1 to 65535, got 'x'"),
        (("--announce", "127.0.0.1:1", "--stdio"), "--announce: only with a port, without --stdio and --dial"),
        (("--announce", "127.0.0.1:1", "--announce-address", "x"), "--announce-address: expected HOST:PORT"),
        (("--announce", "127.0.0.1:1", "--announce-name", "a\nb"), "--announce-name: expected printable characters"),
        (("--announce", "127.0.0.1:1", "--mqtt-base", "#"), "--mqtt-base: expected levels of a topic"),
    ],
)
def test_wrong_options_are_one_line(words: tuple[str, ...], wrong: str) -> None:
    done = engine("serve", *MCTS, *words)
    assert done.returncode == 2
    assert done.stderr.startswith(f"error: {wrong}")
    assert done.stderr.count("\n") == 1


def test_a_list_without_a_broker_is_one_line(broker: Mosquitto) -> None:
    broker.stop()
    done = engine("engines", "--broker", broker.address)
    assert (done.returncode, done.stdout, done.stderr) == (1, "", f"error: {broker.address}: connection refused\n")


def test_payloads_that_are_not_ours_are_left_out(broker: Mosquitto) -> None:
    for kind in ("info", "state"):
        topic = f"fiedler/1/engines/x/{kind}"
        subprocess.run(
            ["mosquitto_pub", "-h", "127.0.0.1", "-p", str(broker.port), "-t", topic, "-r", "-m", '{"v":1}'], check=True
        )
    assert listed(broker, "--wait", "0.4") == []


def payloads(game: str) -> dict[str, bytes]:
    """Return those of an engine, by the last level of their topics."""
    state = EngineState(at=at(), session="1", state="ready", sessions=0, sessions_max=1)
    fixed: dict[str, Any] = {"player": "mcts", "address": "h:1", "protocols": ("ugi",), "version": "1", "machine": ""}
    info = EngineInfo(
        at=at(), session="1", name="e", game=game, options={}, threads=1, nps=None, tls=False, token=False, **fixed
    )
    return {"info": msgspec.json.encode(info), "state": msgspec.json.encode(state)}


async def test_a_thousand_engines_are_found_at_a_broker_with_a_short_queue(tmp_path: Path) -> None:
    count = 1000
    with closing(Mosquitto(tmp_path / "broker", "allow_anonymous true", "max_queued_messages 100")) as one:
        broker = Broker(parse_address(one.address))
        async with connected(broker, "") as link:
            for number in range(count):
                for kind, payload in payloads("uttt").items():
                    await link.publish(broker.topic("engines", f"e-{number}", kind), payload, qos=0, retain=True)
        found = await find_engines(broker, PATIENCE, lambda engines: len(engines) >= count)
    assert len(found) == count


def test_a_list_of_one_game_waits_for_an_engine_of_it(broker: Mosquitto) -> None:
    def announce(name: str, game: str) -> None:
        for kind, payload in payloads(game).items():
            topic = f"fiedler/1/engines/{name}/{kind}"
            words = ["mosquitto_pub", "-h", "127.0.0.1", "-p", str(broker.port), "-t", topic, "-r", "-s"]
            subprocess.run(words, input=payload, check=True)

    announce("a", "uttt")
    late = threading.Timer(1.5, announce, ("b", "cube"))
    late.start()
    found = listed(broker, "--game", "cube", "--wait", str(PATIENCE))
    late.join()
    assert [one["id"] for one in found] == ["b"]


@pytest.fixture
def locked(tmp_path: Path) -> Iterator[Mosquitto]:
    """The broker of configs/mosquitto, with our passwords, ACL and certificates."""
    need("mosquitto")
    write_certificates(tmp_path)
    acl = (ROOT / "configs/mosquitto/acl").read_text("utf-8")
    port = 34567
    own = engine_id("club-mcts", parse_address(f"127.0.0.1:{port}"))
    (tmp_path / "acl").write_text(re.sub(r"club-mcts-[0-9a-f]{6}", own, acl), "utf-8")
    (tmp_path / "passwords").touch()
    for user in ("club-mcts", "reader"):
        subprocess.run(["mosquitto_passwd", "-b", str(tmp_path / "passwords"), user, "secret"], check=True)
    config = (ROOT / "configs/mosquitto/mosquitto.conf").read_text("utf-8").splitlines()
    kept = [line for line in config if line and not line.startswith(("#", "listener", "persistence", "max_queued"))]
    files = ("cafile", "certfile", "keyfile", "password_file", "acl_file")
    lines = [re.sub(r" (\S+)$", rf" {tmp_path}/\1", line) if line.split()[0] in files else line for line in kept]
    one = Mosquitto(tmp_path / "broker", *lines)
    yield one
    one.close()


def test_a_password_file_that_was_removed_is_one_warning(broker: Mosquitto, tmp_path: Path) -> None:
    password = tmp_path / "password"
    password.write_text("secret\n", "utf-8")
    with announced(broker, "--user", "u", "--password-file", str(password)) as server:
        password.unlink()
        broker.stop()
        assert "trying again until it answers" in server.line()
        assert server.line() == f"warning: announce: --password-file: {password}: no such file or directory"
        assert server.end() == 0


def test_an_engine_may_write_its_own_topics_alone_over_tls(locked: Mosquitto, tmp_path: Path) -> None:
    (tmp_path / "password").write_text("secret\n", "utf-8")
    login = ("--tls", "--ca", str(tmp_path / "ca.pem"), "--password-file", str(tmp_path / "password"))
    words = (*MCTS, "--announce", locked.address, *login, "--user", "club-mcts", "--announce-address")
    with (
        serving(*words, "127.0.0.1:34567", "--announce-name", "club-mcts"),
        serving(*words, "127.0.0.1:34567", "--announce-name", "other"),
    ):
        reader = ("engines", "--broker", locked.address, *login, "--user", "reader", "--wait", "20", "--json")
        found = json.loads(engine(*reader).stdout)["engines"]
        assert [one["name"] for one in found] == ["club-mcts"]
    untrusted = engine("engines", "--broker", locked.address, "--tls", "--user", "reader", *login[3:])
    assert untrusted.returncode == 1
    assert "certificate verify failed" in untrusted.stderr
