"""Does a level of a shop (home, category, list, detail) need a browser? Decided from several pages fetched both ways, never from one.

The published rule is the similarity of the two structures. What counts beyond it are the facts: the fields of a detail
page, the products that a list links to. A plain page that holds all
of them is enough however different it looks; a rendered page that holds one more is needed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from functools import cache
from statistics import fmean
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, ConfigDict, TypeAdapter

from scout.page import Page
from scout.rendering.addresses import Facts
from scout.rendering.content import fingerprint, similarity, structure
from scout.rendering.endpoints import Endpoint

Mode = Literal["plain", "browser", "endpoint"]

MIN_SIMILARITY = 0.8  # the paper's threshold (section 2)
MIN_PAGES = 2  # one page may be an exception, an error page, or half loaded
MAX_PAGES = 5  # pages that contradict each other for so long are left to the majority
# where so many pages of the shop agree that plain is enough, one page of a level is enough to decide it:
# a shop of four levels is decided by five pages at most
SHOP_PAGES = 3
HOME = "home"  # the level of one page: the shop's other pages must speak for it, else it would never be decided
MIN_GAIN = 0.1  # of a set of links: a carousel that adds one product to a list of forty does not make the list dynamic
# a person may leave out the zone
_Moment = Annotated[
    datetime, AfterValidator(lambda moment: moment if moment.tzinfo else moment.replace(tzinfo=timezone.utc))
]
WAYS: Mapping[Mode, str] = {"plain": "plainly", "browser": "with a browser", "endpoint": "from the JSON behind it"}
LIFETIME = timedelta(days=30)  # shops are rebuilt; a mark must not outlive the shop it describes


@dataclass(frozen=True)
class Comparison:
    """One page fetched both ways. `gained` are the facts that only the rendered page has, `changed` those it states differently."""

    url: str
    similarity: float
    gained: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    facts: int = 0  # how many facts the plain page holds
    plain_seconds: float = 0.0
    rendered_seconds: float = 0.0
    is_rendered: bool = True  # False: nothing spoke for rendering it, so that it was not tried

    @property
    def needs_browser(self) -> bool:
        """True where the facts say so, or where neither way gives facts and the structures differ."""
        if self.gained:
            return True
        return self.is_rendered and not self.facts and self.similarity < MIN_SIMILARITY

    @property
    def tells(self) -> bool:
        """False where neither way gives facts: a page of terms, or one that is not there, says little of its level."""
        return bool(self.gained or self.facts or not self.is_rendered)

    def describe(self) -> str:
        """The comparison in a sentence."""
        if not self.is_rendered:
            return f"{self.url}: not rendered, nothing in the plain page speaks for it"
        if self.gained:
            found = f"rendering adds {', '.join(self.gained)}"
        else:
            found = f"all {self.facts} facts stand in the plain page" if self.facts else "no facts either way"
        return f"{self.url}: {found}; structures {self.similarity:.0%} alike"


def compare(
    plain: Page,
    rendered: Page,
    plain_facts: Facts,
    rendered_facts: Facts,
    plain_seconds: float = 0.0,
    rendered_seconds: float = 0.0,
) -> Comparison:
    """What rendering added to a page, and what each way cost."""
    prints = [fingerprint(structure(page)) for page in (plain, rendered)]
    gained = tuple(sorted(n for n, values in rendered_facts.items() if _gains(plain_facts.get(n, frozenset()), values)))
    both = [n for n, values in plain_facts.items() if values and rendered_facts.get(n) and n not in gained]
    changed = tuple(sorted(n for n in both if plain_facts[n] != rendered_facts[n]))
    alike = round(similarity(*prints), 3)
    count = sum(map(bool, plain_facts.values()))
    return Comparison(plain.url, alike, gained, changed, count, plain_seconds, rendered_seconds)


def _gains(plain: frozenset[str], rendered: frozenset[str]) -> bool:
    if not plain:
        return bool(rendered)
    if len(plain) == len(rendered) == 1:
        return False  # stated differently is not gained: a price that ticks, a title with a counter
    return len(rendered - plain) > MIN_GAIN * len(rendered)


@dataclass(frozen=True)
class LevelMark:
    """How a level is fetched, since when, how sure that is, and why.

    `pages` were looked at; `similarity` is the mean over those that were rendered, `gained` what rendering added to any of them.
    """

    level: str
    mode: Mode
    confidence: float
    decided: _Moment
    expires: _Moment
    evidence: tuple[str, ...] = ()
    pages: int = 0
    similarity: float | None = None
    gained: tuple[str, ...] = ()
    plain_rate: float | None = None  # pages a second
    rendered_rate: float | None = None
    endpoint: Endpoint | None = None

    __pydantic_config__ = ConfigDict(extra="forbid")

    def __post_init__(self) -> None:
        if self.mode == "endpoint" and self.endpoint is None:
            raise ValueError("the data behind the pages is missing")

    def holds(self, now: datetime) -> bool:
        """False once the mark is too old to be believed."""
        return now < self.expires

    def describe(self) -> Iterator[str]:
        """The mark for a person: the verdict, what it costs either way, and the evidence."""
        span = f"decided {self.decided:%Y-%m-%d}, expires {self.expires:%Y-%m-%d}"
        yield f"{self.level} pages are fetched {WAYS[self.mode]} (confidence {self.confidence:.2f}, {span})"
        if self.plain_rate and self.rendered_rate:
            yield f"{self.plain_rate:g} pages a second plainly, {self.rendered_rate:g} rendered"
        yield from self.evidence

    def as_dict(self) -> dict[str, Any]:
        """Plain data for the rule file."""
        data: dict[str, Any] = _as_data().dump_python(self, mode="json", exclude_defaults=True)
        return data

    @classmethod
    def from_dict(cls, data: Any) -> LevelMark:
        """The reverse of as_dict; ValueError where the data is none."""
        return _as_data().validate_python(data)


@cache
def _as_data() -> TypeAdapter[LevelMark]:
    return TypeAdapter(LevelMark)


@dataclass(frozen=True)
class UnrenderedPages:
    """A level that needs a browser where there is none: how many of its pages were taken plainly, one of them, and why it needs one."""

    name: str
    pages: int
    example: str
    reason: str

    def as_dict(self) -> dict[str, Any]:
        """Plain data for the stats, which have it under the level's name."""
        return {"pages": self.pages, "example": self.example, "reason": self.reason}


def decide(
    level: str,
    compared: Sequence[Comparison],
    elsewhere: Sequence[Comparison] = (),
    *,
    now: datetime | None = None,
    lifetime: timedelta = LIFETIME,
) -> LevelMark | None:
    """The mark of a level, or None while more pages are needed. `elsewhere` are the comparisons of the shop's other levels.

    Pages that could not be fetched both ways are no comparisons, so that an error or a timeout decides nothing. Those without facts
    decide only where there are no others.
    """
    judged = [c for c in compared if c.tells] or compared
    dynamic = [c for c in judged if c.needs_browser]
    if len(compared) < MAX_PAGES and not _is_settled(level, judged, dynamic, elsewhere):
        return None
    mode: Mode = "browser" if 2 * len(dynamic) >= len(judged) else "plain"
    agreeing = max(len(dynamic), len(judged) - len(dynamic))
    now = now or datetime.now(timezone.utc)
    return LevelMark(level, mode, confidence(agreeing, len(judged)), now, now + lifetime, **_summary(compared))


def _summary(compared: Sequence[Comparison]) -> dict[str, Any]:
    """What a mark says of the pages that were looked at."""
    rendered = [c for c in compared if c.is_rendered]
    return {
        "evidence": tuple(c.describe() for c in compared),
        "pages": len(compared),
        "similarity": round(fmean(c.similarity for c in rendered), 3) if rendered else None,
        "gained": tuple(sorted({name for c in compared for name in c.gained})),
        "plain_rate": _rate([c.plain_seconds for c in compared]),
        "rendered_rate": _rate([c.rendered_seconds for c in rendered]),
    }


def confidence(agreeing: int, pages: int) -> float:
    """How likely the next page is to agree, by Laplace's rule of succession: two of two pages make no certainty.

    >>> confidence(1, 1), confidence(2, 2), confidence(4, 5)
    (0.67, 0.75, 0.71)
    """
    return round((agreeing + 1) / (pages + 2), 2)


def _is_settled(
    level: str, judged: Sequence[Comparison], dynamic: Sequence[Comparison], elsewhere: Sequence[Comparison]
) -> bool:
    if len(dynamic) not in (0, len(judged)) or not any(c.tells for c in judged):
        return False
    agrees = [c.needs_browser == bool(dynamic) for c in elsewhere if c.tells]
    is_enough_alone = level == HOME or (not dynamic and all(agrees))
    return len(judged) >= MIN_PAGES or (is_enough_alone and len(judged) + sum(agrees) >= SHOP_PAGES)


def _rate(seconds: Sequence[float]) -> float | None:
    total = sum(seconds)
    return round(len(seconds) / total, 2) if total > 0 else None
