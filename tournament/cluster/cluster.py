"""The connection to Ray: its nodes, and our actor on each of them. Only this module imports Ray."""

from __future__ import annotations

import asyncio
import logging
import os
import queue
import re
import signal
import socket
import sys
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from queue import SimpleQueue
from typing import Any, Protocol, Self, TextIO, cast

from fiedler.support import stages
from fiedler.support.address import parse_address
from fiedler.support.address import reason as where
from fiedler.support.console import end_at_once
from fiedler.support.cores import available
from fiedler.support.errors import UsageError, WorkError, reason
from fiedler.support.text import duration
from fiedler.tournament.cluster.address import ClusterAddress
from fiedler.tournament.cluster.local_nodes import BUSY, HEAD, SETTINGS, LocalNodes

EXTRA = "--cluster: a cluster needs Ray: pip install 'fiedler[cluster]'"
VERSIONS = re.compile(r"Ray: (\S+).*?Python: (\S+).*?Ray: (\S+).*?Python: (\S+)", re.DOTALL)
"""The versions of the cluster and ours in Ray's own message."""


Untyped = Any
"""What Ray does not type."""


RAY_ADDRESS = "RAY_ADDRESS"
"""The environment variable with the address of a cluster."""
CONNECT_S = 10.0
HEAD_S = 30.0
"""Seconds without an answer of the head after which it is lost. After 60 s Ray ends this process by itself."""
LEAVE_S = 5.0
"""Seconds for Ray to leave a cluster. It waits without end for a head that is frozen."""
RAYS_THREADS = "ray_"
"""The beginning of the names of the threads in which Ray prints what nodes say."""


class NodeLostError(Exception):
    """The actor of a node does not answer, or never will."""


@dataclass(frozen=True)
class NodePlace:
    """A node of the cluster that offers cores."""

    id: str
    """Ray's own; another one after each start of the node."""
    address: str
    cpus: int


class NodeCalls(Protocol):
    """The methods of `node.Node`, from afar."""

    async def call(self, method: str, *words: object) -> Untyped:
        """Call a method and return its result.

        Raises:
            NodeLostError: there is none.

        """

    def end(self) -> None:
        """End the actor."""


class Machines(Protocol):
    """Machines that come and go."""

    @property
    def address(self) -> ClusterAddress:
        """The place where they were found."""

    @property
    def is_local(self) -> bool:
        """Whether they are on this machine, started by us."""

    def places(self) -> list[NodePlace]:
        """Return the nodes that are alive and offer cores; it may take a moment.

        Raises:
            WorkError: nobody knows them any more.

        """

    def actor(self, place: NodePlace, cpus: int, cache_mb: int) -> NodeCalls:
        """Begin to start our actor on a node; it takes `cpus` of its cores."""


def _ignore(_: str) -> None:
    """Take a note that nobody reads."""


class Cluster:
    """A connected cluster. It must be opened before an event loop runs."""

    def __init__(self, address: ClusterAddress) -> None:
        self.address = address
        self._stack = ExitStack()
        self._head = ""
        """Its address."""
        self._leaving: threading.Thread | None = None
        """In it Ray leaves the cluster."""

    @property
    def is_local(self) -> bool:
        """Whether its nodes are on this machine, started by us."""
        return self.address.local > 0

    def open(self, warn: Callable[[str], None], note: Callable[[str], None] = _ignore) -> Self:
        """Connect to it; `close` must follow. `warn` reports nodes that do not start.

        With nodes of our own it waits for the first one; `note` reports the later ones. The progress is that of
        `fiedler.support.stages`.

        Raises:
            UsageError: Ray is not installed, there is no cluster, or it has other versions.
            WorkError: a local cluster does not start.

        """
        os.environ.update({"RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0", "RAY_DEDUP_LOGS": "0", **SETTINGS})
        with _quiet():
            try:
                import ray
            except ImportError:
                raise UsageError(EXTRA) from None
        self._ray: Untyped = ray
        self._silence()
        try:
            if self.is_local:
                self._start_here(warn, note)
            else:
                _find(self.address)
                self._connect("auto" if self.address.head is None else str(self.address.head))
        except BaseException:
            self.close()
            raise
        return self

    def _start_here(self, warn: Callable[[str], None], note: Callable[[str], None]) -> None:
        """Start the head and the nodes on this machine; return with the first node, the others follow."""
        number, began = self.address.local, time.monotonic()
        stages.begin("starting the head of the cluster")
        self._stack.callback(self._await_leave)  # a frozen head has ended by then
        nodes = self._stack.enter_context(LocalNodes(number, max(1, len(available()) // number)))
        self._connect(f"{HEAD}:{nodes.port}", _node_ip_address=HEAD)
        self._stack.callback(nodes.start_no_more)
        awaited, ends = SimpleQueue[bool](), threading.Event()

        def settled(place: int, runs: bool) -> None:
            if runs and ends.is_set():
                note(f"node {place} of {number} runs after {duration(time.monotonic() - began)}")
            awaited.put(runs)

        nodes.start_nodes(lambda: len(self.places()), warn, settled)
        for place in range(1, number + 1):
            stages.begin(f"starting node {place} of {number}")
            if awaited.get():
                break
        ends.set()

    def _silence(self) -> None:
        """Keep Ray's threads from writing to our output, which may be a JSON document."""
        before = sys.stdout
        sys.stdout = cast("TextIO", _OwnOutput(before))
        self._stack.callback(setattr, sys, "stdout", before)

    def _connect(self, address: str, **options: object) -> None:
        with _quiet(), _own_signals():
            try:
                self._ray.init(address=address, log_to_driver=False, logging_level=logging.ERROR, **options)
            except (ConnectionError, TimeoutError, RuntimeError, ValueError) as error:
                if self.is_local:
                    why = f"the head at {HEAD} does not answer Ray: {BUSY}; the same command tries again"
                    raise WorkError(f"--cluster {self.address}: {why}") from None
                raise UsageError(f"--cluster {self.address}: {_no_cluster(str(error))}") from None
        self._head = self._ray.get_runtime_context().gcs_address
        self._stack.callback(self._leave)

    def places(self) -> list[NodePlace]:
        """Return the nodes that are alive and offer cores.

        Raises:
            WorkError: the head does not answer.

        """
        return [
            NodePlace(node["NodeID"], node["NodeManagerAddress"], int(node["Resources"]["CPU"]))
            for node in self._nodes()
            if node["Alive"] and node["Resources"].get("CPU", 0) >= 1
        ]

    def _nodes(self) -> Untyped:
        """Return Ray's list of nodes. It waits without end for a dead head: a thread that nobody joins does so."""
        answer = queue.SimpleQueue[Untyped]()
        threading.Thread(target=lambda: answer.put(self._ray.nodes()), daemon=True).start()
        try:
            return answer.get(timeout=HEAD_S)
        except queue.Empty:
            gone = f"the head at {self._head} has not answered for {HEAD_S:g} s"
            first = "" if self.is_local else "start it, then "
            raise WorkError(f"--cluster {self.address}: {gone}; {first}the same command resumes the run") from None

    def actor(self, place: NodePlace, cpus: int, cache_mb: int) -> NodeCalls:
        """Begin to start our actor on a node; it takes `cpus` of its cores."""
        from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

        from fiedler.tournament.cluster.node import NodeActor

        pinned = NodeAffinitySchedulingStrategy(place.id, soft=False)
        options = {
            "num_cpus": cpus,
            "max_restarts": 0,
            "max_task_retries": 0,
            "scheduling_strategy": pinned,
            "enable_task_events": False,  # a report of each call, for Ray's dashboard
        }
        return _Calls(self._ray, self._ray.remote(NodeActor).options(**options).remote(cache_mb))

    def _leave(self) -> None:
        self._leaving = threading.Thread(target=self._ray.shutdown, daemon=True)
        self._leaving.start()
        self._await_leave()

    def _await_leave(self) -> None:
        if self._leaving is not None:
            self._leaving.join(LEAVE_S)

    def close(self) -> None:
        """Leave the cluster; one of our own ends."""
        self._stack.close()
        if self._leaving is not None and self._leaving.is_alive():
            end_at_once()


class _Calls:
    """Calls of an actor of Ray."""

    def __init__(self, ray: Untyped, actor: Untyped) -> None:
        self._ray = ray
        self._actor = actor

    async def call(self, method: str, *words: object) -> Untyped:
        """Call a method and return its result."""
        try:
            return await asyncio.wrap_future(getattr(self._actor, method).remote(*words).future())
        except self._ray.exceptions.RayError as error:
            raise NodeLostError(_short(error)) from None

    def end(self) -> None:
        """End the actor."""
        self._ray.kill(self._actor)


def _short(error: Exception) -> str:
    """Return an error of Ray in a few words: its texts have many lines."""
    name = type(error).__name__
    known = {
        "ActorDiedError": "its actor has ended",
        "ActorUnavailableError": "its actor cannot be reached",
        "ActorUnschedulableError": "it has left the cluster",
        "NodeDiedError": "it has left the cluster",
    }
    if name.startswith("RayTaskError") or "ModuleNotFoundError" in str(error):
        return reason(str(error).strip().split("\n")[-1])
    return known.get(name, f"Ray reports {name}")


def _find(address: ClusterAddress) -> None:
    """Refuse an address where nobody listens: Ray would try for minutes; raises UsageError."""
    head = address.head
    if head is None and ":" in os.environ.get(RAY_ADDRESS, ""):
        head = parse_address(os.environ[RAY_ADDRESS].removeprefix("ray://"))
    if head is None:
        return
    try:
        socket.create_connection((head.host, head.port), CONNECT_S).close()
    except OSError as error:
        raise UsageError(f"--cluster {address}: no cluster of Ray answers at {head}: {where(error)}") from None


def _no_cluster(text: str) -> str:
    """Return why there is no connection: another version, or nobody there."""
    if found := VERSIONS.search(text):
        ray, python, our_ray, our_python = (word.strip(".,") for word in found.groups())
        return f"expected Ray {our_ray} and Python {our_python} as here, got Ray {ray} and Python {python} there"
    return "no cluster of Ray answers there"


class _OwnOutput:
    """An output without the words of Ray's threads."""

    def __init__(self, output: TextIO) -> None:
        self._output = output

    def __getattr__(self, name: str) -> Untyped:
        return getattr(self._output, name)

    def write(self, text: str) -> int:
        """Write a text, unless it is Ray's."""
        if threading.current_thread().name.startswith(RAYS_THREADS):
            return len(text)
        return self._output.write(text)


@contextmanager
def _quiet() -> Iterator[None]:
    """Do without the warnings of Ray's own modules."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


@contextmanager
def _own_signals() -> Iterator[None]:
    """Keep our handlers of signals, which Ray replaces."""
    numbers = (signal.SIGINT, signal.SIGTERM)
    before = {number: signal.getsignal(number) for number in numbers}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def is_installed() -> bool:
    """Return whether Ray can be imported."""
    from importlib.util import find_spec

    return "ray" in sys.modules or find_spec("ray") is not None
