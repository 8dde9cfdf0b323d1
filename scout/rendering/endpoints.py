"""The data behind pages: where in the answers that a page got stands what it shows, and how to read the next page from there.

An endpoint is found on some rendered pages by the values that its answers share with them, in whatever form, and proven on another. It may
say more than the pages show: what its keys name is read, too.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from decimal import Decimal, InvalidOperation
from html import escape
from itertools import islice, product
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit

from scout.extraction.availability import stock_state
from scout.extraction.ballot import Claim
from scout.extraction.embedded_state import StateProduct, is_row_key, state_claims
from scout.extraction.field_parsers import READERS, text
from scout.extraction.lexicon import data_key, lexicon
from scout.extraction.script_data import embedded_values, lenient_json
from scout.extraction.structured_data import ENDPOINT_MARKUP, LISTED_DATA, RENDERED_MARKUP
from scout.fields import field as field_named
from scout.page import Page
from scout.rendering.addresses import (
    Exchange,
    Parts,
    Way,
    address_template,
    changed_at,
    common_affixes,
    fill_template,
    is_constant,
    node_at,
    page_parts,
)
from scout.rendering.levels import Facts
from scout.url_rules import is_page_number
from scout.values.routes import split_url
from scout.values.tables import table

MIN_SAMPLES = 2  # one page and its endpoint fit any template
MAX_TRIES = 300  # combinations of answers of several pages that are laid side by side
MAX_DEPTH = 8  # of values in a record: no shop nests a price deeper
MIN_ITEMS = 2  # one record cannot tell its link from a constant
_HOME = '<header><a href="/">home</a></header>'  # a page of the shop leads on
IN_PAGE = "page://"  # the address of data that the plain page carries itself
AMOUNTS = ("price", "list_price")
_MINOR_UNITS = 100
_PATH_NUMBER = re.compile(r"(/[A-Za-z_-]+/?)\d+/?$")
_STOCK_KEYS = frozenset((*table("page_data")["variants"]["stock"], *table("page_data")["variants"]["counts"]))
_FURTHER = ("brand", "sku", "ean", "han", "description", "availability", "list_price", "currency", "images")
# schema.org's names
_PROPERTIES = {
    "title": "name",
    "sku": "sku",
    "ean": "gtin",
    "han": "mpn",
    "brand": "brand",
    "description": "description",
}
_PROPERTIES |= {"images": "image"}


@dataclass(frozen=True)
class Sample:
    """A rendered page: what it shows, what its plain page lacked, and the answers it got. `records` are a list's, by their address."""

    url: str
    parts: Parts
    facts: Facts
    exchanges: Sequence[Exchange]
    gained: Collection[str] = ()
    records: Mapping[str, Facts] = field(default_factory=dict)


def embedded(page: Page) -> list[Exchange]:
    """The data that a page carries itself (`__NEXT_DATA__`, `window.__STATE__ = {…}`), as if an address of its own had answered with it."""
    return [Exchange(f"{IN_PAGE}{name}", json.dumps(value)) for name, value in _script_values(page)]


def _script_values(page: Page) -> Iterator[tuple[str, Any]]:
    typed = [((script.get("type") or "").lower(), script, code) for script, code in page.scripts]
    held = [(script, state) for kind, script, state in typed if "json" in kind and "ld+" not in kind]
    for number, (script, state) in enumerate(held):
        yield script.get("id") or str(number), lenient_json(state)
    for code in (code for kind, _, code in typed if "json" not in kind):
        yield from ((name, value) for name, value in embedded_values(code) if name)


# --- one value in several forms ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class ValuePlace:
    """Where in a record a field's value stands, and in which form."""

    way: Way
    form: str

    def read(self, name: str, record: Any) -> str | None:
        """The value as the field has it."""
        value = _plain_at(record, self.way)
        if value is None:
            return None
        if self.form in ("amount", "text"):
            return stock_state("", str(value)) if name == "availability" else str(value)
        if self.form == "minor":
            return _major_units(value)
        return "InStock" if bool(_decimal(value)) != (self.form == "denial") else "OutOfStock"


def _plain_at(data: Any, way: Way) -> Any:
    """The text or number to which a way leads; None where there is none, or an empty one."""
    value = node_at(data, way)
    return value if isinstance(value, (str, int, float)) and value != "" else None


def _major_units(value: Any) -> str | None:
    amount = _decimal(value)
    return None if amount is None else f"{amount / _MINOR_UNITS:.2f}"


def _decimal(value: Any) -> Decimal | None:
    try:
        return Decimal(int(value) if isinstance(value, bool) else str(value))
    except InvalidOperation:
        return None


def _forms(name: str, shown: str, value: Any) -> Iterator[str]:
    """The forms in which `value` says what the page shows as a field."""
    if name in AMOUNTS:
        amount, wanted = _decimal(value), _decimal(shown)
        if isinstance(value, str) and amount is None:
            amount = _decimal(field_named("price").read(value) or "")
        if isinstance(value, bool) or amount is None or wanted is None:
            return
        if amount == wanted:
            yield "amount"
        if amount == wanted * _MINOR_UNITS and amount % 1 == 0:
            yield "minor"
    elif name == "availability":
        yield from _stock_forms(shown, value)
    elif not isinstance(value, bool) and _comparable(str(value)) == _comparable(shown):
        yield "text"


def _stock_forms(shown: str, value: Any) -> Iterator[str]:
    is_there = shown == "InStock"
    if isinstance(value, str) and not value.isdigit():
        if stock_state("", value) == shown:
            yield "text"
    elif shown in ("InStock", "OutOfStock"):
        if bool(_decimal(value)) == is_there:
            yield "count"
        elif isinstance(value, bool):
            yield "denial"


def _comparable(value: str) -> str:
    return " ".join(value.split()).casefold()


def _leaves(value: Any, way: Way = ()) -> Iterator[tuple[Way, Any]]:
    if isinstance(value, (dict, list)):
        if len(way) < MAX_DEPTH:
            for step, inner in value.items() if isinstance(value, dict) else enumerate(value):
                yield from _leaves(inner, (*way, step))
    elif isinstance(value, (str, int, float)):
        yield way, value


def value_places(records: Sequence[Any], facts: Sequence[Facts]) -> dict[str, ValuePlace]:
    """For each field the place where all records have the value that their page shows."""
    leaves = [list(_leaves(record)) for record in records]
    found = {}
    for name in dict.fromkeys(name for shown in facts for name in shown):
        told = [(held, next(iter(shown[name]))) for held, shown in zip(leaves, facts, strict=True) if shown.get(name)]
        places = _common_places(name, told)
        if name == "availability" and len({value for _, value in told}) == 1:
            places = {place for place in places if place.form == "text" or _names(place.way, name)}
        if places:
            found[name] = min(places, key=lambda place: _rank(name, place))
    return found


def _common_places(name: str, told: Sequence[tuple[list[tuple[Way, Any]], str]]) -> set[ValuePlace]:
    common: set[ValuePlace] | None = None
    for held, shown in told:
        here = {ValuePlace(way, form) for way, value in held for form in _forms(name, shown, value)}
        common = here if common is None else common & here
    return common or set()


def _rank(name: str, place: ValuePlace) -> tuple[Any, ...]:
    return (not _names(place.way, name), place.form == "minor", len(place.way), *map(str, place.way))


def _names(way: Way, name: str) -> bool:
    """Whether the last key of a way names the field."""
    key = data_key(str(next((step for step in reversed(way) if isinstance(step, str)), "")))
    known = any(named == name for named, _ in lexicon().by_key.get(key, ()))
    return known or (name == "availability" and key in _STOCK_KEYS)


def further_values(record: Any, known: Mapping[str, ValuePlace]) -> dict[str, str]:
    """What the keys of a record name beyond the values that its page shows."""
    if not isinstance(record, dict):
        return {}
    is_minor = "price" in known and known["price"].form == "minor"
    claims = sorted(state_claims([StateProduct(record, "", 1.0)], lexicon()), key=lambda claim: -claim.weight)
    wanted = [c for c in claims if c.field in _FURTHER and c.field not in known and not is_row_key(c.where)]
    found: dict[str, str] = {}
    for claim in wanted:
        if value := _read_claim(claim, is_minor=is_minor):
            found.setdefault(claim.field, value)
    return found


def _read_claim(claim: Claim, *, is_minor: bool) -> str | None:
    if claim.field == "availability":
        return stock_state(claim.where, claim.raw)
    if is_minor and claim.field in AMOUNTS:
        return _major_units(claim.raw) if claim.raw.isdigit() else None
    return READERS.get(claim.field, text)(claim.raw)


# --- products ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Selection:
    """The member of a list in an answer that the page is about: the one whose `key` has a value that the page names."""

    way: Way
    key: str
    part: str

    def member(self, data: Any, parts: Parts) -> Any:
        """That member; None where there is none."""
        named = (m for m in _members(data, self.way) if str(m.get(self.key)) == parts.get(self.part))
        return next(named, None)


def _members(data: Any, way: Way) -> list[dict[str, Any]]:
    """The objects in the list to which a way leads."""
    listed = node_at(data, way)
    return [member for member in listed if isinstance(member, dict)] if isinstance(listed, list) else []


@dataclass(frozen=True)
class DataSource:
    """An address that answers with values of a product's page, and where they stand."""

    template: str
    values: Mapping[str, ValuePlace] = field(default_factory=dict)
    selected: Selection | None = None
    headers: Mapping[str, str] = field(default_factory=dict)  # that its requests need

    def address(self, url: str, parts: Parts) -> str | None:
        """What to ask for the page at `url`; None where it does not fill the template."""
        if self.template.startswith(IN_PAGE):
            return self.template
        return fill_template(self.template, url, parts, used=self.selected.part if self.selected else None)

    def read(self, data: Any, parts: Parts) -> dict[str, str]:
        """What an answer says of a page's product; nothing where it is about others."""
        record = self.selected.member(data, parts) if self.selected else data
        found = {name: value for name, place in self.values.items() if (value := place.read(name, record))}
        # the values beside its title are the product's, too
        holder = node_at(record, self.values["title"].way[:-1]) if "title" in self.values else record
        return {**further_values(holder, self.values), **found} if found else {}


def _product_sources(samples: Sequence[Sample]) -> Iterator[DataSource]:
    """Every address that explains values of all samples."""
    for template, exchanges in _aligned(samples):
        answers = [exchange.data for exchange in exchanges]
        selections = [None, *_selections(answers, samples)]
        if is_constant(template) and not template.startswith(IN_PAGE):
            selections = selections[1:]
        for selected in selections:
            pairs = zip(answers, samples, strict=True)
            records = [selected.member(data, sample.parts) if selected else data for data, sample in pairs]
            if values := value_places(records, [sample.facts for sample in samples]):
                yield DataSource(template, values, selected, dict(exchanges[-1].headers))


def _aligned(samples: Sequence[Sample]) -> Iterator[tuple[str, Sequence[Exchange]]]:
    """Templates that are right for one answer of each sample, with these answers."""
    shapes = [_by_shape(sample.exchanges) for sample in samples]
    for shape in shapes[0]:
        for exchanges in islice(product(*(by_shape.get(shape, ()) for by_shape in shapes)), MAX_TRIES):
            pairs = [(sample.parts, exchange) for sample, exchange in zip(samples, exchanges, strict=True)]
            if template := address_template(pairs):
                yield template, exchanges


def _by_shape(exchanges: Iterable[Exchange]) -> dict[tuple[Any, ...], list[Exchange]]:
    found: dict[tuple[Any, ...], list[Exchange]] = {}
    for exchange in exchanges:
        if exchange.is_repeatable and exchange.data is not None:
            split, sent = urlsplit(exchange.url), Exchange("", exchange.sent).data
            shape = split.netloc, split.path.count("/"), frozenset(way for way, _ in _leaves(sent))
            found.setdefault(shape, []).append(exchange)
    return found


def _selections(answers: Sequence[Any], samples: Sequence[Sample]) -> Iterator[Selection]:
    """The ways to choose a member of a list by a value that the page names, which work for all samples."""
    for way, members in _arrays(answers[0], ()):
        named = {name: value for name, value in samples[0].parts.items() if not name.startswith("d:")}
        found = {
            Selection(way, key, part)
            for member in members
            for key, value in member.items()
            for part, wanted in named.items()
            if isinstance(value, (str, int)) and str(value) == wanted
        }
        for selection in sorted(found, key=lambda s: (s.part.startswith("q:"), s.key, s.part)):
            members_of = [selection.member(data, sample.parts) for data, sample in zip(answers, samples, strict=True)]
            if all(members_of) and len({id(member) for member in members_of}) == len(samples):
                yield selection


def _arrays(data: Any, way: Way) -> Iterator[tuple[Way, list[dict[str, Any]]]]:
    if isinstance(data, list) and len(data) >= MIN_ITEMS and all(isinstance(i, dict) for i in data):
        yield way, data
    elif isinstance(data, dict):
        for key, value in data.items():
            yield from _arrays(value, (*way, key))


# --- lists ------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class DataPager:
    """The number in a list's address that leads to the answer after it: `where` it stands, and what it grows by.

    A `step` of 0 stands for the number of members in an answer.
    """

    where: Way
    step: int

    def following(self, address: str, count: int) -> str | None:
        """The address of the answer after the one at `address`, which had `count` members."""
        url, newline, sent = address.partition("\n")
        split, name = urlsplit(url), self.where[-1]
        if self.where[0] == "sent":
            data, way = json.loads(sent), self.where[1:]
            number = node_at(data, way)
            data = changed_at(data, way, type(number)(int(number) + (self.step or count)))
            return f"{url}{newline}{json.dumps(data, separators=(',', ':'))}"
        query = dict(parse_qsl(split.query, keep_blank_values=True))
        query[str(name)] = str(int(query.get(str(name)) or 1) + (self.step or count))
        return f"{split._replace(query=urlencode(query)).geturl()}{newline}{sent}"


@dataclass(frozen=True)
class ListedItems:
    """Where an answer lists products, how the address of each is made of one of its values, and where the others stand."""

    way: Way
    key: Way
    prefix: str
    suffix: str
    values: Mapping[str, ValuePlace] = field(default_factory=dict)
    pager: DataPager | None = None
    parameter: str | None = (
        None  # what counts the list's own pages in their addresses, where the data is not paged by itself
    )
    size: int = 0  # of a full page

    def next_page(self, url: str, count: int) -> str | None:
        """The address of the list's page after `url`, which has `count` products; None after one that is not full."""
        if self.parameter is None or self.pager is not None or count < self.size:
            return None
        return _page_after(url, self.parameter)

    def members(self, data: Any) -> dict[str, Any]:
        """The products in an answer by their addresses."""
        named = ((_plain_at(member, self.key), member) for member in _members(data, self.way))
        return {f"{self.prefix}{name}{self.suffix}": member for name, member in named if name is not None}

    def following(self, address: str, data: Any, known: set[str]) -> str | None:
        """The address of the answer after this one; None where it has nothing that is not `known` yet. Adds what it has."""
        listed = self.members(data).keys()
        is_end = self.pager is None or listed <= known
        known.update(listed)
        return None if is_end or self.pager is None else self.pager.following(address, len(listed))


def _page_after(url: str, parameter: str) -> str:
    """The address after `url` by a parameter ("page") or by what stands before the number in the path ("/page/").

    >>> _page_after("http://a.example/c?page=2", "page"), _page_after("http://a.example/#/c", "/page/")
    ('http://a.example/c?page=3', 'http://a.example/#/c/page/2')
    """
    address, mark, query = url.partition("?")
    if parameter.startswith("/"):
        base, _, number = address.rstrip("/").rpartition(parameter)
        is_first = not number.isdigit()
        return (
            f"{address.rstrip('/') if is_first else base}{parameter}{2 if is_first else int(number) + 1}{mark}{query}"
        )
    values = dict(parse_qsl(query, keep_blank_values=True))
    number = values.get(parameter, "1")
    return f"{address}?{urlencode({**values, parameter: int(number) + 1 if number.isdigit() else 2})}"


def _page_parameter(samples: Sequence[Sample]) -> str | None:
    """What counts up to the next page in the pages' own addresses."""
    for sample in samples:
        for following in sample.facts.get("next", ()):
            there = dict(parse_qsl(split_url(following).query))
            before = _PATH_NUMBER.search(following.partition("?")[0])
            names = [*there, *([before[1]] if before else [])]
            if found := next((name for name in names if _page_after(sample.url, name) == following.rstrip("/")), None):
                return found
    return None


def _list_endpoint(samples: Sequence[Sample]) -> Endpoint | None:
    found = [
        Endpoint((DataSource(template, headers=dict(exchanges[-1].headers)),), items, is_added=IN_PAGE in template)
        for template, exchanges in _aligned(samples)
        if (items := _listed_items(samples, exchanges)) and not (is_constant(template) and IN_PAGE not in template)
    ]
    for endpoint in found:
        is_whole = all(_covers(endpoint, sample) for sample in samples)
        if is_whole or all(_covers(replace(endpoint, is_added=True), sample) for sample in samples):
            return replace(endpoint, is_added=endpoint.is_added or not is_whole)
    return None


def _covers(endpoint: Endpoint, sample: Sample) -> bool:
    """Whether the answers that the page got, with what its plain page has, lead to all that it shows."""
    assert endpoint.items
    told = {url for exchange in sample.exchanges for url in endpoint.items.members(exchange.data)}
    wanted = frozenset(sample.records) or sample.facts.get("links", frozenset())
    return wanted <= told | (sample.facts.get("plain links", frozenset()) if endpoint.is_added else frozenset())


def _listed_items(samples: Sequence[Sample], exchanges: Sequence[Exchange]) -> ListedItems | None:
    """How the members of all these answers become links that their pages show."""
    for way, members in _arrays(exchanges[0].data, ()):
        for key, _ in _leaves(members[0]):
            values = [str(value) for member in members if (value := _plain_at(member, key)) is not None]
            if len(set(values)) < len(members):
                continue
            if around := _link_affixes(values, samples[0].facts.get("links", ())):
                items = ListedItems(way, key, *around)
                pairs = list(zip(samples, exchanges, strict=True))
                if all(items.members(e.data).keys() <= s.facts.get("links", frozenset()) for s, e in pairs[1:]):
                    size = max(len(items.members(exchange.data)) for exchange in exchanges)
                    parameter, places = _page_parameter(samples), _item_values(items, pairs)
                    pager = _pager(exchanges if parameter else exchanges[:1])
                    return replace(items, values=places, pager=pager, parameter=parameter, size=size)
    return None


def _item_values(items: ListedItems, pairs: Iterable[tuple[Sample, Exchange]]) -> dict[str, ValuePlace]:
    shown = [
        (member, sample.records[url])
        for sample, exchange in pairs
        for url, member in items.members(exchange.data).items()
        if url in sample.records
    ]
    return value_places([member for member, _ in shown], [facts for _, facts in shown])


def _link_affixes(values: Sequence[str], links: Iterable[str]) -> tuple[str, str] | None:
    """What stands before and after each value in one of the links, where that is the same for every value."""
    shown, found = list(links), None
    for value in values:
        around = {affixes for link in shown if value in link and (affixes := common_affixes([(link, value)]))}
        found = around if found is None else found & around
        if not found:
            return None
    return min(found, key=lambda f: (len(f[0]) + len(f[1]), f)) if found else None


def _pager(exchanges: Sequence[Exchange]) -> DataPager | None:
    """The page number or offset with which all lists began, told by its name."""
    for where, value in _numbers(exchanges[0]):
        is_first = all((where, value) in _numbers(exchange) for exchange in exchanges)
        if is_first and str(value).isdigit() and is_page_number(str(where[-1])):
            return DataPager(where, 1 if int(value) in (1, 2) else 0)
    return None


def _numbers(exchange: Exchange) -> list[tuple[Way, Any]]:
    asked: list[tuple[Way, Any]] = [(("query", name), value) for name, value in parse_qsl(urlsplit(exchange.url).query)]
    return asked + [(("sent", *way), value) for way, value in _leaves(Exchange("", exchange.sent).data)]


# --- what is known of a level's data ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Endpoint:
    """The data behind a level. `is_added`: its values are added to the plain page, which has the rest.

    `currency` is what the rendered pages show beside their prices, where the data does not say it.
    """

    sources: tuple[DataSource, ...]
    items: ListedItems | None = None
    currency: str | None = None
    is_added: bool = False

    def addresses(self, url: str, plain: Page | None) -> list[str] | None:
        """What to ask for the page at `url`; None where the page does not fill the templates."""
        parts, asked = page_parts(url, plain.html if plain else ""), self._counted(url)
        filled = [source.address(asked, parts) for source in self.sources]
        return None if None in filled else [address for address in filled if address]

    def _counted(self, url: str) -> str:
        """The page's address as its template is asked: without a page number where the data is paged by itself."""
        if self.items is None or self.items.pager is None:
            return url
        split = split_url(url)
        kept = [(name, value) for name, value in parse_qsl(split.query) if not is_page_number(name)]
        return split._replace(query=urlencode(kept)).geturl()

    def page(self, url: str, answers: Sequence[Sequence[Any]], plain: Page | None = None) -> Page | None:
        """The answers of each source (a list may have several) as the page at `url`; None where they say nothing of it."""
        if self.items is not None:
            members = {u: m for data in answers[0] for u, m in self.items.members(data).items()}
            return _list_page(url, members, self.items, plain if self.is_added else None) if members else None
        parts = page_parts(url, plain.html if plain else "")
        told = [source.read(data, parts) for source, each in zip(self.sources, answers, strict=True) for data in each]
        values = {name: value for said in told for name, value in said.items()}
        if not all(told) or not (self.is_added or "title" in values):
            return None
        if self.currency and "price" in values:
            values.setdefault("currency", self.currency)
        return _product_page(url, values, plain if self.is_added else None)

    def describe(self) -> str:
        """What comes from where, in a sentence."""
        named = "; ".join(
            f"{', '.join(sorted(source.values)) or 'its list'} from {source.template.partition(chr(10))[0]}"
            for source in self.sources
        )
        return f"{named}; {'all else from the plain page' if self.is_added else 'nothing from the plain page'}"

    def as_dict(self) -> dict[str, Any]:
        """Plain data for the rule file."""
        return {name: value for name, value in _plain(asdict(self)).items() if value}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Endpoint:
        """The reverse of as_dict."""
        sources = tuple(
            DataSource(
                str(s["template"]), _places(s), _built(Selection, s.get("selected")), dict(s.get("headers") or {})
            )
            for s in data["sources"]
        )
        listed = data.get("items")
        items = None
        if listed:
            items = _built(
                ListedItems, {**listed, "values": _places(listed), "pager": _built(DataPager, listed.get("pager"))}
            )
        return cls(sources, items, data.get("currency"), bool(data.get("is_added")))


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {name: _plain(inner) for name, inner in value.items() if inner not in (None, {})}
    return [_plain(inner) for inner in value] if isinstance(value, (tuple, list)) else value


def _places(data: Mapping[str, Any]) -> dict[str, ValuePlace]:
    return {name: _built(ValuePlace, place) for name, place in (data.get("values") or {}).items()}


def _built(kind: Any, data: Mapping[str, Any] | None) -> Any:
    return kind(**{k: tuple(v) if isinstance(v, list) else v for k, v in data.items()}) if data else None


def find_endpoint(samples: Sequence[Sample], *, is_product: bool) -> Endpoint | None:
    """The data that explains what all samples show, where addresses made from the pages lead to it."""
    if len(samples) < MIN_SAMPLES:
        return None
    return _product_endpoint(samples) if is_product else _list_endpoint(samples)


def _product_endpoint(samples: Sequence[Sample]) -> Endpoint | None:
    """As few addresses as hold everything that the plain pages lack, or the whole product where they lack its title."""
    is_added = not any("title" in sample.gained for sample in samples)
    wanted = {name for sample in samples for name in (sample.gained if is_added else sample.facts)}
    found = sorted(_product_sources(samples), key=lambda source: -len(wanted & source.values.keys()))
    if any("price" in source.values for source in found):
        wanted -= {"currency"}
    chosen: list[DataSource] = []
    for source in found:
        if wanted & source.values.keys():
            chosen.append(source)
            wanted -= source.values.keys()
    needed = {name for name in wanted if name in ("title", "price", "availability") or _stands_in_data(name, samples)}
    return Endpoint(tuple(chosen), is_added=is_added) if chosen and not needed else None


def _stands_in_data(name: str, samples: Sequence[Sample]) -> bool:
    """Whether the value of a field came with an answer at all; what did not, the page makes of something else, such as its address."""
    shown = [(sample, _comparable(value)) for sample in samples for value in sample.facts.get(name, ())]
    own = [(sample, value) for sample, value in shown if value not in _comparable(sample.url)]
    return any(value in _comparable(exchange.body) for sample, value in own for exchange in sample.exchanges)


# --- answers as pages ---------------------------------------------------------------------------------------------------


def _product_page(url: str, values: Mapping[str, str], plain: Page | None) -> Page:
    """What was said of a product as markup: on its plain page, or on one of its own."""
    script = _markup(_product_markup(values), ENDPOINT_MARKUP)
    if plain is not None:
        return Page(url, _inserted(plain.html, script, "</body>"))
    title = escape(values.get("title", ""))
    # without <title>: a rule that is learned from it would read the shop's name on rendered pages, which have one for all
    main = f"{_HOME}<main><h1>{title}</h1>{script}</main>"
    return Page(url, f'<html><body class="product">{main}</body></html>')


def _product_markup(values: Mapping[str, str]) -> dict[str, Any]:
    offer = {key: values[name] for name, key in (("price", "price"), ("currency", "priceCurrency")) if name in values}
    if "availability" in values:
        offer["availability"] = f"https://schema.org/{values['availability']}"
    marked = {_PROPERTIES[name]: value for name, value in values.items() if name in _PROPERTIES}
    return {"@context": "https://schema.org", "@type": "Product", **marked, "offers": {"@type": "Offer", **offer}}


def _markup(data: Any, name: str) -> str:
    return _script(data, "application/ld+json", name)


def _script(data: Any, kind: str, name: str) -> str:
    state = json.dumps(data, ensure_ascii=False).replace("<", "\\u003c")
    return f'<script type="{kind}" id="{name}">{state}</script>'


def _inserted(html: str, added: str, before: str) -> str:
    head, end, tail = html.rpartition(before)
    return f"{head}{added}{end}{tail}" if end else f"{html}{added}"


def with_own_facts(page: Page, facts: Facts, exchanges: Iterable[Exchange]) -> Page:
    """A rendered product page with what was read from it, and what the data behind it says beyond that, as markup.

    Rules find it there on pages of an endpoint, too.
    """
    shown = {name: next(iter(values)) for name, values in facts.items()}
    said = next((values for exchange in exchanges if (values := _own_values(exchange.data, facts))), {})
    return Page(page.url, _inserted(page.html, _markup(_product_markup({**said, **shown}), RENDERED_MARKUP), "</body>"))


def _own_values(data: Any, facts: Facts) -> Mapping[str, str]:
    """What an answer says of the product with this name and price; nothing where the two do not stand together."""
    places = value_places([data], [facts])
    if not {"title", "price"} <= places.keys():
        return {}
    holder = places["title"].way[:-1]
    return DataSource("", places).read(data, {}) if places["price"].way[: len(holder)] == holder else {}


def with_listed_data(page: Page, shown: Mapping[str, Facts], exchanges: Iterable[Exchange]) -> Page:
    """A list with what the data behind it says of its products, which it shows by these names; the page itself where nothing does."""
    for exchange in exchanges:
        for _, members in _arrays(exchange.data, ()):
            texts = ({_comparable(str(value)) for _, value in _leaves(member)} for member in members)
            held = [
                (member, name)
                for member, said in zip(members, texts, strict=True)
                for name in shown
                if _comparable(name) in said
            ]
            if {name for _, name in held} == shown.keys():
                source = DataSource("", value_places([member for member, _ in held], [shown[name] for _, name in held]))
                marked = [_product_markup(source.read(member, {})) for member, _ in held]
                return Page(page.url, _inserted(page.html, _markup(marked, ENDPOINT_MARKUP), "</body>"))
    return page


def _list_page(url: str, members: Mapping[str, Any], items: ListedItems, plain: Page | None) -> Page:
    """The listed products as a list, behind that of the plain page, with what the data says of each."""
    rows = []
    told = {link: _listed_values(member, items) for link, member in members.items()}
    for link, said in told.items():
        title = escape(said.get("title") or link.rpartition("/")[2])
        named = f'<a href="{escape(link)}"><img src="#" alt=""><h3>{title}</h3></a>'
        rows.append(f'<li class="product">{named}<p class="price">{escape(said.get("price", ""))}</p></li>')
    following = items.next_page(url, len(members))
    more = f'<a rel="next" href="{escape(following)}">next</a>' if following else ""
    data = _script([{"url": link, "values": said} for link, said in told.items()], "text/plain", LISTED_DATA)
    listed = f'<ul class="products">{"".join(rows)}</ul>{more}{data}'
    if plain is not None:
        return Page(url, _inserted(plain.html, listed, "</main>" if "</main>" in plain.html else "</body>"))
    return Page(url, f"<html><body>{_HOME}<main>{listed}</main></body></html>")


def _listed_values(member: Any, items: ListedItems) -> dict[str, str]:
    """What the data says of a product of a list: what lists show of it, and what its keys name beyond that."""
    found = {name: value for name, place in items.values.items() if (value := place.read(name, member))}
    return {**further_values(member, items.values), **found}
