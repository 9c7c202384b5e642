"""The base of our types of options: click of before 8.4 has no generic one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Generic, TypeVar

import click

T = TypeVar("T")

if TYPE_CHECKING:
    OptionType = click.ParamType
else:

    class OptionType(click.ParamType, Generic[T]):
        """A type of an option whose values are of the type T."""
