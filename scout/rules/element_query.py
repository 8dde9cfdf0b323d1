"""Queries by which parsel finds the element that a value was read from, for evidence."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import islice

from lxml import etree
from lxml.html import HtmlElement

from scout.rules import css
from scout.values.text import alphanumeric

MAX_UP = 4  # levels from a label to the element that holds its value as well
MAX_DOWN = 20  # levels from there to the value; hostile pages nest thousands
MAX_TEXT = 2_000  # characters: what is longer is no row of label and value
MAX_STEPS = 12  # of a path; where nothing has a name, a count is shorter
MAX_DESCENDANTS = 50  # elements whose attributes are compared with a value
_NAMES = ("id", "itemprop", "property", "name", "class")
_BY_ID = etree.XPath("id($value)")
_NEVER_VALUES = frozenset({"id", "class", "style"})
_ATTRIBUTE_NAME = re.compile(r"[A-Za-z_][\w-]*")


def element_query(element: HtmlElement, raw: str) -> str:
    """The query for the element that shows `raw` in or beside `element`, or for an attribute that says it; else for `element` itself.

    >>> from scout.page import Page
    >>> page = Page("http://shop.example/", "<table><tr><th>EAN</th><td>4006381333931</td></tr></table>")
    >>> element_query(page.root.find(".//th"), "4006381333931")
    'td'
    """
    wanted = alphanumeric(raw)
    if not wanted or (own := _holder((element,), wanted)) is not None:
        return element_path(own if wanted else element)
    if (query := _attribute_query((element,), wanted)) is not None:
        return query
    if (holder := _holder(islice(element.iterancestors(), MAX_UP), wanted)) is not None:
        return element_path(holder)
    return _attribute_query(islice(element.iter(etree.Element), MAX_DESCENDANTS), wanted) or element_path(element)


def element_path(element: HtmlElement) -> str:
    """CSS whose first match is `element`: by its name, or by positions below a named ancestor; else XPath that counts all elements."""
    steps: list[str] = []
    root = element.getroottree().getroot()
    for node in islice((element, *element.iterancestors()), MAX_STEPS):
        if name := _unique_step(node, root, _NAMES if node is element else ("id",)):
            return " > ".join([name, *reversed(steps)])
        steps.append(_positional_step(node))
    number = next(number for number, other in enumerate(root.iter(etree.Element), 1) if other is element)
    return f"(//*)[{number}]"


def _unique_step(element: HtmlElement, root: HtmlElement, names: Sequence[str]) -> str | None:
    """The element by its tag and one of the attributes `names`, or by its tag alone, if it is the first such element of the page."""
    if element is root:
        return css.step(element.tag)
    for name in names:
        value = element.get(name) or ""
        step = css.step(element.tag, attribute=(name, value)) if value else None
        if step and _first_with(name, value, element.tag, root) is element:
            return step
    return css.step(element.tag) if names == _NAMES and next(root.iter(element.tag)) is element else None


def _first_with(name: str, value: str, tag: str, root: HtmlElement) -> HtmlElement | None:
    """The page's first element of that tag and attribute."""
    if name == "id":  # the parser has a table of them
        return next(iter(_BY_ID(root, value=value)), None)  # type: ignore[arg-type]
    return next((element for element in root.iter(tag) if element.get(name) == value), None)


def _positional_step(element: HtmlElement) -> str:
    """The element by its position among its siblings."""
    nth = 1 + sum(1 for _ in element.itersiblings(element.tag, preceding=True))
    if step := css.step(element.tag, nth=nth):
        return step
    return f"*:nth-child({1 + sum(1 for _ in element.itersiblings(etree.Element, preceding=True))})"


def _holder(elements: Iterable[HtmlElement], wanted: str) -> HtmlElement | None:
    """The innermost element that shows `wanted`, in the first of `elements` that does."""
    inner = next((element for element in elements if _shows(element, wanted)), None)
    holder, levels = inner, MAX_DOWN
    while inner is not None and levels:
        holder, levels = inner, levels - 1
        inner = next((child for child in inner.iterchildren(etree.Element) if _shows(child, wanted)), None)
    return holder


def _shows(element: HtmlElement, wanted: str) -> bool:
    text = element.text_content()
    return len(wanted) <= len(text) <= MAX_TEXT + 2 * len(wanted) and wanted in alphanumeric(text)


def _attribute_query(elements: Iterable[HtmlElement], wanted: str) -> str | None:
    """The first attribute of the elements that says `wanted`."""
    for element in elements:
        for name, value in element.items():
            if name not in _NEVER_VALUES and _ATTRIBUTE_NAME.fullmatch(name) and wanted in alphanumeric(value):
                path = element_path(element)
                return f"{path}/@{name}" if path.startswith("(") else f"{path}::attr({name})"
    return None
