"""CSS paths in the manner of "copy selector", and their fast XPath.

Rules are written as CSS because people read it. The subset that learning writes (tag, #id, .class, [attribute="value"], :nth-of-type(),
descendant and child) is translated here to plain XPath: cssselect's translation is right as well, but counts preceding siblings for
every position and normalises every class attribute, which costs more than the parse of the page. What is not in the subset goes
to cssselect.
"""

from __future__ import annotations

import re
from functools import lru_cache

from cssselect import HTMLTranslator, SelectorError
from lxml import etree
from lxml.html import HtmlElement

from scout.errors import RuleError
from scout.page import Page

_NAME = r"[A-Za-z_][\w-]*"
_STEP = re.compile(
    rf"(?P<tag>{_NAME}|\*)?(?P<id>\#{_NAME})?(?P<classes>(?:\.{_NAME})*)"
    rf'(?P<attributes>(?:\[{_NAME}(?::{_NAME})?="[^"\\]*"\])*)(?::nth-of-type\((?P<nth>\d+)\))?'
)
_ATTRIBUTE = re.compile(r'\[([^=\]]+)="([^"]*)"\]')
_COMBINATOR = re.compile(r"\s*(>)\s*|\s+")
_IDENTIFIER = re.compile(_NAME)
_translator = HTMLTranslator()


def step(tag: str, *, attribute: tuple[str, str] | None = None, nth: int | None = None) -> str | None:
    """One CSS step; None where the attribute's value cannot be written in the subset.

    >>> step("td", attribute=("class", "price now"), nth=2)
    'td[class="price now"]:nth-of-type(2)'
    >>> step("div", attribute=("id", "main"))
    'div#main'
    """
    if not _IDENTIFIER.fullmatch(tag):
        return None
    text = tag
    if attribute:
        name, value = attribute
        if '"' in value or "\\" in value or "\n" in value or "\r" in value:
            return None
        text += f"#{value}" if name == "id" and _IDENTIFIER.fullmatch(value) else f'[{name}="{value}"]'
    return text if nth is None else f"{text}:nth-of-type({nth})"


def literal(text: str) -> str:
    """`text` as an XPath string, whichever quotes it holds.

    >>> literal("it's")
    '"it\\'s"'
    """
    if "'" not in text:
        return f"'{text}'"
    if '"' not in text:
        return f'"{text}"'
    parts = ", '\"', ".join(f'"{part}"' for part in text.split('"'))
    return f"concat({parts})"


def _predicates(found: re.Match[str]) -> str:
    """The XPath predicates of one step. A position counts among siblings of that tag, so it stands first."""
    out = f"[{found['nth']}]" if found["nth"] else ""
    if found["id"]:
        out += f"[@id={literal(found['id'][1:])}]"
    for name in filter(None, (found["classes"] or "").split(".")):
        out += f"[contains(concat(' ', @class, ' '), {literal(f' {name} ')})]"
    for name, value in _ATTRIBUTE.findall(found["attributes"] or ""):
        out += f"[@{name}={literal(value)}]"
    return out


def _fast_xpath(css: str) -> str | None:
    """The XPath of a path in the subset, or None."""
    position, out, axis = 0, "", "//"
    css = css.strip()
    while position < len(css):
        found = _STEP.match(css, position)
        if found is None or found.end() == position or (found["nth"] and not found["tag"]):
            return None
        out += f"{axis}{found['tag'] or '*'}{_predicates(found)}"
        position = found.end()
        if position == len(css):
            return out
        combinator = _COMBINATOR.match(css, position)
        if combinator is None:
            return None
        axis = "/" if combinator[1] else "//"
        position = combinator.end()
    return None


def xpath(css: str) -> str:
    """The XPath of any CSS path, from the document's root. RuleError where it is not CSS.

    >>> xpath("div#main > td:nth-of-type(2)")
    "//div[@id='main']/td[2]"
    """
    fast = _fast_xpath(css)
    if fast is not None:
        # a path from the root needs no search through the whole page
        return "/html" + fast[len("//html") :] if re.match(r"//html(/|$)", fast) else fast
    try:
        return str(_translator.css_to_xpath(css, prefix="//"))
    except SelectorError as error:
        raise RuleError(f"{css!r} is not a CSS selector: {error}") from error


@lru_cache(maxsize=4096)  # a shop has dozens; learning tries some thousand
def compiled(expression: str) -> etree.XPath:
    """`expression` ready to be evaluated; results are plain strings that do not keep the tree alive."""
    try:
        return etree.XPath(expression, smart_strings=False)
    except etree.XPathSyntaxError as error:
        raise RuleError(f"{expression!r} is not an XPath: {error}") from error


def elements(expression: str, page: Page) -> list[HtmlElement]:
    """The elements that an XPath leads to."""
    found: list[HtmlElement] = compiled(expression)(page.root)  # type: ignore[assignment]
    return found
