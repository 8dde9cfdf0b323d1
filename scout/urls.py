"""Cleans URLs: unwraps redirects, removes known tracking, touches nothing else.

The first paper's URL cleaner (section 2.7) with its two strategies, in its order: first a redirect is replaced by its target, then
known tracking parameters are removed (`scout.values.tracking`).
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from urllib.parse import unquote, unquote_plus, urlsplit

from scout.values.tracking import (
    ParameterNames,
    UrlParts,
    host_keys,
    host_of,
    registrable_domain,
    split_host,
    tracking_lists,
    without_tracking,
)

_MAX_HOPS = 8  # a chain of redirects longer than this is a loop
_MAX_LAYERS = 6  # of percent-encoding and base64 around a target


@dataclass(frozen=True)
class CleanedUrl:
    """A cleaned URL, what was removed from it (redirects and parameters, as written), and whether it is an opaque redirect.

    An opaque redirect contains only an id, and only its server knows the target. Its `url` is unchanged.
    """

    url: str
    removed: tuple[str, ...] = ()
    opaque: bool = False


# --- targets of redirects - -------------------------------------------------------------------------------------------
_ADDRESS = re.compile(r"https?://[^/?#\s%\\]+", re.IGNORECASE)
_BASE64 = re.compile(
    r"^(?:a1)?((?:aHR0|eyJ)[A-Za-z0-9+/_\-]+)={0,2}$"
)  # "htt", or "{" and a quote; Bing writes a1 before it
_JSON_ADDRESS = re.compile(r"""url\\*"\s*:\s*\\*"(https?:.+?)\\*["]""", re.IGNORECASE)


def _from_base64(value: str) -> str | None:
    found = _BASE64.match(value)
    if not found:
        return None
    encoded = found[1].translate(str.maketrans("-_", "+/"))
    try:
        text = base64.b64decode(encoded + "=" * (-len(encoded) % 4)).decode("utf-8")
    except (binascii.Error, UnicodeDecodeError):
        return None
    inside = _JSON_ADDRESS.search(text)
    return re.sub(r"\\+/", "/", inside[1]) if inside else text


def _decoded_layers(value: str) -> Iterator[str]:
    """The value, and what each further step of decoding makes of it."""
    for _ in range(_MAX_LAYERS):
        yield value
        inner = value[2:-2] if value.startswith("[[") and value.endswith("]]") else unquote(value)
        if inner == value:
            inner = _from_base64(value) or value
        if inner == value:
            return
        value = inner


def _absolute_url_in(value: str, scheme: str | None = None, hosts: Callable[[str], bool] | None = None) -> str | None:
    """The absolute URL in a value, however often encoded. With `hosts`, also one without a scheme whose host passes."""
    for text in _decoded_layers(value.strip()):
        if _ADDRESS.match(text):
            return text.replace(" ", "%20")
        if (
            hosts
            and (bare := re.match(r"(?://)?((?:[a-z0-9\-]+\.)+[a-z]{2,})(?:[:/?#]|$)", text, re.IGNORECASE))
            and hosts(bare[1])
        ):
            return f"{scheme or 'http'}://{text.removeprefix('//')}".replace(" ", "%20")
    return None


_EMBEDDED = re.compile(r"https?(?P<colon>:|%(?:25)*3A)(?:/|%(?:25)*2F){1,2}", re.IGNORECASE)


def _parameters(query: str) -> list[tuple[str, str, int]]:
    """(name, raw value, start of the value) of each parameter."""
    found, position = [], 0
    for pair in query.split("&"):
        name, equals, value = pair.partition("=")
        if equals:
            found.append((unquote_plus(name).removeprefix("amp;"), value, position + len(name) + 1))
        position += len(pair) + 1
    return found


_PLAIN_START = re.compile(r"(?:https?://)?[\w\-.]+\.[a-z]{2,}/", re.IGNORECASE)


def _whole_value(value: str, query: str, start: int, fragment: str | None) -> str:
    """The value of a parameter whose ":" and "/" may not be encoded.

    With a plain "?" it was not encoded at all and extends to the end: "?url=http://shop/p?a=1&b=2". With only an encoded "?" it was
    encoded: "?url=http://shop/p%3Fa%3D1". Anything else is returned as it is.
    """
    if not _PLAIN_START.match(value):
        return value
    if "?" in value:
        return query[start:] + ("" if fragment is None else f"#{fragment}")
    return unquote(value) if re.search("%3f", value, re.IGNORECASE) else value


def _find_in_parameters(
    parts: UrlParts, accept: Callable[[str], bool], read: Callable[[str], str | None]
) -> str | None:
    query = parts.query or ""
    for name, value, start in _parameters(query):
        if accept(name) and (found := read(_whole_value(value, query, start, parts.fragment))):
            return found
    return None


def _embedded_target(parts: UrlParts) -> str | None:
    """A target in the path, or one that is the whole query: "/click/destination:https%3A%2F%2F…", "/https://shop/…", "?https://…"."""
    rest = str(UrlParts("", parts.path, parts.query, parts.fragment))
    found = _EMBEDDED.search(rest)
    if not found:
        return None
    tail = rest[found.start() :]
    if found["colon"] != ":":
        tail = re.split(r"[/&;?#)]", tail, maxsplit=1)[0]  # an encoded URL contains none of these
    elif re.search(r"[?&][^=&?]*=$", rest[: found.start()]) and "?" not in tail:
        tail = tail.split("&", 1)[0]
    elif rest[: found.start()].endswith("("):
        tail = tail.split(")", 1)[0]
    return _absolute_url_in(re.sub(r"^(https?:/)(?!/)", r"\1/", tail, flags=re.IGNORECASE))


def _proofpoint(parts: UrlParts) -> str | None:
    """urldefense: v2 writes - for % and _ for /, v3 puts the target between double underscores."""
    found = re.search(r"/v3/__(.+?)__;", str(parts))
    if found:
        return _absolute_url_in(re.sub(r"^(https?:/)(?!/)", r"\1/", found[1]))
    value = next((value for name, value, _ in _parameters(parts.query or "") if name == "u"), "")
    return _absolute_url_in(value.translate(str.maketrans("-_", "%/"))) or _find_in_parameters(
        parts, lambda name: name == "u", _absolute_url_in
    )


def _amp(parts: UrlParts) -> str | None:
    """Google's copies of AMP pages: /amp/s/host/path, /c/s/host/path; "s" stands for https."""
    found = re.match(r"/(?:amp|[cvwr])/(s/)?((?:[\w\-]+\.)+[a-z]{2,}(?:/.*)?)$", parts.path)
    if not found:
        return None
    query = "" if parts.query is None else f"?{parts.query}"
    return f"http{'s' if found[1] else ''}://{found[2]}{query}"


def _disqus(parts: UrlParts) -> str | None:
    """disq.us appends a signature to the target: "http://shop/p:mKHSJHF3"."""
    target = _find_in_parameters(parts, lambda name: name == "url", _absolute_url_in)
    return re.sub(r":[\w\-]{12,}$", "", target) if target else None


_SPECIAL_REDIRECTS: Mapping[str, Callable[[UrlParts], str | None]] = {
    "urldefense.proofpoint.com": _proofpoint,
    "urldefense.com": _proofpoint,
    "google.*": _amp,
    "cdn.ampproject.org": _amp,
    "disq.us": _disqus,
}


def _listed_target(parts: UrlParts, key: str, entry: Mapping[str, list[str]]) -> str | None:
    """The target of a URL on a listed host, found as the host's entry says."""
    if key in _SPECIAL_REDIRECTS and (found := _SPECIAL_REDIRECTS[key](parts)):
        return found
    names = frozenset(name.lower() for name in entry.get("names", ()))
    if not names:
        return _find_in_parameters(parts, lambda name: True, _absolute_url_in) or _embedded_target(parts)
    scheme = parts.base.partition(":")[0]
    # a host without a scheme is enough here: these parameters hold nothing but targets
    return _find_in_parameters(
        parts, lambda name: name.lower() in names, lambda v: _absolute_url_in(v, scheme, lambda host: True)
    )


def _known_redirect(parts: UrlParts, keys: tuple[str, ...]) -> str | None:
    """The target of a URL on a host that is known to redirect."""
    for key in keys:
        entry = tracking_lists().redirects.get(key)
        if entry is not None and parts.path.startswith(tuple(entry.get("paths", ("",)))):
            found = _listed_target(parts, key, entry)
            if found:
                return found
    return None


_TRACKER_NAME = re.compile(r"track|click|redir|affil")


def _url_words(text: str) -> set[str]:
    parts = [part for part in re.split(r"[/.]", text.lower()) if part]
    return {*parts, *(word for part in parts for word in re.split(r"[\-_]", part))}


def _likely_redirect(parts: UrlParts, host: str) -> str | None:
    """The target of a URL that looks like a redirect by its words, unless a word says that it does something with the target."""
    known = tracking_lists()
    words = _url_words(parts.path) | _url_words(split_host(host).subdomain)
    if words & known.acts:
        return None
    if re.match(r"/?[^/?#]*/?https?:/|/https?%3A", parts.path, re.IGNORECASE):
        return _embedded_target(parts)
    if not (
        words & known.redirect_words or _TRACKER_NAME.search(host) or any(_TRACKER_NAME.search(word) for word in words)
    ):
        return None
    return _find_in_parameters(parts, lambda name: name.lower() in known.target_names, _absolute_url_in)


def _target_in_shop(parts: UrlParts, shop_site: str, scheme: str | None) -> str | None:
    """The paper's own method: the shop's address anywhere inside this one is the target; all before it goes."""
    # a host alone names the merchant ("?shop=shop.example&id=7"); with a scheme or a path it is an address
    has_path = re.compile(rf"(?:https?:)?//|[^/?#]*{re.escape(shop_site)}(?::\d+)?[/?#]", re.IGNORECASE)

    def on_shop(value: str) -> str | None:
        found = _absolute_url_in(value, scheme, lambda host: registrable_domain(host) == shop_site)
        is_address = any(has_path.match(text) for text in _decoded_layers(value.strip()))
        return found if found and is_address and registrable_domain(found) == shop_site else None

    if found := _find_in_parameters(parts, lambda name: True, on_shop):
        return found
    inside = _embedded_target(parts)
    if inside and registrable_domain(inside) == shop_site:
        return inside
    return on_shop(_from_shops_host(parts, shop_site))


def _from_shops_host(parts: UrlParts, shop_site: str) -> str:
    """What begins with a host of the shop, in the path or the query; an encoded address ends where the plain text goes on."""
    rest = str(UrlParts("", parts.path, parts.query, parts.fragment))
    host = rf"(?:(?<![\w.@%-])|%(?:25)*[0-9a-f]{{2}})((?:[a-z0-9-]+\.)*{re.escape(shop_site)}(?::\d+)?(/|%(?:25)*2f).*)"
    found = re.search(host, rest, re.IGNORECASE)
    if not found:
        return ""
    return found[1] if found[2] == "/" else re.split(r"[/&;?#)]", found[1], maxsplit=1)[0]


_MAY_HOLD_URL = re.compile(r"https?[:%]|aHR0|eyJ", re.IGNORECASE)  # a URL, or the beginning of one in base64


def _redirect_target(url: str, shop_root: str | None) -> str | None:
    """The target of this URL, if it is a redirect that contains its target."""
    parts, host = UrlParts.of(url), host_of(url)
    shop_site = registrable_domain(shop_root) if shop_root else ""
    if shop_site and registrable_domain(url) != shop_site:
        scheme = shop_root.partition("://")[0] if shop_root and "://" in shop_root else parts.base.partition(":")[0]
        found = _target_in_shop(parts, shop_site, scheme or None)
        if found:
            return found
    target = _known_redirect(parts, host_keys(host))
    if target is None and _MAY_HOLD_URL.search(url, len(parts.base)):
        target = _likely_redirect(parts, host)
    return target if target and host_of(target) else None


def _is_opaque(url: str, shop_root: str | None) -> bool:
    """Whether it is a known tracker or shortener without a target; with a shop's root, any URL of another site."""
    if shop_root and registrable_domain(url) != registrable_domain(shop_root):
        return True
    parts = UrlParts.of(url)
    return bool(parts.path.strip("/") or parts.query) and not tracking_lists().opaque.isdisjoint(
        host_keys(host_of(url))
    )


def cleaned(url: str, shop_root: str | None = None, *, extra: Iterable[str] | ParameterNames = ()) -> CleanedUrl:
    """`url` without redirects and tracking, what was removed, and whether it is an opaque redirect.

    `shop_root` is the URL or host of the shop that redirects must lead to; `extra` names more tracking parameters of this shop
    (a trailing * stands for any suffix).

    >>> cleaned("https://t.example/click?to=https%3A%2F%2Fshop.example%2Fp%3Fid%3D1%26utm_source%3Dx")
    CleanedUrl(url='https://shop.example/p?id=1', removed=('redirect t.example', 'utm_source=x'), opaque=False)
    >>> cleaned("https://bit.ly/2Kqyrz2").opaque
    True
    """
    names = extra if isinstance(extra, ParameterNames) else ParameterNames.of(extra)
    removed, current = [], url
    for _ in range(_MAX_HOPS):
        target = _redirect_target(current, shop_root)
        if target is None or target == current:
            break
        removed.append(f"redirect {host_of(current)}")
        current = target
    if _is_opaque(current, shop_root):
        return CleanedUrl(current, tuple(removed), opaque=True)
    current, marks = without_tracking(current, names)
    return CleanedUrl(current, (*removed, *marks))


def clean_url(url: str, shop_root: str | None = None) -> str:
    """`url` without redirects and tracking; an opaque redirect is returned unchanged.

    >>> clean_url("http://www.shop.example/product?partner=idealo?pid=96")
    'http://www.shop.example/product?pid=96'
    """
    return cleaned(url, shop_root).url


def shop_name(url: str) -> str:
    """The default name of a shop: its host, with the port if it is an unusual one.

    >>> [shop_name(url) for url in ("https://www.shop.example/p/1", "http://shop.example:80", "http://shop.example:8080/")]
    ['shop.example', 'shop.example', 'shop.example:8080']
    """
    return urlsplit(url).netloc.lower().removeprefix("www.").removesuffix(":443").removesuffix(":80")
