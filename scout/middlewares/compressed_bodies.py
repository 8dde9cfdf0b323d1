"""Compressed bodies that end before their stream does, which Scrapy takes for whole."""

from __future__ import annotations

import sys
import zlib
from typing import Any

import brotli

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

_CHUNK = 1 << 16


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
