"""The markup a page carries for machines: JSON-LD, microdata and RDFa, read into one shape.

Every syntax becomes a `MarkupItem` whose `data` is a plain JSON-like dict ("@type", properties), so that one reader serves all
three. The parsers work on the page's own tree: extruct with all syntaxes costs 40 times the parse.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from lxml.html import HtmlElement

from scout.extraction.queries import query
from scout.extraction.script_data import lenient_json
from scout.page import Page
from scout.values.tables import table

Json = Any
Node = dict[str, Any]

MAX_NODES = 50_000  # nodes of one page's markup that are looked at: catalogues of thousands of offers add nothing
MAX_MARKED = 10_000  # marked elements of one page; the product's own stand before the lists of others
MAX_RESOLVED_DEPTH = 12  # how deep "@id" references and nested items are followed

# the ids of the scripts in which Scout keeps what the data behind a page says, and what a rendered page showed
ENDPOINT_MARKUP, RENDERED_MARKUP = "scout-endpoint", "scout-rendered"
LISTED_DATA = "scout-listed"  # and what the data behind a list says of each of its products
ELSEWHERE = frozenset(table("page_data")["markup"]["elsewhere"])

_WRAPPING = re.compile(
    r"^\s*(?:<!--|//\s*<!\[CDATA\[|<!\[CDATA\[|/\*\s*<!\[CDATA\[\s*\*/)|(?:-->|//\s*\]\]>|\]\]>|;)\s*$"
)
# by the attributes: asking every element for them takes twice as long
_MICRODATA = query("//@itemprop/.. | //@itemscope/..")
_RDFA = query("(//@typeof | //@property)/parent::*[not(self::meta[starts-with(@property, 'og:')])]")
_RESOURCE_ATTRIBUTES = {
    "a": "href", "area": "href", "link": "href", "img": "src", "audio": "src", "embed": "src", "iframe": "src", "source": "src",
    "track": "src", "video": "src", "object": "data", "data": "value", "meter": "value", "time": "datetime", "meta": "content",
}  # fmt: skip


@dataclass(frozen=True)
class MarkupItem:
    """One marked-up item: `syntax` and `path` say where it stood, `element` is its place in the tree (None for JSON-LD).

    `inner` is true for items that only accompany the page's subject: related products, entries of lists.
    """

    syntax: str
    data: Node
    path: str
    inner: bool = False
    element: HtmlElement | None = None

    @property
    def types(self) -> frozenset[str]:
        """Its schema.org types, lower case, without the vocabulary's address."""
        return frozenset(type_name(t) for t in as_list(self.data.get("@type")) if isinstance(t, str))


def type_name(text: str) -> str:
    """'http://schema.org/Product' -> 'product'."""
    return re.split(r"[/#:]", text.strip().rstrip("/"))[-1].lower()


def as_list(value: Json) -> list[Json]:
    """One or many values as a list; None is no value."""
    if value is None:
        return []
    return value if isinstance(value, list) else [value]


def prop(node: Node, *names: str) -> Json:
    """The first of the properties `names` (lower case) that the node has; vocabulary prefixes do not matter."""
    for name in names:
        if name in node:
            return node[name]
    return None


def things(page: Page) -> list[MarkupItem]:
    """Every marked-up item of the page, in the order of the syntaxes' reliability and of the document."""
    marked = microdata(page.root) if "itemscope" in page.html else []
    return [*json_ld(page.root), *marked, *(rdfa(page.root) if "typeof=" in page.html else [])]


# --- JSON-LD ---


def json_ld(root: HtmlElement) -> Iterator[MarkupItem]:
    """The items of all JSON-LD blocks, also of those that are not quite JSON."""
    scripts = [script for script in root.iter("script") if "ld+json" in (script.get("type") or "").lower()]
    held = [(script.get("id"), block) for script in scripts for block in parsed_block(script.text or "")]
    read = [(_block_name(name, order), list(nodes(block))) for order, (name, block) in enumerate(held)]
    by_id = {node["@id"]: node for _, found in read for _, _, node in found if _is_definition(node)}
    for name, found in read:
        for path, inner, node in found:
            if "@type" in node:
                yield MarkupItem("json-ld", resolved(node, by_id), f"json-ld[{name}]{path}", inner)


def _block_name(name: str | None, order: int) -> str | int:
    return name if name in (ENDPOINT_MARKUP, RENDERED_MARKUP) else order


def parsed_block(text: str) -> list[Json]:
    """A script's JSON with its keys lower-cased; [] where nothing can be read of it."""
    text = _WRAPPING.sub("", _WRAPPING.sub("", text)).strip()
    if "&quot;" in text and '"' not in text:  # escaped as if it stood in an attribute
        text = html.unescape(text)
    value = lenient_json(text)
    return [] if value is None else [lower_keys(value)]


def lower_keys(value: Json, depth: int = 0) -> Json:
    """The same value with plain lower-case keys: shops write `Offers` and `schema:price`; too deep a nest is cut."""
    if depth > 60:
        return None
    if isinstance(value, list):
        return [lower_keys(v, depth + 1) for v in value]
    if isinstance(value, dict):
        return {k.rsplit(":", 1)[-1].rsplit("/", 1)[-1].lower(): lower_keys(v, depth + 1) for k, v in value.items()}
    return value


def nodes(block: Json) -> Iterator[tuple[str, bool, Node]]:
    """(path, inner, node) of every object in a block, outermost first."""
    queue: list[tuple[str, bool, Json]] = [("", False, block)]
    for seen, (path, inner, value) in enumerate(queue):  # grows while it is read: breadth first
        if seen > MAX_NODES:
            return
        if isinstance(value, list):
            queue += [(f"{path}[{i}]", inner, v) for i, v in enumerate(value)]
        elif isinstance(value, dict):
            yield path, inner, value
            queue += [
                (f"{path}.{k}", inner or k in ELSEWHERE, v) for k, v in value.items() if isinstance(v, (dict, list))
            ]


def _is_definition(node: Node) -> bool:
    return isinstance(node.get("@id"), str) and len(node) > 1


def resolved(node: Node, by_id: dict[str, Node], depth: int = 0) -> Node:
    """The node with bare references ({"@id": ...}) replaced by what they name."""
    if depth > MAX_RESOLVED_DEPTH or not by_id:
        return node
    return {key: _resolved_value(value, by_id, depth) for key, value in node.items()}


def _resolved_value(value: Json, by_id: dict[str, Node], depth: int) -> Json:
    if isinstance(value, list):
        return [_resolved_value(v, by_id, depth) for v in value]
    if not isinstance(value, dict):
        return value
    if len(value) == 1 and isinstance(value.get("@id"), str):
        return by_id.get(value["@id"], value)  # not further: references may run in circles
    return resolved(value, by_id, depth + 1)


# --- microdata and RDFa: the same nesting, other attribute names ---


@dataclass(frozen=True)
class _Attributes:
    syntax: str
    scope: str
    type: str
    prop: str


_MICRODATA_NAMES = _Attributes("microdata", "itemscope", "itemtype", "itemprop")
_RDFA_NAMES = _Attributes("rdfa", "typeof", "typeof", "property")


def microdata(root: HtmlElement) -> list[MarkupItem]:
    """The page's microdata items (https://html.spec.whatwg.org/multipage/microdata.html), nested ones inside their owners too."""
    return _nested(_MICRODATA(root)[:MAX_MARKED], _MICRODATA_NAMES)


def rdfa(root: HtmlElement) -> list[MarkupItem]:
    """The page's RDFa Lite items (https://www.w3.org/TR/rdfa-lite/)."""
    elements = _RDFA(root)[:MAX_MARKED]
    if not any("typeof" in e.attrib for e in elements):
        return []
    return _nested(elements, _RDFA_NAMES)


def _nested(elements: Iterable[HtmlElement], names: _Attributes) -> list[MarkupItem]:
    items: dict[HtmlElement, Node] = {}
    found: list[MarkupItem] = []
    for element in elements:  # document order: an owner comes before what it owns
        owner = _owner(element, names.scope, items)
        if names.scope in element.attrib:
            types = [t for t in (element.get(names.type) or "").split() if t]
            items[element] = {"@type": types, "@element": element}
            inner = bool(set(_props(element, names)) & ELSEWHERE)
            path = f"{names.syntax} {element.get(names.type) or ''}"
            found.append(MarkupItem(names.syntax, items[element], path, inner, element))
        if owner is not None:
            _add(items[owner], element, names, items.get(element))
    return found


def _owner(element: HtmlElement, scope: str, items: dict[HtmlElement, Node]) -> HtmlElement | None:
    return next((a for a in element.iterancestors() if scope in a.attrib and a in items), None)


def _props(element: HtmlElement, names: _Attributes) -> list[str]:
    return [p.rsplit(":", 1)[-1].rsplit("/", 1)[-1].lower() for p in (element.get(names.prop) or "").split()]


def _add(owner: Node, element: HtmlElement, names: _Attributes, item: Node | None) -> None:
    value: Json = item if item is not None else element_value(element)
    for name in _props(element, names):
        owner.setdefault(name, []).append(value)
        owner.setdefault("@elements", {}).setdefault(name, []).append(element)


def element_value(element: HtmlElement) -> str:
    """What a marked element says: its `content`, its address or time, or its text."""
    content = element.get("content")
    if content is not None:
        return str(content)
    value = element.get(_RESOURCE_ATTRIBUTES.get(element.tag, "content"))
    return str(value) if value is not None else " ".join(element.text_content().split())
