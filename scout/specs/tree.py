"""The page as its texts: a tree of only those elements that hold text, in the order of the page.

A page has two to four times as many elements as such nodes. They are built in one pass, so that finding a specification costs about
as much as the parse; everything else in this room works on them.
"""

from __future__ import annotations

import gc
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from typing import TypeAlias, Union

import lxml.html

from scout.values.regions import region_tags

Element: TypeAlias = lxml.html.HtmlElement

# Elements without text, or whose text is no part of what a page says about its product.
SKIPPED = region_tags("code", "documents", "controls", "textless")

# One text each, whatever is inside: a link, a heading or a switch holds no rows.
SINGLE_TEXT = frozenset({"a", "button", "h1", "h2", "h3", "h4", "h5", "h6"})

INLINE = frozenset(
    "a abbr acronym b bdi bdo big cite code data del dfn em font i ins kbd label mark nobr q s samp small span strike strong "
    "sub sup time tt u var".split()
)

BREAK = "\v"  # begins a text that a <br> stands before; white space, so that splitting into words drops it
MAX_DEPTH = 300  # of boxes: below, the text is taken as one; real pages stay under 60

FRAME_DEPTH = (
    6  # boxes around the frame of a page: its header, menu and footer are a third of it and hold no specification
)
_FRAME = re.compile(
    r"(?:^|\s)(?:(?:site|page|main|global|top|mega|mobile)[_-]?)?(?:header|footer|menu|navbar|navigation|nav|breadcrumbs?)"
    r"(?:[_-]?(?:container|wrapper|wrap|main|top|bottom|inner))?(?:\s|$)",
    re.IGNORECASE,
)

# Text that explains or operates a name or a value, and is no part of it.
_ASIDE_CLASS = re.compile(
    r"(?:^|[\s_-])(?:tool-?tips?|pop-?over|help-?tip|hint|sr-only|visually-?hidden|screen-?reader\w*|infolink|read-?more)(?:$|[\s_-])",
    re.IGNORECASE,
)


class TextElement:
    """An element with text below it; `kids` are its texts and its elements with text, in order."""

    __slots__ = ("element", "kids", "leaves", "parent", "position", "rank", "size", "tag")

    def __init__(self, element: Element, tag: str, parent: TextElement | None, position: int) -> None:
        self.element = element
        self.tag = tag
        self.parent = parent
        self.position = position  # in the order of the page
        self.kids: list[Kid] = []
        self.rank = 0  # among its parent's kids
        self.size = 0  # characters of text below
        self.leaves = 0  # texts below

    def ancestors(self) -> Iterator[TextElement]:
        node = self.parent
        while node is not None:
            yield node
            node = node.parent


Kid: TypeAlias = Union[TextElement, str]  # noqa: UP007 - TextElement names Kid before this line


@contextmanager
def collector_paused() -> Iterator[None]:
    """No garbage collection meanwhile: for work that makes thousands of objects and leaves none of them behind.

    The collector would scan them, and now and then the whole heap, several times a page: at more than the cost of all the rest.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def _is_page_frame(element: Element) -> bool:
    """True for the page's header, footer or menu, by its class or id; a box that holds the main heading is none."""
    names = f"{element.get('class') or ''} {element.get('id') or ''}"
    return names != " " and _is_frame_name(names) and element.find(".//h1") is None


@lru_cache(maxsize=4096)
def _is_frame_name(names: str) -> bool:
    return _FRAME.search(names) is not None


class TextTree:
    """The text of a page: `root`, all its `nodes`, and of those the `candidates` for rows.

    Candidates hold several kids, or a text with a colon. That is a fifth of a page, and sorting it out while the tree grows costs nothing.
    """

    def __init__(self, root: Element) -> None:
        self.nodes: list[TextElement] = []
        self.candidates: list[TextElement] = []  # children before parents, siblings in the order of the page
        body = root.find("body")
        self.root = self._grow(body if body is not None else root, "body", None, 0)

    def _grow(self, element: Element, tag: str, parent: TextElement | None, depth: int) -> TextElement:
        """The node of an element that has children, with everything below it. Written for speed: it runs once per element."""
        nodes = self.nodes
        node = TextElement(element, tag, parent, len(nodes))
        nodes.append(node)
        kids = node.kids
        size = leaves = 0
        text = element.text
        if text and not text.isspace():
            kids.append(text)
            size, leaves = len(text), 1
        for child in element:
            child_tag = child.tag
            if child_tag.__class__ is str and child_tag not in SKIPPED:
                if len(child) == 0:
                    text = child.text
                elif child_tag in SINGLE_TEXT or depth == MAX_DEPTH:
                    text = " ".join(child.itertext())
                elif depth < FRAME_DEPTH and _is_page_frame(child):
                    text = None
                else:
                    text = None
                    below = self._grow(child, child_tag, node, depth + 1)
                    if below.kids:
                        below.rank = len(kids)
                        kids.append(below)
                        size += below.size
                        leaves += below.leaves
                    else:
                        nodes.pop()
                if text and not text.isspace():
                    below = TextElement(child, child_tag, node, len(nodes))
                    below.rank, below.size, below.leaves = len(kids), len(text), 1
                    below.kids.append(text)
                    nodes.append(below)
                    kids.append(below)
                    size += below.size
                    leaves += 1
                    if ":" in text or "：" in text:
                        self.candidates.append(below)
            text = child.tail
            if text and not text.isspace():
                kids.append(BREAK + text if child_tag == "br" else text)
                size += len(text)
                leaves += 1
        node.size, node.leaves = size, leaves
        if len(kids) > 1 or (kids and kids[0].__class__ is str):
            self.candidates.append(node)
        return node


@contextmanager
def text_tree(root: Element) -> Iterator[TextTree]:
    """The text of a page, to be used in a `with`.

    The nodes point at each other: at the end the circles are cut, so that they are freed at once and not by the collector.
    """
    tree = TextTree(root)
    try:
        yield tree
    finally:
        for node in tree.nodes:
            node.parent = None


def rough_text(kid: Kid, most: int = 500) -> str:
    """The text of a kid, quickly: right in its words, not always in its spaces, and cut after `most` words."""
    if isinstance(kid, TextElement) and len(kid.kids) == 1:
        kid = kid.kids[0]
    if isinstance(kid, str):
        return " ".join(kid.split())
    words: list[str] = []
    stack: list[Kid] = [kid]
    while stack and len(words) < most:
        top = stack.pop()
        if isinstance(top, str):
            words += top.split()
        else:
            stack += reversed(top.kids)
    return " ".join(words)


def shown_text(kids: Sequence[Kid]) -> str:
    """The text of neighbouring kids as a reader sees it: inline elements joined, blocks apart, tooltips and buttons left out."""
    return " ".join("".join(_pieces(kids)).split())


def _pieces(kids: Sequence[Kid]) -> Iterator[str]:
    before: Kid | None = None
    for kid in kids:
        if before is not None and _is_apart(before, kid):
            yield " "
        if isinstance(kid, str):
            yield kid
        elif not is_aside(kid):
            space = "" if kid.tag in INLINE else " "
            yield space
            yield from _pieces(kid.kids)
            yield space
        before = kid


def _is_apart(before: Kid, kid: Kid) -> bool:
    """True if something without text (white space, an image, a line break) stands between two kids."""
    if isinstance(kid, str):
        return False
    previous = kid.element.getprevious()
    if isinstance(before, str):
        return previous is not None and previous.tag == "br"
    return previous is not before.element or bool(before.element.tail)


def is_aside(node: TextElement) -> bool:
    """True for a tooltip, a button or a text for screen readers beside the text proper."""
    classes = node.element.get("class")
    return node.tag == "button" or (classes is not None and _is_aside_class(classes))


@lru_cache(maxsize=4096)
def _is_aside_class(classes: str) -> bool:
    return _ASIDE_CLASS.search(classes) is not None
