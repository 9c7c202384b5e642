"""docs/protocols/mqtt.md: its commands run, and its tables list every field."""

from __future__ import annotations

import re
import shlex
import subprocess

import pytest
from msgspec import Struct

from fiedler.support.mqtt.engines import EngineInfo, EnginePayload, EngineState
from fiedler.tournament.feeds.payloads import Payload, StandingsPayload, StatePayload, TablePayload
from tests.folders import DOCS
from tests.mosquitto import Mosquitto
from tests.patience import PATIENCE
from tests.tournament.feeds.feed_process import made_run
from tests.tournament.manager_process import COMMAND
from tests.tournament.schedules import Bench

PAGE = (DOCS / "protocols" / "mqtt.md").read_text("utf-8")
BLOCK = re.findall(r"^```sh\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)[0].splitlines()


def test_the_commands_of_the_page_show_a_run(bench: Bench, broker: Mosquitto) -> None:
    feed, *subscriptions = [
        [word.replace("my-tournament", "test") for word in shlex.split(line.replace("1883", str(broker.port)))]
        for line in BLOCK
    ]
    assert len(subscriptions) == 3
    pipe = subprocess.PIPE
    readers = [
        subprocess.Popen([*words, "-h", "127.0.0.1", "-C", "1"], stdout=pipe, text=True) for words in subscriptions
    ]
    made_run(bench)
    published = subprocess.Popen([*COMMAND, *feed[1:], "--results", str(bench.results)])
    first = [reader.communicate(timeout=PATIENCE)[0] for reader in readers]
    assert published.wait(PATIENCE) == 0
    assert [line.startswith("{") for line in first] == [True, True, False]
    assert '"event":"finished"' in first[1]
    assert first[2].startswith("fiedler/1/runs/test/")


@pytest.mark.parametrize(
    ("title", "kind"),
    [
        ("State", StatePayload),
        ("Standings", StandingsPayload),
        ("Table", TablePayload),
        ("Topics", Payload),
        ("Engine state", EngineState),
        ("Engine info", EngineInfo),
    ],
)
def test_the_page_lists_every_field(title: str, kind: type[Struct]) -> None:
    section = re.split(r"^##+ ", PAGE.partition(f"# {title}\n")[2], flags=re.MULTILINE)[0]
    rows = re.findall(r"^\| (`\w+`(?:, `\w+`)*) \|", section, re.MULTILINE)
    listed = {name for row in rows for name in re.findall(r"\w+", row)}
    common = set() if kind is Payload else {*Payload.__struct_fields__, *EnginePayload.__struct_fields__}
    assert listed == set(kind.__struct_fields__) - common
