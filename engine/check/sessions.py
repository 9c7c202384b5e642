"""The session of an examination: kept from step to step, and replaced after a failure."""

from __future__ import annotations

from fiedler.engine.check.peer import Peer
from fiedler.engine.check.subject import Subject
from fiedler.engine.check.talk import Talk


class Sessions:
    """At most one kept session: an engine that has but one at a time fails one step only."""

    def __init__(self, subject: Subject, talk: type[Talk]) -> None:
        self.subject = subject
        self._talk_type = talk
        self._peer: Peer | None = None
        self._talk: Talk | None = None

    def peer(self) -> Peer:
        """Return the kept session, or another one that has been greeted."""
        self._drop_talk()
        if self._peer is None or self.subject.one_game_each or not self._peer.client.takes_another_game:
            self._drop_peer()
            self._peer = self.open()
        return self._peer

    def open(self) -> Peer:
        """Return another session that has been greeted."""
        peer = Peer(self.subject)
        try:
            peer.greet()
        except BaseException:
            peer.close()
            raise
        return peer

    def talk(self) -> Talk:
        """Return the kept session in bare lines, or another one, with a running game."""
        self._drop_peer()
        if self._talk is None or self._talk.is_over:
            self._drop_talk()
            self._talk = self._talk_type(self.subject)
            try:
                self._talk.begin()
            except BaseException:
                self._drop_talk()
                raise
        return self._talk

    def drop(self) -> None:
        """End the kept session."""
        self._drop_peer()
        self._drop_talk()

    def give(self) -> Peer:
        """Return the kept session to a step that ends it."""
        peer, self._peer = self.peer(), None
        return peer

    def _drop_peer(self) -> None:
        peer, self._peer = self._peer, None
        if peer is not None:
            peer.close()

    def _drop_talk(self) -> None:
        talk, self._talk = self._talk, None
        if talk is not None:
            talk.close()
