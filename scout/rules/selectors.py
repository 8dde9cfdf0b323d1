"""Selectors: places on a page. Each finds one raw text, or None."""

from __future__ import annotations

import re
from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field, fields
from functools import cached_property
from typing import Any, ClassVar, Protocol

from lxml.html import HtmlElement

from scout.errors import RuleError
from scout.hel import evaluate, parse
from scout.page import Page
from scout.rules import blocks, css

_WORD = re.compile(r"[^\W_]")
_NEVER_IN_NAMES = re.compile(r"[\s\"'>/=]")  # of attributes: https://html.spec.whatwg.org/#attributes-2
_HEAD = frozenset({"title", "meta", "link"})
_MARKUP = re.compile(r"\[(?:itemprop|property)=")
_LOOSE = re.compile(r"\*[#.\[]")  # a name without its tag
_NAMED = re.compile(r"[#.\[]")
_COUNTED = re.compile(":nth-")
_VALUE = re.compile(r'"[^"]*"')
_LAST_TAG = re.compile(r"(?:^|[\s>])([a-z][a-z0-9]*)[^\s>]*$")
_SPACES = "\N{NO-BREAK SPACE}\N{NARROW NO-BREAK SPACE}"
FORMATTED = frozenset({"b", "strong", "i", "em", "u", "font"})  # tags that people nest in the wrong order
SAME_TEXT = "."  # label and value share one text
NEXT_TEXT = "next"  # the value is the next text of the page, whatever the elements are


class Selector(Protocol):
    """Anything that finds a raw text on a page."""

    kind: ClassVar[str]

    def find(self, page: Page) -> str | None:
        """The raw text, or None."""

    def describe(self) -> str:
        """The place: a query that `Page.css()` or, if it begins with "/" or "(", `Page.xpath()` understands; for data its JSONPath."""

    def place(self, page: Page) -> Hashable:
        """What it reads there, an element or the selector itself: selectors that read the same place are one witness."""

    def check(self) -> None:
        """Raise RuleError if the selector cannot be used."""


@dataclass(frozen=True)
class _ElementSelector:
    """An element by its CSS path."""

    css: str
    match: int = field(default=1, kw_only=True)  # which of the elements that the path matches

    def place(self, page: Page) -> Hashable:
        """The element; what stands in the page's head is written by one hand."""
        element = css.find_element(self.css, self.match, page)
        return element if element is None or element.tag not in _HEAD else "head"

    def check(self) -> None:
        """Raise RuleError if the path is not CSS."""
        css.compile_xpath(css.to_xpath(self.css))


@dataclass(frozen=True)
class TextSelector(_ElementSelector):
    """The text of a whole element, or of its n-th non-blank text node."""

    kind: ClassVar[str] = "text"
    node: int | None = None

    @cached_property
    def _tail(self) -> str:
        return "" if self.node is None else f"/text()[normalize-space()][{self.node}]"

    @property
    def xpath(self) -> str:
        """The same as XPath."""
        return css.parsel_query(self.css, self.match, pseudo=None, tail=self._tail or "//text()")

    def find(self, page: Page) -> str | None:
        """The text, white space collapsed."""
        return css.find_text(self.css, self.match, self._tail, page)

    def is_behind_formatted(self, page: Page) -> bool:
        """Whether its text stands behind a formatted one of the same element, as in `<h1><b>Lamp</b> 55</h1>`."""
        element = css.find_element(self.css, self.match, page) if self.node == 1 else None
        if element is None or (element.text or "").strip():
            return False
        for child in element:
            if child.tag in FORMATTED and child.text_content().strip():
                return True
            if (child.tail or "").strip():
                break
        return False

    def describe(self) -> str:
        """The element, or its text node."""
        pseudo = "" if self.node is None else "::text" if self.node == 1 else None
        return css.parsel_query(self.css, self.match, pseudo=pseudo, tail=self._tail)


@dataclass(frozen=True)
class AttributeSelector(_ElementSelector):
    """An attribute of an element."""

    kind: ClassVar[str] = "attribute"
    attribute: str

    @property
    def xpath(self) -> str:
        """The same as XPath."""
        return css.parsel_query(self.css, self.match, pseudo=None, tail=css.attribute_step(self.attribute))

    def find(self, page: Page) -> str | None:
        """The attribute's value, white space collapsed."""
        return css.find_text(self.css, self.match, css.attribute_step(self.attribute), page)

    def check(self) -> None:
        """Raise RuleError if the path is not CSS, or no attribute can have that name."""
        if _NEVER_IN_NAMES.search(self.attribute):
            raise RuleError(f"{self.attribute!r} is not the name of an attribute")
        css.compile_xpath(f"{css.to_xpath(self.css)}{css.attribute_step(self.attribute)}")

    def describe(self) -> str:
        """The attribute."""
        pseudo = f"::attr({self.attribute})" if css.is_name(self.attribute) else None
        return css.parsel_query(self.css, self.match, pseudo=pseudo, tail=css.attribute_step(self.attribute))


@dataclass(frozen=True)
class TrailSelector(_ElementSelector):
    """A path of categories, such as a breadcrumb: the texts in an element, without the first and last few that are not categories.

    Separators (">", "/") are skipped.
    """

    kind: ClassVar[str] = "trail"
    first: int = 0  # texts before the categories: the shop's home, "You are here"
    last: int = 0  # texts after them: the product itself

    def find(self, page: Page) -> str | None:
        """The steps, each followed by ">", so that no single step is read as a path."""
        element = css.find_element(self.css, self.match, page)
        texts = [] if element is None else trail_steps(element)
        path = texts[self.first : max(0, len(texts) - self.last)]
        return " ".join(f"{step} >" for step in path) or None

    def describe(self) -> str:
        """All texts in the element, also those before and after the categories."""
        return css.parsel_query(self.css, self.match, pseudo=" ::text", tail="//text()")


def trail_steps(element: HtmlElement) -> list[str]:
    """The texts in an element that contain a letter or digit."""
    texts = (" ".join(text.split()) for text in element.itertext(with_tail=False))
    return [text for text in texts if _WORD.search(text)]


@dataclass(frozen=True)
class LabelSelector:
    """A value by its label: the text `label` in an element `tag`, and the XPath `to` from there to the value.

    The label is the first text of its element or, with `inside`, a text after one of its children (such as a line break). Where `to` is
    NEXT_TEXT, the value is the text that follows, and the tags do not matter.
    """

    kind: ClassVar[str] = "label"
    label: str
    tag: str
    to: str = SAME_TEXT
    inside: bool = False

    @cached_property
    def _xpath(self) -> str:
        """The XPath that searches the page. Unlike `Page.headed`, XPath does not take no-break spaces for spaces."""
        if self.to == NEXT_TEXT:
            label = css.xpath_literal(self.label)
            return f"//text()[normalize-space()={label}]/following::text()[normalize-space()][1]"
        text, words = ("text()", ".") if self.inside else ("text()[1]", f"translate(., '{_SPACES}', '  ')")
        label = css.xpath_literal(self.label)
        if self.to == SAME_TEXT:
            return f"//{self.tag}/{text}[starts-with(normalize-space({words}), {label})]"
        return f"//{self.tag}/{text}[normalize-space({words})={label}]/{self.to}"

    @cached_property
    def _xpath_from_label(self) -> str:
        """The XPath from the element whose first text is the label."""
        return f"normalize-space(text()[1]/{self.to})"

    def find(self, page: Page) -> str | None:
        """The value of the first such label that has one."""
        if self.to == NEXT_TEXT:
            return page.text_at(page.text_numbers.get(self.label), 1)
        if self.inside:
            return str(css.compile_xpath(f"normalize-space({self._xpath})")(page.root)).strip() or None
        if self.to == SAME_TEXT:
            return next((text for text in page.elements_by_first_text(self.tag) if text.startswith(self.label)), None)
        way = css.compile_xpath(self._xpath_from_label)
        for element in page.elements_by_first_text(self.tag).get(self.label, ()):
            if text := str(way(element)).strip():
                return text
        return None

    def place(self, page: Page) -> Hashable:
        """The element that the value is a text of."""
        if self.tag in _HEAD:
            return "head"
        found: list[HtmlElement] = css.compile_xpath(f"{self._xpath}/..")(page.root)  # type: ignore[assignment]
        return next(iter(found), self)

    def check(self) -> None:
        """Raise RuleError if `to` is not XPath."""
        css.compile_xpath(self._xpath)

    def describe(self) -> str:
        """The XPath from the label to the value."""
        return self._xpath


@dataclass(frozen=True)
class OrderSelector:
    """A text by its distance from the product's heading: the longest text of the page that its <title> repeats.

    It knows neither tags nor names, so it outlives those.
    """

    kind: ClassVar[str] = "order"
    after: int = 0  # texts from the heading to the value; 0 is the heading itself

    def find(self, page: Page) -> str | None:
        """The text, if the page has such a heading."""
        return page.text_at(page.heading_number, self.after)

    def place(self, page: Page) -> Hashable:
        """No element: its text alone is known."""
        return self

    def check(self) -> None:
        """Any distance will do."""

    def describe(self) -> str:
        """In words: XPath cannot say it."""
        return f"the heading that <title> repeats{f', {self.after} texts on' if self.after else ''}"


@dataclass(frozen=True)
class DataSelector:
    """A value in a script's data: the script's CSS path, the block, and the JSONPath in it."""

    kind: ClassVar[str] = "data"
    css: str
    path: str
    block: str = blocks.WHOLE_SCRIPT
    match: int = 1

    def find(self, page: Page) -> str | None:
        """The text or number at the JSONPath, from the first script that has it."""
        scripts = css.find_elements(self.css, page)
        for script in scripts if self.match == 1 else scripts[self.match - 1 : self.match]:
            if not blocks.may_contain(script, self.block, self.path):
                continue
            block = blocks.script_blocks(page, script).get(self.block)
            found = None if block is None else blocks.value_at(block, self.path)
            if found is not None and found.strip():
                return found.strip()
        return None

    def place(self, page: Page) -> Hashable:
        """The path."""
        return self

    def check(self) -> None:
        """Raise RuleError if the CSS or the JSONPath is not valid."""
        css.compile_xpath(css.to_xpath(self.css))
        blocks.check_jsonpath(self.path)

    def describe(self) -> str:
        """JSONPath, block, script."""
        block = f"block {self.block} of " if self.block else ""
        return f"jsonpath {self.path} in {block}{css.parsel_query(self.css, self.match)}"


@dataclass(frozen=True)
class HelSelector:
    """A value by a rule in HEL, the extraction language of W4F: the first of its results that is a text."""

    kind: ClassVar[str] = "hel"
    rule: str

    def find(self, page: Page) -> str | None:
        """The first non-blank text that the rule finds."""
        return next((found for found in evaluate(self.rule, page) if isinstance(found, str) and found.strip()), None)

    def place(self, page: Page) -> Hashable:
        """The rule."""
        return self

    def check(self) -> None:
        """Raise RuleError if the rule cannot be parsed."""
        parse(self.rule)

    def describe(self) -> str:
        """The rule itself, named as HEL."""
        return f"hel {self.rule}"


KINDS: Mapping[str, type[Any]] = {
    kind.kind: kind
    for kind in (
        TextSelector,
        AttributeSelector,
        TrailSelector,
        LabelSelector,
        OrderSelector,
        DataSelector,
        HelSelector,
    )
}


def source(selector: Selector) -> tuple[str, str]:
    """What a selector relies on, and the tag it relies on: selectors of one source fail together.

    >>> source(TextSelector('td[class="price"]')), source(TextSelector("h1")), source(TextSelector("body > p:nth-of-type(2)"))
    (('name', 'td'), ('tag', 'h1'), ('position', 'p'))
    """
    path = getattr(selector, "css", "")
    last = _LAST_TAG.search(_VALUE.sub("", path))
    tag = last[1] if last else getattr(selector, "tag", "")
    if tag in _HEAD and not _MARKUP.search(path):
        return "head", tag
    if not isinstance(selector, _ElementSelector):
        return "loose label" if tag == "*" else selector.kind, tag
    kinds = ((_MARKUP, "markup"), (_LOOSE, "loose name"), (_NAMED, "name"), (_COUNTED, "position"))
    return next((kind for pattern, kind in kinds if pattern.search(path)), "tag"), tag


def as_dict(selector: Selector) -> dict[str, Any]:
    """The selector as plain data for a rule file: its kind, and what differs from the defaults."""
    data: dict[str, Any] = {"kind": selector.kind}
    for spec in fields(selector):  # type: ignore[arg-type]
        value = getattr(selector, spec.name)
        if value != spec.default:
            data[spec.name] = value
    return data


def from_dict(data: Mapping[str, Any]) -> Selector:
    """The selector that as_dict() wrote. Raises RuleError if it cannot be used."""
    options = {key: value for key, value in data.items() if key != "kind"}
    kind = KINDS.get(data.get("kind", ""))
    if kind is None:
        raise RuleError(f"unknown kind of selector {data.get('kind')!r}: choose one of {', '.join(KINDS)}")
    try:
        selector: Selector = kind(**options)
    except TypeError as error:
        raise RuleError(f"a {kind.kind} selector has {', '.join(f.name for f in fields(kind))}: {error}") from error
    selector.check()
    return selector
