"""`scrapy clean-url` on the command line."""

from __future__ import annotations

import io

import pytest
from scrapy.cmdline import execute

TRACKED = "https://shop.example/p?id=1&gclid=x"


def clean_url(*arguments: str) -> int:
    with pytest.raises(SystemExit) as ended:
        execute(["scrapy", "clean-url", *arguments])
    return int(ended.value.code or 0)


def test_each_address_is_printed_clean(capsys: pytest.CaptureFixture[str]) -> None:
    assert clean_url(TRACKED, "https://shop.example/q") == 0
    assert capsys.readouterr().out == "https://shop.example/p?id=1\nhttps://shop.example/q\n"


def test_addresses_are_read_from_standard_input(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO(f"{TRACKED}\n\n"))
    assert clean_url() == 0
    assert capsys.readouterr().out == "https://shop.example/p?id=1\n"


def test_explain_says_what_was_removed_and_what_is_opaque(capsys: pytest.CaptureFixture[str]) -> None:
    clean_url("--explain", TRACKED, "https://bit.ly/2Kqyrz2", "https://shop.example/q")
    shown = capsys.readouterr().out
    assert "removed  gclid=x" in shown
    assert "opaque" in shown
    assert "nothing to remove" in shown


def test_the_shops_root_and_further_names_are_options(capsys: pytest.CaptureFixture[str]) -> None:
    clean_url("--root", "shop.example", "--remove", "mytrk", "http://a.example/?x=shop.example/p%3Fmytrk%3D1")
    assert capsys.readouterr().out == "http://shop.example/p\n"
