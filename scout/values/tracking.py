"""Removes tracking parameters, session ids and fragments from URLs. The lists are in `scout/data/tracking.yaml`.

Only what is listed is removed: order, blank values, encoding, case and repeated parameters stay as they are.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from urllib.parse import unquote_plus, urlsplit

import duplicate_url_discarder_rules
from tldextract import TLDExtract

from scout.values.tables import table

split_host = TLDExtract(suffix_list_urls=(), cache_dir=None, include_psl_private_domains=True)  # offline


@dataclass(frozen=True)
class UrlParts:
    """A URL split without changing a character; str() gives it back."""

    base: str  # scheme and host
    path: str
    query: str | None
    fragment: str | None

    @classmethod
    def of(cls, url: str) -> UrlParts:
        rest, hash_, fragment = url.partition("#")
        rest, mark, query = rest.partition("?")
        found = re.match(r"[a-zA-Z][a-zA-Z0-9+.\-]*://[^/;]*|//[^/;]*", rest)
        base = found[0] if found else ""
        return cls(base, rest[len(base) :], query if mark else None, fragment if hash_ else None)

    def __str__(self) -> str:
        query = "" if self.query is None else f"?{self.query}"
        return f"{self.base}{self.path}{query}" + ("" if self.fragment is None else f"#{self.fragment}")


# --- hosts ------------------------------------------------------------------------------------------------------------
@lru_cache(maxsize=8192)
def host_of(url: str) -> str:
    try:
        return urlsplit(url if "//" in url else f"//{url}").hostname or ""
    except ValueError:  # "http://[" and the like
        return ""


@lru_cache(maxsize=8192)
def registrable_domain(url: str) -> str:
    """The registrable domain of a URL (shop.co.uk), or its host if it has none (localhost, an IP address)."""
    host = host_of(url)
    if ":" in host or host.replace(".", "").isdigit():
        return host
    # an unknown suffix counts as one label, as the public suffix list itself says
    return split_host(host).top_domain_under_public_suffix or ".".join(host.split(".")[-2:])


@lru_cache(maxsize=8192)
def host_keys(host: str) -> tuple[str, ...]:
    """The keys under which a table may list a host: itself, its parent domains, and each with any suffix ("amazon.*")."""
    labels = host.split(".")
    parents = [".".join(labels[i:]) for i in range(len(labels) - 1)] or [host]
    suffix = split_host(host).suffix
    anywhere = [parent[: -len(suffix)] + "*" for parent in parents if suffix and parent.endswith("." + suffix)]
    return (*parents, *anywhere)


# --- names that track -------------------------------------------------------------------------------------------------
@dataclass(frozen=True)
class ParameterNames:
    """Parameter names in lower case; one that ends in * stands for every name with that prefix."""

    exact: frozenset[str] = frozenset()
    prefixes: tuple[str, ...] = ()

    @classmethod
    def of(cls, names: Iterable[str]) -> ParameterNames:
        lower = [str(name).lower() for name in names]
        return cls(
            frozenset(name for name in lower if not name.endswith("*")),
            tuple(name[:-1] for name in lower if name.endswith("*")),
        )

    def __contains__(self, name: str) -> bool:
        return name in self.exact or name.startswith(self.prefixes)


_NO_NAMES = ParameterNames()


def discarder_rules() -> Iterator[tuple[str, list[str]]]:
    """(domain, parameters) of duplicate-url-discarder-rules; the domain is "" for rules about every site."""
    for path in duplicate_url_discarder_rules.RULE_PATHS or []:
        for rule in json.loads(Path(path).read_text(encoding="utf-8")):
            if rule["processor"] == "queryRemoval":
                yield from ((pattern, rule["args"]) for pattern in rule["urlPattern"]["include"] if "/" not in pattern)


@dataclass(frozen=True)
class TrackingLists:
    """The lists of tracking.yaml, compiled."""

    general: ParameterNames
    sites: Mapping[str, ParameterNames]
    paths: Mapping[str, re.Pattern[str]]
    weak_names: ParameterNames
    weak_values: ParameterNames
    sessions: ParameterNames
    session_like: frozenset[str]
    session_path: re.Pattern[str]
    opaque: frozenset[str]
    redirects: Mapping[str, Mapping[str, list[str]]]
    target_names: frozenset[str]
    redirect_words: frozenset[str]
    acts: frozenset[str]


@cache
def tracking_lists() -> TrackingLists:
    data = table("tracking")
    # That package wants one URL per page, so it also drops parameters that choose what is shown (page, q, currency).
    # Of its rules for single sites we therefore use only names that clearly stand for tracking.
    telling = ParameterNames.of(data["telling"])
    general, sites = list(data["parameters"]), {key: list(s["parameters"]) for key, s in data["sites"].items()}
    for domain, names in discarder_rules():
        target = sites.setdefault(domain, []) if domain else general
        target += [name for name in names if not domain or name.lower() in telling]
    return TrackingLists(
        general=ParameterNames.of(general),
        sites={key: ParameterNames.of(names) for key, names in sites.items()},
        paths={key: re.compile(s["path"]) for key, s in data["sites"].items() if "path" in s},
        weak_names=ParameterNames.of(data["weak"]["names"]),
        weak_values=ParameterNames.of(data["weak"]["values"]),
        sessions=ParameterNames.of(data["sessions"]["names"]),
        session_like=frozenset(data["sessions"]["with_value"]),
        session_path=re.compile(rf";(?:{'|'.join(data['sessions']['path'])})=[^;/?#]*", re.IGNORECASE),
        opaque=frozenset(data["opaque"]),
        redirects=data["redirects"]["hosts"],
        target_names=frozenset(data["redirects"]["names"]),
        redirect_words=frozenset(data["redirects"]["words"]),
        acts=frozenset(data["redirects"]["acts"]),
    )


# PHP's session ids: 26 digits and letters up to v, or 32 to 40 hexadecimal digits; others do the same
_SESSION_VALUE = re.compile(r"^(?=.*\d)(?:[0-9a-v]{26}|[0-9a-f]{32,40})$", re.IGNORECASE)


def _is_tracking_pair(pair: str, here: tuple[ParameterNames, ...]) -> bool:
    """Whether "name=value" is a tracking parameter or a session id."""
    raw_name, _, value = pair.partition("=")
    name, known = unquote_plus(raw_name).strip().lower(), tracking_lists()
    if not name:
        return False
    if name in known.sessions or any(name in names for names in here):
        return True
    if name in known.session_like:
        return bool(_SESSION_VALUE.match(value))
    return name in known.weak_names and unquote_plus(value).lower() in known.weak_values


_SEPARATOR = re.compile(r"(&amp;|[&?;])")


def _without_tracking_pairs(query: str, here: tuple[ParameterNames, ...]) -> tuple[str, list[str]]:
    """The query without tracking pairs, and the removed pairs. A second "?" is a separator, too (the paper's table 2)."""
    pieces = _SEPARATOR.split(query)
    pairs = list(zip(["", *pieces[1::2]], pieces[::2], strict=True))
    removed = [pair for _, pair in pairs if _is_tracking_pair(pair, here)]
    if not removed:
        return query, []
    kept = [(separator, pair) for separator, pair in pairs if not _is_tracking_pair(pair, here)]
    return "".join((separator if index else "") + pair for index, (separator, pair) in enumerate(kept)), removed


_TEXT_FRAGMENT = re.compile(r":~:.*$", re.DOTALL)


def _clean_fragment(fragment: str, here: tuple[ParameterNames, ...]) -> tuple[str | None, list[str]]:
    """A fragment without text directives and tracking; a route of a single-page app ("#/", "#!") is kept."""
    plain = _TEXT_FRAGMENT.sub("", fragment)
    removed = [fragment[len(plain) :]] if plain != fragment else []
    route, mark, query = plain.partition("?")
    if not mark and "=" in plain and not plain.startswith(("/", "!")):
        route, query = "", plain
    kept, tracking = _without_tracking_pairs(query, here)
    if tracking:
        plain = f"{route}{mark if kept else ''}{kept}"
    return (plain or None) if removed or tracking else fragment, removed + tracking


_COOKIELESS = re.compile(r"/\((?:[A-Z]\([a-z0-9]{24}\))+\)(?=/|$)")  # ASP.NET: /(S(4fz0a2xinwtgd1dvwsqmku4m))/


def _clean_path(path: str, keys: tuple[str, ...]) -> tuple[str, list[str]]:
    """A path without session ids and this site's tracking suffixes."""
    known = tracking_lists()
    patterns = [known.session_path, _COOKIELESS, *(known.paths[key] for key in keys if key in known.paths)]
    removed: list[str] = []
    for pattern in patterns:
        removed += [found[0] for found in pattern.finditer(path)]
        path = pattern.sub("", path)
    return path, removed


def without_tracking(url: str, extra: ParameterNames = _NO_NAMES) -> tuple[str, list[str]]:
    """The URL without tracking parameters, session ids and fragments, and what was removed."""
    parts, keys, known = UrlParts.of(url), host_keys(host_of(url)), tracking_lists()
    here = (known.general, extra, *(known.sites[key] for key in keys if key in known.sites))
    path, removed = _clean_path(parts.path, keys)
    query, fragment = parts.query, parts.fragment
    if query:
        query, gone = _without_tracking_pairs(query, here)
        query, removed = (query or None) if gone else query, removed + gone
    if fragment:
        fragment, gone = _clean_fragment(fragment, here)
        removed += gone
    return (str(UrlParts(parts.base, path, query, fragment)), removed) if removed else (url, [])
