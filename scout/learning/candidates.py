"""Candidate selectors for a place: by the name of its element, by named ancestors, by its label, by position from the root.

A name (id, class, itemprop ...) or a label is used only if it is stable: if many of the shop's pages have it. This alone rules out
product ids and the texts of other products.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from lxml import etree
from lxml.html import HtmlElement

from scout.learning.index import ANCHORS, BLANK, TEXT, WHOLE, PageIndex, Place
from scout.rules import AttributeSelector, LabelSelector, Selector, TextSelector, TrailSelector, css
from scout.rules.selectors import NEXT_TEXT, SAME_TEXT, OrderSelector, trail_steps
from scout.values.text import alphanumeric, single_spaced

STABLE_SHARE = 0.3  # of the pages; optional parts are missing from some
MAX_LABEL = 60  # characters
MAX_LABEL_DISTANCE = 2  # texts between a label and its value ("ISBN", ":", value)
MAX_CLIMB = 4  # levels from a label to the ancestor it shares with the value
MAX_MATCH = 3  # "the third element of this class" may have a meaning; "the ninth" is only a position
MAX_ANCESTORS = 2  # named ancestors tried per place
MAX_ORDER = 30  # texts after the heading that may be counted
UNIQUE_TAGS = ("h1", "title")  # of which a page has one
_LETTER = re.compile(r"[^\W\d_]")
_PLAIN_TAG = re.compile(r"[a-z][a-z0-9]*")


@dataclass(frozen=True)
class Stability:
    """How many pages have a name or a text."""

    pages: int
    anchors: Counter[tuple[str, str, str]]
    labels: Counter[str]

    @classmethod
    def of(cls, indexes: list[PageIndex]) -> Stability:
        """Count over the sample pages."""
        anchors: Counter[tuple[str, str, str]] = Counter()
        labels: Counter[str] = Counter()
        for index in indexes:
            anchors.update(index.anchors.keys())
            labels.update({single_spaced(place.raw) for place in index.texts if len(place.raw) <= MAX_LABEL})
        return cls(len(indexes), anchors, labels)

    def _is_frequent(self, count: int) -> bool:
        return count >= max(2, STABLE_SHARE * self.pages) or self.pages == 1

    def is_stable_name(self, tag: str, name: str, value: str) -> bool:
        """True if enough pages have such an element."""
        return self._is_frequent(self.anchors[tag, name, value])

    def is_stable_label(self, text: str) -> bool:
        """True if enough pages have this text and it contains a letter."""
        return bool(_LETTER.search(text)) and self._is_frequent(self.labels[text])


class CandidateMaker:
    """Makes candidate selectors for places on one page."""

    def __init__(self, index: PageIndex, stability: Stability) -> None:
        self.index = index
        self.stability = stability
        self._names: dict[HtmlElement, list[tuple[str, str]]] = {}
        self._positions: dict[HtmlElement, str | None] = {}
        self._firsts: dict[str, HtmlElement | None] = {}

    def of(self, place: Place, *, is_typed: bool) -> Iterator[Selector]:
        """The candidates for one place, in no particular order, possibly repeated.

        A typed value (an amount, a product number) is recognised among other text, so the whole text of a named element is a candidate
        too: the shop may nest the value deeper on other pages.
        """
        for path, match in self._css_paths(place.element):
            if place.kind == TEXT:
                yield TextSelector(path, int(place.detail or 1), match=match)
                if is_typed and not path.startswith("html"):
                    yield TextSelector(path, match=match)
            elif place.kind == WHOLE:
                yield TextSelector(path, match=match)
            else:
                yield AttributeSelector(path, str(place.detail), match=match)
        if place.kind == TEXT:
            yield from self._label_selectors(place)

    def trail_selectors(self, place: Place, values: Sequence[str]) -> Iterator[Selector]:
        """The candidates for a path of categories whose steps are several texts of one element."""
        texts = [alphanumeric(text) for text in trail_steps(place.element)]
        for first, last in dict.fromkeys(filter(None, (_texts_around(texts, alphanumeric(value)) for value in values))):
            for path, match in self._css_paths(place.element):
                yield TrailSelector(path, first, last, match=match)

    def reserve_selectors(self, place: Place) -> Iterator[Selector]:
        """Candidates for the time after the next redesign: each relies on something that the others do not need."""
        element, path = place.element, self._path_by_children(place.element)
        node = None if place.detail is None else int(place.detail)
        yield from (
            TextSelector(f"*{step}", node)
            for name in self._stable_names(element)[:1]
            if (step := (css.step(element.tag, attribute=name) or "").removeprefix(element.tag))
        )
        if path:
            yield TextSelector(path, node)
        page, text = self.index.page, single_spaced(place.raw)
        number = page.text_numbers.get(text)
        if number is None:
            return
        if number and self.stability.is_stable_label(page.texts[number - 1]):
            yield LabelSelector(page.texts[number - 1], "*", NEXT_TEXT)
        if page.heading_number is not None and 0 <= number - page.heading_number <= MAX_ORDER:
            yield OrderSelector(number - page.heading_number)

    # --- paths --------------------------------------------------------------------------------------------------------
    def _stable_names(self, element: HtmlElement) -> list[tuple[str, str]]:
        """The element's stable names as (attribute, value)."""
        if element not in self._names:
            tag = element.tag
            self._names[element] = [
                (name, value)
                for name in ANCHORS
                if (value := element.get(name))
                and self.stability.is_stable_name(tag, name, value)
                and css.step(tag, attribute=(name, value))
            ]
        return self._names[element]

    def _positional_step(self, element: HtmlElement) -> str | None:
        """The element's step by position among its siblings of the same tag."""
        if element not in self._positions:
            nth = 1 + sum(1 for _ in element.itersiblings(element.tag, preceding=True))
            self._positions[element] = css.step(element.tag, nth=nth)
        return self._positions[element]

    def _css_paths(self, element: HtmlElement) -> Iterator[tuple[str, int]]:
        """(CSS path, which match) by the element's own names, by its ancestors' names, and from the root."""
        for name, value in self._stable_names(element):
            alike = (
                [element]
                if name == "id"
                else self.index.page.elements_by_attribute(element.tag, name).get(value, [])[:MAX_MATCH]
            )
            if element in alike:
                yield css.step(element.tag, attribute=(name, value)) or "", 1 + alike.index(element)
        tag = element.tag
        if tag in UNIQUE_TAGS and self._first_match(tag) is element:
            yield tag, 1
        yield from ((path, 1) for path in self._paths_below_ancestors(element))
        if root_path := self._positional_path(None, element):
            yield root_path, 1

    def _paths_below_ancestors(self, element: HtmlElement) -> Iterator[str]:
        """Paths from the nearest named ancestors: by position, and as the first such element below them."""
        if not css.is_name(element.tag):
            return
        own = next((css.step(element.tag, attribute=name) for name in self._stable_names(element)), element.tag)
        used = 0
        for ancestor in element.iterancestors():
            names = self._stable_names(ancestor)
            if not names or ancestor.tag in ("html", "body"):
                continue
            anchor = css.step(ancestor.tag, attribute=names[0])
            if path := self._positional_path(ancestor, element):
                yield f"{anchor} > {path}"
            if self._first_match(f"{anchor} {own}") is element:
                yield f"{anchor} {own}"
            used += 1
            if used == MAX_ANCESTORS:
                return

    def _first_match(self, path: str) -> HtmlElement | None:
        if path not in self._firsts:
            self._firsts[path] = css.find_first_element(path, self.index.page)
        return self._firsts[path]

    def _positional_path(self, ancestor: HtmlElement | None, element: HtmlElement) -> str | None:
        """The path by positions from below `ancestor` (or from the root) to the element."""
        steps: list[str] = []
        current: HtmlElement | None = element
        while current is not None and current is not ancestor:
            parent = current.getparent()
            step = "html" if parent is None else self._positional_step(current)
            if step is None:
                return None
            steps.append(step)
            current = parent
        return " > ".join(reversed(steps))

    def _path_by_children(self, element: HtmlElement) -> str | None:
        """The path from the body by the numbers of children, whatever their tags are."""
        steps: list[str] = []
        for node in (element, *element.iterancestors()):
            if node.tag == "body":
                return " > ".join(["html", "body", *reversed(steps)])
            steps.append(f"*:nth-child({1 + sum(1 for _ in node.itersiblings(etree.Element, preceding=True))})")
        return None

    # --- labels -------------------------------------------------------------------------------------------------------
    def _label_selectors(self, place: Place) -> Iterator[Selector]:
        """Selectors by a stable text just before the value, or by the beginning of the value's own text."""
        if (head := _leading_label(place.raw)) and _PLAIN_TAG.fullmatch(place.element.tag):
            yield LabelSelector(head, place.element.tag, SAME_TEXT, _is_after_child(place))
        for distance in range(1, min(MAX_LABEL_DISTANCE, place.order) + 1):
            before = self.index.texts[place.order - distance]
            label = single_spaced(before.raw)
            is_label = len(label) <= MAX_LABEL and self.stability.is_stable_label(label) and before.element.tag != "a"
            if is_label and _PLAIN_TAG.fullmatch(before.element.tag) and (way := _xpath_between(before, place)):
                yield LabelSelector(label, before.element.tag, way, _is_after_child(before))


def _texts_around(texts: Sequence[str], path: str) -> tuple[int, int] | None:
    """How many texts come before and after those that make up `path`; None if none do.

    >>> _texts_around(["home", "books", "crime", "atitle"], "bookscrime")
    (1, 1)
    """
    for first in range(len(texts)):
        joined = ""
        for end in range(first, len(texts)):
            joined += texts[end]
            if joined == path:
                return first, len(texts) - end - 1
    return None


def _is_after_child(place: Place) -> bool:
    """True if a text is not the first of its element, but follows one of its children."""
    return place.detail != 1 or not (place.element.text or "").strip(BLANK)


def _leading_label(raw: str) -> str | None:
    """The beginning of a text up to its first colon or equals sign: "ISBN:" of "ISBN: 978..."."""
    found = re.match(r"[^:=]{1,40}[:=]", single_spaced(raw))
    return found[0] if found and _LETTER.search(found[0]) else None


def _xpath_between(label: Place, value: Place) -> str | None:
    """The XPath from the label's text to the value's text, by siblings and children; None if they are too far apart."""
    above = [value.element, *value.element.iterancestors()]
    climbed, current = 0, label.element
    steps: list[str] = []
    # of the shared ancestor, on the label's side; None if the label is a text of that ancestor
    child: HtmlElement | None = None
    while current not in above:
        child, parent = current, current.getparent()
        steps.append("..")
        climbed += 1
        if parent is None or climbed > MAX_CLIMB:
            return None
        current = parent
    depth = above.index(current)
    down = above[:depth][::-1]
    if not down:
        return _xpath_to_own_text(steps, label, value, child, current)
    first = down[0]
    nth = _sibling_number(label, child, first)
    if nth is None or any(not _PLAIN_TAG.fullmatch(e.tag) for e in down):
        return None
    steps.append(f"following-sibling::{first.tag}[{nth}]")
    steps += [f"{e.tag}[{1 + sum(1 for _ in e.itersiblings(e.tag, preceding=True))}]" for e in down[1:]]
    return "/".join([*steps, f"text()[normalize-space()][{value.detail}]"])


def _xpath_to_own_text(
    steps: list[str], label: Place, value: Place, child: HtmlElement | None, shared: HtmlElement
) -> str | None:
    """The XPath to a value that is a text of the shared ancestor itself, by counting the texts in between."""
    number = int(value.detail or 1)
    before = int(label.detail or 1) if child is None else _texts_before(shared, child)
    if number <= before:
        return None
    return "/".join([*steps, f"following-sibling::text()[normalize-space()][{number - before}]"])


def _texts_before(parent: HtmlElement, child: HtmlElement) -> int:
    """The number of non-blank texts of `parent` before its child."""
    texts = [parent.text, *(sibling.tail for sibling in child.itersiblings(preceding=True))]
    return sum(1 for text in texts if text and text.strip(BLANK))


def _sibling_number(label: Place, child: HtmlElement | None, first: HtmlElement) -> int | None:
    """The position of `first` among the siblings of its tag that follow the label."""
    nth = 1
    for sibling in first.itersiblings(first.tag, preceding=True):
        if child is None and _texts_before(label.element, sibling) < int(label.detail or 1):
            return nth
        if child is not None and not _is_after(sibling, child):
            return nth
        nth += 1
    return nth


def _is_after(element: HtmlElement, other: HtmlElement) -> bool:
    """True if a sibling comes after another."""
    return any(sibling is element for sibling in other.itersiblings())
