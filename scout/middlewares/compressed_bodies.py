"""Compressed bodies that end before their stream does, which Scrapy takes for whole."""

from __future__ import annotations

import sys
import zlib
from collections.abc import Callable, Mapping
from functools import partial

import brotli

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

_GZIP, _ZLIB, _BARE = zlib.MAX_WBITS | 16, zlib.MAX_WBITS, -zlib.MAX_WBITS
_Reader = Callable[[bytes, int], tuple[bytes, bool]]  # gives the first bytes, and whether the stream has ended
_ERRORS = (zlib.error, brotli.error, zstd.ZstdError)


def is_cut_off(body: bytes, encoding: str, longest: int) -> bool:
    """Whether a compressed body ends before its stream does; one that is larger than `longest` bytes is somebody else's business."""
    readers = _READERS.get(encoding.strip().lower(), ())
    return bool(body and readers) and not any(_is_whole(read, body, longest) for read in readers)


def _is_whole(read: _Reader, body: bytes, longest: int) -> bool:
    try:
        text, is_ended = read(body, longest)
    except _ERRORS:  # not what it says it is
        return False
    return is_ended or len(text) >= longest


def _read_zlib(body: bytes, longest: int, *, bits: int) -> tuple[bytes, bool]:
    stream = zlib.decompressobj(bits)
    return stream.decompress(body, longest), stream.eof


def _read_brotli(body: bytes, longest: int) -> tuple[bytes, bool]:
    stream = brotli.Decompressor()
    return stream.process(body, output_buffer_limit=longest), stream.is_finished()


def _read_zstd(body: bytes, longest: int) -> tuple[bytes, bool]:
    stream = zstd.ZstdDecompressor()
    return stream.decompress(body, longest), stream.eof


# some servers send deflate without the header that the standard asks for
_READERS: Mapping[str, tuple[_Reader, ...]] = {
    "gzip": (partial(_read_zlib, bits=_GZIP),),
    "x-gzip": (partial(_read_zlib, bits=_GZIP),),
    "deflate": (partial(_read_zlib, bits=_ZLIB), partial(_read_zlib, bits=_BARE)),
    "br": (_read_brotli,),
    "zstd": (_read_zstd,),
}
