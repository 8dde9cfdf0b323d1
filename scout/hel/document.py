"""A page as HEL sees it: elements and texts in document order, as written."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import TypeAlias

import lxml.html
from lxml import etree

from scout.page import Page

Element: TypeAlias = lxml.html.HtmlElement
PCDATA = "pcdata"
_NOT_TEXT = frozenset({"script", "style"})


class TextLeaf:
    """A non-blank text: a leaf of the tree."""

    __slots__ = ("position", "text")

    def __init__(self, text: str, position: int) -> None:
        self.text = text
        self.position = position


HelNode: TypeAlias = Element | TextLeaf


class NodesAfter(Sequence[HelNode]):
    """A view of the nodes of one tag after a position in the document, without a copy."""

    def __init__(self, nodes: list[HelNode], first: int) -> None:
        self._nodes, self._first = nodes, first

    def __len__(self) -> int:
        return max(0, len(self._nodes) - self._first)

    def __getitem__(self, index):  # type: ignore[no-untyped-def]  # only used with positions
        return self._nodes[self._first + index]


class HelDocument:
    """The nodes of a page by tag and position, indexed in one pass."""

    def __init__(self, root: Element) -> None:
        self.root = root
        self._position: dict[Element, int] = {}
        self._end: dict[Element, int] = {}  # position of the last node below an element
        self._children: dict[Element, dict[str, list[HelNode]]] = {}
        self._nodes: dict[str, list[HelNode]] = defaultdict(list)
        self._positions: dict[str, list[int]] = defaultdict(list)
        self._pieces: list[str] = []  # all texts, including blank ones
        self._piece_positions: list[int] = []
        self._index_nodes()

    def _index_nodes(self) -> None:
        """Number all elements and texts; without recursion, because foreign pages may be nested deeply."""
        count = 0
        for event, element in etree.iterwalk(self.root, events=("start", "end", "comment", "pi")):
            if event == "start":
                count = self._add_element(element, count)
            else:
                if event == "end":
                    self._end[element] = count - 1
                parent = element.getparent()
                if element.tail and parent is not None and element is not self.root:
                    count = self._add_text(element.tail, parent, count)

    def _add_element(self, element: Element, count: int) -> int:
        tag = str(element.tag).lower()
        self._position[element] = count
        self._nodes[tag].append(element)
        self._positions[tag].append(count)
        parent = element.getparent()
        if parent is not None and parent in self._children:
            self._children[parent].setdefault(tag, []).append(element)
        self._children[element] = {}
        count += 1
        return self._add_text(element.text, element, count) if element.text and tag not in _NOT_TEXT else count

    def _add_text(self, text: str, parent: Element, count: int) -> int:
        self._pieces.append(text)
        self._piece_positions.append(count)
        if not text.isspace():
            node = TextLeaf(text, count)
            self._nodes[PCDATA].append(node)
            self._positions[PCDATA].append(count)
            self._children[parent].setdefault(PCDATA, []).append(node)
        return count + 1

    def children(self, node: HelNode, tag: str) -> Sequence[HelNode]:
        """The children of a node with that tag."""
        return () if isinstance(node, TextLeaf) else self._children[node].get(tag, ())

    def following(self, node: HelNode, tag: str) -> Sequence[HelNode]:
        """The nodes with that tag that follow in the document: first those below the node, then those after it."""
        return NodesAfter(self._nodes.get(tag, []), bisect_right(self._positions.get(tag, []), self.position(node)))

    def position(self, node: HelNode) -> int:
        """The number of a node in the document."""
        return node.position if isinstance(node, TextLeaf) else self._position[node]

    def text(self, node: HelNode) -> str:
        """All text of a node, white space collapsed."""
        return " ".join("".join(self._texts(node)).split())

    def _texts(self, node: HelNode) -> Iterator[str]:
        if isinstance(node, TextLeaf):
            yield node.text
        else:
            first = bisect_right(self._piece_positions, self._position[node])
            yield from self._pieces[first : bisect_right(self._piece_positions, self._end[node])]

    def source(self, node: HelNode) -> str:
        """The markup of a node."""
        if isinstance(node, TextLeaf):
            return node.text
        return str(etree.tostring(node, encoding="unicode", method="html", with_tail=False))


def hel_document(page: Page) -> HelDocument:
    """The page's document, indexed once per page."""
    found = page.memo.get("hel")
    if not isinstance(found, HelDocument):
        found = page.memo["hel"] = HelDocument(page.root)
    return found
