"""Protocol errors, ours and the peer's."""


class ProtocolError(Exception):
    """Root of this package's exceptions."""


class LocalProtocolError(ProtocolError):
    """We broke the rules: a message sent in the wrong state, or one that does not fit on a line. A bug on our side."""


class RemoteProtocolError(ProtocolError):
    """The peer broke the rules. The text says what was expected and what came, on one line.

    `receive_data` never raises it: there it becomes a `Malformed` event.
    """


class HostError(ProtocolError):
    """The player, or its game, cannot do what the client asks. The text says why, on one line."""
