"""Sitemaps: the addresses that a shop itself lists, as XML, plain text or either of them packed. https://www.sitemaps.org/protocol.html"""

from __future__ import annotations

import io
import re
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any, NamedTuple

from lxml import etree

from scout.induce.addresses import is_address

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
    is_cut: bool = False  # whether the file holds more than the protocol allows, and was not read to its end


class _Entry(NamedTuple):
    """An address, and the kind of the file that lists it."""

    kind: str
    address: str


_MORE = _Entry("", "")  # stands for all that was not read


def sitemaps_in_robots(text: str) -> list[str]:
    """The sitemaps that a robots.txt names.

    >>> sitemaps_in_robots("User-agent: *\\nSitemap: http://a.example/s.xml")
    ['http://a.example/s.xml']
    """
    return list(dict.fromkeys(_LINE.findall(text)))


def sitemap(data: bytes) -> Sitemap:
    """The addresses in a sitemap; an empty one where `data` is none. Never more than the protocol allows."""
    plain = unpacked(data)
    is_xml = plain[:_PIECE].lstrip().startswith((b"<", b"\xef\xbb\xbf<"))
    entries = list(islice(_entries(plain) if is_xml else _lines(plain), MAX_URLS + 1))
    is_cut = len(plain) >= MAX_BYTES or len(entries) > MAX_URLS or _MORE in entries
    found = tuple(entry.address for entry in entries[:MAX_URLS] if entry is not _MORE)
    is_index = bool(entries) and entries[0].kind == _SITEMAPS
    return Sitemap(sitemaps=found, is_cut=is_cut) if is_index else Sitemap(pages=found, is_cut=is_cut)


def unpacked(data: bytes) -> bytes:
    """`data` unpacked where it is gzip, up to MAX_BYTES: a bomb is cut off, not exploded."""
    if not data.startswith(_GZIP):
        return data[:MAX_BYTES]
    try:
        return zlib.decompressobj(wbits=31).decompress(data, MAX_BYTES)
    except zlib.error:
        return b""


def _entries(data: bytes) -> Iterator[_Entry]:
    """The entries of an XML file, and `_MORE` where it has too many elements to be read to its end."""
    elements = _elements(data)
    root = next(elements, None)
    kind = "" if root is None else _name(root)[1]
    if kind not in (_SITEMAPS, _PAGES):
        return
    for count, element in enumerate(elements):
        if count >= MAX_ELEMENTS:
            yield _MORE
            return
        if _is_loc(element, root) and is_address(address := (element.text or "").strip()):
            yield _Entry(kind, address)


def _is_loc(element: Any, root: Any) -> bool:
    """Whether it is the <loc> of an entry, and not that of a picture or a film on that page, which stands deeper or is of another kind."""
    entry = element.getparent()
    space, name = _name(element)
    return name == "loc" and entry is not None and entry.getparent() is root and _name(entry)[0] == space


def _name(element: Any) -> tuple[str, str]:
    """Namespace and name; without etree.QName, which refuses a prefix that nothing declares."""
    space, _, name = element.tag.rpartition("}") if isinstance(element.tag, str) else ("", "", "")
    return space, name


def _elements(data: bytes) -> Iterator[Any]:
    """The root, and then every element that ends: piece by piece, for a tree takes ten times the size of its file."""
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
                yield root
            elif event == "end":
                yield element
            if event == "end" and element.getparent() is root:
                for read in list(
                    element.itersiblings(preceding=True)
                ):  # not what comes after: that was not asked for yet
                    root.remove(read)


def _lines(data: bytes) -> Iterator[_Entry]:
    for line in io.BytesIO(data):
        text = line.decode("utf-8", "replace").strip()
        if len(text) <= MAX_LENGTH and is_address(text):
            yield _Entry(_PAGES, text)
