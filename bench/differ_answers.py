"""Everything Scout says about a page or a site, as plain data that can be stored and compared.

An answer is a dict of parts: "offer", "evidence", "page_type", "records", "next", "specifications" and so on. A part that raised is the
text "error: Type: message". Only the public API is used, so that the same file runs before and after a refactoring.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, is_dataclass
from pathlib import Path
from typing import Any

import scout

ERROR = "error: "
FLOAT_DIGITS = 6  # sums of floats may differ in the last bits with the order of summing
PAIR_DETAILS = ("section", "concept", "quantity", "unit")
RECORD_PARTS = ("href", "title", "price", "image")

_DATE = re.compile(r"\b20\d\d-\d\d-\d\d\b")  # rules carry the day on which they were learned
_ADDRESS = re.compile(r"0x[0-9a-f]{6,}")  # of objects in memory, in messages

Answer = dict[str, Any]
Row = tuple[str, Answer]
StoredPage = tuple[str, str | bytes]  # URL and HTML


@dataclass
class Site:
    """Pages that belong together, and what to do with them; pages are named by their keys."""

    name: str
    pages: Mapping[str, StoredPage]
    alone: Sequence[str] = ()  # pages to read with nothing known
    known: Mapping[str, Sequence[tuple[str, Mapping[str, Any]]]] = field(
        default_factory=dict
    )  # catalogues to learn from
    induce_from: Sequence[str] = ()
    tried: Sequence[str] = ()  # pages to read by the rules

    def page(self, key: str) -> scout.Page:
        """A page that nobody has parsed yet."""
        return scout.Page(*self.pages[key])


def site_answers(site: Site) -> Iterator[Row]:
    """All rows of a site: its pages alone, its rules, and its pages by those rules."""
    for key in site.alone:
        yield f"{site.name}/{key}", page_answer(site.page(key))
    for label, offers in site.known.items():
        samples = [(site.page(key), values) for key, values in offers]
        yield from _answers_by_rules(site, f"learned from {label}", "learned", lambda s=samples: scout.learn(s))
    if site.induce_from:
        pages = [site.page(key) for key in site.induce_from]
        yield from _answers_by_rules(site, "induced", "induced", lambda: scout.induce(pages))


def _answers_by_rules(site: Site, label: str, origin: str, make: Callable[[], scout.ShopRules]) -> Iterator[Row]:
    made: list[scout.ShopRules] = []

    def text() -> str:
        made.append(make())
        return rules_text(made[0])

    yield f"{site.name} ({label})", {f"{origin} rules": attempt(text)}
    for key in site.tried if made else ():
        parts = offer_parts(site.page(key), made[0], complete=origin == "induced")
        yield f"{site.name}/{key} ({label})", {f"{part} by {origin} rules": value for part, value in parts.items()}


def page_answer(page: scout.Page) -> Answer:
    """What Scout says about a page with nothing known about its shop."""
    return {
        **offer_parts(page, None, complete=True),
        "page_type": attempt(lambda: scout.page_type(page)),
        **_split(attempt(lambda: record_parts(page)), "records", "next"),
        **_split(attempt(lambda: specification_parts(page)), *SPECIFICATION_PARTS),
    }


def attempt(work: Callable[[], Any]) -> Any:
    """The result of the work, or the error as its outcome."""
    try:
        return work()
    except Exception as error:  # any failure is an outcome to compare
        return f"{ERROR}{type(error).__name__}: {_ADDRESS.sub('0x…', str(error))}"


def _split(result: Any, *names: str) -> Answer:
    """Several parts that one call gives; an error belongs to the first of them."""
    return {names[0]: result} if isinstance(result, str) else result


# --- parts ------------------------------------------------------------------------------------------------------------
def offer_parts(page: scout.Page, rules: scout.ShopRules | None, *, complete: bool) -> Answer:
    """The offer and the evidence for it."""

    def parts() -> Answer:
        offer = scout.extract(page, rules, complete=complete)
        return {"offer": plain(dict(offer)), "evidence": {**plain(offer.evidence), **_inner_evidence(offer)}}

    return _split(attempt(parts), "offer", "evidence")


def _inner_evidence(offer: Mapping[str, Any]) -> dict[str, Any]:
    """The evidence of offers within an offer, such as its variants."""
    lists = {name: value for name, value in offer.items() if isinstance(value, list)}
    return {
        f"{name}[{number}]": plain(inner.evidence)
        for name, values in lists.items()
        for number, inner in enumerate(values)
        if hasattr(inner, "evidence")
    }


def record_parts(page: scout.Page) -> Answer:
    """The page's list of records, and the URL of the page that continues it."""
    found = scout.records(page)
    if found is None:
        return {"records": {}, "next": None}
    columns = {name: [plain(getattr(record, name)) for record in found] for name in RECORD_PARTS}
    return {"records": {"count": len(found), "xpath": found.xpath, **columns}, "next": found.next_url}


SPECIFICATION_PARTS = ("specifications", "specification details", "evidence of specifications")


def specification_parts(page: scout.Page) -> Answer:
    """The pairs, what is known beside name and value, and why each is one."""
    pairs = scout.specifications(page)
    details = [[plain(getattr(pair, name, None)) for name in PAIR_DETAILS] for pair in pairs]
    values = ([list(pair) for pair in pairs], details, [getattr(pair, "why", None) for pair in pairs])
    return dict(zip(SPECIFICATION_PARTS, values, strict=True))


def rules_text(rules: scout.ShopRules) -> str:
    """The rule file, without the day on which it was made."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "rules.yaml"
        rules.save(file)
        return _DATE.sub("DATE", file.read_text(encoding="utf-8"))


def plain(value: Any) -> Any:
    """A value as JSON can hold it, the same for equal values."""
    if isinstance(value, float):
        return round(value, FLOAT_DIGITS)
    if value is None or isinstance(value, str | int):
        return value
    if isinstance(value, Mapping):
        return {str(key): plain(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [plain(inner) for inner in value]
    if isinstance(value, set | frozenset):
        return sorted(map(plain, value), key=repr)
    return plain(vars(value)) if is_dataclass(value) else str(value)
