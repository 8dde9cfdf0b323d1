"""Weighted trees: the structure of a page without its text, and how similar two parts of it are.

After Zhang, Lin and Liao (2018), section 3.2.1: nodes whose author named them weigh more (by the preset template), the nodes of one level
share a weight of 1; a rough similarity over all levels screens, a tree edit distance confirms. Everything that can be known of a subtree
in one pass from the leaves upwards (size, links, text, a hash of its make) is, so that unequal subtrees are seldom compared at all.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache

from lxml.html import HtmlElement

from scout.extraction.lexicon import lexicon
from scout.extraction.list_template import ListTemplate
from scout.values.regions import region_tags

NOISE = region_tags("code", "documents", "controls")
UNCLOSED = frozenset(
    {"dd", "dt", "li", "p", "b", "i", "u", "em", "strong"}
)  # inside itself, such an element was not closed
MAX_LEVELS = 6  # below this, records of the same make differ as they please
MAX_MATCHED = 120  # nodes: larger trees are judged by their weighted similarity alone
ROUNDING = 1e-6  # what sums of shares are off by at most
_TOTALS = [
    sum(1.0 / (depth + 1) for depth in range(count)) for count in range(MAX_LEVELS + 1)
]  # of the levels' weights
_DIGITS = re.compile(r"[\d_-]*\d[\d_-]*")


@dataclass(eq=False, slots=True)
class TreeNode:
    """An element with what is known of the tree below it."""

    element: HtmlElement
    tag: str
    marks: tuple[tuple[str, float], ...]
    parent: TreeNode | None = None
    children: list[TreeNode] = field(default_factory=list)
    size: int = 1
    text: int = 0  # characters, white space at the ends of runs aside
    linked: int = 0  # characters of it inside links
    links: int = 0
    images: int = 0
    make: int = 0  # equal for subtrees that are built alike
    index: int = 0  # among its siblings
    profile: list[dict[str, float]] | None = None  # see levels(), which keeps it here

    def ancestors(self) -> Iterator[TreeNode]:
        """From the parent to the root."""
        node = self.parent
        while node is not None:
            yield node
            node = node.parent


@lru_cache(maxsize=20_000)
def _marks(template: ListTemplate, tag: str, *named: tuple[str, str]) -> tuple[tuple[str, float], ...]:
    """What a node of these attributes is told by, with weights: its tag, and each name in id, name, class and type, digits aside."""
    marks = [(tag, template.plain)]
    for attribute, value in sorted(named):
        weight = template.weights[attribute]
        if value:
            names = {_DIGITS.sub("", name) for name in value.split()} if weight > template.plain else {value}
            marks.extend((f"{attribute}={name}", weight / len(names)) for name in names)
    return tuple(marks)


def tree(body: HtmlElement, template: ListTemplate | None = None) -> TreeNode:
    """The tree of nodes below `body`, scripts and the like left out."""
    template = template or lexicon().lists
    root = TreeNode(body, "body", _marks(template, "body"))
    order = [root]
    for node in order:  # grows while it is read: breadth first, parents before children
        for element in node.element:
            tag = element.tag
            if isinstance(tag, str) and tag not in NOISE:
                marks = _marks(template, tag, *[pair for pair in element.items() if pair[0] in template.weights])
                home = node.parent if tag == node.tag and tag in UNCLOSED and node.parent else node
                child = TreeNode(element, tag, marks, home, index=len(home.children))
                home.children.append(child)
                order.append(child)
    for node in reversed(order):
        _sum_up(node)
    return root


def _sum_up(node: TreeNode) -> None:
    element, children = node.element, node.children
    node.text += len(element.text.strip()) if element.text else 0
    node.links += node.tag == "a" and element.get("href") is not None
    node.images += node.tag == "img"
    makes: list[int] = []
    for child in children:
        tail = child.element.tail
        node.text += child.text + (len(tail.strip()) if tail else 0)
        node.linked += child.linked
        node.links += child.links
        node.images += child.images
        node.size += child.size
        if not makes or makes[-1] != child.make:
            makes.append(child.make)
    if node.tag == "a":
        node.linked = node.text
    node.make = hash((node.marks, *makes))


def levels(node: TreeNode) -> list[dict[str, float]]:
    """For each level below `node`, the marks with their share of the level's weight: they sum to 1."""
    if node.profile is None:
        node.profile = _levels(node)
    return node.profile


def _levels(node: TreeNode) -> list[dict[str, float]]:
    found, level = [], [node]
    for _ in range(MAX_LEVELS):
        shares: dict[str, float] = {}
        for n in level:
            for mark, weight in n.marks:
                shares[mark] = shares.get(mark, 0.0) + weight
        total = sum(shares.values())
        found.append({mark: weight / total for mark, weight in shares.items()})
        level = [child for n in level for child in n.children]
        if not level:
            break
    return found


def similarity(one: list[dict[str, float]], other: list[dict[str, float]], least: float = 0.0) -> float:
    """How alike two trees are by the weights of equal nodes, 0 to 1, given their levels; upper levels count more.

    0 as soon as they cannot be as alike as `least`: most pairs have little in common at the top.
    """
    total = _TOTALS[max(len(one), len(other))]
    score, rest = 0.0, total
    for depth in range(min(len(one), len(other))):
        a, b = one[depth], other[depth]
        weight = 1.0 / (depth + 1)
        score += weight * sum([min(share, b[label]) for label, share in a.items() if label in b])
        rest -= weight
        if score + rest < (least - ROUNDING) * total:
            return 0.0
    return score / total


def distance(one: TreeNode, other: TreeNode) -> float:
    """The part of two trees, 0 to 1, that has to be inserted, deleted or replaced: simple tree matching (Yang 1991)."""
    return 1.0 - 2.0 * _matched(one, other) / (one.size + other.size)


def _matched(one: TreeNode, other: TreeNode) -> int:
    if one.tag != other.tag:
        return 0
    if one.make == other.make and one.size == other.size:
        return one.size
    before = [0] * (len(other.children) + 1)
    for a in one.children:
        row = [0]
        for column, b in enumerate(other.children, 1):
            row.append(max(row[-1], before[column], before[column - 1] + _matched(a, b)))
        before = row
    return 1 + before[-1]
