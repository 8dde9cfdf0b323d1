"""Data in scripts is found among code."""

from __future__ import annotations

import time

import pytest

from scout.extraction.script_data import MAX_TRIES, embedded_values, lenient_json


@pytest.mark.parametrize(
    ("script", "name"),
    [
        ('window.__INITIAL_STATE__ = {"product": {"price": 1}};', "__INITIAL_STATE__"),
        ('var meta={"product":{"price":1}};for(var i in meta){}', "meta"),
        ("dataLayer.push({'product': {'price': 1,},});", "push"),
        ('x = JSON.parse("{\\"product\\": {\\"price\\": 1}}")', "parse"),
        ('if (a) { b({"product": {"price": 1}}) }', "b"),
        ('var meta = {"id":,"product":{"price":1}};', "meta"),
    ],
)
def test_objects_that_code_assigns_or_passes_on_are_read(script: str, name: str):
    found = {n: v for n, v in embedded_values(script) if isinstance(v, dict) and "product" in v}
    assert found[name]["product"] == {"price": 1}


def test_a_script_without_data_gives_nothing():
    assert list(embedded_values("function f(a){return a?{}:[]}")) == []


def test_a_value_of_no_kind_is_none():
    assert lenient_json("function () {") is None


def test_only_so_many_calls_of_statistics_are_read():
    """Each of them may be the beginning of a literal as long as the script."""
    script = 'gtag("event", {product: ' * 1_500 + "x" * 100_000
    started = time.process_time()
    list(embedded_values(script))
    assert len(list(embedded_values('gtag("event", {"product": 1});' * 1_500))) < 2 * MAX_TRIES + 1
    assert time.process_time() - started < 1.5
