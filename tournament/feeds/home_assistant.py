"""A run as a device of Home Assistant, by its MQTT discovery.

Source: https://www.home-assistant.io/integrations/mqtt/#device-discovery-payload.
"""

from __future__ import annotations

import re
from hashlib import blake2b
from typing import Any

from fiedler.support.mqtt.broker import Broker
from fiedler.support.provenance import release

PROGRESS = "{{ (100 * value_json.finished / value_json.scheduled) | round(1) if value_json.scheduled else 0 }}"
LEADER = "{{ value_json.players[0].name if value_json.players else 'none' }}"
PROBLEM = "{{ 'ON' if value_json.state in ['failed', 'interrupted'] else 'OFF' }}"
AVAILABLE = "{{ 'offline' if value_json.state in ['lost', 'gone'] else 'online' }}"


def device_topic(broker: Broker, run: str) -> str:
    """Return the topic of the device."""
    return f"homeassistant/device/{_identifier(broker, run)}/config"


def device(broker: Broker, run: str) -> dict[str, Any]:
    """Return the payload of the device: its sensors read the topics of the run."""
    identifier = _identifier(broker, run)
    state, standings = (broker.topic("runs", run, name) for name in ("state", "standings"))
    sensors = {
        "state": _sensor("State", state, "{{ value_json.state }}"),
        "progress": _sensor("Progress", state, PROGRESS) | {"unit_of_measurement": "%", "state_class": "measurement"},
        "games_per_minute": _sensor("Games per minute", state, "{{ value_json.games_per_minute }}")
        | {"unit_of_measurement": "games/min", "state_class": "measurement"},
        "leader": _sensor("Leader", standings, LEADER),
        "problem": _sensor("Problem", state, PROBLEM) | {"platform": "binary_sensor", "device_class": "problem"},
    }
    return {
        "device": {"identifiers": [identifier], "name": f"Fiedler {run}", "manufacturer": "Fiedler"},
        "origin": {"name": "Fiedler", "sw_version": release()},
        "availability": [{"topic": state, "value_template": AVAILABLE}],
        "components": {name: {**one, "unique_id": f"{identifier}_{name}"} for name, one in sensors.items()},
        "qos": 1,
    }


def _sensor(name: str, topic: str, template: str) -> dict[str, Any]:
    return {"platform": "sensor", "name": name, "state_topic": topic, "value_template": template}


def _identifier(broker: Broker, run: str) -> str:
    """Return `BASE_RUN` in the characters that Home Assistant allows; a hash keeps changed names different."""
    whole = f"{broker.base}_{run}"
    allowed = re.sub(r"[^A-Za-z0-9_-]", "_", whole)
    return allowed if allowed == whole else f"{allowed}_{blake2b(whole.encode(), digest_size=3).hexdigest()}"
