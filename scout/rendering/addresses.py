"""The address of the data behind a page, as a template that the next page fills.

The addresses that several pages asked for are laid side by side, part by part: segments of the path, parameters, values in what was sent.
A part that differs from page to page must be explained by the page's own address or by data in its plain HTML.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any
from urllib.parse import parse_qsl, quote, unquote, unquote_plus, urlsplit

from scout.rules.blocks import leaves
from scout.values.routes import split_url
from scout.values.tables import table

MAX_BODY = 5_000_000  # characters; larger answers are bundles, not records
MAX_PIECE = 50_000  # of HTML: more is a page, and no text of a product
Parts = Mapping[str, str]  # what a page offers to fill a template with
Way = tuple[str | int, ...]  # keys and positions in data, outermost first
Facts = Mapping[str, frozenset[str]]  # a fact's name and its values: {"price": {"12.99"}} or {"links": {url, url ...}}

_JSONP = re.compile(r"^\s*(?:/\*\*/)?\s*[\w$.]+\((.*)\)\s*;?\s*$", re.DOTALL)
_PAGE_DATA = re.compile(r"""([A-Za-z_][\w-]*)["']?\s*[:=]\s*["']?([\w-]{1,64})""")
_MOMENT = re.compile(r"\D*\d{9,}\D*\d*|\D*0\.\d{6,}")  # a time or a random number: differs with every request
_NAME_LIKE = re.compile(r"[\w.:-]{1,64}")
_HOLE = re.compile(r"\{([a-z]+(?::[^{}*?]+)?)(?:\*(\d+)([+-]\d+))?(\??)\}|\{\{")


@dataclass(frozen=True)
class Exchange:
    """A request that the page made while it was rendered, and the answer."""

    url: str
    body: str
    method: str = "GET"
    sent: str = ""  # the request's own body
    headers: tuple[tuple[str, str], ...] = ()  # of the request, beyond what every browser sends

    @property
    def address(self) -> str:
        """What has to be asked to get this answer: the URL, and what is sent there (GraphQL) on the lines after it."""
        return f"{self.url}\n{self.sent}" if self.sent else self.url

    @classmethod
    def asked_at(cls, address: str) -> Exchange:
        """The request for an address, without its answer."""
        url, _, sent = address.partition("\n")
        return cls(url, "", "POST" if sent else "GET", sent)

    @property
    def is_repeatable(self) -> bool:
        """Whether it can be made again without a browser: a plain request, or a question put as JSON."""
        return self.method == "GET" or (self.method == "POST" and self.sent.lstrip().startswith(("{", "[")))

    @cached_property
    def data(self) -> Any:
        """The parsed answer, also of JSONP; a piece of HTML as a text; None where it is something else."""
        if self.body.lstrip().startswith("<") and len(self.body) <= MAX_PIECE:
            return {"html": self.body}
        wrapped = _JSONP.match(self.body[:MAX_BODY])
        return parsed_json(wrapped[1] if wrapped else self.body)


def parsed_json(text: str) -> Any:
    """An object or a list written as JSON; None where it is something else."""
    if len(text) > MAX_BODY or not text.lstrip().startswith(("{", "[")):
        return None
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def own_headers(headers: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    """The headers by which a shop's script tells its API what it wants (a store, a public key); none that name a visitor.

    >>> own_headers({"user-agent": "x", "cookie": "a=1", "store": "de", "authorization": "Bearer x"})
    (('store', 'de'),)
    """
    known = table("page_requests")["usual_headers"]
    return tuple((name, value) for name, value in headers.items() if name not in known and not name.startswith("sec-"))


def page_parts(url: str, html: str = "") -> dict[str, str]:
    """What a page offers to fill a template with: parts of its address, and names with a value in its plain HTML.

    >>> parts = page_parts("http://a.example/p/lamp-7.html?c=1", '<div data-sku="X12">')
    >>> parts["stem"], parts["id"], parts["q:c"], parts["d:data-sku"]
    ('lamp-7', '7', '1', 'X12')
    """
    split = split_url(url)
    segments = [unquote(segment) for segment in split.path.split("/") if segment]
    parts = {f"s:{i}": segment for i, segment in enumerate(segments)}
    parts |= {f"q:{name}": value for name, value in parse_qsl(split.query)}
    if segments:
        stem, dot, extension = segments[-1].rpartition(".")
        stem = stem if dot and extension.isalpha() else segments[-1]
        pieces = re.split(r"[-_]", stem)
        parts |= {"last": segments[-1], "stem": stem, "begin": pieces[0], "end": pieces[-1]}
        if numbers := re.findall(r"\d+", segments[-1]):
            parts["id"] = numbers[-1]
    for name, value in _PAGE_DATA.findall(html):
        parts.setdefault(f"d:{name}", value)
    return parts


def answer_parts(record: Any) -> dict[str, str]:
    """What an answer offers to make further addresses of: its ids, slugs and the like.

    >>> answer_parts({"id": 7, "name": "Lamp", "text": "For desks and shelves"})
    {'a:id': '7', 'a:name': 'Lamp'}
    """
    return {f"a:{'.'.join(map(str, way))}": value for way, value in leaves(record) if _NAME_LIKE.fullmatch(value)}


def address_template(asked: Sequence[tuple[Parts, Exchange]]) -> str | None:
    """The address with holes that is right for all these pages and what each of them asked; None where there is none.

    >>> pages = [(page_parts(f"http://a.example/p/{n}"), Exchange(f"http://a.example/api?id={n}", "")) for n in (7, 12)]
    >>> address_template(pages)
    'http://a.example/api?id={s:1}'
    """
    rows = [address_components(exchange) for _, exchange in asked]
    holes: dict[Way, str] = {}
    for name in dict.fromkeys(name for row in rows for name in row):
        values = [row.get(name) for row in rows]
        if len(set(values)) > 1:
            hole = _hole(name, values, [parts for parts, _ in asked])
            if hole is None:
                return None
            holes[name] = hole
        elif said := _said_by_all(values[0] or "", asked):
            holes[name] = f"{{{said}}}"
    fullest = max((exchange for _, exchange in asked), key=lambda exchange: len(address_components(exchange)))
    return _written(fullest, holes)


def _said_by_all(value: str, asked: Sequence[tuple[Parts, Exchange]]) -> str | None:
    """The parameter by which all pages say this very value: a page that says another one, or none, asks for something else."""
    common = set.intersection(
        *({name for name in parts if parts[name] == value and name[:2] == "q:"} for parts, _ in asked)
    )
    return min(common, default=None)


def is_constant(template: str) -> bool:
    """Whether the address is the same for all pages."""
    return not any(name for name, *_ in _HOLE.findall(template))


def fill_template(template: str, url: str, parts: Parts, *, used: str | None = None) -> str | None:
    """The address for the page at `url`; None where the page lacks what the template asks for, or its own address says more.

    Without its `page=2`, the answer would be that of another page. `used` is a part by which the answer is read.
    """
    said = {f"q:{name}" for name, _ in parse_qsl(split_url(url).query)}
    if not said <= {used, *(name for name, *_ in _HOLE.findall(template))}:
        return None
    address, newline, sent = template.partition("\n")
    path, mark, query = address.partition("?")
    optional = (_filled(pair, parts, quote_all) for pair in query.split("&"))
    wanted = [pair for pair in optional if pair != ""]
    texts = [_filled(path, parts, quote_all), *wanted, _filled(sent, parts, lambda text: json.dumps(text)[1:-1])]
    if any(text is None for text in texts):
        return None
    return f"{texts[0]}{mark if wanted else ''}{'&'.join(map(str, wanted))}{newline}{texts[-1]}"


def quote_all(text: str) -> str:
    """The text as one part of an address."""
    return quote(text, safe="")


def _filled(text: str, parts: Parts, escape: Any) -> str | None:
    """The text with its holes filled; empty where an optional one cannot be, None where another cannot."""
    missing = [hole for hole in _HOLE.finditer(text) if hole[1] and hole[1] not in parts and not hole[2]]
    if missing:
        return "" if all(hole[4] for hole in missing) else None

    def value(hole: re.Match[str]) -> str:
        if not hole[1]:
            return "{"
        part = parts.get(hole[1], "1")
        return escape(part) if not hole[2] else str(int(part) * int(hole[2]) + int(hole[3])) if part.isdigit() else ""

    return _HOLE.sub(value, text)


def address_components(exchange: Exchange) -> dict[Way, str]:
    """The parts of what was asked, each with its place: ("path", 2), ("query", "id"), ("sent", "variables", "slug")."""
    split = urlsplit(exchange.url)
    found: dict[Way, str] = {("host",): split.netloc, ("method",): exchange.method}
    found |= {("path", i): unquote(segment) for i, segment in enumerate(split.path.split("/"))}
    for name, value in parse_qsl(split.query, keep_blank_values=True):
        if value and exchange.body.lstrip().startswith(f"{value}("):  # the function that a script names anew each time
            value = "()"
        found |= {("query", name, *way): inner for way, inner in leaves(parsed_json(value))} or {("query", name): value}
    return found | {("sent", *way): value for way, value in leaves(parsed_json(exchange.sent))}


def _hole(name: Way, values: Sequence[str | None], pages: Sequence[Parts]) -> str | None:
    """What explains that a part of the address differs from page to page; a time of the request need not be explained."""
    if name[0] in ("host", "method"):
        return None
    offered = dict.fromkeys(part for parts in pages for part in parts)
    holes = (_fitting(part, values, [parts.get(part) for parts in pages]) for part in offered)
    return next(filter(None, holes), None) or _moment(name, values)


def _moment(name: Way, values: Sequence[str | None]) -> str | None:
    is_moment = name[0] == "query" and all(_MOMENT.fullmatch(value or "") for value in values)
    return _escaped(values[-1] or "") if is_moment else None


def _fitting(part: str, values: Sequence[str | None], given: Sequence[str | None]) -> str | None:
    """The hole in which this part of each page's gives its value; None where the part is the same for all pages, or does not fit."""
    if len(set(given)) == 1:
        return None
    both = [(value, own) for value, own in zip(values, given, strict=True) if value is not None and own is not None]
    has_same_gaps = all((value is None) == (own is None) for value, own in zip(values, given, strict=True))
    if has_same_gaps and (around := common_affixes(both)):
        prefix, suffix = map(_escaped, around)
        return f"{prefix}{{{part}{'?' if len(both) < len(values) else ''}}}{suffix}"
    return _counted(part, values, given) if part.startswith("q:") else None


def common_affixes(pairs: Sequence[tuple[str, str]]) -> tuple[str, str] | None:
    """What stands before and after the second text in the first, where that is the same in all pairs."""
    found: set[tuple[str, str]] | None = None
    for text, part in pairs:
        around = {(text[:at], text[at + len(part) :]) for at in _occurrences(part, text)}
        found = around if found is None else found & around
    return min(found, key=lambda affixes: (len(affixes[0]) + len(affixes[1]), affixes)) if found else None


def _counted(part: str, values: Sequence[str | None], given: Sequence[str | None]) -> str | None:
    """A number that grows with the page's own: an offset of 12 and 24 for the pages 2 and 3; the first page has no number."""
    pairs = {(own or "1", value or "") for value, own in zip(values, given, strict=True)}
    if not all(own.isdigit() and value.isdigit() for own, value in pairs) or len({own for own, _ in pairs}) < 2:
        return None
    numbers = {(int(own), int(value)) for own, value in pairs}
    (first, low), (second, high) = min(numbers), max(numbers)
    scale = (high - low) // (second - first)
    offset = low - scale * first
    fits = scale > 0 and all(value == scale * own + offset for own, value in numbers)
    return f"{{{part}*{scale}{offset:+d}}}" if fits else None


def _occurrences(part: str, text: str) -> Iterator[int]:
    at = text.find(part) if part else -1
    while at >= 0:
        if not is_within_word(text[:at], text[at + len(part) :]):
            yield at
        at = text.find(part, at + 1)


def is_within_word(before: str, after: str) -> bool:
    """Whether a value is only part of a longer word or number; an escaped character (%22) is none of it."""
    return bool(re.search(r"(?<!%[\dA-Fa-f])[^\W_]$", before) or re.match(r"[^\W_]", after))


def _escaped(text: str) -> str:
    return text.replace("{", "{{")


def _written(exchange: Exchange, holes: Mapping[Way, str]) -> str:
    """The address as it was asked, with holes in place of what differs."""
    split = urlsplit(exchange.url)
    segments = [holes.get(("path", i), _escaped(raw)) for i, raw in enumerate(split.path.split("/"))]
    query = "&".join(_written_pair(pair, holes) for pair in split.query.split("&") if pair)
    address = f"{split.scheme}://{split.netloc}{'/'.join(segments)}{'?' if query else ''}{query}"
    return f"{address}\n{_json_template(exchange.sent, ('sent',), holes)}" if exchange.sent else address


def with_component(address: str, at: Way, value: str) -> str:
    """The address with another value in one of its parts."""
    return _written(Exchange.asked_at(address), {at: _escaped(value)}).replace("{{", "{")


def _written_pair(pair: str, holes: Mapping[Way, str]) -> str:
    raw, _, value = pair.partition("=")
    at = ("query", unquote(raw))
    if at in holes:
        return f"{raw}={_quoted(holes[at])}"
    is_changed = any(name[:2] == at for name in holes)
    return f"{raw}={_quoted(_json_template(unquote_plus(value), at, holes))}" if is_changed else _escaped(pair)


def _quoted(template: str) -> str:
    """The constant text between the holes as it stands in an address."""
    pieces, end = [], 0
    for hole in _HOLE.finditer(template):
        pieces += [quote_all(template[end : hole.start()]), hole[0] if hole[1] else quote_all("{")]
        end = hole.end()
    return "".join([*pieces, quote_all(template[end:])])


def _json_template(text: str, at: Way, holes: Mapping[Way, str]) -> str:
    """JSON, which stands `at` this part of the address, with holes in place of the values that differ."""
    data = parsed_json(text)
    marked: dict[str, str] = {}
    for name, hole in holes.items():
        if name[: len(at)] == at:
            way, marker = name[len(at) :], f"\ue000{len(marked)}\ue000"
            written = json.dumps(hole, ensure_ascii=False)
            marked[f'"{marker}"'] = written if isinstance(node_at(data, way), str) else written[1:-1]
            data = changed_at(data, way, marker)
    template = _escaped(json.dumps(data, ensure_ascii=False, separators=(",", ":")))
    for marker, hole in marked.items():
        template = template.replace(marker, hole)
    return template


def node_at(data: Any, way: Way) -> Any:
    """What a way leads to; None where there is nothing."""
    for step in way:
        is_there = step in data if isinstance(data, dict) else isinstance(data, list) and step in range(len(data))
        if not is_there:
            return None
        data = data[step]
    return data


def changed_at(data: Any, way: Way, value: Any) -> Any:
    """A copy of the data with another value at the end of the way."""
    if not way:
        return value
    copy = dict(data) if isinstance(data, dict) else list(data)
    copy[way[0]] = changed_at(copy[way[0]], way[1:], value)  # type: ignore[index]
    return copy
