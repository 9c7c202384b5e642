"""`tournament feed` at a real broker: every event once, the right retained messages, after every death."""

from __future__ import annotations

import re
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import msgspec
import pytest

from fiedler.tournament.feeds.payloads import StandingsPayload, StatePayload, TablePayload
from fiedler.tournament.game import now
from fiedler.tournament.run.events import Warned
from tests.mosquitto import Message, Mosquitto, Subscriber
from tests.patience import wait_until
from tests.programs import need
from tests.tournament.feeds.feed_process import (
    Feed,
    at_work,
    hurry,
    lines,
    made_run,
    numbers,
    numbers_of,
    once,
    patient,
    wait_for_event,
    warn,
)
from tests.tournament.manager_process import COMMAND, Manager
from tests.tournament.schedules import Bench

STATE = "fiedler/1/runs/test/state"
STANDINGS = "fiedler/1/runs/test/standings"
GAMES = 48


def test_a_finished_run_is_published_whole(bench: Bench, broker: Mosquitto) -> None:
    folder, base = made_run(bench), "club/chess"
    subscriber = broker.subscribe()
    url = "https://fiedler.example.org/runs/test"
    code, output = Feed(folder, broker, "--mqtt-base", base, "--url", url).end()
    log = lines(folder)
    assert (code, output[-1]) == (0, f"published up to event {len(log)}: test is finished\n")
    wait_for_event(subscriber, len(log))
    events = subscriber.of("/games", "/events")
    assert {(one.retained, one.qos) for one in events} == {(False, 1)}
    sessions = {one.payload["session"] for one in events}
    (session,) = sessions
    assert [one.payload for one in events] == [{**line, "run": "test", "session": session} for line in log]
    for one in events:
        kind = "games" if one.payload["event"] == "finished" else "events"
        assert one.topic == f"{base}/1/runs/test/{kind}"
    kept = broker.retained()
    assert set(kept) == {f"{base}/1/runs/test/state", f"{base}/1/runs/test/standings"}
    rated = [line for line in log if line["event"] == "rated"][-1]
    standings = kept[f"{base}/1/runs/test/standings"]
    assert (standings["seq"], standings["players"]) == (rated["seq"], rated["players"])
    state = kept[f"{base}/1/runs/test/state"]
    counted = [state[key] for key in ("state", "game", "players", "scheduled", "finished", "void", "seq", "url")]
    assert counted == ["finished", "tictactoe", ["a", "b"], 12, 12, 0, len(log), url]


def boards_of(subscriber: Subscriber) -> list[Message]:
    """Return the messages with a board."""
    return [one for one in list(subscriber.messages) if "/tables/" in one.topic and one.text]


def test_every_payload_has_the_documented_fields(bench: Bench, broker: Mosquitto) -> None:
    subscriber = broker.subscribe()
    bench.write(patient(bench), tournament={"games_per_pair": 120, "concurrency": 2})
    manager = Manager(bench)
    manager.wait_for("Finished", 1)
    feed = Feed(bench.results / "test", broker)
    wait_until(lambda: len({one.payload["id"] for one in boards_of(subscriber)}) > 2)
    hurry(bench)
    assert manager.end()[0] == 0
    assert feed.end()[0] == 0
    for topic, kind in (("/state", StatePayload), ("/standings", StandingsPayload)):
        subscriber.wait_for(lambda one, topic=topic: one.topic.endswith(topic))  # type: ignore[misc]
        for one in subscriber.of(topic):
            assert list(one.payload) == list(msgspec.to_builtins(msgspec.convert(one.payload, kind)))
            assert one.qos == 1
    tables = [one for one in subscriber.messages if "/tables/" in one.topic]
    assert {one.topic.rpartition("/")[2] for one in tables} == {"1", "2"}, "as many tables as games at the same time"
    assert {one.qos for one in tables} == {0}
    shown = [one.payload for one in boards_of(subscriber)]
    records = {game.id: game for game in bench.games()}
    for board in shown:
        assert list(board) == list(msgspec.to_builtins(msgspec.convert(board, TablePayload)))
        assert tuple(board["moves"]) == records[board["id"]].moves[: board["ply"]]
        assert board["to_move"] == board["ply"] % 2
    assert len({board["id"] for board in shown}) > 2
    assert [one.text for one in tables[-2:]] == ["", ""]
    assert set(broker.retained()) == {STATE, STANDINGS}


def test_no_event_is_lost_while_the_broker_is_away(bench: Bench, broker: Mosquitto) -> None:
    folder = made_run(bench)
    subscriber = broker.subscribe()
    with at_work(folder) as log:
        feed = Feed(folder, broker)
        wait_for_event(subscriber, log.seq)
        for _ in range(2):
            warn(log, 100)
            broker.stop()
            warn(log, 300)
            feed.wait_for("trying again until it answers")
            broker.start()
            warn(log, 100)
            feed.wait_for("connected again")
            wait_for_event(subscriber, log.seq)
        count = log.seq
    code, _ = feed.end()
    assert code == 0
    assert once(numbers(subscriber)) == list(range(1, count + 1))
    assert broker.retained()[STATE]["seq"] == count


@pytest.mark.parametrize("broker", [{"persistent": False}], indirect=True)
def test_a_broker_that_has_forgotten_everything_gets_the_state_again(bench: Bench, broker: Mosquitto) -> None:
    folder = made_run(bench)
    with at_work(folder) as log:
        feed = Feed(folder, broker)
        feed.wait_for("publishing test")
        wait_until(lambda: broker.retained().get(STATE, {}).get("seq") == log.seq)
        broker.stop(signal.SIGKILL)
        broker.start()
        wait_until(lambda: broker.retained().get(STATE, {}).get("seq") == log.seq)
        assert feed.end(signal.SIGTERM)[0] == 0


def test_a_killed_feed_is_lost_and_the_next_one_sends_the_rest(bench: Bench, broker: Mosquitto) -> None:
    folder = made_run(bench)
    subscriber = broker.subscribe()
    with at_work(folder) as log:
        feed = Feed(folder, broker)
        warn(log, 50)
        wait_for_event(subscriber, log.seq)
        feed.process.kill()
        feed.end()
        subscriber.wait_for(lambda one: one.topic == STATE and one.payload["state"] == "lost")
        warn(log, 50)
        count = log.seq
    assert Feed(folder, broker).end()[0] == 0
    wait_for_event(subscriber, count)
    assert once(numbers(subscriber)) == list(range(1, count + 1))
    assert broker.retained()[STATE]["state"] == "finished"


def test_a_second_feed_takes_over_and_repeats_nothing(bench: Bench, broker: Mosquitto) -> None:
    folder = made_run(bench)
    subscriber = broker.subscribe()
    with at_work(folder) as log:
        first = Feed(folder, broker)
        first.wait_for("publishing test")
        warn(log, 200)
        second = Feed(folder, broker)
        second.wait_for("publishing test")
        warn(log, 200)
        code, output = first.end()
        assert (code, output[-1]) == (1, f"error: {broker.address}: another feed of test has taken over\n")
        wait_for_event(subscriber, log.seq)
        assert numbers(subscriber) == list(range(1, log.seq + 1))
        assert broker.retained()[STATE]["state"] == "running"
        assert second.end(signal.SIGTERM)[0] == 0


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 0), (signal.SIGINT, 130)])
def test_a_feed_that_is_stopped_while_the_run_is_running_publishes_gone(
    bench: Bench, broker: Mosquitto, number: signal.Signals, code: int
) -> None:
    folder = made_run(bench)
    with at_work(folder) as log:
        feed = Feed(folder, broker)
        feed.wait_for("publishing test")
        warn(log)
        assert feed.end(number)[0] == code
        state = broker.retained()[STATE]
        assert (state["state"], state["seq"]) == ("gone", log.seq)


def test_the_will_of_an_older_session_is_repaired(bench: Bench, broker: Mosquitto) -> None:
    folder = made_run(bench)
    with at_work(folder):
        feed = Feed(folder, broker)
        feed.wait_for("publishing test")
        old = '{"state":"lost","session":"old","seq":3}'
        subscriber = broker.subscribe(STATE)
        subprocess.run(
            ["mosquitto_pub", "-h", "127.0.0.1", "-p", str(broker.port), "-t", STATE, "-r", "-q", "1", "-m", old],
            check=True,
        )
        seen = subscriber.wait_for(lambda one: one.text == old)
        del subscriber.messages[: subscriber.messages.index(seen)]
        subscriber.wait_for(lambda one: one.payload["state"] == "running")
        assert feed.end(signal.SIGTERM)[0] == 0


def test_a_removed_state_is_published_again_by_the_feed_at_work(bench: Bench, broker: Mosquitto) -> None:
    folder = made_run(bench)
    with at_work(folder) as log:
        feed = Feed(folder, broker)
        feed.wait_for("publishing test")
        forgetting = Feed(folder, broker, "--forget")
        while forgetting.process.poll() is None:
            warn(log)
            time.sleep(0.05)
        assert forgetting.end()[0] == 0
        wait_until(lambda: broker.retained().get(STATE, {}).get("state") == "running")
        assert feed.end(signal.SIGTERM)[0] == 0


def test_a_feed_follows_a_run_over_the_death_of_its_manager(bench: Bench, broker: Mosquitto) -> None:
    subscriber = broker.subscribe()
    bench.write(patient(bench), tournament={"games_per_pair": GAMES, "concurrency": 2})
    manager = Manager(bench)
    manager.wait_for("Finished", 2)
    feed = Feed(bench.results / "test", broker)
    feed.wait_for("publishing test")
    manager.wait_for("Finished", 2)
    manager.process.kill()
    manager.end()
    hurry(bench)
    subscriber.wait_for(lambda one: one.topic == STATE and one.payload["state"] == "interrupted")
    assert not [topic for topic in broker.retained() if "/tables/" in topic]
    assert Manager(bench).end()[0] == 0
    assert feed.end()[0] == 0
    log = lines(bench.results / "test")
    wait_for_event(subscriber, len(log))
    assert numbers(subscriber) == list(range(1, len(log) + 1))
    finished = {one.payload["game"]["id"] for one in subscriber.of("/games")}
    assert len(finished) == len(subscriber.of("/games")) == GAMES


def test_the_tables_of_a_killed_feed_are_removed_by_the_next_one(bench: Bench, broker: Mosquitto) -> None:
    folder = made_run(bench)
    topic = "fiedler/1/runs/test/tables/7"
    subprocess.run(
        ["mosquitto_pub", "-h", "127.0.0.1", "-p", str(broker.port), "-t", topic, "-r", "-m", "{}"], check=True
    )
    assert Feed(folder, broker).end()[0] == 0
    assert set(broker.retained()) == {STATE, STANDINGS}


def test_a_frozen_feed_is_replaced_and_no_event_is_lost(bench: Bench, broker: Mosquitto) -> None:
    folder = made_run(bench)
    subscriber = broker.subscribe()
    with at_work(folder) as log:
        first = Feed(folder, broker)
        first.wait_for("publishing test")
        warn(log, 20)
        wait_for_event(subscriber, log.seq)
        first.process.send_signal(signal.SIGSTOP)
        warn(log, 20)
        second = Feed(folder, broker)
        second.wait_for("publishing test")
        first.process.send_signal(signal.SIGCONT)
        code, output = first.end()
        assert (code, output[-1]) == (1, f"error: {broker.address}: another feed of test has taken over\n")
        warn(log, 20)
        wait_for_event(subscriber, log.seq)
        assert second.end(signal.SIGTERM)[0] == 0
        assert once(numbers(subscriber)) == list(range(1, log.seq + 1))
        state = broker.retained()[STATE]
        assert (state["state"], state["seq"]) == ("gone", log.seq)


def test_a_run_that_starts_anew_is_numbered_anew(bench: Bench, broker: Mosquitto) -> None:
    folder = made_run(bench)
    subscriber = broker.subscribe()
    assert Feed(folder, broker).end()[0] == 0
    before = len(lines(folder))
    wait_for_event(subscriber, before)
    assert Manager(bench, "--fresh").end()[0] == 0
    assert Feed(folder, broker).end()[0] == 0
    count = len(lines(folder))
    wait_until(lambda: len(numbers(subscriber)) == before + count)
    births = [one.payload["session"].partition("-")[0] for one in subscriber.of("/games", "/events")]
    assert len(set(births[:before])) == len(set(births[before:])) == 1
    assert births[0] != births[-1]
    assert numbers(subscriber)[before:] == list(range(1, count + 1))


def test_a_feed_at_work_notices_that_the_run_starts_anew(bench: Bench, broker: Mosquitto) -> None:
    folder = made_run(bench)
    subscriber = broker.subscribe()
    with at_work(folder) as log:
        feed = Feed(folder, broker)
        feed.wait_for("publishing test")
        warn(log)
        wait_for_event(subscriber, log.seq)
        before = log.seq
        folder.rename(folder.with_name("test.old-1"))
        assert Manager(bench).end()[0] == 0
        assert feed.end()[0] == 0
    assert "test was started anew\n" in feed.output
    count = len(lines(folder))
    wait_until(lambda: len(numbers(subscriber)) == before + count)
    assert numbers(subscriber)[before:] == list(range(1, count + 1))


def test_damage_in_the_log_is_one_line(bench: Bench, broker: Mosquitto) -> None:
    folder = made_run(bench)
    with at_work(folder) as log:
        feed = Feed(folder, broker)
        feed.wait_for("publishing test")
        warn(log)
        log.seq += 1
        warn(log)
        code, output = feed.end()
        wrong = f"error: {folder / 'events.jsonl'}: expected the event with seq {log.seq - 1}, got seq {log.seq}\n"
        assert (code, output[-1]) == (2, wrong)
        state = broker.retained()[STATE]
        assert (state["state"], state["seq"]) == ("gone", log.seq - 2)


def test_without_a_broker_a_feed_reports_it_once_and_tries_again(bench: Bench, broker: Mosquitto) -> None:
    folder = made_run(bench)
    broker.stop()
    feed = Feed(folder, broker)
    feed.wait_for("refused")
    assert feed.output == [f"warning: {broker.address}: connection refused; trying again until it answers\n"]
    broker.start()
    assert feed.end()[0] == 0
    assert broker.retained()[STATE]["state"] == "finished"


def test_a_feed_that_is_stopped_without_a_broker_names_the_rest(
    bench: Bench,
    broker: Mosquitto,
) -> None:
    folder = made_run(bench)
    broker.stop()
    feed = Feed(folder, broker)
    feed.wait_for("refused")
    code, output = feed.end(signal.SIGTERM)
    wrong = f"error: {broker.address}: connection refused; event 1 and later ones are not published\n"
    assert (code, output[-1]) == (1, wrong)


ACL = """
user writer
topic readwrite fiedler/1/runs/test/#
user reader
topic read #
"""


@pytest.fixture
def locked(tmp_path: Path) -> Iterator[Mosquitto]:
    """A broker with passwords and an ACL."""
    need("mosquitto")
    (tmp_path / "passwords").touch()
    (tmp_path / "acl").write_text(ACL, "utf-8")
    for user in ("writer", "reader"):
        subprocess.run(["mosquitto_passwd", "-b", str(tmp_path / "passwords"), user, "secret"], check=True)
    one = Mosquitto(
        tmp_path / "locked",
        "allow_anonymous false",
        f"password_file {tmp_path / 'passwords'}",
        f"acl_file {tmp_path / 'acl'}",
    )
    yield one
    one.close()


@pytest.mark.parametrize(
    ("user", "password", "wrong"),
    [
        ("writer", "secret", ""),
        ("writer", "wrong", "the broker refuses this user: not authorized"),
        ("reader", "secret", "the broker refuses a message: not authorized"),
    ],
)
def test_a_user_needs_a_password_and_the_right_to_write(
    bench: Bench, locked: Mosquitto, tmp_path: Path, user: str, password: str, wrong: str
) -> None:
    folder = made_run(bench)
    (tmp_path / "password").write_text(f"{password}\n", "utf-8")
    code, output = Feed(folder, locked, "--user", user, "--password-file", str(tmp_path / "password")).end()
    assert code == (1 if wrong else 0)
    assert output[-1] == (f"error: {locked.address}: {wrong}\n" if wrong else output[-1])


@pytest.mark.parametrize(
    ("limit", "why"),
    [("acl_file {acl}", "not authorized"), ("max_packet_size 2000", "packet too large")],
)
def test_a_refused_message_ends_the_feed(bench: Bench, tmp_path: Path, limit: str, why: str) -> None:
    folder = made_run(bench)
    (tmp_path / "acl").write_text(f"topic readwrite {STATE}\n", "utf-8")
    with (
        closing(Mosquitto(tmp_path / "broker", "allow_anonymous true", limit.format(acl=tmp_path / "acl"))) as broker,
        at_work(folder) as log,
    ):
        log(Warned(at=now(), text=2000 * "x"))
        code, output = Feed(folder, broker).end()
        assert code == 1
        wrong = (
            rf"error: {broker.address}: the broker refuses a message: {why}; event \d+ and later ones are not published"
        )
        assert re.fullmatch(wrong, output[-1].rstrip())
        assert broker.retained()[STATE]["state"] == "lost"


def test_a_run_that_is_removed_is_waited_for(bench: Bench, broker: Mosquitto, tmp_path: Path) -> None:
    folder = made_run(bench)
    with at_work(folder):
        feed = Feed(folder, broker)
        feed.wait_for("publishing test")
        folder.rename(tmp_path / "elsewhere")
        feed.wait_for(f"warning: {folder} was removed; waiting for a new run")
        wait_until(lambda: broker.retained()[STATE]["state"] == "gone")
        assert feed.end(signal.SIGTERM)[0] == 0


@pytest.mark.parametrize(
    ("options", "wrong"),
    [
        (("--broker", "nowhere"), "--broker: expected HOST:PORT with a port from 1 to 65535, got 'nowhere'"),
        (("--mqtt-base", "a/#"), "--mqtt-base: expected levels of a topic, without '+', '#' and blanks, got 'a/#'"),
        (("--user", "a\nb"), r"--user: expected printable characters, got 'a\nb'"),
        (("--password-file", "f"), "--password-file: only with --user"),
        (("--user", "u", "--password-file", "none"), "--password-file: none: no such file or directory"),
        (("--ca", "f"), "--ca: only with --tls"),
        (("--tls", "--ca", "none"), "--ca: none: cannot be read: no such file or directory"),
    ],
)
def test_wrong_options_are_one_line(tmp_path: Path, options: tuple[str, ...], wrong: str) -> None:
    command = [*COMMAND, "feed", "test", "--broker", "127.0.0.1:1883", *options]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path)
    assert (done.returncode, done.stderr) == (2, f"error: {wrong}\n")


def test_without_paho_one_line_names_the_command(tmp_path: Path) -> None:
    hidden = f"import sys; sys.modules['paho'] = None; {COMMAND[2]}"
    words = [COMMAND[0], "-c", hidden, "feed", "test", "--broker", "127.0.0.1:1883"]
    done = subprocess.run(words, capture_output=True, text=True, check=False, cwd=tmp_path)
    line = "error: MQTT needs paho-mqtt: pip install 'fiedler[mqtt]'\n"
    assert (done.returncode, done.stderr) == (2, line)


@pytest.mark.soak
def test_ten_minutes_without_a_broker(bench: Bench, broker: Mosquitto) -> None:
    folder = made_run(bench)
    subscriber = broker.subscribe()
    with at_work(folder) as log:
        feed = Feed(folder, broker)
        wait_for_event(subscriber, log.seq)
        broker.stop()
        for _ in range(100):
            warn(log, 500)
            time.sleep(6.0)
        broker.start()
        feed.wait_for("connected again")
        began = time.monotonic()
        while log.seq not in numbers_of(subscriber.messages[-60:]):
            assert time.monotonic() - began < 240.0  # 30 on a machine without other work
            time.sleep(0.1)
        print(f"50,000 events: {time.monotonic() - began:.1f} s")
        count = log.seq
    assert feed.end()[0] == 0
    assert once(numbers(subscriber)) == list(range(1, count + 1))
