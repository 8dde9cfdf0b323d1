"""The page as a tree of only those elements that contain text, in document order.

That leaves out half to three quarters of a page's elements. The tree is built in one pass, so that finding a specification costs about as
much as the parse; everything else in this room works on it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from typing import TypeAlias, Union

import lxml.html

from scout.values.regions import region_tags

Element: TypeAlias = lxml.html.HtmlElement

# Elements without text, or whose text is not about the product.
SKIPPED = region_tags("code", "documents", "controls", "textless")

# One text each, whatever is inside: links, headings and buttons contain no rows.
SINGLE_TEXT = frozenset({"a", "button", "h1", "h2", "h3", "h4", "h5", "h6"})

INLINE = frozenset(
    "a abbr acronym b bdi bdo big cite code data del dfn em font i ins kbd label mark nobr q s samp small span strike strong "
    "sub sup time tt u var".split()
)

BREAK = "\v"  # begins a text after a <br>; it is white space, so splitting into words drops it
MAX_WORDS = 500  # of a text that is only looked at
MAX_DEPTH = 300  # elements below this are read as one text; real pages stay under 60

# levels at which a page's header, menu and footer are looked for: a third of its text, and no specification
FRAME_DEPTH = 6
_FRAME = re.compile(
    r"(?:^|\s)(?:(?:site|page|main|global|top|mega|mobile)[_-]?)?(?:header|footer|menu|navbar|navigation|nav|breadcrumbs?)"
    r"(?:[_-]?(?:container|wrapper|wrap|main|top|bottom|inner))?(?:\s|$)",
    re.IGNORECASE,
)
_frame_name = lru_cache(maxsize=4096)(_FRAME.search)

# Text that explains or operates a name or a value, but is not part of it.
_ASIDE_CLASS = re.compile(
    r"(?:^|[\s_-])(?:tool-?tips?|pop-?over|help-?tip|hint|sr-only|visually-?hidden|screen-?reader\w*|infolink|read-?more)(?:$|[\s_-])",
    re.IGNORECASE,
)
_aside_class = lru_cache(maxsize=4096)(_ASIDE_CLASS.search)


class TextElement:
    """An element that contains text; `kids` are its texts and its child elements with text, in order."""

    __slots__ = ("element", "kids", "leaves", "parent", "position", "rank", "rough", "size", "tag")

    def __init__(self, element: Element, tag: str, parent: TextElement | None, position: int) -> None:
        self.element = element
        self.tag = tag
        self.parent = parent
        self.position = position  # in document order
        self.kids: list[Kid] = []
        self.rank = 0  # among its parent's kids
        self.size = 0  # characters of text in it
        self.leaves = 0  # texts in it
        self.rough: str | None = None  # its rough text, once it was asked for

    def ancestors(self) -> Iterator[TextElement]:
        node = self.parent
        while node is not None:
            yield node
            node = node.parent


Kid: TypeAlias = Union[TextElement, str]  # noqa: UP007 - TextElement names Kid before this line


def elements_of(node: TextElement, *tags: str) -> list[TextElement]:
    """The kids of a node that are elements, of these tags if any are given."""
    return [kid for kid in node.kids if isinstance(kid, TextElement) and (not tags or kid.tag in tags)]


def text_size(kid: Kid) -> int:
    """The number of characters of a kid."""
    return kid.size if isinstance(kid, TextElement) else len(kid)


def _is_page_frame(element: Element) -> bool:
    """True for the page's header, footer or menu, by class or id, unless it contains the main heading."""
    names = f"{element.get('class') or ''} {element.get('id') or ''}"
    return names != " " and _frame_name(names) is not None and element.find(".//h1") is None


class TextTree:
    """The texts of a page: `root`, all `nodes`, and the `candidates` for rows.

    Candidates have several kids, or a text with a colon. That is a fifth of a page, and picking them while building costs nothing.
    """

    def __init__(self, root: Element) -> None:
        self.nodes: list[TextElement] = []
        self.candidates: list[TextElement] = []  # children before parents, siblings in document order
        body = root.find("body")
        self.root = self._grow(body if body is not None else root, "body", None, 0)

    def _grow(self, element: Element, tag: str, parent: TextElement | None, depth: int) -> TextElement:
        """Build the node of an element that has children, and all below it. Written for speed: it runs once per element."""
        node = TextElement(element, tag, parent, len(self.nodes))
        self.nodes.append(node)
        _add_text(node, element.text)
        for child in element:
            child_tag = child.tag
            if child_tag.__class__ is str and child_tag not in SKIPPED:
                if len(child) == 0:
                    self._add_leaf(node, child, child.text)
                elif child_tag in SINGLE_TEXT or depth == MAX_DEPTH:
                    self._add_leaf(node, child, " ".join(child.itertext()))
                elif depth >= FRAME_DEPTH or not _is_page_frame(child):
                    self._add_branch(node, self._grow(child, child_tag, node, depth + 1))
            text = child.tail
            if text and not text.isspace():
                _add_text(node, BREAK + text if child_tag == "br" else text)
        kids = node.kids
        if len(kids) > 1 or (kids and kids[0].__class__ is str):
            self.candidates.append(node)
        return node

    def _add_leaf(self, node: TextElement, child: Element, text: str | None) -> None:
        """Add an element whose content is one text."""
        if not text or text.isspace():
            return
        leaf = TextElement(child, child.tag, node, len(self.nodes))
        self.nodes.append(leaf)
        leaf.kids.append(text)
        leaf.size, leaf.leaves = len(text), 1
        _add_kid(node, leaf)
        if ":" in text or "：" in text or "／" in text or _has_dash(text):
            self.candidates.append(leaf)

    def _add_branch(self, node: TextElement, below: TextElement) -> None:
        if below.kids:
            _add_kid(node, below)
        else:
            self.nodes.pop()


def _add_text(node: TextElement, text: str | None) -> None:
    if text and not text.isspace():
        node.kids.append(text)
        node.size += len(text)
        node.leaves += 1


def _add_kid(node: TextElement, kid: TextElement) -> None:
    kid.rank = len(node.kids)
    node.kids.append(kid)
    node.size += kid.size
    node.leaves += kid.leaves


def _has_dash(text: str) -> bool:
    return " - " in text or " – " in text or " — " in text or " = " in text


@contextmanager
def text_tree(root: Element) -> Iterator[TextTree]:
    """The text tree of a page, for use in a `with` statement.

    The nodes refer to each other: at the end the cycles are cut, so that they are freed at once, without the garbage collector.
    """
    tree = TextTree(root)
    try:
        yield tree
    finally:
        for node in tree.nodes:
            node.parent = None


def rough_text(kid: Kid, most: int = MAX_WORDS) -> str:
    """The text of a kid, fast: the words are right, the spaces not always, and it is cut after `most` words."""
    if isinstance(kid, str):
        return " ".join(kid.split())
    if kid.rough is None or most != MAX_WORDS:
        text = " ".join(_words(kid, most))
        if most != MAX_WORDS:
            return text
        kid.rough = text
    return kid.rough


def _words(kid: TextElement, most: int) -> list[str]:
    if len(kid.kids) == 1 and isinstance(kid.kids[0], str):
        return kid.kids[0].split()
    words: list[str] = []
    stack: list[Kid] = [kid]
    while stack and len(words) < most:
        top = stack.pop()
        if isinstance(top, str):
            words += top.split()
        else:
            stack += reversed(top.kids)
    return words


def shown_text(kids: Sequence[Kid]) -> str:
    """The text of neighbouring kids as a reader sees it: inline elements joined, blocks separated, tooltips and buttons left out."""
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
    """True if something without text (white space, an image, a line break) is between two kids."""
    if isinstance(kid, str):
        return False
    previous = kid.element.getprevious()
    if isinstance(before, str):
        return previous is not None and previous.tag == "br"
    return previous is not before.element or bool(before.element.tail)


def is_aside(node: TextElement) -> bool:
    """True for a tooltip, a button or a text for screen readers."""
    classes = node.element.get("class")
    is_button_or_tip = node.tag == "button" or node.element.get("role") == "tooltip"
    return is_button_or_tip or (classes is not None and _aside_class(classes) is not None)
