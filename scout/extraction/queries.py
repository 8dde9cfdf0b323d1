"""Compiled XPath queries that return lists."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

from lxml import etree
from lxml.html import HtmlElement


def query(xpath: str) -> Callable[[HtmlElement], list[Any]]:
    """`xpath` compiled once: elements, or text nodes that know their parents."""
    return cast("Callable[[HtmlElement], list[Any]]", etree.XPath(xpath))
