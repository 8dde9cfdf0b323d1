"""What a walk must not request, and what it may request only so often: pure bookkeeping, told of pages, asked about links."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from functools import lru_cache
from urllib.parse import SplitResult, parse_qsl, unquote, urlsplit

from scout.induce.words import words

MAX_SEGMENTS = 20  # Heritrix' bound on the depth of a path
MAX_REPEATS = 2  # of the same segment in one path: /a/b/a/b is endless
MAX_LENGTH = 2_000  # characters of a URL
FIRST_TRIES = 3  # facet or sort links that are tried on each list before they must have shown something new
MORE_TRIES = 5  # further ones for each that did
VAIN_TRIES = 30  # in the whole shop: so many in a row without anything new, and facets are not tried any more

_PIECES = re.compile(r"[/?&=.,;:@|!]+")
_PAGE_PARAMETER = re.compile(
    r"^(?:p|pg|page|paged|pagina|pageno|page-?num(?:ber)?|pn|seite|offset|start|from|skip|product-page|currentpage|page-?index|page-?id-?\d*|stranka|strana|sayfa)$"
)
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
    return bool(last) and not re.fullmatch(r"(?:index|default|home|shop|main|catalog|store)\.\w+", last)


@dataclass
class Facets:
    """How many facet and sort links are still worth a request.

    Facets show the same products again, except in shops that link some products nowhere else. So a few are tried on each list;
    where one shows something new, more are tried; where none does for long, no more are.
    """

    first: int = FIRST_TRIES
    more: int = MORE_TRIES
    vain: int = VAIN_TRIES
    _left: dict[str, int] = field(default_factory=dict)
    _in_vain: int = 0

    @property
    def is_given_up(self) -> bool:
        """True once so many facets have been tried in vain that the shop's facets show nothing new."""
        return self._in_vain >= self.vain

    def allows(self, group: str) -> bool:
        """Take one try from the group's allowance, if there is one left."""
        left = self._left.setdefault(group, self.first)
        if left <= 0 or self.is_given_up:
            return False
        self._left[group] = left - 1
        return True

    def seen(self, group: str, new_products: int) -> None:
        """A facet of `group` was fetched and showed so many products that were not known."""
        if new_products:
            self._left[group] = self._left.get(group, 0) + self.more
            self._in_vain = 0
        else:
            self._in_vain += 1
