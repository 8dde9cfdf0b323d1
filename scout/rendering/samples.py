"""What rendered pages teach about the data behind them: what they show, and the answers that they got."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice, product
from operator import itemgetter
from typing import Any
from urllib.parse import urlsplit

from scout.extraction.script_data import embedded_values, lenient_json
from scout.page import Page
from scout.rendering.addresses import Exchange, Facts, Parts, address_template, parsed_json
from scout.rendering.record_values import leaf_values

MAX_TRIES = 300  # combinations of answers of several pages that are laid side by side
IN_PAGE = "page://"  # the address of data that the plain page carries itself


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
    typed = [((script.get("type") or "").lower(), script.get("id"), code) for script, code in page.scripts]
    held = [(name, state) for kind, name, state in typed if "json" in kind and "ld+" not in kind]
    for number, (name, state) in enumerate(held):
        yield name or str(number), lenient_json(state)
    for code in (code for kind, _, code in typed if "json" not in kind):
        yield from filter(itemgetter(0), embedded_values(code))


def aligned(samples: Sequence[Sample]) -> Iterator[tuple[str, Sequence[Exchange]]]:
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
            split, sent = urlsplit(exchange.url), parsed_json(exchange.sent)
            shape = split.netloc, split.path.count("/"), frozenset(way for way, _ in leaf_values(sent))
            found.setdefault(shape, []).append(exchange)
    return found
