"""What a walk must not request, and what it may request only so often: pure bookkeeping, told of pages, asked about links."""

from __future__ import annotations

import re
from collections import Counter, deque
from dataclasses import dataclass, field
from functools import lru_cache
from urllib.parse import SplitResult, parse_qsl, unquote, urlsplit

from scout.induce.words import words

MAX_SEGMENTS = 20  # Heritrix' bound on the depth of a path
MAX_REPEATS = 2  # of the same segment in one path: /a/b/a/b is endless
MAX_LENGTH = 2_000  # characters of a URL
BATCH = 4  # facets that are tried at the same time
VAIN_TRIES = 8  # so many in a row without anything new, and facets are not tried any more
MAX_KEPT = 100  # facets of one list that are kept for later

_PIECES = re.compile(r"[/?&=.,;:@|!]+")
_PAGE_PARAMETER = re.compile(
    r"^(?:p|pg|page|paged|pagina|pageno|page-?num(?:ber)?|pn|seite|offset|start|from|skip|product-page|currentpage|page-?index|page-?id-?\d*|stranka|strana|sayfa)$"
)
_INDEX = re.compile(r"/(?:index|default|home)\.(?:html?|php|aspx?|jsp)$", re.IGNORECASE)
_SESSION = re.compile(
    r"(?:(?<=[?&])|;)(?:(?:php|j)?(?:s|sess|session|oscs)_?id|zenid|cfid|cftoken|aspsessionid\w*)=[^&;#]*&?",
    re.IGNORECASE,
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
    return bool(last) and not re.fullmatch(r"(?:index|default|home|shop|main|catalog|store)\.\w+", last)


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
