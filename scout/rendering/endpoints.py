"""The data behind a level's pages: from where, and how the next page is read from there.

An endpoint is found on some rendered pages by the values that its answers share with them, in whatever form, and proven on another. It may
say more than the pages show: what its keys name is read, too.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from typing import Any
from urllib.parse import parse_qsl, urlencode

from scout.page import Page
from scout.rendering.addresses import Parts, Way, answer_parts, fill_template, is_constant, node_at, page_parts
from scout.rendering.data_lists import ListedItems, listed_items
from scout.rendering.data_pages import list_page, product_page
from scout.rendering.record_values import (
    ValuePlace,
    comparable,
    members_at,
    object_keys,
    object_lists,
    read_record,
    value_places,
)
from scout.rendering.samples import IN_PAGE, Sample, aligned
from scout.url_rules import is_page_number
from scout.values.routes import split_url

MIN_SAMPLES = 2  # one page and its endpoint fit any template
LED = "{a:"  # begins a hole that is filled from the first answer
NEEDED = ("title", "price", "availability")


@dataclass(frozen=True)
class Selection:
    """The member of a list in an answer that the page is about: the one whose `key` has a value that the page names.

    Without a `key`, it stands in an object, under that value.
    """

    way: Way
    key: str
    part: str

    def member(self, data: Any, parts: Parts) -> Any:
        """That member; None where there is none."""
        wanted = parts.get(self.part)
        if not self.key:
            return node_at(data, (*self.way, wanted or ""))
        return next((m for m in members_at(data, self.way) if str(m.get(self.key)) == wanted), None)


@dataclass(frozen=True)
class DataSource:
    """An address that answers with values of a product's page, and where they stand; without any, it leads to the next source."""

    template: str
    values: Mapping[str, ValuePlace] = field(default_factory=dict)
    selected: Selection | None = None
    headers: Mapping[str, str] = field(default_factory=dict)  # that its requests need

    def address(self, url: str, parts: Parts) -> str | None:
        """What to ask for the page at `url`; None where it does not fill the template."""
        if self.template.startswith(IN_PAGE):
            return self.template
        return fill_template(self.template, url, parts, used=self.selected.part if self.selected else None)

    def record(self, data: Any, parts: Parts) -> Any:
        """What is the page's own in an answer; None where it is about others."""
        return self.selected.member(data, parts) if self.selected else data


_Found = tuple[DataSource, Sequence[Any]]  # with the record of each page


def _product_sources(samples: Sequence[Sample]) -> Iterator[_Found]:
    """Every address that the pages explain, and what it says of each of them."""
    for template, exchanges in aligned(samples):
        source = DataSource(template, headers=dict(exchanges[-1].headers))
        answers = [exchange.data for exchange in exchanges]
        is_alone = is_constant(template) and not template.startswith(IN_PAGE)  # it answers the same for all pages
        for selected in (*([] if is_alone else [None]), *_selections(answers, samples)):
            source = replace(source, selected=selected)
            records = [source.record(data, sample.parts) for data, sample in zip(answers, samples, strict=True)]
            yield replace(source, values=value_places(records, [sample.facts for sample in samples])), records


def _selections(answers: Sequence[Any], samples: Sequence[Sample]) -> Iterator[Selection]:
    """The ways to choose a member of a list or object by a value that the page names, which work for all samples."""
    for selection in _named_members(answers[0], samples[0].parts):
        chosen = [selection.member(data, sample.parts) for data, sample in zip(answers, samples, strict=True)]
        if all(chosen) and len(set(map(id, chosen))) == len(samples):
            yield selection


def _named_members(data: Any, parts: Parts) -> Iterator[Selection]:
    """The members that a page names, by its address (those of its path first) or as keys also by its data."""
    for way, members in object_lists(data, ()):
        leaves = {
            (key, str(value)) for member in members for key, value in member.items() if isinstance(value, (str, int))
        }
        named = [(part, value) for part, value in parts.items() if not part.startswith("d:")]
        found = [Selection(way, key, part) for key, value in leaves for part, wanted in named if value == wanted]
        yield from sorted(found, key=lambda s: (s.part.startswith("q:"), s.key, s.part))
    for way, keys in object_keys(data, ()):
        yield from (Selection(way, "", part) for part, value in parts.items() if value in keys)


@dataclass(frozen=True)
class Endpoint:
    """The data behind a level. `is_added`: its values are added to the plain page, which has the rest.

    `currency` is what the rendered pages show beside their prices, where the data does not say it.
    """

    sources: tuple[DataSource, ...]
    items: ListedItems | None = None
    currency: str | None = None
    is_added: bool = False

    def next_address(self, url: str, plain: Page | None, answers: Sequence[Sequence[Any]] = ()) -> str | None:
        """What to ask for the page at `url` after these answers; None where its template cannot be filled."""
        return self.sources[len(answers)].address(self._counted(url), self._parts(url, plain, answers))

    def _parts(self, url: str, plain: Page | None, answers: Sequence[Sequence[Any]]) -> Parts:
        own = page_parts(url, plain.html if plain else "")
        is_led = answers and LED in self.sources[len(answers)].template
        return {**own, **answer_parts(self.sources[0].record(answers[0][0], own))} if is_led else own

    def _counted(self, url: str) -> str:
        """The page's address as its template is asked: without a page number where the data is paged by itself."""
        if self.items is None or self.items.pager is None:
            return url
        split = split_url(url)
        kept = [(name, value) for name, value in parse_qsl(split.query) if not is_page_number(name)]
        return split._replace(query=urlencode(kept)).geturl()

    def page(self, url: str, answers: Sequence[Sequence[Any]], plain: Page | None = None) -> Page | None:
        """The answers of each source (a list may have several) as the page at `url`; None where they say nothing of it."""
        base = plain if self.is_added else None
        if self.items is not None:
            members = {u: m for data in answers[0] for u, m in self.items.members(data).items()}
            is_told = members or any(node_at(data, self.items.way) == [] for data in answers[0])
            return list_page(url, members, self.items, base) if is_told else None
        values = self._product_values(page_parts(url, plain.html if plain else ""), answers)
        return product_page(url, values, base) if "title" in values or (self.is_added and values) else None

    def _product_values(self, parts: Parts, answers: Sequence[Sequence[Any]]) -> dict[str, str]:
        """What the answers say of a page's product; nothing where one of them is about others."""
        pairs = [(source, each[0]) for source, each in zip(self.sources, answers, strict=True) if source.values]
        told = [read_record(source.record(data, parts), source.values) for source, data in pairs]
        values = {name: value for said in told for name, value in said.items()}
        stated = {"currency": self.currency} if self.currency and "price" in values else {}
        return {**stated, **values} if all(told) else {}

    def describe(self) -> str:
        """What comes from where, in a sentence."""
        without = "its list" if self.items else "its number"
        named = "; ".join(
            f"{', '.join(sorted(source.values)) or without} from {source.template.partition(chr(10))[0]}"
            for source in self.sources
        )
        return f"{named}; {'all else from the plain page' if self.is_added else 'nothing from the plain page'}"


def find_endpoint(samples: Sequence[Sample], *, is_product: bool) -> Endpoint | None:
    """The data that explains what all samples show, where addresses made from the pages lead to it."""
    if len(samples) < MIN_SAMPLES:
        return None
    return _product_endpoint(samples) if is_product else _list_endpoint(samples)


def _product_endpoint(samples: Sequence[Sample]) -> Endpoint | None:
    """As few addresses as hold everything that the plain pages lack, or the whole product where they lack its title."""
    is_added = not any("title" in sample.gained for sample in samples)
    wanted = {name for sample in samples for name in (sample.gained if is_added else sample.facts)}
    found = list(_product_sources(samples))
    chosen = _chosen_sources(found, wanted)
    if _missing(wanted, chosen, samples):
        keys = (one for one in found if not is_constant(one[0].template))
        chosen = next(filter(None, (_led_sources(key, found, samples, wanted) for key in keys)), [])
    return Endpoint(tuple(chosen), is_added=is_added) if chosen else None


def _chosen_sources(found: Iterable[_Found], wanted: Set[str]) -> list[DataSource]:
    """As few sources as tell all that any of them tells."""
    chosen: list[DataSource] = []
    for source in sorted((source for source, _ in found), key=lambda source: -len(wanted & source.values.keys())):
        if (wanted - _told(chosen)) & source.values.keys():
            chosen.append(source)
    return chosen


def _told(sources: Iterable[DataSource]) -> Set[str]:
    return {name for source in sources for name in source.values}


def _led_sources(key: _Found, found: Sequence[_Found], samples: Sequence[Sample], wanted: Set[str]) -> list[DataSource]:
    """Sources of all that is wanted, where addresses are also made of what the first one answers; none where that does not help."""
    first, records = key
    led = [replace(s, parts={**s.parts, **answer_parts(r)}) for s, r in zip(samples, records, strict=True)]
    chosen = _chosen_sources([*found, *_product_sources(led)], wanted)
    return [] if _missing(wanted, chosen, samples) else [first, *(source for source in chosen if source is not first)]


def _missing(wanted: Set[str], chosen: Sequence[DataSource], samples: Sequence[Sample]) -> list[str]:
    """What the sources do not tell though a product needs it, or though it came with an answer."""
    lacking = wanted - _told(chosen)
    return [name for name in lacking if name in NEEDED or _stands_in_data(name, samples)]


def _stands_in_data(name: str, samples: Sequence[Sample]) -> bool:
    """Whether the value of a field came with an answer at all; what did not, the page makes of something else, such as its address."""
    shown = [(sample, comparable(value)) for sample in samples for value in sample.facts.get(name, ())]
    own = [(sample, value) for sample, value in shown if value not in comparable(sample.url)]
    return any(value in comparable(exchange.body) for sample, value in own for exchange in sample.exchanges)


def _list_endpoint(samples: Sequence[Sample]) -> Endpoint | None:
    for template, exchanges in aligned(samples):
        is_added = template.startswith(IN_PAGE)
        items = None if is_constant(template) and not is_added else listed_items(samples, exchanges)
        found = Endpoint((DataSource(template, headers=dict(exchanges[-1].headers)),), items, is_added=is_added)
        ways = (found, replace(found, is_added=True)) if items else ()
        if chosen := next((way for way in ways if all(_covers(way, sample) for sample in samples)), None):
            return chosen
    return None


def _covers(endpoint: Endpoint, sample: Sample) -> bool:
    """Whether the answers that the page got, with what its plain page has, lead to all that it shows."""
    assert endpoint.items
    told = {url for exchange in sample.exchanges for url in endpoint.items.members(exchange.data)}
    wanted = frozenset(sample.records) or sample.facts.get("links", frozenset())
    return wanted <= told | (sample.facts.get("plain links", frozenset()) if endpoint.is_added else frozenset())
