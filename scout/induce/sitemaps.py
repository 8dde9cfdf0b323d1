"""Sitemaps: the addresses that a shop itself lists, as XML, plain text or either of them packed. https://www.sitemaps.org/protocol.html"""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from lxml import etree

MAX_BYTES = 50 * 1024 * 1024  # the protocol's own limit for one file, unpacked
MAX_URLS = 50_000  # ... and for its entries
_GZIP = b"\x1f\x8b"
_LINE = re.compile(r"^\s*sitemap\s*:\s*(\S+)", re.IGNORECASE | re.MULTILINE)
_SITEMAPS, _PAGES = "sitemapindex", "urlset"


@dataclass(frozen=True)
class Sitemap:
    """What one file lists: further sitemaps, or pages."""

    sitemaps: tuple[str, ...] = ()
    pages: tuple[str, ...] = ()


def sitemaps_in_robots(text: str) -> list[str]:
    """The sitemaps that a robots.txt names.

    >>> sitemaps_in_robots("User-agent: *\\nSitemap: http://a.example/s.xml")
    ['http://a.example/s.xml']
    """
    return list(dict.fromkeys(_LINE.findall(text)))


def sitemap(data: bytes) -> Sitemap:
    """The addresses in a sitemap; an empty one where `data` is none. Never more than the protocol allows."""
    plain = unpacked(data)
    if not plain.lstrip().startswith((b"<", b"\xef\xbb\xbf<")):
        return Sitemap(pages=tuple(_lines(plain)))
    entries = list(islice(_entries(plain), MAX_URLS))
    found = tuple(address for _, address in entries)
    return Sitemap(sitemaps=found) if entries and entries[0][0] == _SITEMAPS else Sitemap(pages=found)


def unpacked(data: bytes) -> bytes:
    """`data` unpacked where it is gzip, up to MAX_BYTES: a bomb is cut off, not exploded."""
    if not data.startswith(_GZIP):
        return data[:MAX_BYTES]
    try:
        return zlib.decompressobj(wbits=31).decompress(data, MAX_BYTES)
    except zlib.error:
        return b""


def _entries(data: bytes) -> Iterator[tuple[str, str]]:
    parser = etree.XMLParser(resolve_entities=False, no_network=True, recover=True, huge_tree=False)
    try:
        root = etree.fromstring(data, parser)
    except etree.XMLSyntaxError:
        return
    if root is None:
        return
    kind = etree.QName(root).localname
    if kind not in (_SITEMAPS, _PAGES):
        return
    for entry in root:
        for child in entry:
            if isinstance(child.tag, str) and etree.QName(child).localname == "loc" and child.text:
                yield kind, child.text.strip()


def _lines(data: bytes) -> Iterator[str]:
    for line in data.decode("utf-8", "replace").splitlines()[:MAX_URLS]:
        if line.strip().startswith(("http://", "https://")):
            yield line.strip()
