"""A run as a device of Home Assistant: its sensors, read from real messages as Home Assistant reads them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from jinja2 import Environment

from fiedler.support.address import Address
from fiedler.support.mqtt.broker import Broker
from fiedler.tournament.feeds.home_assistant import device, device_topic
from fiedler.tournament.feeds.rate import GameRate
from tests.mosquitto import Mosquitto
from tests.tournament.feeds.feed_process import Feed, made_run
from tests.tournament.manager_process import Manager
from tests.tournament.schedules import Bench, player

DEVICE = "homeassistant/device/fiedler_test/config"
BROKER = Broker(Address("127.0.0.1", 1883))


def shown(kept: dict[str, Any]) -> dict[str, str]:
    """Return the value of each sensor, with its unit."""
    templates = Environment(autoescape=False)
    return {
        name: templates.from_string(one["value_template"]).render(value_json=kept[one["state_topic"]])
        + one.get("unit_of_measurement", "")
        for name, one in kept[DEVICE]["components"].items()
    }


def test_the_sensors_of_a_finished_run_and_their_removal(bench: Bench, broker: Mosquitto) -> None:
    assert Feed(made_run(bench), broker, "--homeassistant").end()[0] == 0
    kept = broker.retained()
    leader = kept["fiedler/1/runs/test/standings"]["players"][0]["name"]
    values = shown(kept)
    assert float(values.pop("games_per_minute").removesuffix("games/min")) >= 0
    assert values == {"state": "finished", "progress": "100.0%", "leader": leader, "problem": "OFF"}
    assert kept[DEVICE]["availability"][0]["topic"] == "fiedler/1/runs/test/state"
    assert set(kept) == {DEVICE, "fiedler/1/runs/test/state", "fiedler/1/runs/test/standings"}
    assert Feed(Path("test"), broker, "--forget").end()[0] == 0
    assert broker.retained() == {}


def test_the_flag_reaches_the_feed_of_a_run(bench: Bench, broker: Mosquitto) -> None:
    bench.write([player("a"), player("b")])
    assert Manager(bench, "--mqtt", broker.address, "--homeassistant").end()[0] == 0
    assert DEVICE in broker.retained()


def test_a_lost_feed_makes_the_sensors_unavailable() -> None:
    template = Environment(autoescape=False).from_string(device(BROKER, "test")["availability"][0]["value_template"])
    states = ("running", "finished", "interrupted", "failed", "gone", "lost")
    assert [template.render(value_json={"state": one}) for one in states] == 4 * ["online"] + 2 * ["offline"]


def test_names_that_home_assistant_does_not_allow_stay_different() -> None:
    topics = {device_topic(BROKER, run) for run in ("büro/1", "büro 1", "b_ro_1", "a.b", "a_b")}
    assert len(topics) == 5
    assert all(topic.encode().replace(b"/", b"").replace(b"_", b"").replace(b"-", b"").isalnum() for topic in topics)


def test_the_rate_counts_the_last_minute() -> None:
    rate = GameRate()
    assert rate.look(100.0, 50) == 0.0, "games before the first look do not count"
    assert rate.look(110.0, 60) == 60.0
    assert rate.look(160.0, 110) == 60.0
    assert rate.look(221.0, 110) == 0.0
