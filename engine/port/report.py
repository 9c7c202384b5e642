"""JSON lines on standard output for the program that started a server: its port, or the player that is wrong."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from fiedler.engine.roster.engine_offer import EngineOffer
from fiedler.engine.roster.roster import WrongPlayerError
from fiedler.support.address import Address
from fiedler.support.errors import UsageError


def report_listening(address: Address, offer: EngineOffer) -> None:
    """Report the address, and of named players the memory of the largest model."""
    largest = {} if offer.roster is None else {"largest_model_mb": round(offer.roster.largest_mb, 1)}
    _report("listening", address=str(address), **largest)


@contextmanager
def failures_reported() -> Iterator[None]:
    """Report a usage error that is raised inside, and the player of the file that it is about."""
    try:
        yield
    except WrongPlayerError as error:
        _report("failed", player=error.player, error=str(error))
        raise
    except UsageError as error:
        _report("failed", error=str(error))
        raise


def _report(event: str, **values: object) -> None:
    print(json.dumps({"event": event, **values}), file=sys.stdout, flush=True)
