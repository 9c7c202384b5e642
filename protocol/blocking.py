"""A driver that blocks until the answer comes, over any carrier of bytes."""

from collections.abc import Callable, Iterator

from fiedler.protocol.client import Client
from fiedler.protocol.events import ClientEvent


def answers(
    client: Client, kind: type[ClientEvent], send: Callable[[bytes], None], receive: Callable[[], bytes]
) -> Iterator[ClientEvent]:
    """Send the pending bytes, then yield the player's events, up to the answer of this kind.

    `receive` returns the next bytes, or none at the end of the stream; then there is no answer. Bytes that follow the
    last answer and precede the next request do not answer that request: they are dropped.
    """
    while True:
        if said := client.data_to_send():
            send(said)
        for event in drained(client):
            yield event
            if isinstance(event, kind):
                return
        data = receive()
        if not data:
            return
        client.receive_data(data)


def drained(client: Client) -> list[ClientEvent]:
    """Return the events that have arrived so far."""
    events: list[ClientEvent] = []
    while (event := client.next_event()) is not None:
        events.append(event)
    return events
