"""What a walk must not request, and what it may request only so often: pure bookkeeping, told of pages, asked about links."""

from __future__ import annotations

import re
from collections import Counter, deque
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Generic, TypeVar
from urllib.parse import SplitResult, parse_qsl, unquote, urlsplit

from scout.induce.words import words

MAX_SEGMENTS = 20  # Heritrix' bound on the depth of a path
MAX_REPEATS = 2  # of the same segment in one path: /a/b/a/b is endless
MAX_LENGTH = 2_000  # characters of a URL
BATCH = 4  # facets that are tried at the same time
VAIN_TRIES = 8  # so many in a row without anything new, and facets are not tried any more
MAX_KEPT = 100  # facets of one list that are kept for later
PATIENCE = 20.0  # addresses of one shape that may come to nothing before any further one waits
DEAD, BARREN = (
    1.0,
    0.2,
)  # what an address costs of it that is not there, or that is but shows nothing new: five of these as one
DEAD_RUN = 50  # addresses of a shape in a row that are not there, then others wait: where a tenth is alive, that happens 1 in 200 times
THIN = 20  # one in so many of these is tried at the end, and no fewer than THIN
MAX_NAMED = 3  # shapes that a statement names
PROBES = 5  # of the addresses that wait, asked for at the end: of a shape of which a third is worth it, seven in eight are found out

_PIECES = re.compile(r"[/?&=.,;:@|!]+")
_PAGE_PARAMETER = re.compile(
    r"^(?:p|pg|page|paged|pagina|pageno|page-?num(?:ber)?|pn|seite|offset|start|from|skip|product-page|currentpage|page-?index|page-?id-?\d*|stranka|strana|sayfa)$"
)
_INDEX = re.compile(r"/(?:index|default|home)\.(?:html?|php|aspx?|jsp)$", re.IGNORECASE)
_SESSION = re.compile(
    r"(?:(?<=[?&])|;)(?:(?:php|j)?(?:s|sess|session|oscs)_?id|zenid|cfid|cftoken|aspsessionid\w*)=[^&;#]*&?",
    re.IGNORECASE,
)
_ENTRANCE = re.compile(r"(?:index|default|home|shop|main|catalog|store)\.\w+")
_DIGITS = re.compile(r"\d+")
_CALENDAR = re.compile(r"(?:^|[/=])(?:19|20)\d\d[-/](?:0?[1-9]|1[0-2])(?:[-/](?:0?[1-9]|[12]\d|3[01]))?(?:/?$|[/&?])")


@lru_cache(maxsize=50_000)
def pieces(url: str) -> tuple[str, ...]:
    """The parts of path and query between separators, lower case, _ read as -.

    >>> pieces("http://a.example/My_Account/index.php?route=account%2Flogin")
    ('my-account', 'index', 'php', 'route', 'account', 'login')
    """
    parts = urlsplit(url)
    text = unquote(unquote(f"{parts.path}?{parts.query}")).lower().replace("_", "-")
    return tuple(piece for piece in _PIECES.split(text) if piece)


@lru_cache(maxsize=20_000)  # the links of a menu stand on every page
def plain(url: str) -> str:
    """The address by which a page is remembered: /shoes/index.html is /shoes/, and the session does not matter.

    >>> plain("http://a.example/shoes/index.html"), plain("http://a.example/p?id=3&PHPSESSID=f3a9")
    ('http://a.example/shoes/', 'http://a.example/p?id=3')
    """
    if "?" in url or ";" in url:
        url = _SESSION.sub("", url).replace("?&", "?").rstrip("?&")
    return _INDEX.sub("/", url)


def is_forbidden(url: str) -> bool:
    """Whether the address is a cart, login, checkout, comparison or wish list: these are never requested.

    Decided on whole pieces of the address: "carts-top-200" is a product, and so is anything behind /products/.

    >>> is_forbidden("http://a.example/cart/add?id=3"), is_forbidden("http://a.example/carts-top-200")
    (True, False)
    """
    found = pieces(url)
    for before, piece in zip(("", *found), found, strict=False):
        if piece in words("forbidden_pieces") and before not in words("naming_pieces"):
            return True
    return bool(parameter_names(url) & words("acting_parameters"))


def is_action(url: str, product_url: str) -> bool:
    """Whether `url` does something with the product at `product_url`: its own address, extended by a word for doing.

    >>> is_action("http://a.example/lamp-3/reviews/add/", "http://a.example/lamp-3/"), is_action("http://a.example/new", "http://a.example/lamp-3")
    (True, False)
    """
    own = urlsplit(product_url).path.rstrip("/")
    path = urlsplit(url).path.rstrip("/")
    if not own or not path.startswith(f"{own}/"):
        return False
    return path.rpartition("/")[2].lower().replace("_", "-") in words("action_pieces")


def parameter_names(url: str) -> frozenset[str]:
    """The names of the query's parameters, lower case, _ read as -."""
    query = urlsplit(url).query
    return (
        frozenset(name.lower().replace("_", "-") for name, _ in parse_qsl(query, keep_blank_values=True))
        if query
        else frozenset()
    )


def is_endless(url: str) -> bool:
    """Whether the path is too deep, repeats itself or is too long to be anything but a trap."""
    if len(url) > MAX_LENGTH:
        return True
    segments = [s for s in urlsplit(url).path.split("/") if s]
    return len(segments) > MAX_SEGMENTS or max(Counter(segments).values(), default=0) > MAX_REPEATS


def is_calendar(url: str) -> bool:
    """Whether the address ends in a month or a day: archives go back for ever.

    >>> is_calendar("http://a.example/blog/2024/05"), is_calendar("http://a.example/p/2024-diary")
    (True, False)
    """
    return bool(_CALENDAR.search(unquote(url)))


def is_page_number(name: str) -> bool:
    """Whether a query parameter of this name counts pages."""
    return bool(_PAGE_PARAMETER.match(name.lower().replace("_", "-")))


def arranges(url: str) -> bool:
    """Whether the address only arranges a list anew (order, page size, grid or rows)."""
    return bool(parameter_names(url) & words("arranging_parameters"))


def refines(url: str, list_url: str) -> bool:
    """Whether `url` is the list at `list_url` with further parameters that do not count pages: a facet, whatever it is called.

    >>> refines("http://a.example/shoes?colour=red", "http://a.example/shoes"), refines("http://a.example/shoes?page=2", "http://a.example/shoes")
    (True, False)
    """
    new, old = urlsplit(url), urlsplit(list_url)
    if not new.query or new.path != old.path or not (old.query or _names_a_list(old)):
        return False
    before = dict(parse_qsl(old.query, keep_blank_values=True))
    after = dict(parse_qsl(new.query, keep_blank_values=True))
    further = {name for name, value in after.items() if before.get(name) != value}
    kept = all(after.get(name) == value for name, value in before.items() if not is_page_number(name))
    return kept and bool(further) and not any(is_page_number(name) for name in further)


def _names_a_list(parts: SplitResult) -> bool:
    """A path that is more than the entrance of a program: /index.php?cat=3 is not a facet of /index.php."""
    last = parts.path.rstrip("/").rpartition("/")[2]
    return bool(last) and not is_entrance(last)


def is_entrance(last: str) -> bool:
    """Whether the last part of a path is a program that shows whatever its parameters say."""
    return bool(_ENTRANCE.fullmatch(last))


@lru_cache(maxsize=50_000)
def shape(url: str) -> str:
    """What addresses made by the same program have in common: numbers and the last name in the path aside, in any order of parameters.

    >>> shape("http://a.example/index.php?main_page=ask&pid=31") == shape("http://a.example/index.php?pid=7&main_page=ask")
    True
    >>> shape("http://a.example/tag/red"), shape("http://a.example/?s=search/cid/3/bid/7.html")
    ('/tag/*', '/?# bid cid html s search')
    """
    parts = urlsplit(url)
    directory, _, last = parts.path.rstrip("/").rpartition("/")
    _, dot, extension = last.rpartition(".")
    name = f"*{dot}{extension}" if dot and extension.isalpha() else "*" * bool(last)
    path = _DIGITS.sub("#", f"{directory}/{last if is_entrance(last) else name}")
    named = {"#" if _DIGITS.search(piece) else piece for piece in pieces(f"/?{parts.query}")}
    return f"{path}?{' '.join(sorted(named))}" if named else path


T = TypeVar("T")


@dataclass(frozen=True)
class Bounded:
    """Addresses of one shape that were never asked for."""

    count: int
    gone: int  # of those that were asked for, not there
    asked: int

    @property
    def is_dead(self) -> bool:
        """Whether it was given up because nothing was there, not because nothing led on."""
        return self.gone >= DEAD_RUN

    def __str__(self) -> str:
        return f"{self.count} of one shape of which {self.gone} of {self.asked} were dead"


def not_asked(bounded: Iterable[Bounded]) -> str:
    """What was given up because nothing was there, to end a sentence with: the largest shapes, and all others together."""
    dead = sorted((left for left in bounded if left.is_dead), key=lambda left: -left.count)
    said = "".join(f"; not asked: {left}" for left in dead[:MAX_NAMED])
    others = dead[MAX_NAMED:]
    return said + (f"; and {sum(left.count for left in others)} of {len(others)} other such shapes" if others else "")


@dataclass
class _Tally(Generic[T]):
    """What came of the addresses of one shape."""

    spent: float = 0.0  # of PATIENCE; what is under way counts as if it were not there
    has_paid: bool = False
    is_probed: bool = False
    gone: int = 0  # addresses that are not there
    run: int = 0  # of these, since the last one that is
    asked: int = 0  # addresses of which it is known whether they are there
    sent: int = 0  # addresses that were let go
    waiting: list[tuple[str, T, bool]] = field(
        default_factory=list
    )  # with their addresses, and whether PATIENCE applies
    charged: set[str] = field(default_factory=set)  # addresses under way that `spent` counts

    def charge(self, url: str) -> None:
        """`url` is asked for, and costs what a dead one does until it is known to be there."""
        self.charged.add(url)
        self.spent += DEAD

    @property
    def is_dead(self) -> bool:
        """Whether hardly one is there, as far as is known; as long as none is, what is under way counts as if it were not."""
        return self.run >= DEAD_RUN or (self.asked == self.gone and self.sent >= DEAD_RUN)

    def probes(self) -> list[T]:
        """A few of what waits, from its beginning to its end: more of what waits because nothing of its shape was there."""
        count = len(self.waiting)
        wanted = max(THIN, count // THIN) if self.is_dead else PROBES
        chosen = {round(i * (count - 1) / (wanted - 1)) for i in range(wanted)}
        due = [self.waiting[i][1] for i in sorted(chosen)]
        self.waiting = [kept for i, kept in enumerate(self.waiting) if i not in chosen]
        return due


@dataclass
class Shapes(Generic[T]):
    """Shapes of addresses that come to nothing: forms for reviews, searches without results, filters in the path.

    A shape of which one address ever led to something is followed, until DEAD_RUN of its addresses in a row are not there. Of the others
    so many are asked for as PATIENCE allows, or DEAD_RUN where links stand that may be categories. The rest waits until one of the shape
    is there; when everything else is done, a few of it are tried, and what still waits then is bounded.
    """

    _tallies: dict[str, _Tally[T]] = field(default_factory=dict)

    def admits(self, url: str, step: T, *, is_paced: bool = True) -> bool:
        """Whether `url` may be asked for now; else `step` waits. What is not paced waits only where its shape seems dead."""
        tally = self._tallies.setdefault(shape(url), _Tally())
        is_charged = is_paced and not tally.has_paid
        if tally.is_dead or (is_charged and tally.spent + DEAD > PATIENCE):
            tally.waiting.append((url, step, is_paced))
            return False
        tally.sent += 1
        if is_charged:
            tally.charge(url)
        return True

    def hold(self, url: str, step: T) -> None:
        """`step` waits: an earlier run of the walk had it wait."""
        self._tallies.setdefault(shape(url), _Tally()).waiting.append((url, step, True))

    def gone(self, url: str) -> None:
        """`url` is not there."""
        tally = self._tallies.setdefault(shape(url), _Tally())
        tally.gone, tally.run, tally.asked = tally.gone + 1, tally.run + 1, tally.asked + 1

    def paid(self, url: str) -> list[T]:
        """`url` led to something: what its shape had wait."""
        tally = self._tallies.setdefault(shape(url), _Tally())
        tally.run, tally.asked = 0, tally.asked + 1
        tally.has_paid = True
        return self._released(tally)

    def _released(self, tally: _Tally[T]) -> list[T]:
        released, tally.waiting, tally.charged = tally.waiting, [], set()
        return [step for _, step, _ in released]

    def barren(self, url: str) -> list[T]:
        """`url` is there, but showed nothing new: what may be asked for in its place. One that was never charged gives nothing back."""
        tally = self._tallies.setdefault(shape(url), _Tally())
        tally.run, tally.asked = 0, tally.asked + 1
        if tally.has_paid:
            return self._released(tally)
        released = [step for _, step, is_paced in tally.waiting if not is_paced]
        tally.waiting = [one for one in tally.waiting if one[2]]
        return released + (self._in_place_of(url, tally) if url in tally.charged else [])

    def _in_place_of(self, url: str, tally: _Tally[T]) -> list[T]:
        tally.charged.discard(url)
        tally.spent -= DEAD - BARREN
        room = max(0, int((PATIENCE - tally.spent) / DEAD)) if tally.waiting else 0
        released, tally.waiting = tally.waiting[:room], tally.waiting[room:]
        for released_url, _, _ in released:
            tally.charge(released_url)
        return [step for _, step, _ in released]

    def probes(self) -> list[T]:
        """A few of all that waits, from its beginning to its end; each shape is probed once."""
        due = []
        for tally in self._tallies.values():
            if tally.waiting and not tally.is_probed:
                tally.is_probed = True
                due += tally.probes()
        return due

    def bounded(self) -> dict[str, Bounded]:
        """How many addresses of each shape still wait, and what came of those that were asked for."""
        waiting = {name: tally for name, tally in self._tallies.items() if tally.waiting}
        return {name: Bounded(len(tally.waiting), tally.gone, tally.asked) for name, tally in waiting.items()}


@dataclass
class Facets:
    """Facet and sort links, kept back until everything else is done, and then tried while they pay.

    Facets show the same products again, except in shops that link some products nowhere else. So a few are tried, of one list after
    the other; a list of which one showed something new is tried further; when so many have been in vain, no more are.
    """

    _waiting: dict[str, deque[str]] = field(default_factory=dict)
    _vain: int = 0

    def keep(self, group: str, url: str) -> bool:
        """Keep `url`, a facet of the list `group`, for later; False where the list has enough of them."""
        waiting = self._waiting.setdefault(group, deque())
        if len(waiting) >= MAX_KEPT:
            return False
        waiting.append(url)
        return True

    def due(self) -> list[tuple[str, str]]:
        """The next few (group, url) to try, each of another list; none once they have been in vain too often."""
        if self._vain >= VAIN_TRIES:
            return []
        chosen = list(self._waiting)[:BATCH]
        tries = [(group, self._waiting[group].popleft()) for group in chosen]
        for group in chosen:
            rest = self._waiting.pop(group)
            if rest:
                self._waiting[group] = rest  # at the end: the other lists come first
        return tries

    def tried(self, group: str, new_products: int, *, is_repeat: bool = False) -> None:
        """A facet of `group` was read and showed so many products that were not known; `is_repeat`: it was another page once more."""
        if new_products:
            self._vain = 0
            self._waiting = {group: self._waiting.pop(group, deque()), **self._waiting}
            self._waiting = {name: rest for name, rest in self._waiting.items() if rest}
        else:
            self._vain += 2 if is_repeat else 1
