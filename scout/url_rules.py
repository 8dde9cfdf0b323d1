"""What a URL alone says: its key, its pattern, and whether it may be requested at all."""

from __future__ import annotations

import re
from collections import Counter
from functools import lru_cache
from hashlib import blake2b
from urllib.parse import SplitResult, parse_qsl, unquote

from scout.values.currency import CODES
from scout.values.routes import split_url
from scout.values.walk_words import walk_words

_MAX_SEGMENTS = 20  # Heritrix' limit for the depth of a path
_MAX_REPEATS = 2  # of the same segment in one path: /a/b/a/b is a loop
MAX_LENGTH = 2_000  # characters of a URL

_PIECES = re.compile(r"[/?&=.,;:@|!]+")
_PAGE_PARAMETER = re.compile(
    r"^(?:p|pg|page|paged|pagina|pageno|page-?num(?:ber)?|pn|seite|offset|start|from|skip|product-page|currentpage|page-?index|page-?id-?\d*|stranka|strana|sayfa)$"
)
_INDEX = re.compile(r"/(?:index|default|home)\.(?:html?|php|aspx?|jsp)$", re.IGNORECASE)
_SESSION = re.compile(
    r"(?:(?<=[?&])|;)(?:(?:php|j)?(?:s|sess|session|oscs)_?id|zenid|cfid|cftoken|aspsessionid\w*)=[^&;#]*&?",
    re.IGNORECASE,
)
_EMPTY_ROUTE = re.compile(r"#!?/?$")
_ENTRY_SCRIPT = re.compile(r"(?:index|default|home|shop|main|catalog|store)\.\w+")
_DIGITS = re.compile(r"\d+")
_NAME_PARTS = re.compile(r"[-_.\[\]]+")
_CALENDAR = re.compile(r"(?:^|[/=])(?:19|20)\d\d[-/](?:0?[1-9]|1[0-2])(?:[-/](?:0?[1-9]|[12]\d|3[01]))?(?:/?$|[/&?])")


@lru_cache(maxsize=50_000)
def url_pieces(url: str) -> tuple[str, ...]:
    """The parts of path and query between separators, in lower case, with - for _.

    >>> url_pieces("http://a.example/My_Account/index.php?route=account%2Flogin")
    ('my-account', 'index', 'php', 'route', 'account', 'login')
    """
    parts = split_url(url)
    text = unquote(unquote(f"{parts.path}?{parts.query}")).lower().replace("_", "-")
    return tuple(piece for piece in _PIECES.split(text) if piece)


@lru_cache(maxsize=20_000)  # menu links are on every page
def page_key(url: str) -> str:
    """The URL under which a page is remembered: /shoes/index.html is /shoes/, and session ids are left out.

    >>> page_key("http://a.example/shoes/index.html"), page_key("http://a.example/p?id=3&PHPSESSID=f3a9")
    ('http://a.example/shoes/', 'http://a.example/p?id=3')
    """
    if "?" in url or ";" in url:
        url = _SESSION.sub("", url).replace("?&", "?").rstrip("?&")
    return _INDEX.sub("/", _EMPTY_ROUTE.sub("", url))


def is_forbidden(url: str) -> bool:
    """Whether the URL is a cart, login, checkout, comparison or wish list, which are never requested.

    Only whole pieces of the URL count: "carts-top-200" is a product, and so is anything after /products/.

    >>> is_forbidden("http://a.example/cart/add?id=3"), is_forbidden("http://a.example/carts-top-200")
    (True, False)
    """
    return bool(forbidden_pieces_of(url) or _parameter_names(url) & walk_words("acting_parameters"))


@lru_cache(maxsize=50_000)
def forbidden_pieces_of(url: str) -> frozenset[str]:
    """The pieces of the URL that name a cart, a login or the like."""
    found = url_pieces(url)
    named = {
        piece for before, piece in zip(("", *found), found, strict=False) if before not in walk_words("naming_pieces")
    }
    return walk_words("forbidden_pieces") & named


def is_action(url: str, product_url: str) -> bool:
    """Whether `url` does something with the product at `product_url`: its URL plus a word for an action.

    >>> is_action("http://a.example/lamp-3/reviews/add/", "http://a.example/lamp-3/"), is_action("http://a.example/new", "http://a.example/lamp-3")
    (True, False)
    """
    own = split_url(product_url).path.rstrip("/")
    path = split_url(url).path.rstrip("/")
    if not own or not path.startswith(f"{own}/"):
        return False
    return path.rpartition("/")[2].lower().replace("_", "-") in walk_words("action_pieces")


def _parameter_names(url: str) -> frozenset[str]:
    """The names of the query parameters, in lower case, with - for _; of an array's entry, the array's."""
    names = (name.lower().replace("_", "-") for name, _ in parse_qsl(split_url(url).query, keep_blank_values=True))
    return frozenset(name.partition("[")[0] or name for name in names)


def is_endless(url: str) -> bool:
    """Whether the URL is a crawler trap: too long, too deep, or with a path that repeats itself."""
    if len(url) > MAX_LENGTH:
        return True
    segments = [s for s in split_url(url).path.split("/") if s]
    return len(segments) > _MAX_SEGMENTS or max(Counter(segments).values(), default=0) > _MAX_REPEATS


def is_calendar(url: str) -> bool:
    """Whether the URL ends in a month or a day, as endless archives do.

    >>> is_calendar("http://a.example/blog/2024/05"), is_calendar("http://a.example/p/2024-diary")
    (True, False)
    """
    return bool(_CALENDAR.search(unquote(url)))


def is_page_number(name: str) -> bool:
    """Whether a query parameter of this name is a page number."""
    return bool(_PAGE_PARAMETER.match(name.lower().replace("_", "-")))


def is_rearranged_list(url: str) -> bool:
    """Whether the URL shows a list in another arrangement (order, page size, grid or rows)."""
    return bool(_parameter_names(url) & walk_words("arranging_parameters"))


def is_same_subject(one: str, other: str) -> bool:
    """Whether two URLs show the same, on whatever host: they differ at most by a parameter that arranges a list, which one of them lacks.

    >>> is_same_subject("http://a.example/lamp?id=3&c=2", "https://b.example/lamp/?c=2&sort=1a&id=3")
    True
    >>> is_same_subject("http://a.example/shop?view=lamps", "http://a.example/shop?view=desks")
    False
    """
    first, second = (split_url(page_key(url)) for url in (one, other))
    mine, theirs = (set(parse_qsl(parts.query, keep_blank_values=True)) for parts in (first, second))
    names = [name for name, _ in mine ^ theirs]
    is_arranged = len(set(names)) == len(names) and all(is_rearranged_list(f"?{name}=") for name in names)
    return first.path.rstrip("/") == second.path.rstrip("/") and is_arranged


def is_refined_list(url: str, list_url: str) -> bool:
    """Whether `url` is the list at `list_url` with more parameters that are not page numbers: a facet, whatever its name.

    >>> shoes = "http://a.example/shoes"
    >>> is_refined_list(f"{shoes}?colour=red", shoes), is_refined_list(f"{shoes}?page=2", shoes)
    (True, False)
    """
    new, old = split_url(url), split_url(list_url)
    if not new.query or new.path != old.path or not (old.query or _is_list_path(old)):
        return False
    before = dict(parse_qsl(old.query, keep_blank_values=True))
    after = dict(parse_qsl(new.query, keep_blank_values=True))
    further = {name for name, value in after.items() if before.get(name) != value}
    kept = all(after.get(name) == value for name, value in before.items() if not is_page_number(name))
    return kept and bool(further) and not any(is_page_number(name) for name in further)


def is_same_list(url: str, list_url: str) -> bool:
    """Whether `url` is the list at `list_url` in another order, or another page of it.

    >>> lamps = "http://a.example/index.php?cPath=3"
    >>> is_same_list(f"{lamps}&page=2&sort=2a", lamps), is_same_list(f"{lamps}&sort=2a&products_id=7", lamps), is_same_list(lamps, lamps)
    (True, False, False)
    """
    new, old = split_url(url), split_url(list_url)
    before, after = (dict(parse_qsl(parts.query, keep_blank_values=True)) for parts in (old, new))
    added = [name for name, value in after.items() if before.get(name) != value]
    is_kept = new.path == old.path and all(name in after or is_page_number(name) for name in before)
    return is_kept and bool(added) and all(is_page_number(name) or is_rearranged_list(f"?{name}=") for name in added)


def is_session_switch(url: str, page_url: str) -> bool:
    """Whether `url` is the page at `page_url` once more, in another currency, language, country or tax display.

    >>> lamp = "http://a.example/lamp?id=3"
    >>> [is_session_switch(f"{lamp}&{added}", lamp) for added in ("cur=EUR", "display_currency=2", "colour=red")]
    [True, True, False]
    """
    new, old = split_url(url), split_url(page_url)
    if not new.query or new.path != old.path:
        return False
    after, before = (set(parse_qsl(parts.query, keep_blank_values=True)) for parts in (new, old))
    changed = before ^ after
    words = walk_words("switching_words")
    return bool(changed) and all(
        value in CODES or not words.isdisjoint(_NAME_PARTS.split(name.lower())) for name, value in changed
    )


def _is_list_path(parts: SplitResult) -> bool:
    """Whether the path is more than an entry script: /index.php?cat=3 is not a facet of /index.php."""
    last = parts.path.rstrip("/").rpartition("/")[2]
    return bool(last) and not _is_entry_script(last)


def _is_entry_script(last: str) -> bool:
    """Whether the last part of a path is a script whose parameters alone choose the page, such as index.php."""
    return bool(_ENTRY_SCRIPT.fullmatch(last))


@lru_cache(maxsize=50_000)
def url_pattern(url: str) -> str:
    """What URLs of the same kind of page have in common, without numbers, the last name of the path and the order of parameters.

    >>> url_pattern("http://a.example/index.php?main_page=ask&pid=31") == url_pattern("http://a.example/index.php?pid=7&main_page=ask")
    True
    >>> url_pattern("http://a.example/tag/red"), url_pattern("http://a.example/?s=search/cid/3/bid/7.html")
    ('/tag/*', '/?# bid cid html s search')
    """
    parts = split_url(url)
    directory, _, last = parts.path.rstrip("/").rpartition("/")
    _, dot, extension = last.rpartition(".")
    name = f"*{dot}{extension}" if dot and extension.isalpha() else "*" * bool(last)
    path = _DIGITS.sub("#", f"{directory}/{last if _is_entry_script(last) else name}")
    named = {"#" if _DIGITS.search(piece) else piece for piece in url_pieces(f"/?{parts.query}")}
    return f"{path}?{' '.join(sorted(named))}" if named else path


@lru_cache(maxsize=50_000)
def without_numbers(name: str) -> str:
    """A name of a template without the numbers that tell its instances apart: `menu-item-12` is `menu-item-`."""
    return _DIGITS.sub("", name)


def is_same_page(one: str, other: str) -> bool:
    """Whether two addresses differ only in scheme, www. or a slash at the end, as a shop's own redirects do.

    >>> is_same_page("http://www.a.example/lamp", "https://a.example/lamp/"), is_same_page("http://a.example/lamp", "http://a.example/login")
    (True, False)
    """
    first, second = split_url(page_key(one)), split_url(page_key(other))
    hosts = {parts.netloc.lower().removeprefix("www.") for parts in (first, second)}
    return len(hosts) == 1 and first.path.rstrip("/") == second.path.rstrip("/") and first.query == second.query


def address_digest(key: str) -> str:
    """A short name for an address: lists are compared by what they show."""
    return blake2b(key.encode(errors="replace"), digest_size=6).hexdigest()


def same_hosts(url: str) -> frozenset[str]:
    """The host of `url` with its port, with and without www."""
    host = split_url(url).netloc.lower()
    bare = host.removeprefix("www.")
    return frozenset({bare, f"www.{bare}"})
