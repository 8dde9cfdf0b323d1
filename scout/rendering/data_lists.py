"""Lists in answers: how their members become the products that pages link to, and how they lead on."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from scout.rendering.addresses import Exchange, Way, address_components, with_component
from scout.rendering.record_values import ValuePlace, leaf_values, members_at, object_lists, value_places
from scout.rendering.samples import Sample
from scout.url_rules import is_page_number

_LINK_HOLE = re.compile(r"\{([^{}]+)\}")
_OFFSETS = ("offset", "skip", "start", "from")  # count products, all other names pages
_COUNTED = re.compile(r"(?:(?<=[?&])[^=&]+=|/[A-Za-z_-]+/?)(?=\d)")


@dataclass(frozen=True)
class DataPager:
    """The number in a list's address that leads to the answer after it: `where` it stands, and what it grows by.

    A `step` of 0 stands for the number of members in an answer.
    """

    where: Way
    step: int

    def following(self, address: str, count: int) -> str:
        """The address of the answer after the one at `address`, which had `count` members."""
        number = int(address_components(Exchange.asked_at(address))[self.where] or 1)
        return with_component(address, self.where, str(number + (self.step or count)))


@dataclass(frozen=True)
class ListedItems:
    """Where an answer lists products, how the address of each is made of its values (`link`), and where the others stand."""

    way: Way
    link: str
    values: Mapping[str, ValuePlace] = field(default_factory=dict)
    pager: DataPager | None = None
    parameter: str | None = None  # before the number of the list's own pages, where the data is not paged by itself
    size: int = 0  # of a full page

    def next_page(self, url: str, count: int) -> str | None:
        """The address of the list's page after `url`, which has `count` products; None after one that is not full."""
        if self.parameter is None or self.pager is not None or count < self.size:
            return None
        return _page_after(url, self.parameter)

    def members(self, data: Any) -> dict[str, Any]:
        """The products in an answer by their addresses."""
        linked = ((_filled_link(self.link, member), member) for member in members_at(data, self.way))
        return {url: member for url, member in linked if url is not None}

    def following(self, address: str, data: Any, known: set[str]) -> str | None:
        """The address of the answer after this one; None where it has nothing that is not `known` yet. Adds what it has."""
        listed = self.members(data).keys()
        is_end = self.pager is None or listed <= known
        known.update(listed)
        return None if is_end or self.pager is None else self.pager.following(address, len(listed))


def _page_after(url: str, counted: str) -> str:
    """The address after `url`, by what stands before the number of a page.

    >>> _page_after("http://a.example/c?page=2", "page="), _page_after("http://a.example/#/c", "/page/")
    ('http://a.example/c?page=3', 'http://a.example/#/c/page/2')
    """
    is_in_path = counted.startswith("/")
    if found := re.search(rf"{'' if is_in_path else '[?&]'}{re.escape(counted)}(\d+)", url):
        return f"{url[: found.start(1)]}{int(found[1]) + 1}{url[found.end(1) :]}"
    address, mark, query = url.partition("?")
    return f"{address.rstrip('/')}{counted}2{mark}{query}" if is_in_path else f"{url}{'&' if mark else '?'}{counted}2"


def _page_parameter(samples: Sequence[Sample]) -> str | None:
    """What stands before the number that counts up to the next page in the pages' own addresses."""
    steps = ((sample.url, following) for sample in samples for following in sample.facts.get("next", ()))
    found = (
        c for url, next_one in steps for c in _COUNTED.findall(next_one) if _page_after(url, c) == next_one.rstrip("/")
    )
    return next(found, None)


def listed_items(samples: Sequence[Sample], exchanges: Sequence[Exchange]) -> ListedItems | None:
    """How the members of all these answers become links that their pages show."""
    pairs = list(zip(samples, exchanges, strict=True))
    for way, members in object_lists(exchanges[0].data, ()):
        for link in _link_templates(members, samples[0].facts.get("links", frozenset())):
            items = ListedItems(way, link)
            if all(items.members(e.data).keys() <= s.facts.get("links", frozenset()) for s, e in pairs[1:]):
                size = max(len(items.members(exchange.data)) for exchange in exchanges)
                parameter, places = _page_parameter(samples), _item_values(items, pairs)
                pager = None if any(map(_is_further, samples)) else _pager(exchanges if parameter else exchanges[:1])
                return replace(items, values=places, pager=pager, parameter=parameter, size=size)
    return None


def _is_further(sample: Sample) -> bool:
    """Whether a page is not the first one of its list."""
    return any(is_page_number(name[2:]) for name in sample.parts if name.startswith("q:"))


def _item_values(items: ListedItems, pairs: Iterable[tuple[Sample, Exchange]]) -> dict[str, ValuePlace]:
    shown = [
        (member, sample.records[url])
        for sample, exchange in pairs
        for url, member in items.members(exchange.data).items()
        if url in sample.records
    ]
    return value_places([member for member, _ in shown], [facts for _, facts in shown])


def _link_templates(members: Sequence[Any], links: Collection[str]) -> Iterator[str]:
    """The addresses with holes which, filled with the values of each member, are in the links; for each key that tells members apart."""
    named = [_named_values(member) for member in members]
    for key in named[0]:
        values = [own.get(key, "") for own in named]
        if "" not in values and len(set(values)) == len(members):
            pairs = [(own, [link for link in links if own[key] in link]) for own in named]
            held = [name for name in named[0] if all(_is_in_links(name, own, among) for own, among in pairs)]
            made = ({one for link in among for one in _with_holes(link, key, held, own)} for own, among in pairs)
            common = set.intersection(*made)
            yield from sorted(common, key=lambda one: (one.count("{"), len(one), one))[:1]


def _is_in_links(name: str, values: Mapping[str, str], links: Iterable[str]) -> bool:
    return name in values and any(values[name] in link for link in links)


def _with_holes(link: str, key: str, held: Sequence[str], values: Mapping[str, str]) -> Iterator[str]:
    """The link with a hole in the place of one of the member's values, and with one for each of the others as well."""
    origin = "" if "://" in values[key] else "/".join(link.split("/")[:3])  # a "1" in a host is no number of a product
    pieces = [link[len(origin) :]]
    for name in [key, *sorted(held, key=lambda name: -len(values[name]))]:
        word = re.compile(rf"(?:(?<![^\W_])|(?<=%[\dA-Fa-f]{{2}})){re.escape(values[name])}(?![^\W_])")
        pieces = [
            part for piece in pieces for part in (_split_once(piece, word, name) if piece[:1] != "{" else [piece])
        ]
        if name == key and len(pieces) > 1:
            yield origin + "".join(pieces)
    yield origin + "".join(pieces)


def _split_once(text: str, word: re.Pattern[str], name: str) -> list[str]:
    found = word.search(text)
    return [part for part in (text[: found.start()], f"{{{name}}}", text[found.end() :]) if part] if found else [text]


def _named_values(member: Any) -> dict[str, str]:
    leaves = (
        (".".join(map(str, way)), str(value)) for way, value in leaf_values(member) if not isinstance(value, bool)
    )
    return {name: value for name, value in leaves if value}


def _filled_link(link: str, member: Any) -> str | None:
    """The address with the values of a member in its holes; None where it lacks one."""
    values = _named_values(member)
    is_whole = all(name in values for name in _LINK_HOLE.findall(link))
    return _LINK_HOLE.sub(lambda hole: values[hole[1]], link) if is_whole else None


def _pager(exchanges: Sequence[Exchange]) -> DataPager | None:
    """The page number or offset with which all lists began, told by its name."""
    first, *others = map(address_components, exchanges)
    for where, value in first.items():
        is_first = value.isdigit() and all(other.get(where) == value for other in others)
        if is_first and is_page_number(str(where[-1])):
            return DataPager(where, 0 if where[-1] in _OFFSETS else 1)
    return None
