"""The examples in docstrings are true."""

from __future__ import annotations

import doctest
import importlib
import pkgutil

import pytest

import scout

MODULES = sorted(
    found.name for found in pkgutil.walk_packages(scout.__path__, "scout.") if "migrations" not in found.name
)


@pytest.mark.parametrize("name", MODULES)
def test_the_examples_of_a_module_hold(name: str) -> None:
    assert doctest.testmod(importlib.import_module(name)).failed == 0
