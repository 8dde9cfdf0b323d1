"""The JSON behind a rendered page: which answer carried its data, and what to ask for on the next page without a browser."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from types import MappingProxyType
from typing import Any
from urllib.parse import parse_qsl, quote, urlencode, urlsplit

from scout.page import Page
from scout.rendering.levels import Facts
from scout.rules.blocks import leaves

MIN_PAIRS = 2  # one page and its endpoint fit any template
MIN_SHARE = 0.8  # of the facts a rendered page shows must stand in the answer: the rest is decoration
MIN_ITEMS = 2  # one record cannot tell its link from a constant
MAX_BODY = 5_000_000  # characters; larger answers are bundles, not records
# schema.org's names of the facts of a product
PROPERTIES = MappingProxyType(
    {"title": "name", "price": "price", "brand": "brand", "sku": "sku", "ean": "gtin", "han": "mpn"}
)

_TOKEN = re.compile(r"\d{2,}|[^\W_]{3,}", re.UNICODE)
# a brace that is one is written twice: GraphQL is full of them
_HOLE = re.compile(r"\{(path|query|last|id|[sq]:[^{}]+)\}|\{\{")


@dataclass(frozen=True)
class Exchange:
    """A request that the page made while it was rendered, and the answer."""

    url: str
    body: str
    method: str = "GET"
    sent: str = ""  # the request's own body

    @property
    def address(self) -> str:
        """What has to be asked to get this answer: the URL, and what is sent there (GraphQL) on the lines after it."""
        return f"{self.url}\n{self.sent}" if self.sent else self.url

    @property
    def is_repeatable(self) -> bool:
        """True for a request that can be made again without a browser: a plain one, or a question put as JSON."""
        return self.method == "GET" or (self.method == "POST" and self.sent.lstrip().startswith(("{", "[")))

    def data(self) -> Any:
        """The parsed answer, or None where it is not JSON."""
        if len(self.body) > MAX_BODY or not self.body.lstrip().startswith(("{", "[")):
            return None
        try:
            return json.loads(self.body)
        except (ValueError, RecursionError):
            return None


def embedded(page: Page) -> list[Exchange]:
    """The JSON that a page carries itself (`__NEXT_DATA__`), as if its own address had answered with it."""
    scripts = [script for script in page.root.iter("script") if "json" in (script.get("type") or "").lower()]
    return [Exchange(page.url, script.text) for script in scripts if script.text and "ld+" not in script.get("type")]


def carrier(exchanges: Iterable[Exchange], facts: Facts) -> Exchange | None:
    """The smallest JSON answer that holds nearly all values of `facts`; None where no single one does."""
    wanted = [_comparable(value) for values in facts.values() for value in values]
    found = [e for e in exchanges if e.is_repeatable and wanted and _holds(e.data(), wanted)]
    return min(found, key=lambda e: len(e.body), default=None)


def _holds(data: Any, wanted: Sequence[str]) -> bool:
    if data is None:
        return False
    there = {_comparable(value) for _, value in leaves(data)}
    return sum(value in there for value in wanted) >= MIN_SHARE * len(wanted)


def _comparable(value: str) -> str:
    squeezed = " ".join(value.split()).casefold()
    return squeezed.rstrip("0").rstrip(".") if re.fullmatch(r"\d+\.\d+", squeezed) else squeezed


def template(pairs: Sequence[tuple[str, str]]) -> str | None:
    """The endpoint's address with holes that the page's address fills, such that it is right for all `pairs` of page and endpoint.

    >>> template([("http://a.example/p/7", "http://a.example/api?id=7"), ("http://a.example/p/12", "http://a.example/api?id=12")])
    'http://a.example/api?id={s:1}'
    """
    if len({endpoint for _, endpoint in pairs}) < MIN_PAIRS:
        return None
    fitting = (t for t in _templates(*pairs[0]) if all(filled(t, page) == endpoint for page, endpoint in pairs))
    return next(fitting, None)


def filled(template: str, page_url: str) -> str | None:
    """The endpoint of a page, or None where the page's address lacks what the template asks for, or says more than it asks for:
    without its `page=2`, the answer would be that of another page."""
    parts = _parts(page_url)
    holes = [hole for hole in _HOLE.findall(template) if hole]
    said = {f"q:{name}" for name, _ in parse_qsl(urlsplit(page_url).query)}
    if any(hole not in parts for hole in holes) or not ("query" in holes or said <= set(holes)):
        return None
    return _HOLE.sub(lambda hole: parts[hole[1]] if hole[1] else "{", template)


def _parts(url: str) -> dict[str, str]:
    """What an address offers to fill a template with: its path, query, segments, parameters, and the number in its last segment."""
    split = urlsplit(url)
    segments = [s for s in split.path.split("/") if s]
    parts = {"path": split.path, "query": f"?{split.query}" if split.query else ""}
    parts |= {f"s:{i}": segment for i, segment in enumerate(segments)}
    parts |= {f"q:{name}": quote(value, safe="") for name, value in parse_qsl(split.query)}
    if segments:
        parts["last"] = segments[-1]
        numbers = re.findall(r"\d+", segments[-1])
        if numbers:
            parts["id"] = numbers[-1]
    return parts


def _templates(page_url: str, endpoint: str) -> Iterator[str]:
    """Templates that turn this page into this endpoint, most telling hole first."""
    start = len("https://") + len(urlsplit(endpoint).netloc) - 1
    for name, part in _parts(page_url).items():
        if not part or part == "/" or name == "query":
            continue
        for at in _occurrences(part, endpoint, start):
            before, after = (text.replace("{", "{{") for text in (endpoint[:at], endpoint[at + len(part) :]))
            query = _parts(page_url)["query"]
            is_query = after == query if query else name == "path" and not after
            yield f"{before}{{{name}}}{'{query}' if is_query else after}"


def _occurrences(part: str, text: str, start: int) -> Iterator[int]:
    at = text.find(part, start)
    while at >= 0:
        if part.startswith("/") or not _continues(text[:at], text[at + len(part) :]):
            yield at
        at = text.find(part, at + 1)


@dataclass(frozen=True)
class ItemLinks:
    """Where an answer lists products, and how the address of each is made of one of its values."""

    keys: tuple[str, ...]  # the way to the array
    value: str
    prefix: str
    suffix: str

    def of(self, data: Any) -> list[str]:
        """The links of the products in an answer of the same kind."""
        for key in self.keys:
            data = data.get(key) if isinstance(data, dict) else None
        items = [i for i in data if isinstance(i, dict)] if isinstance(data, list) else []
        return [
            f"{self.prefix}{item[self.value]}{self.suffix}"
            for item in items
            if isinstance(item.get(self.value), (str, int))
        ]


Way = tuple[str | int, ...]  # keys and positions, outermost first


def fact_ways(data: Any, facts: Facts) -> dict[str, frozenset[Way]]:
    """Where in an answer the value of each fact stands that a page shows once: which of its amounts is the price, say."""
    wanted = {name: _comparable(next(iter(values))) for name, values in facts.items() if len(values) == 1}
    found = [(way, _comparable(value)) for way, value in leaves(data)]
    return {name: frozenset(way for way, there in found if there == value) for name, value in wanted.items()}


def value_at(data: Any, way: Way) -> str | None:
    """The value to which a way leads; None where there is none."""
    for step in way:
        is_there = step in data if isinstance(data, dict) else isinstance(data, list) and step in range(len(data))
        if not is_there:
            return None
        data = data[step]
    return str(data) if isinstance(data, (str, int, float)) and not isinstance(data, bool) else None


def item_links(data: Any, links: Iterable[str]) -> ItemLinks | None:
    """How an answer's records become the links that the rendered page shows; None where no value of theirs explains all of them."""
    shown = sorted(set(links))
    for keys, items in _arrays(data, ()):
        for name in items[0]:
            values = [str(item.get(name, "")) for item in items]
            found = _affixes(values, shown)
            if found and len(set(values)) == len(values):
                return ItemLinks(keys, name, *found)
    return None


def _arrays(data: Any, keys: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], list[dict[str, Any]]]]:
    if isinstance(data, list) and len(data) >= MIN_ITEMS and all(isinstance(i, dict) for i in data):
        yield keys, data
    elif isinstance(data, dict):
        for key, value in data.items():
            yield from _arrays(value, (*keys, key))


def _affixes(values: Sequence[str], links: Sequence[str]) -> tuple[str, str] | None:
    """What stands before and after the value in the links, where that is the same for every value."""
    found: set[tuple[str, str]] = set()
    for value in values:
        around = {
            (a, b) for link in links for a, sep, b in [link.rpartition(value)] if value and sep and not _continues(a, b)
        }
        found = around if not found else found & around
        if not found:
            return None
    return min(found, key=lambda f: (len(f[0]) + len(f[1]), f))


def _continues(before: str, after: str) -> bool:
    """True where the value is only part of a longer word or number of the link; an escaped character (%22) is none of it."""
    return bool(re.search(r"(?<!%[\dA-Fa-f])[^\W_]$", before) or re.match(r"[^\W_]", after))


@dataclass(frozen=True)
class Paging:
    """The parameter that counts a list's pages, and how many products a full page has."""

    parameter: str
    size: int

    def following(self, url: str, count: int) -> str | None:
        """The address of the page after `url`, which held `count` products; None after one that was not full."""
        if count < self.size:
            return None
        split = urlsplit(url)
        query = dict(parse_qsl(split.query, keep_blank_values=True))
        query[self.parameter] = str(_number(query.get(self.parameter)) + 1)
        return split._replace(query=urlencode(query)).geturl()


def paging(url: str, following: str, count: int) -> Paging | None:
    """How the next page's address differs from this one's, where it is by one number that counts up."""
    here, there = (dict(parse_qsl(urlsplit(u).query, keep_blank_values=True)) for u in (url, following))
    changed = [name for name, value in there.items() if here.get(name) != value]
    if len(changed) == 1 and _number(there[changed[0]]) == _number(here.get(changed[0])) + 1:
        return Paging(changed[0], count)
    return None


def _number(value: str | None) -> int:
    return int(value) if value and value.isdigit() else 1


def data_page(
    url: str,
    data: Any,
    links: Sequence[str] = (),
    following: str | None = None,
    currency: str | None = None,
    facts: Mapping[str, str] | None = None,
) -> Page:
    """An endpoint's answer as a page: the data embedded as a shop would embed it, so that extraction needs no second way.

    With `facts`, the product's fields, these are marked up instead: where the names in the data do not tell, nothing else is read from it.
    """
    embedded = _state(data) if facts is None else _markup(facts)
    records = "".join(
        f'<li class="product"><a href="{escape(link)}"><img alt=""><b>{escape(_name(link))}</b></a></li>'
        for link in links
    )
    more = f'<a rel="next" href="{escape(following)}">next</a>' if following else ""
    listed = f'<main><ul class="products">{records}</ul>{more}</main>' if links else ""
    told = f'<meta property="product:price:currency" content="{escape(currency)}">' if currency else ""
    return Page(url, f"<html><head>{told}</head><body>{listed}{embedded}</body></html>")


def _state(data: Any) -> str:
    state = json.dumps(data, ensure_ascii=False).replace("<", "\\u003c")
    return f'<script type="application/json" id="scout-data">{state}</script>'


def _markup(facts: Mapping[str, str]) -> str:
    marked = "".join(f'<p itemprop="{PROPERTIES[name]}">{escape(value)}</p>' for name, value in facts.items())
    return f'<div itemscope itemtype="https://schema.org/Product">{marked}</div>'


def _name(link: str) -> str:
    return " ".join(_TOKEN.findall(urlsplit(link).path.rsplit("/", 1)[-1])) or link


@dataclass(frozen=True)
class Endpoint:
    """The JSON behind a level: its address, and for lists how its records become links and which page comes next.

    `currency` is what the rendered pages show beside their prices, where the JSON does not say it; `ways` is where the fields of a
    product stand, where the names in the JSON do not tell.
    """

    template: str
    items: ItemLinks | None = None
    paging: Paging | None = None
    currency: str | None = None
    ways: Mapping[str, Way] = field(default_factory=dict)

    def pages(self, url: str, answers: Iterable[Exchange]) -> Iterator[Page]:
        """The page at `url` by each of the answers that has products where this endpoint has them."""
        for answer in answers:
            data = answer.data()
            if data is not None and (self.items is None or self.items.of(data)):
                yield self.page(url, data)

    def page(self, url: str, data: Any) -> Page:
        """The answer for the page at `url`, as a page."""
        links = self.items.of(data) if self.items else []
        following = self.paging.following(url, len(links)) if self.paging else None
        told = {name: value for name, way in self.ways.items() if (value := value_at(data, way)) is not None}
        return data_page(url, data, links, following, self.currency, told if self.ways else None)

    def as_dict(self) -> dict[str, Any]:
        """Plain data for the rule file."""
        plain: dict[str, Any] = {"template": self.template}
        if self.items:
            plain["items"] = {**self.items.__dict__, "keys": list(self.items.keys)}
        if self.paging:
            plain["paging"] = dict(self.paging.__dict__)
        if self.currency:
            plain["currency"] = self.currency
        if self.ways:
            plain["ways"] = {name: list(way) for name, way in sorted(self.ways.items())}
        return plain

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Endpoint:
        """The reverse of as_dict."""
        items, paged = data.get("items"), data.get("paging")
        links = ItemLinks(**{**items, "keys": tuple(items["keys"])}) if items else None
        ways = {name: tuple(way) for name, way in (data.get("ways") or {}).items() if name in PROPERTIES}
        return cls(str(data["template"]), links, Paging(**paged) if paged else None, data.get("currency"), ways)
