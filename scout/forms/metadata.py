"""DB.* metadata: a provider's description of its query form (Weber, 2001, section 3.4 and table 1).

DB.ConfigFile             URL of a file with the entries
DB.QueryScript            URL, GET or POST: where to send queries instead of the form's own action
DB.QueryElement(s)        the internal names of the elements to fill in
DB.QueryElement.<name>    the values to ask for: a list, or a regular expression between slashes
DB.Result                 the common beginning of the extraction rules
DB.Result.<attribute>     a HEL rule, or a list of values
DB.NavigationURL          URL pattern of further result pages, with * for what changes; NO if there are none
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from scout.forms.errors import MetadataError
from scout.hel import HelError, HelRule, parse
from scout.page import Page
from scout.values.tracking import registrable_domain

PREFIX = "db."
NO_NAVIGATION = "NO"
MAX_ENTRY = 10_000  # characters of one value
MAX_ENTRIES = 200
PLAIN_ENTRIES = frozenset("configfile queryscript queryelement queryelements result navigationurl navigation".split())
NAMED_ENTRIES = frozenset({"queryelement", "result"})  # may be followed by a name
_LINE = re.compile(r"(?:db\.)?([a-z]+(?:\.[^:=\s]+)?)\s*[:=]\s*(.*)", re.IGNORECASE)
_RULE_SIGNS = re.compile(r"->|\[[\w:*,\- ]+\]|\.(?:txt|src)\b|\b(?:getattr|numberof)\s*\(|^html\b", re.IGNORECASE)


@dataclass(frozen=True)
class Domain:
    """The values to ask for, as a list or as a regular expression."""

    values: tuple[str, ...] = ()
    pattern: str | None = None


@dataclass(frozen=True)
class Metadata:
    """The checked entries of a page or of a configuration file."""

    config_file: str | None = None
    script: str | None = None
    method: str | None = None  # of the script
    elements: tuple[str, ...] = ()
    domains: Mapping[str, Domain] = field(default_factory=dict)
    rules: Mapping[str, HelRule] = field(default_factory=dict)
    listed: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # attributes with a list of values
    navigation: str | None = None  # a pattern with *, NO, or None if there is no entry
    ignored: tuple[str, ...] = ()  # entries that are not in the paper


Entries = dict[str, str]


def page_metadata(page: Page) -> Metadata | None:
    """The metadata in the page's meta elements; None if there are none, MetadataError if they are invalid."""
    return _metadata(_from_metas(page), page)


def file_metadata(url: str, text: str, form_page: Page) -> Metadata:
    """The metadata of the form on `form_page` in a configuration file: meta elements, or lines like `DB.QueryElement: region`."""
    page = Page(url, text)
    found = _metadata(_from_metas(page) if "<meta" in text[:100_000].lower() else _from_lines(text), form_page)
    if found is None:
        raise MetadataError(f"the configuration file {url} has no DB.* entry")
    if found.config_file:
        raise MetadataError(f"the configuration file {url} names another one: {found.config_file}")
    return found


def _from_metas(page: Page) -> Iterator[tuple[str, str]]:
    for meta in page.root.iter("meta"):
        name = (meta.get("name") or "").strip()
        if name.lower().startswith(PREFIX):
            yield name[len(PREFIX) :], meta.get("content") or ""


def _from_lines(text: str) -> Iterator[tuple[str, str]]:
    """One entry per line; a line that begins with white space continues the one before."""
    joined = re.sub(r"\r?\n[ \t]+", " ", text)
    for number, line in enumerate(joined.splitlines(), 1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        found = _LINE.fullmatch(line.strip())
        if found is None:
            raise MetadataError(f"line {number} of the configuration file is not an entry: {line[:80]!r}")
        yield found[1], found[2]


def _metadata(pairs: Iterable[tuple[str, str]], page: Page) -> Metadata | None:
    entries, ignored = _entries(pairs)
    if not entries:
        return None
    script, method = _script(entries, page)
    rules, listed = _results(entries)
    return Metadata(
        config_file=_same_site_url(entries["configfile"], page, "DB.configfile") if "configfile" in entries else None,
        script=script,
        method=method,
        elements=_elements(entries),
        domains={name: _domain(name, value) for name, value in _named(entries, "queryelement")},
        rules=rules,
        listed=listed,
        navigation=_navigation(entries),
        ignored=ignored,
    )


def _entries(pairs: Iterable[tuple[str, str]]) -> tuple[Entries, tuple[str, ...]]:
    """The entries by name, checked for size and contradictions, and the names of unknown entries."""
    entries: Entries = {}
    ignored: dict[str, None] = {}
    for name, content in pairs:
        key, dot, rest = name.strip().partition(".")
        known = f"{key.lower()}.{rest.strip()}" if dot and rest.strip() else key.lower()
        if not (key.lower() in NAMED_ENTRIES if dot else known in PLAIN_ENTRIES):
            ignored[name] = None
            continue
        value = _check_value(name, content)
        if entries.setdefault(known, value) != value:
            raise MetadataError(f"DB.{name} is given twice, with different values")
        if len(entries) > MAX_ENTRIES:
            raise MetadataError(f"more than {MAX_ENTRIES} DB.* entries")
    return entries, tuple(ignored)[:MAX_ENTRIES]


def _check_value(name: str, content: str) -> str:
    if len(content) > MAX_ENTRY:
        raise MetadataError(f"DB.{name[:80]} has {len(content):,} characters; at most {MAX_ENTRY:,} are allowed")
    value = " ".join(content.split())
    if not value:
        raise MetadataError(f"DB.{name[:80]} is empty")
    return value


def _named(entries: Entries, kind: str) -> Iterator[tuple[str, str]]:
    for name, value in entries.items():
        if name.startswith(f"{kind}."):
            yield name[len(kind) + 1 :], value


def _split_list(value: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(part for piece in value.split(",") if (part := piece.strip())))


def _elements(entries: Entries) -> tuple[str, ...]:
    one, several = (_split_list(entries.get(name, "")) for name in ("queryelement", "queryelements"))
    if one and several and set(one) != set(several):
        raise MetadataError("DB.QueryElement and DB.QueryElements name different elements: keep one of them")
    return several or one


def _domain(name: str, value: str) -> Domain:
    if len(value) > 1 and value.startswith("/") and value.endswith("/"):
        return Domain(pattern=value[1:-1])
    if value.startswith("/") and value.count("/") == 1:
        raise MetadataError(f"DB.QueryElement.{name} begins like a regular expression, but has no closing slash")
    return Domain(values=_split_list(value))


def _same_site_url(value: str, page: Page, entry: str) -> str:
    """`value` as an absolute URL; MetadataError unless it is on the site of `page`."""
    url = page.absolute(value)
    if not url.startswith(("http://", "https://")):
        raise MetadataError(f"{entry} is not an http(s) URL: {value[:200]!r}")
    site, own_site = registrable_domain(url), registrable_domain(page.url)
    if site != own_site:
        raise MetadataError(f"{entry} leads to {site}, another site than the form's ({own_site})")
    return url


def _script(entries: Entries, page: Page) -> tuple[str | None, str | None]:
    value = entries.get("queryscript")
    if value is None:
        return None, None
    address, comma, word = value.rpartition(",")
    method = word.strip().upper()
    if method not in ("GET", "POST"):
        if comma and re.fullmatch(r"\s*[A-Za-z]{3,7}\s*", word):
            raise MetadataError(f"DB.QueryScript names the method {word.strip()!r}; only GET and POST are allowed")
        address, method = value, "GET"
    return _same_site_url(address.strip(), page, "DB.QueryScript"), method


def _navigation(entries: Entries) -> str | None:
    patterns = {entries[name] for name in ("navigationurl", "navigation") if name in entries}
    if len(patterns) > 1:
        raise MetadataError("DB.NavigationURL and DB.Navigation say different things: keep one of them")
    value = next(iter(patterns), None)
    if value is None or value.upper() == NO_NAVIGATION:
        return None if value is None else NO_NAVIGATION
    if "*" not in value:
        raise MetadataError(f"DB.NavigationURL has no * for what changes from page to page: {value[:200]!r}")
    return value


# --- results ----------------------------------------------------------------------------------------------------------


def _results(entries: Entries) -> tuple[dict[str, HelRule], dict[str, tuple[str, ...]]]:
    base = entries.get("result", "")
    rules: dict[str, HelRule] = {}
    listed: dict[str, tuple[str, ...]] = {}
    for name, value in _named(entries, "result"):
        if _RULE_SIGNS.search(value):
            rules[name] = _rule(name, value, base)
        else:
            listed[name] = _split_list(value)
    return rules, listed


def _rule(name: str, value: str, base: str) -> HelRule:
    try:
        return parse(value, base)
    except HelError as error:
        raise MetadataError(f"DB.Result.{name}: {error}") from error
