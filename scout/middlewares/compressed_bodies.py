"""Compressed bodies that end before their stream does, which Scrapy takes for whole."""

from __future__ import annotations

import sys
import zlib
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import brotli

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

_GZIP, _ZLIB, _BARE = (
    partial(zlib.decompressobj, bits) for bits in (zlib.MAX_WBITS | 16, zlib.MAX_WBITS, -zlib.MAX_WBITS)
)
_ERRORS = (zlib.error, brotli.error, zstd.ZstdError)
_DECOMPRESSORS: Mapping[str, tuple[Callable[[], Any], ...]] = {
    "gzip": (_GZIP,),
    "x-gzip": (_GZIP,),
    "deflate": (_ZLIB, _BARE),  # some servers send it without the header that the standard asks for
    "br": (brotli.Decompressor,),
    "zstd": (zstd.ZstdDecompressor,),
}


def is_cut_off(body: bytes, encoding: str, longest: int) -> bool:
    """Whether a compressed body ends before its stream does; one that is larger than `longest` bytes is somebody else's business."""
    decompressors = _DECOMPRESSORS.get(encoding.strip().lower(), ())
    return bool(body and decompressors) and not any(_is_whole(new(), body, longest) for new in decompressors)


def _is_whole(stream: Any, body: bytes, longest: int) -> bool:
    try:
        if isinstance(stream, brotli.Decompressor):
            return len(stream.process(body, output_buffer_limit=longest)) >= longest or stream.is_finished()
        return len(stream.decompress(body, longest)) >= longest or stream.eof
    except _ERRORS:  # not what it says it is
        return False
