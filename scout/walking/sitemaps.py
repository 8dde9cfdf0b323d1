"""Sitemaps: the addresses that a shop itself lists, as XML, plain text or either of them packed. https://www.sitemaps.org/protocol.html"""

from __future__ import annotations

import gzip
import io
import re
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any, NamedTuple

from lxml import etree

from scout.extraction.url_codes import is_address

MAX_BYTES = 50 * 1024 * 1024  # the protocol's own limit for one file, unpacked
MAX_LENGTH = 2_048  # ... and for an address
MAX_ELEMENTS = 1_000_000  # twenty an entry: seconds
MAX_URLS = 50_000  # ... and for its entries
_PIECE = 1 << 16
_GZIP = b"\x1f\x8b"
_LINE = re.compile(r"^\s*sitemap\s*:\s*(\S+)", re.IGNORECASE | re.MULTILINE)
_SITEMAPS, _PAGES = "sitemapindex", "urlset"

BOMB = "bomb"  # unpacked, it holds more bytes than the protocol allows
TOO_LARGE = "too_large"  # more bytes, elements or entries than that
CUT_OFF = "cut_off"  # it ends before its end


@dataclass(frozen=True)
class Sitemap:
    """What one file lists: further sitemaps, or pages."""

    sitemaps: tuple[str, ...] = ()
    pages: tuple[str, ...] = ()
    flaw: str | None = None  # why not all that it lists is here: BOMB, TOO_LARGE or CUT_OFF


class _Entry(NamedTuple):
    """An address, and the kind of the file that lists it."""

    kind: str
    address: str


_MORE = _Entry("", "more")  # stands for all that was not read
_LOST = _Entry("", "lost")  # stands for all that did not arrive


def sitemaps_in_robots(text: str) -> list[str]:
    """The sitemaps that a robots.txt names.

    >>> sitemaps_in_robots("User-agent: *\\nSitemap: http://a.example/s.xml")
    ['http://a.example/s.xml']
    """
    return list(dict.fromkeys(_LINE.findall(text)))


def sitemap(data: bytes) -> Sitemap:
    """The addresses in a sitemap; an empty one where `data` is none. Never more than the protocol allows."""
    plain, flaw = unpacked(data)
    is_xml = plain[:_PIECE].lstrip().startswith((b"<", b"\xef\xbb\xbf<"))
    entries = list(islice(_entries(plain) if is_xml else _lines(plain), MAX_URLS + 1))
    if _MORE in entries or len(entries) > MAX_URLS:
        flaw = flaw or TOO_LARGE
    elif _LOST in entries:
        flaw = flaw or CUT_OFF
    found = tuple(entry.address for entry in entries[:MAX_URLS] if entry.kind)
    is_index = bool(entries) and entries[0].kind == _SITEMAPS
    return Sitemap(sitemaps=found, flaw=flaw) if is_index else Sitemap(pages=found, flaw=flaw)


def unpacked(data: bytes) -> tuple[bytes, str | None]:
    """`data` unpacked where it is gzip, up to MAX_BYTES, so that a bomb is cut off and not exploded; and what it lacks, if anything."""
    if not data.startswith(_GZIP):
        return data[:MAX_BYTES], TOO_LARGE if len(data) > MAX_BYTES else None
    found = io.BytesIO()
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(data)) as file:
            while (room := MAX_BYTES - found.tell()) and (piece := file.read1(min(room, _PIECE))):
                found.write(piece)
    except (EOFError, OSError, zlib.error):
        return found.getvalue(), CUT_OFF
    return found.getvalue(), None if room else BOMB


def _entries(data: bytes) -> Iterator[_Entry]:
    """The entries of an XML file; `_MORE` where it has too many elements to be read to its end, `_LOST` where it has no end."""
    elements = _elements(data)
    root = next(elements, None)
    kind = "" if root is None else _name(root)[1]
    if kind not in (_SITEMAPS, _PAGES):
        return
    for count, element in enumerate(elements):
        if count >= MAX_ELEMENTS:
            yield _MORE
            return
        if element is root:
            return
        if _is_loc(element, root) and is_address(address := (element.text or "").strip()):
            yield _Entry(kind, address)
    yield _LOST


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
