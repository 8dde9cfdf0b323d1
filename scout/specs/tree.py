"""The page as its texts: a tree of only those elements that hold visible text, in the order of the page.

A page has three to five times as many elements as texts. Everything in this room works on the texts, so that its cost stays below that of
the parse: one compiled XPath collects them in C, and each element above a text is visited once.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any, TypeAlias, Union, cast

import lxml.html
from lxml import etree

Element: TypeAlias = lxml.html.HtmlElement

# Texts that nobody reads as part of the page. `parent` only: what lies deeper is sorted out by DEAD below.
_TEXTS = etree.XPath(
    "//body//text()[not(parent::script or parent::style or parent::noscript or parent::option or parent::textarea)]"
    "[normalize-space()]"
)

# No specification is ever inside these, whatever it looks like.
DEAD = frozenset(
    {"noscript", "select", "template", "svg", "iframe", "nav", "footer", "a", "button", "textarea", "object"}
)

INLINE = frozenset(
    "a abbr acronym b bdi bdo big cite code data del dfn em font i ins kbd label mark nobr q s samp small span strike strong "
    "sub sup time tt u var wbr".split()
)

MAX_NESTING = 40  # boxes inside one value: beyond it the page is broken, and its spaces are not worth a deep recursion

# Text that explains or operates a name or a value, and is no part of it.
_ASIDE_TAGS = frozenset({"button", "svg", "noscript", "select", "template"})
_ASIDE_CLASS = re.compile(
    r"(?:^|[\s_-])(?:tool-?tips?|pop-?over|help-?tip|hint|sr-only|visually-?hidden|screen-?reader\w*|infolink|read-?more)(?:$|[\s_-])",
    re.I,
)


class Leaf:
    """One text node. `after_break`: a <br> stands right before it."""

    __slots__ = ("after_break", "text")

    def __init__(self, text: str, after_break: bool) -> None:
        self.text = text
        self.after_break = after_break


class Node:
    """An element with text below it; `kids` are its texts and its elements with text, in order."""

    __slots__ = ("dead", "element", "kids", "leaves", "parent", "position", "rank", "size", "tag")

    def __init__(self, element: Element, parent: Node | None) -> None:
        self.element = element
        self.parent = parent
        self.tag: str = element.tag
        self.dead: bool = (parent is not None and parent.dead) or self.tag in DEAD
        self.kids: list[Kid] = []
        self.size = 0  # characters of text below
        self.leaves = 0  # texts below
        self.position = 0  # in the order of the page
        self.rank = 0  # among its parent's kids

    @property
    def is_wrapper(self) -> bool:
        """True where the element holds one element and no text of its own: the same content in one more box."""
        return len(self.kids) == 1 and isinstance(self.kids[0], Node)

    def ancestors(self) -> Iterator[Node]:
        node = self.parent
        while node is not None:
            yield node
            node = node.parent


Kid: TypeAlias = Union[Node, Leaf]  # noqa: UP007 - Node names Kid before this line


def text_tree(root: Element) -> list[Node]:
    """The elements of the page that hold text, parents before children, in the order of the page."""
    nodes: list[Node] = []
    known: dict[Element, Node] = {}
    for text in cast("list[Any]", _TEXTS(root)):
        holder, after_break = text.getparent(), False
        if text.is_tail:
            after_break = holder.tag == "br"
            holder = holder.getparent()
        node = known.get(holder) or _grown(holder, known, nodes)
        node.kids.append(Leaf(str(text), after_break))
        node.size += len(text)
        node.leaves += 1
    for node in reversed(nodes):
        if node.parent is not None:
            node.parent.size += node.size
            node.parent.leaves += node.leaves
    return nodes


def _grown(element: Element, known: dict[Element, Node], nodes: list[Node]) -> Node:
    """The node of an element met for the first time, with those above it that are new as well."""
    chain = [element]
    above = element.getparent()
    while above is not None and above not in known:
        chain.append(above)
        above = above.getparent()
    parent = known[above] if above is not None else None
    for new in reversed(chain):
        node = Node(new, parent)
        node.position = len(nodes)
        if parent is not None:
            node.rank = len(parent.kids)
            parent.kids.append(node)
        known[new] = parent = node
        nodes.append(node)
    assert parent is not None
    return parent


def rough_text(kid: Kid) -> str:
    """The text of a kid, quickly: right in its words, not always in its spaces."""
    if isinstance(kid, Leaf):
        return " ".join(kid.text.split())
    words: list[str] = []
    stack: list[Kid] = [kid]
    while stack:
        top = stack.pop()
        if isinstance(top, Leaf):
            words += top.text.split()
        else:
            stack += reversed(top.kids)
    return " ".join(words)


def shown_text(kids: Sequence[Kid]) -> str:
    """The text of neighbouring kids as a reader sees it: inline elements joined, blocks apart, tooltips and buttons left out."""
    return " ".join("".join(_pieces(kids)).split())


def _pieces(kids: Sequence[Kid], depth: int = 0) -> Iterator[str]:
    before: Kid | None = None
    for kid in kids:
        if before is not None and _is_apart(before, kid):
            yield " "
        if isinstance(kid, Leaf):
            yield kid.text
        elif not is_aside(kid):
            space = "" if kid.tag in INLINE else " "
            yield space
            yield from _pieces(kid.kids, depth + 1) if depth < MAX_NESTING else [rough_text(kid)]
            yield space
        before = kid


def _is_apart(before: Kid, kid: Kid) -> bool:
    """True where something without text (white space, an image, a line break) stands between two kids."""
    if isinstance(kid, Leaf):
        return kid.after_break
    previous = kid.element.getprevious()
    if isinstance(before, Leaf):
        return previous is not None and previous.tag == "br"
    return previous is not before.element or bool(before.element.tail)


def is_aside(node: Node) -> bool:
    """True for a tooltip, a button or a text for screen readers beside the text proper."""
    return node.tag in _ASIDE_TAGS or bool(_ASIDE_CLASS.search(node.element.get("class") or ""))
