"""A driver that blocks until the answer comes, over any carrier of bytes."""

from collections.abc import Callable, Iterator

from protocol.client import Client
from protocol.events import ClientEvent


def answers(
    client: Client, kind: type[ClientEvent], send: Callable[[bytes], None], receive: Callable[[], bytes]
) -> Iterator[ClientEvent]:
    """Send what there is to say, then yield what the player says, up to the answer of this kind.

    `receive` returns the next bytes, none where the player says nothing more; then it ends without an answer. What was
    said behind an answer, before anything else was asked, is not an answer to what is asked next: it is dropped.
    """
    send(client.data_to_send())
    while True:
        for event in drained(client):
            yield event
            if isinstance(event, kind):
                return
        data = receive()
        if not data:
            return
        client.receive_data(data)


def drained(client: Client) -> list[ClientEvent]:
    """Return what the player has said so far."""
    events: list[ClientEvent] = []
    while (event := client.next_event()) is not None:
        events.append(event)
    return events
