"""records: the page's main repeated list, and inside each record its link, title, price and image.

After Zhang, Lin and Liao (2018), section 3.2.1, as a cascade: elements at the same place of the tree are grouped by how they are built,
groups of similar make are joined (weighted similarity over alpha, confirmed by tree edit distance under beta on small trees), a group
whose members alternate with other siblings makes records of several elements, and the group that carries the page's substance wins.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import pairwise
from statistics import median
from typing import Any, overload
from urllib.parse import urlsplit

from lxml.html import HtmlElement

from scout.extraction.lexicon import lexicon
from scout.extraction.link_targets import address
from scout.extraction.list_template import ListTemplate
from scout.extraction.titles import seen_text
from scout.extraction.view import names_of
from scout.fields import field as field_named
from scout.page import Page
from scout.values.currency import shows_amount
from scout.values.regions import region_tags, region_words
from scout.values.text import single_spaced
from scout.values.walk_words import name_words
from scout.walking.links import PICTURE_ATTRIBUTES, is_file
from scout.walking.pagination import next_url
from scout.walking.trees import MAX_MATCHED, NOISE, TreeNode, distance, levels, similarity, tree

HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")
MIN_RECORDS = 3  # two of a kind happen by chance
MIN_LINKED = 0.8  # of the members of a group link somewhere: a record leads to its page
MAX_MAKES = 40  # different makes in one place that are compared with each other
TILES = 0.75  # of the outer element's text: inner records that cover so much are the records themselves
TEXT_WEIGHT = 0.25  # exponent: texts of a quarter of the usual length count for 0.7
VERY_ALIKE = 0.5  # similarity in structure and text from which a member may lie elsewhere on the page
UNLIKE = 0.7  # of the median likeness: below it, a member that is also built or filled differently is none
SAME_MAKE = 0.85  # similarity to the mean structure above which a member stays, however short it is
MIN_TOLD = 10  # characters outside links
MOST_TELL = 0.75  # of the members say something beside their links: then one that does not is none of them
MOST_STAY = 0.7  # of the members: where more would go, they are a second kind of record
MAX_TRIMS = 3
MAX_CLASSES = 3  # of a record's classes in its XPath: more only make it break sooner
RIVAL = 0.1  # of the best score: groups below carry too little to be the records rather than the best
NEARLY_ALL = 0.9
MOST = 0.8
COLUMN_CONTRAST = 3.0  # the longest column's text against the shortest: fields of a record, not records side by side
MAX_PARTS = 6  # links and the like of the same make in one record; more are records of their own
MAX_SEGMENT = 12  # siblings that one record consists of at most
LINK_DISCOUNT = 0.7  # of the text inside links: a menu is nothing else
PICTURE = 1.5  # what a picture adds to a record's substance, in powers of two of text
ASIDE = 0.3  # what a group inside navigation, footer or a filter counts
PROSE = 0.1  # what paragraphs count that link to something
LINKED_PROSE = 4  # times as much text as in links: running text


_NO_PRICE = NOISE | region_tags("struck")
Profiled = tuple[TreeNode, list[dict[str, float]]]  # a node with its levels


@dataclass(frozen=True, eq=False)
class Record:
    """One of many alike: `elements` are the siblings it consists of, usually one."""

    elements: tuple[HtmlElement, ...]
    page: Page
    labels: Set[str] = frozenset()  # what the links of several records of its list say: "Show details", their category

    @cached_property
    def text(self) -> str:
        """All its text, each run of white space as one space."""
        parts = (part for element in self.elements for part in _texts(element))
        return single_spaced(" ".join(parts))

    @cached_property
    def _addresses(self) -> dict[HtmlElement, str]:
        """Its links to pages, each with where it leads."""
        found = ((a, address(a, self.page)) for element in self.elements for a in element.iter("a"))
        return {a: url for a, url in found if url and not is_file(url)}

    @cached_property
    def _main(self) -> HtmlElement | None:
        """The link to the record's own page: in a heading, else around or beside its picture, else the one that says most."""
        if len(self._addresses) < 2:
            return next(iter(self._addresses), None)
        pictured = {url for a, url in self._addresses.items() if a.find(".//img") is not None}
        return max(self._addresses, key=lambda a: _prominence(a, self._addresses[a] in pictured), default=None)

    @cached_property
    def href(self) -> str | None:
        """The address of its own page, absolute."""
        return None if self._main is None else self._addresses[self._main]

    @property
    def link_place(self) -> tuple[HtmlElement, HtmlElement] | None:
        """Its first element, and the link to its own page."""
        return None if self._main is None else (self.elements[0], self._main)

    @cached_property
    def title(self) -> str | None:
        """What it is called: the text of a heading or of the link to its page."""
        if self._main is None:
            return None
        heading = next((h for e in self.elements for tag in HEADINGS[:5] for h in e.iter(tag)), None)
        if heading is not None and (text := single_spaced(heading.text_content())):
            return text
        named = (a for a, url in self._addresses.items() if url == self.href)
        texts = [
            seen_text(a) or single_spaced(a.get("title")) for a in named
        ]  # blocks apart: a name, and what is below it
        return max(texts, key=lambda text: (text not in self.labels, len(text)), default="") or None

    @cached_property
    def price(self) -> str | None:
        """Its first amount that is not struck out and a price by its own words, as a plain decimal; None where it shows none."""
        texts = (part for element in self.elements for part in _texts(element, left_out=_NO_PRICE))
        amounts = filter(shows_amount, texts)
        return next((price for part in amounts if (price := field_named("price").read(part))), None)

    @cached_property
    def image(self) -> str | None:
        """The address of its first picture, absolute."""
        for element in self.elements:
            for img in element.iter("img"):
                source = next(filter(None, map(img.get, PICTURE_ATTRIBUTES)), None)
                if source and not source.startswith("data:"):
                    return self.page.absolute(source)
        return None


def _prominence(anchor: HtmlElement, is_pictured: bool) -> tuple[int, int]:
    text = single_spaced(anchor.text_content())
    is_headed = bool(text) and any(e.tag in HEADINGS for e in (*anchor.iterancestors(), *anchor.iter()))
    return 2 * is_headed + is_pictured, len(text)


def _texts(element: HtmlElement, left_out: Set[str] = NOISE) -> Iterator[str]:
    """The texts below `element` in their order, scripts and the like left out."""
    stack: list[HtmlElement | str | None] = [element]
    while stack:
        part = stack.pop()
        if isinstance(part, str):
            yield part
        elif part is not None and isinstance(part.tag, str) and part.tag not in left_out:
            for child in reversed(part):
                stack += (child.tail, child)
            stack.append(part.text)


class RecordList(Sequence[Record]):
    """The records of a page in their order, the XPath that selects them, and the address of the page that continues the list."""

    def __init__(self, records: Sequence[Record], xpath: str, next_url: str | None) -> None:
        self._records, self.xpath, self.next_url = tuple(records), xpath, next_url

    @overload
    def __getitem__(self, index: int) -> Record: ...

    @overload
    def __getitem__(self, index: slice) -> Sequence[Record]: ...

    def __getitem__(self, index: int | slice) -> Record | Sequence[Record]:
        return self._records[index]

    def __len__(self) -> int:
        return len(self._records)

    def __repr__(self) -> str:
        return f"RecordList({len(self)} records at {self.xpath!r}, next_url={self.next_url!r})"


@dataclass(eq=False)
class RecordGroup:
    """Nodes at the same place that are built alike."""

    nodes: list[TreeNode]
    template: ListTemplate

    @cached_property
    def segments(self) -> list[list[TreeNode]]:
        """Each member with the siblings that follow it up to the next member; what follows nobody is as long as most."""
        found = [_segment(node, self.members) for node in self.nodes]
        usual = Counter(tuple(node.tag for node in segment) for segment in found).most_common(1)[0][0]
        return [_continued(segment, usual) for segment in found]

    @cached_property
    def segment_of(self) -> dict[TreeNode, list[TreeNode]]:
        """The segment of each member."""
        return dict(zip(self.nodes, self.segments, strict=True))

    @cached_property
    def members(self) -> frozenset[TreeNode]:
        return frozenset(self.nodes)

    @cached_property
    def text(self) -> int:
        return sum(node.text for segment in self.segments for node in segment)

    @cached_property
    def score(self) -> float:
        """How much of the page's substance its records carry."""
        substance = sum(_substance(segment) for segment in self.segments)
        first = self.nodes[0]
        tags = [first.tag, *(above.tag for above in first.ancestors())]
        region = (ASIDE if _is_aside(first) else 1.0) * (PROSE if all(map(_is_prose, self.nodes)) else 1.0)
        return substance * self.template.weight_of(tags) * region


def _substance(segment: list[TreeNode]) -> float:
    text = sum(node.text - LINK_DISCOUNT * node.linked for node in segment)
    pictured = any(node.images for node in segment)
    return (math.log2(1 + text / 8) + (PICTURE if pictured else 0.0)) ** 2


def _is_prose(node: TreeNode) -> bool:
    """Whether its links stand in running text: most of it comes before or after them, and it has no picture."""
    if node.images or LINKED_PROSE * node.linked > node.text:
        return False
    before = 0
    for element in node.element.iter():
        if element.tag == "a":
            break
        before += len((element.text or "").strip())
    return before > MIN_TOLD


def _is_aside(node: TreeNode) -> bool:
    for near in (node, *node.ancestors()):
        if near.tag in region_tags("frame"):
            return True
        named = name_words(names_of(near.element))
        if near.tag != "body" and named & _aside_words():
            return True
    return False


@cache
def _aside_words() -> frozenset[str]:
    return frozenset().union(*map(region_words, ("menu_words", "facet_words", "crumb_words", "aside_words")))


def _segment(node: TreeNode, members: frozenset[TreeNode]) -> list[TreeNode]:
    siblings = node.parent.children if node.parent else [node]
    found = [node]
    for sibling in siblings[node.index + 1 : node.index + MAX_SEGMENT]:
        if sibling in members:
            return found
        found.append(sibling)
    return [node]  # nobody follows: the last one, or one that stands alone


def _continued(segment: list[TreeNode], tags: tuple[str, ...]) -> list[TreeNode]:
    """A single element with the siblings behind it, where these have the tags of the other records' elements."""
    node = segment[0]
    siblings = node.parent.children[node.index : node.index + len(tags)] if node.parent else segment
    return siblings if len(segment) == 1 and tuple(sibling.tag for sibling in siblings) == tags else segment


def _nodes(root: TreeNode) -> Iterator[tuple[str, TreeNode]]:
    """Every node with its place: the tags from the body down to it."""
    stack = [(child, "") for child in reversed(root.children)]
    while stack:
        node, above = stack.pop()
        place = f"{above}/{node.tag}"
        yield place, node
        stack.extend((child, place) for child in reversed(node.children))


def _groups(root: TreeNode, template: ListTemplate) -> Iterator[RecordGroup]:
    places: dict[str, list[TreeNode]] = {}
    for place, node in _nodes(root):
        if node.links:
            places.setdefault(place, []).append(node)
    for nodes in places.values():
        if len(nodes) >= MIN_RECORDS:
            yield from _clusters(nodes, template)


def _clusters(nodes: list[TreeNode], template: ListTemplate) -> Iterator[RecordGroup]:
    """The nodes of one place, split by how they are built."""
    makes: dict[int, list[TreeNode]] = {}
    for node in nodes:
        makes.setdefault(node.make, []).append(node)
    clusters: list[tuple[TreeNode, list[dict[str, float]], list[TreeNode]]] = []
    for alike in sorted(makes.values(), key=len, reverse=True)[:MAX_MAKES]:
        first, profile = alike[0], levels(alike[0])
        home = next((c for c in clusters if _are_similar(template, (first, profile), (c[0], c[1]))), None)
        if home is None:
            clusters.append((first, profile, list(alike)))
        else:
            home[2].extend(alike)
    order = {node: position for position, node in enumerate(nodes)}
    for _, _, members in clusters:
        if len(members) >= MIN_RECORDS:
            yield RecordGroup(sorted(members, key=order.__getitem__), template)


def _are_similar(template: ListTemplate, one: Profiled, other: Profiled) -> bool:
    is_named_like = _is_named_like(one[0], other[0])
    least = template.alpha_named if is_named_like else template.alpha
    if similarity(one[1], other[1], least) < least:
        return False
    is_large = max(one[0].size, other[0].size) > MAX_MATCHED
    return is_named_like or is_large or distance(one[0], other[0]) <= template.beta


def _is_named_like(one: TreeNode, other: TreeNode) -> bool:
    """Whether their author gave both the same class, and so calls them the same thing."""
    return _class(one) == _class(other) != ""


def _class(node: TreeNode) -> str:
    return node.element.get("class") or ""


def _best(groups: list[RecordGroup]) -> RecordGroup | None:
    """The group of the highest score, or the one around or inside it that has the records, unless another list is above that one then."""
    left = sorted(groups, key=lambda group: -group.score)
    best = None
    while left and (best is None or left[0].score > best.score):
        found = _rather(left[0], groups)
        best = max(filter(None, (best, found)), key=lambda group: group.score)
        left = [group for group in left[1:] if not _overlap(group, found)]
    return best


def _overlap(one: RecordGroup, other: RecordGroup) -> bool:
    """Whether members of one group lie inside those of the other."""
    return any(_holder(node, other.members) for node in one.nodes) or any(
        _holder(node, one.members) for node in other.nodes
    )


def _rather(best: RecordGroup, groups: list[RecordGroup]) -> RecordGroup:
    """The group around or inside this one whose members are the records rather, else itself."""
    rivals = [group for group in groups if group.score >= RIVAL * best.score]
    tried: set[RecordGroup] = set()
    while True:
        tried.add(best)
        rather = next((g for g in rivals if g not in tried and _is_rather(g, best)), None)
        if rather is None:
            return best
        best = rather


def _is_rather(other: RecordGroup, best: RecordGroup) -> bool:
    return _is_whole(other, best) or _is_row(best, other) or _begins(other, best)


def _begins(first: RecordGroup, second: RecordGroup) -> bool:
    """Whether each record begins with a member of `first` and goes on with one of `second`."""
    if len(first.nodes) != len(second.nodes) or first.nodes[0].parent is not second.nodes[0].parent:
        return False
    return all(b in segment for segment, b in zip(first.segments[:-1], second.nodes, strict=False))


def _gathered(group: RecordGroup | None) -> RecordGroup | None:
    """Without the members that lie outside the part of the page where nearly all are, unless they are alike in every respect."""
    if group is None:
        return None
    parts = [_heads(part, group) for part in _parts(group.nodes)]
    large = [part for part in parts if len(part.nodes) >= MIN_RECORDS]
    if not large:
        return _trimmed(group)
    core = max(large, key=lambda part: part.score)
    typical = _typical(core)
    gathered = [n for part in parts if part is core or _is_more_of(core, part, typical) for n in part.nodes]
    return _trimmed(RecordGroup(gathered, group.template))


def _heads(nodes: list[TreeNode], group: RecordGroup) -> RecordGroup:
    """The members at which records begin, where members of other kinds follow each of them: its title, then what else there is of it."""
    kinds = [_kind(node) for node in nodes]
    heads = [number for number, kind in enumerate(kinds) if kind == kinds[0]]
    lengths = Counter(following - head for head, following in pairwise([*heads, len(nodes)]))
    usual, count = lengths.most_common(1)[0]
    is_regular = usual > 1 and len(heads) >= MIN_RECORDS and count >= NEARLY_ALL * len(heads)
    return RecordGroup([nodes[number] for number in heads] if is_regular else nodes, group.template)


def _kind(node: TreeNode) -> tuple[bool, str]:
    """Whether it is a link rather than text, and its tags; not its names, which may alternate for their colours alone."""
    below = (element.tag for element in node.element.iter() if isinstance(element.tag, str))
    return 2 * node.linked > node.text, " ".join(below)


def _parts(nodes: list[TreeNode]) -> list[list[TreeNode]]:
    """The nodes by the branch of the tree in which they lie, below the innermost element that holds them all."""
    depth = {ancestor: count for count, ancestor in enumerate([*nodes[0].ancestors()][::-1])}
    shared = set(depth).intersection(*(node.ancestors() for node in nodes[1:]))
    common = max(shared, key=depth.__getitem__)
    parts: dict[TreeNode, list[TreeNode]] = {}
    for node in nodes:
        branch = next(n for n in (node, *node.ancestors()) if n.parent is common)
        parts.setdefault(branch, []).append(node)
    return list(parts.values())


def _is_more_of(core: RecordGroup, part: RecordGroup, typical: Typical) -> bool:
    """Whether the members elsewhere are of the list: most are alike, and no mere links where the list's members say more."""
    alike = median(_likeness(node, segment, typical) for node, segment in part.segment_of.items())
    return alike >= VERY_ALIKE and (_most_tell(part.segments) or not _most_tell(core.segments))


def _most_tell(segments: Collection[list[TreeNode]]) -> bool:
    return sum(map(_tells, segments)) >= MOST_TELL * len(segments)


def _trimmed(group: RecordGroup) -> RecordGroup:
    """Without the members that are unlike most: a row of page numbers among rows of products."""
    for _ in range(MAX_TRIMS):
        typical = _typical(group)
        likeness = {node: _likeness(node, segment, typical) for node, segment in group.segment_of.items()}
        middle = median(likeness.values())
        tells = _most_tell(group.segments)
        usual = Counter(map(_class, group.nodes)).most_common(1)[0][0]
        kept = [
            node
            for node, segment in group.segment_of.items()
            if likeness[node] >= UNLIKE * middle
            or _class(node) == usual != ""
            or not _is_other(node, segment, typical, tells)
        ]
        if len(kept) == len(group.nodes) or len(kept) < max(MIN_RECORDS, MOST_STAY * len(group.nodes)):
            break
        group = RecordGroup(kept, group.template)
    return group


def _tells(segment: list[TreeNode]) -> bool:
    """Whether it says something beside its links."""
    return sum(node.text - node.linked for node in segment) > MIN_TOLD


def _is_other(node: TreeNode, segment: list[TreeNode], typical: Typical, tells: bool) -> bool:
    return similarity(levels(node), typical[0]) < SAME_MAKE or (tells and not _tells(segment))


Typical = tuple[list[dict[str, float]], float]


def _typical(group: RecordGroup) -> Typical:
    """The mean of the members' levels, and the median of their records' texts."""
    profiles = [levels(node) for node in group.nodes]
    mean: list[dict[str, float]] = []
    for depth in range(max(map(len, profiles))):
        shares: dict[str, float] = {}
        for profile in profiles:
            for mark, share in profile[depth].items() if depth < len(profile) else ():
                shares[mark] = shares.get(mark, 0.0) + share / len(profiles)
        mean.append(shares)
    return mean, median(map(_length, group.segments))


def _length(segment: list[TreeNode]) -> int:
    return sum(node.text for node in segment)


def _likeness(node: TreeNode, segment: list[TreeNode], typical: Typical) -> float:
    shorter, longer = sorted((_length(segment) + 1, typical[1] + 1))
    return float(similarity(levels(node), typical[0]) * (shorter / longer) ** TEXT_WEIGHT)


def _held(outer: RecordGroup, inner: RecordGroup) -> dict[TreeNode, TreeNode]:
    """For each member of `inner` the member of `outer` that it is part of; empty where not nearly all are parts of one."""
    holders = {node: _holder(node, outer.members) for node in inner.nodes}
    held = {node: holder for node, holder in holders.items() if holder is not None}
    return held if len(held) >= NEARLY_ALL * len(inner.nodes) else {}


def _is_whole(outer: RecordGroup, inner: RecordGroup) -> bool:
    """Whether the records are rather the elements of `outer`, of which those of `inner` are parts."""
    held = _held(outer, inner)
    count = len(set(held.values()))
    if not held or count == len(held):
        return bool(held) and len(outer.nodes) <= 1.2 * len(inner.nodes)
    if count < max(MIN_RECORDS, MOST * len(outer.nodes)) or len(held) > MAX_PARTS * count:
        return False
    return not _tile(held)


def _is_row(outer: RecordGroup, inner: RecordGroup) -> bool:
    """Whether the members of `outer` are only rows, and the records those of `inner`, side by side in them."""
    held = _held(outer, inner)
    count = len(set(held.values()))
    if not held or len(held) < 2 * count or count < MOST * len(outer.nodes):
        return False
    return _tile(held) and sum(node.text - node.linked for node in held) > 0


def _tile(held: Mapping[TreeNode, TreeNode]) -> bool:
    """Whether the parts make up nearly all of their holders, and are no columns of a table."""
    inside = sum(node.text for node in held)
    return inside >= TILES * max(1, sum(holder.text for holder in set(held.values()))) and not _are_columns(held)


def _are_columns(held: Mapping[TreeNode, TreeNode]) -> bool:
    """Whether the parts of each holder are its fields: the first of all holders are alike, and unlike the second."""
    columns: dict[int, list[int]] = {}
    position: Counter[TreeNode] = Counter()
    for node, holder in held.items():
        columns.setdefault(position[holder], []).append(node.text)
        position[holder] += 1
    full = [texts for texts in columns.values() if len(texts) >= MIN_RECORDS]
    middles = [median(texts) + 1 for texts in full]
    return len(middles) > 1 and max(middles) > COLUMN_CONTRAST * min(middles)


def _holder(node: TreeNode, members: frozenset[TreeNode]) -> TreeNode | None:
    return next((ancestor for ancestor in node.ancestors() if ancestor in members), None)


def records(page: Page, template: ListTemplate | None = None, hosts: Set[str] = frozenset()) -> RecordList | None:
    """The page's main repeated list; it may be empty where the page only leads on; None where it neither repeats nor leads on.

    With `hosts`, those of a shop, a list that leads elsewhere is none: reviews of it by people with a profile, say.
    """
    body = page.root.find(".//body")
    template = template or lexicon().lists
    groups = list(_groups(tree(page.root if body is None else body, template), template))
    best = _best(groups)
    while best is not None and hosts and _leads_away(best, page, hosts):
        groups.remove(best)
        best = _best(groups)
    best = _gathered(best)
    following = next_url(page)
    if best is None:
        return None if following is None else RecordList((), "", following)
    found = _named([tuple(node.element for node in segment) for segment in best.segments], page)
    return RecordList(found, xpath_of(best), following)


def records_at(page: Page, xpath: str, fewest: int = MIN_RECORDS) -> RecordList | None:
    """The records that `xpath`, found on an earlier page of the shop, selects here; None where there are not even the `fewest`."""
    elements = page.root.xpath(xpath)
    if len(elements) < fewest:
        return None
    found = _named([(element,) for element in elements], page)
    linked = sum(1 for record in found if record.href)
    return RecordList(found, xpath, next_url(page)) if linked >= MIN_LINKED * len(found) else None


def _named(members: Sequence[tuple[HtmlElement, ...]], page: Page) -> list[Record]:
    """The records of a list, which know what its links say more than once."""
    said = Counter(text for elements in members for text in {*_link_texts(elements)})
    labels = frozenset(text for text, count in said.items() if count > 1)
    return [Record(elements, page, labels) for elements in members]


def _link_texts(elements: tuple[HtmlElement, ...]) -> Iterator[str]:
    return (single_spaced(a.text_content()) for element in elements for a in element.iter("a"))


def _leads_away(group: RecordGroup, page: Page, hosts: Set[str]) -> bool:
    """Whether most of its members have no link to one of these hosts."""
    own = sum(1 for node in group.nodes if any(_is_at(a, page, hosts) for a in node.element.iter("a")))
    return 2 * own < len(group.nodes)


def _is_at(anchor: HtmlElement, page: Page, hosts: Set[str]) -> bool:
    return urlsplit(address(anchor, page) or "").netloc.lower() in hosts


def xpath_of(group: RecordGroup) -> str:
    """The shortest XPath, by names rather than by position, that selects the first element of each record and nothing else."""
    elements = [node.element for node in group.nodes]
    root = elements[0].getroottree()
    exact = (xpath for xpath in _xpaths(group.nodes) if _selects(root, xpath, elements))  # each is a search of the page
    return next(exact, "//" + "/".join(_place(group.nodes[0])))


def _place(node: TreeNode) -> list[str]:
    return [n.tag for n in (node, *node.ancestors())][::-1]


def _selects(root: Any, xpath: str, elements: list[HtmlElement]) -> bool:
    return bool(root.xpath(xpath) == elements)


def _xpaths(nodes: list[TreeNode]) -> Iterator[str]:
    """Candidates, simplest first: the record's own name, below a named element, below its parents, by its whole path."""
    own = _named_step([node.element for node in nodes])
    parents = [node.parent for node in nodes if node.parent]
    above = _named_step([parent.element for parent in parents])
    holder = next((n.element.get("id") for n in nodes[0].ancestors() if _is_stable(n.element.get("id"))), None)
    yield f"//{own}"
    if holder:
        yield f"//*[@id='{holder}']//{own}"
    yield f"//{above}/{own}"
    if holder:
        yield f"//*[@id='{holder}']//{above}/{own}"
    place = _place(nodes[0])
    yield f"//{'/'.join(place[:-1])}/{own}"
    yield f"//{'/'.join(place[:-2])}/{above}/{own}"


def _named_step(elements: list[HtmlElement]) -> str:
    """The tag with the classes that all have in common."""
    common = frozenset.intersection(*(frozenset((e.get("class") or "").split()) for e in elements))
    stable = sorted(name for name in common if _is_stable(name))
    conditions = "".join(
        f"[contains(concat(' ', normalize-space(@class), ' '), ' {name} ')]" for name in stable[:MAX_CLASSES]
    )
    return f"{elements[0].tag}{conditions}"


def _is_stable(name: str | None) -> bool:
    """A name that an author wrote: no numbers, which change from page to page, and nothing that XPath would misread."""
    return bool(name) and bool(re.fullmatch(r"[A-Za-z][A-Za-z_-]*", name or ""))
