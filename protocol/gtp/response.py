"""The response of GTP: `=` or `?`, the number of the command, a text, an empty line."""

SUCCESS, FAILURE = "=", "?"


def response(text: str = "", identity: str = "") -> bytes:
    """Return the response of a command that succeeded. Empty lines in the text are left out."""
    lines = [line.rstrip() for line in text.splitlines()]
    return _framed(SUCCESS, identity, "\n".join(line for line in lines if line))


def failure(why: str, identity: str = "") -> bytes:
    """Return the response of a command that changed nothing: one line."""
    return _framed(FAILURE, identity, " ".join(why.split()))


def refusal(why: str) -> bytes:
    """Return the answer to a client that gets no session, or no longer."""
    return failure(why)


def _framed(sign: str, identity: str, text: str) -> bytes:
    # the reader of GoGui takes for text what is behind the first blank: it must be on the first line
    head = f"{sign}{identity} {text}" if text else f"{sign}{identity}"
    return f"{head}\n\n".encode("utf-8", "backslashreplace")
