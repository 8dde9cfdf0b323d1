"""Images: two URLs show the same image if they contain the same id, whatever the size and the host."""

from __future__ import annotations

import re
from functools import lru_cache
from urllib.parse import parse_qsl, unquote, urlsplit

_EXTENSION = re.compile(r"\.(?:jpe?g|png|gif|webp|avif|bmp|tiff?|svg|jfif|heic)$", re.IGNORECASE)
# Size and quality as file names carry them: "_600x600", "-300x", "@2x", "_large", "._AC_SX679_", "_w800", ".thumb", "-scaled"
_SIZE = re.compile(
    r"""(?:
        \._[A-Za-z0-9_,\-]+_$                                        # Amazon: ._AC_SL1500_
      | [_\-.@]\d{2,4}x(?:\d{2,4})?(?:[_\-](?:crop|cropped)(?:[_\-](?:center|top|bottom|left|right))?)?$
      | [_\-.@]x\d{2,4}$
      | @[1-4]x$
      | [_\-.](?:w|h|sw|sh|width|size|q)[_\-]?\d{2,4}$
      | [_\-.](?:pico|icon|thumb|thumbnail|thumbs|small|compact|medium|large|grande|original|master|full|zoom|big|mini|tiny|preview
              |default|home|cart|scaled|hires|hd|xs|s|m|l|xl|xxl|sm|md|lg|(?:home|cart|small|medium|large|category|product)_default)$
    )""",
    re.VERBOSE | re.IGNORECASE,
)
_GENERIC = re.compile(
    r"^(?:\d{1,3}|image|img|photo|picture|pic|main|front|back|side|product|default|w?\d*x\d*)?$", re.IGNORECASE
)
_IDENTIFYING = frozenset("id image img imageid image_id file filename src url path key hash mediaid asset".split())


def _stem(segment: str) -> str:
    """A file name without extension and size suffixes: "chair_600x600.jpg" -> "chair"."""
    stem = _EXTENSION.sub("", segment)
    while (shorter := _SIZE.sub("", stem)) != stem and shorter:
        stem = shorter
    return stem.lower()


def _query_id(query: str) -> str | None:
    named = [(name, value) for name, value in parse_qsl(query) if name.lower() in _IDENTIFYING and value]
    return _stem(named[0][1].rsplit("/", 1)[-1]) if named else None


@lru_cache(maxsize=4096)
def image_id(url: str) -> str | None:
    """The part of an image's URL that identifies the image; None for data: URLs and empty ones.

    >>> image_id("//cdn.example/s/files/chair_600x600.jpg?v=12") == image_id("https://shop.example/media/chair.webp")
    True
    """
    try:
        parts = urlsplit(url.strip())
    except ValueError:
        return None
    if parts.scheme not in ("", "http", "https"):
        return None
    segments = [segment for segment in unquote(parts.path).split("/") if segment]
    stem = _stem(segments[-1]) if segments else ""
    if segments and _EXTENSION.search(segments[-1]) and not _GENERIC.match(stem):
        return stem
    queried = _query_id(parts.query)
    if queried:
        return queried
    if not segments:
        return None
    return "/".join([segment.lower() for segment in segments[-2:-1]] + [stem]) if _GENERIC.match(stem) else stem
