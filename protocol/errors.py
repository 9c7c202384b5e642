"""Protocol errors, ours and the peer's."""


class ProtocolError(Exception):
    """Root of this package's exceptions."""


class LocalProtocolError(ProtocolError):
    """We broke the rules: a message sent in the wrong state, or one that does not fit on a line. A bug on our side."""


class TooLongError(LocalProtocolError):
    """The moves of a game do not fit on a line, which only a game without a known longest one can have."""


class RemoteProtocolError(ProtocolError):
    """The peer broke the rules. The text gives the expectation and the input, on one line.

    `receive_data` never raises it: there it becomes a `Malformed` event.
    """


class HostError(ProtocolError):
    """The player, or its game, cannot fulfil a request. The text gives the reason, on one line."""
