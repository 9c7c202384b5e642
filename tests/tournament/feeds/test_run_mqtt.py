"""`tournament run --mqtt`: the feed is a child that costs no game, and ends with its manager."""

from __future__ import annotations

import os
import signal

import pytest

from tests.mosquitto import Mosquitto
from tests.patience import wait_until
from tests.tournament.feeds.feed_process import Feed, hurry, lines, made_run, numbers, once, patient, wait_for_event
from tests.tournament.manager_process import Manager, children
from tests.tournament.schedules import Bench, player

STATE = "fiedler/1/runs/test/state"


@pytest.mark.parametrize("options", [(), ("--quiet", "--processes", "2")])
def test_a_run_is_published_while_it_is_played(bench: Bench, broker: Mosquitto, options: tuple[str, ...]) -> None:
    subscriber = broker.subscribe()
    bench.write([player("a"), player("b")], tournament={"games_per_pair": 40, "concurrency": 2})
    code, errors = Manager(bench, "--mqtt", broker.address, *options).end()
    assert code == 0
    assert "feed:" not in errors
    log = lines(bench.results / "test")
    wait_for_event(subscriber, len(log))
    assert numbers(subscriber) == list(range(1, len(log) + 1))
    state = broker.retained()[STATE]
    assert (state["state"], state["url"]) == ("finished", None)


def test_the_state_has_the_address_of_the_page(bench: Bench, broker: Mosquitto) -> None:
    bench.write([player("a"), player("b")])
    manager = Manager(bench, "--mqtt", broker.address, "--serve", "127.0.0.1:8080", "--quiet")
    code, errors = manager.end()
    assert code == 0
    (watch,) = [line for line in errors.splitlines() if line.startswith("Watch it at ")]
    assert broker.retained()[STATE]["url"] == watch.split()[-1]
    assert watch.endswith("/runs/test")


def test_an_address_of_a_page_is_checked(bench: Bench, broker: Mosquitto) -> None:
    made_run(bench)
    code, output = Feed(bench.results / "test", broker, "--url", "ftp://x").end()
    assert (code, output) == (2, ["error: --url: expected http://… or https://…, got 'ftp://x'\n"])


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGKILL, -9)])
def test_the_feed_ends_with_an_interrupted_or_killed_manager(
    bench: Bench, broker: Mosquitto, number: signal.Signals, code: int
) -> None:
    subscriber = broker.subscribe()
    bench.write(patient(bench), tournament={"games_per_pair": 60, "concurrency": 2})
    manager = Manager(bench, "--mqtt", broker.address)
    manager.wait_for("Finished", 4)
    subscriber.wait_for(lambda one: one.topic.endswith("/games"))
    (feed,) = children(manager.process, b"fiedler.tournament.feeds.child")
    manager.process.send_signal(number)
    ended, errors = manager.end()
    assert ended == code
    if number is signal.SIGINT:
        assert f" --mqtt {broker.address}\n" in errors
    wait_until(lambda: not feed.exists(), "the feed outlived its manager")
    log = lines(bench.results / "test")
    wait_for_event(subscriber, len(log))
    assert numbers(subscriber) == list(range(1, len(log) + 1))
    state = broker.retained()[STATE]
    assert (state["state"], state["seq"]) == ("interrupted", len(log))


def test_a_killed_feed_and_a_missing_broker_change_no_game(bench: Bench, broker: Mosquitto) -> None:
    bench.write(patient(bench), tournament={"games_per_pair": 16})
    manager = Manager(bench, "--mqtt", broker.address)
    manager.wait_for("Finished", 1)
    (feed,) = children(manager.process, b"fiedler.tournament.feeds.child")
    os.kill(int(feed.name), signal.SIGKILL)
    hurry(bench)
    assert manager.end()[0] == 0
    assert len(bench.games()) == 16
    broker.stop()
    bench.path.write_text(bench.path.read_text("utf-8").replace("= 16", "= 18"), "utf-8")
    code, errors = Manager(bench, "--mqtt", broker.address, "--quiet").end()
    assert code == 0
    assert len(bench.games()) == 18
    first, last = [line for line in errors.splitlines() if "feed:" in line]
    assert first == f"warning: feed: {broker.address}: connection refused; trying again until it answers"
    assert last.endswith("and later ones are not published")


def test_a_frozen_broker_does_not_hold_the_run(bench: Bench, broker: Mosquitto) -> None:
    bench.write(patient(bench), tournament={"games_per_pair": 40})
    manager = Manager(bench, "--mqtt", broker.address, "--quiet")
    subscriber = broker.subscribe()
    subscriber.wait_for(lambda one: one.topic.endswith("/games"))
    broker.process.send_signal(signal.SIGSTOP)
    hurry(bench)
    code, errors = manager.end()
    assert code == 0
    assert len(bench.games()) == 40
    assert "and later ones are not published" in errors
    broker.process.send_signal(signal.SIGCONT)
    assert Feed(bench.results / "test", broker).end()[0] == 0
    count = len(lines(bench.results / "test"))
    wait_for_event(subscriber, count)
    assert once(numbers(subscriber)) == list(range(1, count + 1))


def test_options_of_the_broker_need_a_broker(bench: Bench) -> None:
    bench.write([player("a"), player("b")])
    code, errors = Manager(bench, "--tls").end()
    assert (code, errors) == (2, "error: --tls: only with --mqtt\n")
