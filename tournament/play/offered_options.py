"""The options that a player offers, and our values for them."""

from __future__ import annotations

from collections.abc import Mapping

from fiedler import protocol
from fiedler.client.setting import needed_texts, spelled_settings
from fiedler.protocol.words import excerpt
from fiedler.support.errors import UsageError, nearest

SEED = "seed"
"""The option of a player that draws random numbers."""
MOST = 500
"""Options of a player that are kept: it may offer any number, and a wrong name is compared with all."""
NAMED = 500
"""The characters of their names in a message."""


class OptionError(Exception):
    """The player does not offer an option, or not this value; the message names it."""


class OfferedOptions:
    """The options of one player. `set` puts a value into the data to send of its client."""

    def __init__(self, client: protocol.Client) -> None:
        self._client = client
        self._options: dict[str, protocol.Option] = {}
        self._contradictions: dict[str, str] = {}

    def add(self, option: protocol.Option) -> None:
        """Add an option that the player offers, one of the first MOST."""
        if len(self._options) < MOST or option.name in self._options:
            self._options[option.name] = option

    @property
    def has_seed(self) -> bool:
        """Whether the player has a seed."""
        return SEED in self._options

    def set(self, name: str, value: str) -> None:
        """Set an option.

        Raises:
            OptionError: the player does not offer it, or not this value.

        """
        sent = self._checked(name, value)
        if name in self._options and (wrong := self._options[name].contradiction):
            self._contradictions[name] = f"{wrong}; {value} is sent, other programs may refuse the option"
        try:
            self._client.configure(name, sent)
        except protocol.LocalProtocolError as error:
            raise OptionError(f"option {name!r}: {error}") from error

    def set_all(self, needed: Mapping[str, str], chosen: Mapping[str, str]) -> None:
        """Set the options that `settings` returns.

        Raises:
            OptionError: the player does not offer some of them, or not these values; the message names all.

        """
        wrong = []
        for name, value in self.settings(needed, chosen).items():
            try:
                self.set(name, value)
            except OptionError as error:
                wrong.append(str(error))
        if wrong:
            raise OptionError("; ".join(wrong))

    def settings(self, needed: Mapping[str, str], chosen: Mapping[str, str]) -> dict[str, str]:
        """Return the values to set: those that a game needs and the player offers, and those that a user has chosen.

        The names are spelled as the player spells them.

        Raises:
            OptionError: the user has chosen two values for one option.

        """
        try:
            return needed_texts(needed, self._options) | spelled_settings(chosen, self._options)
        except UsageError as error:
            raise OptionError(str(error)) from error

    def take_contradictions(self) -> dict[str, str]:
        """Return, once, the options that were set and whose defaults are outside of their own bounds."""
        found, self._contradictions = self._contradictions, {}
        return found

    def set_seed(self, seed: int) -> None:
        """Set the seed of a player that has one, at most within its bounds."""
        if self.has_seed:
            self._client.configure(SEED, str(self._within_bounds(seed)))

    def _checked(self, name: str, value: str) -> str | None:
        """Return the value to send: None for a button."""
        option = self._options.get(name)
        if option is None and self._client.takes_any_option:
            return value
        if option is None:
            known = excerpt(", ".join(self._options), NAMED) or "none"
            raise OptionError(f"unknown option {name!r}{nearest(name, self._options) or f'; it offers: {known}'}")
        sent = None if option.type == "button" else value
        try:
            option.read(sent)
        except protocol.RemoteProtocolError as error:
            raise OptionError(str(error)) from error
        return sent

    def _within_bounds(self, seed: int) -> int:
        option = self._options[SEED]
        low = min(0, option.max or 0) if option.min is None else option.min
        if low < 0 <= (option.max or 0):
            low = 0  # a negative seed means "other random numbers every time" in ours and in other programs
        return low + (seed if option.max is None else seed % (option.max - low + 1))
