"""The room of clients before admission: who leaves when it is full."""

from __future__ import annotations

from functools import partial

from fiedler.support.waiting_room import WaitingRoom


class Crowd:
    """Clients of a room, and the order in which they left it."""

    def __init__(self, places: int) -> None:
        self.room = WaitingRoom(places)
        self.gone: list[str] = []

    def enter(self, *clients: str) -> None:
        """Enter clients `PEER NUMBER`."""
        for client in clients:
            self.room.enter(client, client.split()[0], partial(self.gone.append, client))


def test_the_oldest_client_of_the_busiest_peer_leaves() -> None:
    crowd = Crowd(4)
    crowd.enter("a 1", "b 1", "b 2", "c 1")
    assert crowd.gone == []
    crowd.enter("c 2")
    assert crowd.gone == ["b 1"]
    crowd.enter("c 3", "c 4")
    assert crowd.gone == ["b 1", "c 1", "c 2"]
    assert len(crowd.room) == 4


def test_a_peer_that_fills_the_room_pushes_out_its_own_clients_alone() -> None:
    crowd = Crowd(64)
    crowd.enter("quiet 1", "quiet 2", *(f"loud {number}" for number in range(1000)))
    assert "quiet 1" in crowd.room
    assert "quiet 2" in crowd.room
    assert crowd.gone == [f"loud {number}" for number in range(938)]


def test_of_peers_with_one_client_each_the_oldest_leaves() -> None:
    crowd = Crowd(3)
    crowd.enter("a 1", "b 1", "c 1", "d 1")
    assert crowd.gone == ["a 1"]


def test_refused_clients_leave_first() -> None:
    crowd = Crowd(3)
    crowd.enter("a 1", "a 2", "b 1")
    crowd.room.dismiss("b 1", lambda: crowd.gone.append("refused"))
    crowd.enter("a 3", "a 4")
    assert crowd.gone == ["refused", "a 1"]


def test_an_admitted_client_never_leaves_for_others() -> None:
    crowd = Crowd(2)
    crowd.enter("a 1")
    crowd.room.leave("a 1")
    crowd.room.leave("a 1")
    crowd.room.dismiss("a 1", lambda: crowd.gone.append("refused"))
    crowd.enter("a 2", "a 3", "a 4")
    assert crowd.gone == ["a 2"]


def test_a_client_that_enters_twice_keeps_its_age() -> None:
    crowd = Crowd(2)
    crowd.enter("a 1", "a 2", "a 1", "a 3")
    assert crowd.gone == ["a 1"]


def test_an_empty_room_has_nobody_to_send_away() -> None:
    crowd = Crowd(2)
    assert not crowd.room.make_room()
    crowd.enter("a 1", "b 1")
    crowd.room.close()
    assert crowd.gone == ["a 1", "b 1"]
