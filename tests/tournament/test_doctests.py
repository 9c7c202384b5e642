"""The examples in docstrings run."""

from __future__ import annotations

import doctest
import importlib
import pkgutil

import pytest

import fiedler.tournament.graph
import fiedler.tournament.ratings
import fiedler.tournament.ratings.posterior

MODULES = [
    f"{package.__name__}.{module.name}"
    for package in (fiedler.tournament.graph, fiedler.tournament.ratings, fiedler.tournament.ratings.posterior)
    for module in pkgutil.iter_modules(package.__path__)
]


@pytest.mark.parametrize("name", MODULES)
def test_examples(name: str) -> None:
    assert doctest.testmod(importlib.import_module(name)).failed == 0
