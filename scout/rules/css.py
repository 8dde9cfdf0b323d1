"""CSS paths like those of a browser's "copy selector", translated to fast XPath.

Rules are written in CSS because people read it. The subset that learning writes (tag, #id, .class, [attribute="value"], :nth-of-type(),
descendant and child) is translated here: cssselect's translation is as right, but it counts preceding siblings for every position and
normalises every class attribute, which costs more than parsing the page. Anything else goes to cssselect.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from cssselect import HTMLTranslator, SelectorError
from lxml import etree
from lxml.html import HtmlElement

from scout.errors import RuleError
from scout.page import Page

_NAME = r"[A-Za-z_][\w-]*"
_STEP = re.compile(
    rf"(?P<tag>{_NAME}|\*)?(?P<id>\#{_NAME})?(?P<classes>(?:\.{_NAME})*)"
    rf'(?P<attributes>(?:\[{_NAME}(?::{_NAME})?="[^"\\]*"\])*)(?::nth-(?P<of>of-type|child)\((?P<nth>\d+)\))?'
)
_ATTRIBUTE = re.compile(r'\[([^=\]]+)="([^"]*)"\]')
_COMBINATOR = re.compile(r"\s*(>)\s*|\s+")
_IDENTIFIER = re.compile(_NAME)
_QUALIFIED = re.compile(rf"{_NAME}(?::{_NAME})?")
_translator = HTMLTranslator()


def step(tag: str, *, attribute: tuple[str, str] | None = None, nth: int | None = None) -> str | None:
    """One CSS step; None if the attribute's value cannot be written in the subset.

    >>> step("td", attribute=("class", "price now"), nth=2)
    'td[class="price now"]:nth-of-type(2)'
    >>> step("div", attribute=("id", "main"))
    'div#main'
    """
    if not is_name(tag):
        return None
    text = tag
    if attribute:
        name, value = attribute
        if '"' in value or "\\" in value or "\n" in value or "\r" in value:
            return None
        text += f"#{value}" if name == "id" and _IDENTIFIER.fullmatch(value) else f'[{name}="{value}"]'
    return text if nth is None else f"{text}:nth-of-type({nth})"


def is_name(name: str) -> bool:
    """Whether CSS and XPath can say the name of a tag or attribute: pages also have <o:p>, @click and worse."""
    return bool(_IDENTIFIER.fullmatch(name))


def attribute_step(name: str) -> str:
    """The XPath step to an attribute, also if XPath does not allow its name.

    >>> attribute_step("data-price"), attribute_step(":price")
    ('/@data-price', "/@*[name()=':price']")
    """
    return f"/@{name}" if _QUALIFIED.fullmatch(name) else f"/@*[name()={xpath_literal(name)}]"


def xpath_literal(text: str) -> str:
    """`text` as an XPath string literal, whatever quotes it contains.

    >>> xpath_literal("it's")
    '"it\\'s"'
    """
    if "'" not in text:
        return f"'{text}'"
    if '"' not in text:
        return f'"{text}"'
    parts = ", '\"', ".join(f'"{part}"' for part in text.split('"'))
    return f"concat({parts})"


def _predicates(found: re.Match[str]) -> str:
    """The XPath predicates of one step. The position comes first: it counts all siblings of that tag."""
    out = f"[{found['nth']}]" if found["nth"] else ""
    if found["id"]:
        out += f"[@id={xpath_literal(found['id'][1:])}]"
    for name in filter(None, (found["classes"] or "").split(".")):
        out += f"[contains(concat(' ', @class, ' '), {xpath_literal(f' {name} ')})]"
    for name, value in _ATTRIBUTE.findall(found["attributes"] or ""):
        out += f"[@{name}={xpath_literal(value)}]"
    return out


def _is_countable(step: re.Match[str]) -> bool:
    """Whether XPath counts what CSS does: all children, or those of one tag."""
    return not step["nth"] or ((step["of"] == "child") == (step["tag"] == "*") and bool(step["tag"]))


def _fast_xpath(css: str) -> str | None:
    """The XPath of a path in the subset; None for any other path."""
    position, out, axis = 0, "", "//"
    css = css.strip()
    while position < len(css):
        found = _STEP.match(css, position)
        if found is None or found.end() == position or not _is_countable(found):
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


@lru_cache(maxsize=4096)
def to_xpath(css: str) -> str:
    """The XPath of any CSS path, from the document's root. Raises RuleError if `css` is not CSS.

    >>> to_xpath("div#main > td:nth-of-type(2)")
    "//div[@id='main']/td[2]"
    """
    fast = _fast_xpath(css)
    if fast is not None:
        # a path from the root needs no search of the whole page
        return "/html" + fast[len("//html") :] if re.match(r"//html(/|$)", fast) else fast
    try:
        return str(_translator.css_to_xpath(css, prefix="//"))
    except SelectorError as error:
        raise RuleError(f"{css!r} is not a CSS selector: {error}") from error


def parsel_query(css: str, match: int = 1, *, pseudo: str | None = "", tail: str = "") -> str:
    """A place as a query for parsel: CSS with a pseudo-element, or XPath if CSS cannot say it (n-th match, namespace, no `pseudo`).

    >>> parsel_query("td.price", pseudo="::text"), parsel_query("td.price", 2, tail="/text()")
    ('td.price::text', "(//td[contains(concat(' ', @class, ' '), ' price ')])[2]/text()")
    """
    has_namespace = any(":" in name for name, _ in _ATTRIBUTE.findall(css))
    if match == 1 and pseudo is not None and not has_namespace:
        return css + pseudo
    return f"({to_xpath(css)})[{match}]{tail}" if match > 1 else f"{to_xpath(css)}{tail}"


@lru_cache(maxsize=4096)  # a shop has dozens; learning tries some thousand
def compile_xpath(expression: str) -> etree.XPath:
    """The compiled expression; its results are plain strings, which do not keep the tree alive."""
    try:
        return etree.XPath(expression, smart_strings=False)
    except etree.XPathSyntaxError as error:
        raise RuleError(f"{expression!r} is not an XPath: {error}") from error


def find_elements(css: str, page: Page) -> list[HtmlElement]:
    """All elements that a CSS path matches, in document order."""
    found: list[HtmlElement] = compile_xpath(to_xpath(css))(page.root)  # type: ignore[assignment]
    return found


# --- fast look-up -----------------------------------------------------------------------------------------------------
@dataclass(frozen=True)
class AnchoredPath:
    """A path that begins at a named element: the name, and the XPath from there on (empty: the element itself)."""

    tag: str
    attribute: str
    value: str
    rest: str

    def anchors(self, page: Page) -> Sequence[HtmlElement]:
        """The named elements, looked up in the page's index instead of searched for."""
        if self.attribute == "id":
            found = page.element_by_id(self.value)
            return (found,) if found is not None and found.tag == self.tag else ()
        return page.elements_by_attribute(self.tag, self.attribute).get(self.value, ())


@lru_cache(maxsize=4096)
def split_anchor(css: str) -> AnchoredPath | None:
    """The path split into a named element and the rest; None if its first step has no single name."""
    head = _STEP.match(css)
    if head is None or not head["tag"] or head["tag"] == "*" or head["classes"] or head["nth"]:
        return None
    attributes = _ATTRIBUTE.findall(head["attributes"] or "")
    names = [("id", head["id"][1:])] if head["id"] else []
    if len(names) + len(attributes) != 1:
        return None
    rest = css[head.end() :].strip()
    child, inner = rest.startswith(">"), rest.removeprefix(">").strip()
    path = _fast_xpath(inner) if inner else ""
    if path is None:
        return None
    if child:
        path = path[len("/") :]  # _fast_xpath begins with a descendant
    name, value = (names + attributes)[0]
    return AnchoredPath(head["tag"], name, value, path)


def find_text(css: str, match: int, tail: str, page: Page) -> str | None:
    """The first non-blank text at `tail` (XPath) below the elements that a CSS path matches, or below the n-th of them."""
    place = split_anchor(css)
    if place is None or (match > 1 and place.rest):
        path = to_xpath(css) if match == 1 else f"({to_xpath(css)})[{match}]"
        return str(compile_xpath(f"normalize-space({path}{tail})")(page.root)).strip() or None
    found = place.anchors(page)
    expression = compile_xpath(f"normalize-space(.{place.rest}{tail})")
    for element in found if match == 1 else found[match - 1 : match]:
        if text := str(expression(element)).strip():
            return text
    return None


def find_element(css: str, match: int, page: Page) -> HtmlElement | None:
    """The n-th element that a CSS path matches."""
    if match == 1:
        return find_first_element(css, page)
    return next(iter(find_elements(css, page)[match - 1 : match]), None)


def find_first_element(css: str, page: Page) -> HtmlElement | None:
    """The first element that a CSS path matches."""
    place = split_anchor(css)
    if place is None:
        return next(iter(find_elements(css, page)), None)
    for anchor in place.anchors(page):
        if not place.rest:
            return anchor
        if found := compile_xpath(f".{place.rest}")(anchor):
            return found[0]  # type: ignore[index]
    return None
