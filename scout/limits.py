"""What no honest page is: compressed and cut off, or built so that a parser chokes on it. Told cheaply, before anything is parsed."""

from __future__ import annotations

import re
import sys
import zlib
from typing import Any

import brotli

from scout.page import MAX_DEPTH, Page

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

MAX_TAGS = 300_000  # of a page: the longest lists have a tenth; each costs every analysis some microseconds
MAX_LINKS = 50_000
LONG_TAG = 50_000  # characters: a shorter one has too few attributes to matter
MAX_ATTRIBUTES = 5_000  # of one tag: libxml2 compares each with all others
_QUOTED = re.compile(r'"[^"]*"|\'[^\']*\'')
_CHUNK = 1 << 16


def limit_broken(html: str) -> str | None:
    """The word for what makes this page dangerous to parse; None for any page that a shop would make."""
    if html.count("<") > MAX_TAGS:
        return "too_many_tags"
    if len(html) > LONG_TAG and _has_monstrous_tag(html):
        return "too_many_attributes"
    return "too_many_links" if html.count("<a ") + html.count("<A ") > MAX_LINKS else None


def _has_monstrous_tag(html: str) -> bool:
    """Whether one tag has more attributes than anybody writes. Values may be as long as they like: they are taken out first."""
    if not any(len(part) > LONG_TAG for mark in "<>" for part in html.split(mark)):
        return False
    bare = _without(_without(html, "script"), "style")
    tags = [part for part in bare.split("<") if len(part) > LONG_TAG]
    tags += [part[part.find("<") + 1 :] for part in bare.split(">") if len(part) > LONG_TAG and "<" in part]
    return any(_attributes(tag) > MAX_ATTRIBUTES for tag in tags if tag[:1].isalpha())


def _attributes(tag: str) -> int:
    """How many attributes the tag has; what follows its end does not count."""
    return len(_QUOTED.sub(" ", tag).partition(">")[0].replace("/", " ").split())


def _without(html: str, element: str) -> str:
    """The page without these elements, in one pass; one that is not closed goes on to the end."""
    kept, at, lower = [], 0, html.lower()
    while (begin := lower.find(f"<{element}", at)) >= 0:
        kept.append(html[at:begin])
        end = lower.find(f"</{element}", begin)
        at = len(html) if end < 0 else end
    return "".join([*kept, html[at:]])


def is_cut_by_parser(page: Page) -> bool:
    """Whether the page is nested deeper than libxml2 follows: what lies deeper is missing from the tree without a word."""
    if page.html.count("<") < MAX_DEPTH:
        return False
    return bool(page.root.xpath(f"boolean(//*[ancestor::*[{MAX_DEPTH - 1}]])"))


# --- compressed bodies ---------------------------------------------------------------------------------------------------


def is_cut_off(body: bytes, encoding: str, longest: int) -> bool:
    """Whether a compressed body ends before its stream does; one that is larger than `longest` bytes is somebody else's business."""
    reader = READERS.get(encoding.strip().lower())
    return bool(body) and reader is not None and reader(body, longest)


def _is_cut_gzip(body: bytes, longest: int) -> bool:
    return _is_cut_zlib(body, zlib.MAX_WBITS | 16, longest)


def _is_cut_deflate(body: bytes, longest: int) -> bool:
    try:
        return _is_cut_zlib(body, zlib.MAX_WBITS, longest, strict=True)
    except zlib.error:  # without the header that the standard asks for, as some servers send it
        return _is_cut_zlib(body, -zlib.MAX_WBITS, longest)


def _is_cut_zlib(body: bytes, bits: int, longest: int, *, strict: bool = False) -> bool:
    stream, size, rest = zlib.decompressobj(bits), 0, body
    try:
        while not stream.eof and size <= longest:
            piece = stream.decompress(rest, _CHUNK)
            if not piece and not stream.unconsumed_tail:
                return not stream.eof
            size, rest = size + len(piece), stream.unconsumed_tail
    except zlib.error:
        if strict:
            raise
        return True  # not what it says it is
    return False


def _is_cut_brotli(body: bytes, longest: int) -> bool:
    stream, size, rest = brotli.Decompressor(), 0, body
    try:
        while not stream.is_finished() and size <= longest:
            piece = stream.process(rest, output_buffer_limit=_CHUNK)
            if not piece and not rest:
                return not stream.is_finished()
            size, rest = size + len(piece), b""
    except brotli.error:
        return True
    return False


def _is_cut_zstd(body: bytes, longest: int) -> bool:
    stream: Any = zstd.ZstdDecompressor()
    size, rest = 0, body
    try:
        while not stream.eof and size <= longest:
            piece = stream.decompress(rest, _CHUNK)
            if not piece and stream.needs_input:
                return True
            size, rest = size + len(piece), b""
    except zstd.ZstdError:
        return True
    return False


READERS = {
    "gzip": _is_cut_gzip,
    "x-gzip": _is_cut_gzip,
    "deflate": _is_cut_deflate,
    "br": _is_cut_brotli,
    "zstd": _is_cut_zstd,
}
