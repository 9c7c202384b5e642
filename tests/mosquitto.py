"""A real Mosquitto on a free port, with its own configuration and folder, and a subscriber that takes everything."""

from __future__ import annotations

import getpass
import json
import os
import signal
import socket
import subprocess
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from paho.mqtt.client import Client, MQTTMessage, MQTTv5
from paho.mqtt.enums import CallbackAPIVersion
from paho.mqtt.subscribeoptions import SubscribeOptions

from tests.patience import PATIENCE, wait_until
from tests.programs import need

CONFIG = """
listener {port} 127.0.0.1
persistence {persistence}
persistence_location {folder}/
max_queued_messages 0
user {user}
"""
CONNECT = b"\x10\x0c\x00\x04MQTT\x04\x02\x00\x3c\x00\x00"
"""A client without a name. An answer comes from the broker's loop; before its loop it listens, and loses a SIGTERM."""


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as one:
        return int(one.getsockname()[1])


class Message(NamedTuple):
    retained: bool
    qos: int
    topic: str
    text: str

    @property
    def payload(self) -> Any:
        return json.loads(self.text)


class Mosquitto:
    """A broker that can be stopped and started again; `more` lines replace `allow_anonymous true`."""

    def __init__(self, folder: Path, *more: str, persistent: bool = True) -> None:
        need("mosquitto", "mosquitto_sub")
        folder.mkdir()
        self.port = free_port()
        self._file = folder / "mosquitto.conf"
        text = CONFIG.format(user=getpass.getuser(), port=self.port, persistence=str(persistent).lower(), folder=folder)
        lines = more or ("allow_anonymous true",)
        self._file.write_text("\n".join((text, *lines, "")), "utf-8")
        self._log = folder / "log"
        self.subscribers: list[Subscriber] = []
        self.clients: list[subprocess.Popen[str]] = []
        """Other processes that end with the broker."""
        self.start()

    @property
    def address(self) -> str:
        return f"127.0.0.1:{self.port}"

    def start(self) -> None:
        path = f"{os.environ['PATH']}:/usr/sbin"
        with self._log.open("ab") as log:
            command = ["mosquitto", "-c", str(self._file)]
            self.process = subprocess.Popen(command, stdout=log, stderr=log, env={**os.environ, "PATH": path})
        wait_until(self._answers, "the broker did not start")

    def stop(self, number: signal.Signals = signal.SIGTERM) -> None:
        self.process.send_signal(number)
        self.process.wait(PATIENCE)

    def close(self) -> None:
        for one in self.subscribers:
            one.close()
        for client in self.clients:
            client.kill()
            client.wait(PATIENCE)
        if self.process.poll() is None:
            self.stop(signal.SIGKILL)

    def subscribe(self, *topics: str, options: Sequence[str] = ()) -> Subscriber:
        one = Subscriber(self.port, topics or ("#",), options)
        self.subscribers.append(one)
        return one

    def retained(self, *topics: str) -> dict[str, Any]:
        """Return the payloads of the retained messages by topic."""
        found: dict[str, Any] = {}
        done = threading.Event()

        def take(_client: Client, _data: object, one: MQTTMessage) -> None:
            if one.retain:
                found[one.topic] = json.loads(one.payload)

        def subscribed(*_: object) -> None:
            client.unsubscribe("none")  # with QoS 0 the broker sends what it retains before its next answer

        client = Client(CallbackAPIVersion.VERSION2, protocol=MQTTv5)
        client.on_message, client.on_subscribe = take, subscribed
        client.on_unsubscribe = lambda *_: done.set()
        client.connect("127.0.0.1", self.port)
        client.subscribe([(topic, SubscribeOptions(qos=0)) for topic in topics or ("#",)])
        deadline = time.monotonic() + PATIENCE
        while not done.is_set():
            assert time.monotonic() < deadline, "the broker does not answer"
            client.loop(0.1)
        client.disconnect()
        return found

    def _answers(self) -> bool:
        assert self.process.poll() is None, self._log.read_text("utf-8")
        try:
            with socket.create_connection(("127.0.0.1", self.port), PATIENCE) as link:
                link.sendall(CONNECT)
                link.recv(1)
        except ConnectionRefusedError:
            return False
        except ConnectionResetError:  # it expects TLS
            pass
        return True


def command(port: int, topics: Sequence[str]) -> list[str]:
    chosen = [word for topic in topics for word in ("-t", topic)]
    return [
        "mosquitto_sub",
        "-V",
        "mqttv5",
        "-h",
        "127.0.0.1",
        "-p",
        str(port),
        "-q",
        "1",
        "-F",
        "%r %q %t %p",
        *chosen,
    ]


def message(line: str) -> Message:
    retained, qos, topic, text = line.rstrip("\n").split(" ", 3)
    return Message(retained == "1", int(qos), topic, text)


class Subscriber:
    """`mosquitto_sub`, and all that it has printed. It stays subscribed while the broker is away."""

    def __init__(self, port: int, topics: Sequence[str], options: Sequence[str]) -> None:
        self.messages: list[Message] = []
        name = f"subscriber-{id(self)}"
        ready = f"ready/{name}"
        words = [*command(port, (*topics, ready)), "-i", name, "-c", "-x", "3600", *options]
        self.process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        heard = threading.Event()
        self._reader = threading.Thread(target=self._read, args=(ready, heard), daemon=True)
        self._reader.start()
        # it is subscribed once it gets something
        knock = ["mosquitto_pub", "-h", "127.0.0.1", "-p", str(port), "-t", ready, "-n", *options]
        wait_until(lambda: subprocess.run(knock, check=True) and heard.wait(0.05))

    def _read(self, ready: str, heard: threading.Event) -> None:
        assert self.process.stdout is not None
        with self.process.stdout as lines:
            for line in lines:
                if (one := message(line)).topic == ready:
                    heard.set()
                else:
                    self.messages.append(one)

    def wait_for(self, condition: Callable[[Message], object], failure: str = "it was not published") -> Message:
        """Wait until there is such a message, and return the first one."""
        wait_until(lambda: any(condition(one) for one in list(self.messages)), failure)
        return next(one for one in self.messages if condition(one))

    def of(self, *topics: str) -> list[Message]:
        """Return the messages of the topics with such an end."""
        return [one for one in list(self.messages) if one.topic.endswith(topics)]

    def close(self) -> None:
        self.process.kill()
        self.process.wait(PATIENCE)
        self._reader.join()
