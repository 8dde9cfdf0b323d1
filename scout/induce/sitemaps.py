"""Sitemaps: the addresses that a shop itself lists, as XML, plain text or either of them packed. https://www.sitemaps.org/protocol.html"""

from __future__ import annotations

import io
import re
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any

from lxml import etree

MAX_BYTES = 50 * 1024 * 1024  # the protocol's own limit for one file, unpacked
MAX_LENGTH = 2_048  # ... and for an address
MAX_ELEMENTS = 1_000_000  # twenty an entry: seconds
MAX_URLS = 50_000  # ... and for its entries
_PIECE = 1 << 16
_GZIP = b"\x1f\x8b"
_LINE = re.compile(r"^\s*sitemap\s*:\s*(\S+)", re.IGNORECASE | re.MULTILINE)
_SITEMAPS, _PAGES = "sitemapindex", "urlset"


@dataclass(frozen=True)
class Sitemap:
    """What one file lists: further sitemaps, or pages."""

    sitemaps: tuple[str, ...] = ()
    pages: tuple[str, ...] = ()
    is_cut: bool = False  # whether the file is larger than the protocol allows, and was not read to its end


def sitemaps_in_robots(text: str) -> list[str]:
    """The sitemaps that a robots.txt names.

    >>> sitemaps_in_robots("User-agent: *\\nSitemap: http://a.example/s.xml")
    ['http://a.example/s.xml']
    """
    return list(dict.fromkeys(_LINE.findall(text)))


def sitemap(data: bytes) -> Sitemap:
    """The addresses in a sitemap; an empty one where `data` is none. Never more than the protocol allows."""
    plain = unpacked(data)
    is_cut = len(plain) >= MAX_BYTES
    if not plain[:_PIECE].lstrip().startswith((b"<", b"\xef\xbb\xbf<")):
        return Sitemap(pages=tuple(_lines(plain)), is_cut=is_cut)
    entries = list(islice(_entries(plain), MAX_URLS))
    found = tuple(address for _, address in entries)
    is_index = bool(entries) and entries[0][0] == _SITEMAPS
    return Sitemap(sitemaps=found, is_cut=is_cut) if is_index else Sitemap(pages=found, is_cut=is_cut)


def unpacked(data: bytes) -> bytes:
    """`data` unpacked where it is gzip, up to MAX_BYTES: a bomb is cut off, not exploded."""
    if not data.startswith(_GZIP):
        return data[:MAX_BYTES]
    try:
        return zlib.decompressobj(wbits=31).decompress(data, MAX_BYTES)
    except zlib.error:
        return b""


def _entries(data: bytes) -> Iterator[tuple[str, str]]:
    """(kind of the file, address) of each entry."""
    elements = _elements(data)
    kind = next(elements, ("", None))[0]
    if kind not in (_SITEMAPS, _PAGES):
        return
    for name, text in islice(elements, MAX_ELEMENTS):
        if name == "loc" and text:
            yield kind, text.strip()


def _elements(data: bytes) -> Iterator[tuple[str, str | None]]:
    """Name and text of the root, and then of every element that ends: piece by piece, for a tree takes ten times the size of its file."""
    kept: dict[str, Any] = {"resolve_entities": False, "no_network": True, "recover": True, "huge_tree": False}
    parser: Any = etree.XMLPullParser(("start", "end"), **kept)
    root: Any = None
    for begin in range(0, len(data), _PIECE):
        try:
            parser.feed(data[begin : begin + _PIECE])
        except etree.XMLSyntaxError:
            return
        for event, element in parser.read_events():
            if root is None:
                root = element
                yield etree.QName(root).localname, None
            elif event == "end":
                yield etree.QName(element).localname, element.text
            if event == "end" and element.getparent() is root:
                del root[:-1]  # the last one is still being read


def _lines(data: bytes) -> Iterator[str]:
    for line in islice(io.BytesIO(data), MAX_URLS):
        text = line.decode("utf-8", "replace").strip()
        if text.startswith(("http://", "https://")) and len(text) <= MAX_LENGTH:
            yield text
