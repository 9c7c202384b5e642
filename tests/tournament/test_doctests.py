"""The examples in docstrings run."""

from __future__ import annotations

import doctest
import importlib
import pkgutil

import pytest

import tournament.graph
import tournament.ratings
import tournament.ratings.posterior

MODULES = [
    f"{package.__name__}.{module.name}"
    for package in (tournament.graph, tournament.ratings, tournament.ratings.posterior)
    for module in pkgutil.iter_modules(package.__path__)
]


@pytest.mark.parametrize("name", MODULES)
def test_examples(name: str) -> None:
    assert doctest.testmod(importlib.import_module(name)).failed == 0
