"""The data behind a level's pages: from where, and how the next page is read from there.

An endpoint is found on some rendered pages by the values that its answers share with them, in whatever form, and proven on another. It may
say more than the pages show: what its keys name is read, too.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any
from urllib.parse import parse_qsl, urlencode

from pydantic import TypeAdapter

from scout.page import Page
from scout.rendering.addresses import Parts, Way, fill_template, is_constant, page_parts
from scout.rendering.data_lists import ListedItems, listed_items
from scout.rendering.data_pages import list_page, product_page
from scout.rendering.record_values import ValuePlace, comparable, members_at, object_lists, read_record, value_places
from scout.rendering.samples import IN_PAGE, Sample, aligned
from scout.url_rules import is_page_number
from scout.values.routes import split_url

MIN_SAMPLES = 2  # one page and its endpoint fit any template


@dataclass(frozen=True)
class Selection:
    """The member of a list in an answer that the page is about: the one whose `key` has a value that the page names."""

    way: Way
    key: str
    part: str

    def member(self, data: Any, parts: Parts) -> Any:
        """That member; None where there is none."""
        named = (m for m in members_at(data, self.way) if str(m.get(self.key)) == parts.get(self.part))
        return next(named, None)


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
        return read_record(record, self.values)


def _product_sources(samples: Sequence[Sample]) -> Iterator[DataSource]:
    """Every address that explains values of all samples."""
    for template, exchanges in aligned(samples):
        answers = [exchange.data for exchange in exchanges]
        selections = [None, *_selections(answers, samples)]
        if is_constant(template) and not template.startswith(IN_PAGE):
            selections = selections[1:]
        for selected in selections:
            pairs = zip(answers, samples, strict=True)
            records = [selected.member(data, sample.parts) if selected else data for data, sample in pairs]
            if values := value_places(records, [sample.facts for sample in samples]):
                yield DataSource(template, values, selected, dict(exchanges[-1].headers))


def _selections(answers: Sequence[Any], samples: Sequence[Sample]) -> Iterator[Selection]:
    """The ways to choose a member of a list by a value that the page names, which work for all samples."""
    for way, members in object_lists(answers[0], ()):
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
            return list_page(url, members, self.items, plain if self.is_added else None) if members else None
        parts = page_parts(url, plain.html if plain else "")
        told = [source.read(data, parts) for source, each in zip(self.sources, answers, strict=True) for data in each]
        values = {name: value for said in told for name, value in said.items()}
        if not all(told) or not (self.is_added or "title" in values):
            return None
        if self.currency and "price" in values:
            values.setdefault("currency", self.currency)
        return product_page(url, values, plain if self.is_added else None)

    def describe(self) -> str:
        """What comes from where, in a sentence."""
        named = "; ".join(
            f"{', '.join(sorted(source.values)) or 'its list'} from {source.template.partition(chr(10))[0]}"
            for source in self.sources
        )
        return f"{named}; {'all else from the plain page' if self.is_added else 'nothing from the plain page'}"

    def as_dict(self) -> dict[str, Any]:
        """Plain data for the rule file."""
        data: dict[str, Any] = _as_data().dump_python(self, mode="json", exclude_defaults=True)
        return data

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Endpoint:
        """The reverse of as_dict; ValueError where the data is none."""
        return _as_data().validate_python(data)


@cache
def _as_data() -> TypeAdapter[Endpoint]:
    return TypeAdapter(Endpoint)


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
    shown = [(sample, comparable(value)) for sample in samples for value in sample.facts.get(name, ())]
    own = [(sample, value) for sample, value in shown if value not in comparable(sample.url)]
    return any(value in comparable(exchange.body) for sample, value in own for exchange in sample.exchanges)


def _list_endpoint(samples: Sequence[Sample]) -> Endpoint | None:
    found = [
        Endpoint((DataSource(template, headers=dict(exchanges[-1].headers)),), items, is_added=IN_PAGE in template)
        for template, exchanges in aligned(samples)
        if (items := listed_items(samples, exchanges)) and not (is_constant(template) and IN_PAGE not in template)
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
