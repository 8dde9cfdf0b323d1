"""Images and description: what a product looks like, in pictures and in words."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from urllib.parse import urlsplit

from lxml import etree
from lxml.html import HtmlElement
from rapidfuzz import fuzz

from scout.induce.ballot import Claim
from scout.induce.headings import seen_text
from scout.induce.view import Region, View
from scout.values.text import text_key

MAX_IMAGES = 20
MIN_SIDE = 60  # pixels: what says that it is smaller is an icon
_NOT_A_PRODUCT = re.compile(
    r"logo|placeholder|sprite|icon|blank|spacer|pixel|loading|no[-_]?image|1x1|badge|payment|flag", re.IGNORECASE
)
_SOURCES = ("data-zoom-image", "data-large", "data-src", "data-original", "data-lazy", "src")


def images(view: View, said: Iterable[str], title: str | None) -> list[str]:
    """The product's pictures: those that markup and meta elements name, then those that the page shows under its title's name."""
    addresses = [*said, *_shown_images(view, title)]
    found: dict[str, str] = {}
    for address in addresses:
        url = view.page.absolute(address)
        if url.startswith(("http://", "https://")) and not _NOT_A_PRODUCT.search(urlsplit(url).path.rsplit("/", 1)[-1]):
            found.setdefault(urlsplit(url).path, url)
    return list(found.values())[:MAX_IMAGES]


def _shown_images(view: View, title: str | None) -> Iterator[str]:
    if title is None:
        return
    key = text_key(title)
    for image in view.body.iter("img"):
        said = image.get("alt") or image.get("title") or ""
        if len(said) > 3 and _same_name(text_key(said), key) and not _is_small(image):
            if not view.region(image) & Region.ELSEWHERE:
                yield next((s for a in _SOURCES if (s := image.get(a)) and not s.startswith("data:")), "")


def _same_name(said: str, title: str) -> bool:
    return said == title or said.startswith(title) or title.startswith(said + " ") or fuzz.ratio(said, title) > 85


def _is_small(image: HtmlElement) -> bool:
    sides = [s for s in (image.get("width"), image.get("height")) if s and s.isdigit()]
    return any(int(s) < MIN_SIDE for s in sides)


MIN_DESCRIPTION = 40  # characters: less is a caption
MAX_DESCRIPTION = 5_000
SHOWN_DESCRIPTION = 3.0
_DESCRIPTIONS = etree.XPath(
    "//*[@itemprop='description' or contains(@id, 'escription') or contains(@class, 'escription') or contains(@id, 'beschreibung')"
    " or contains(@class, 'beschreibung')][not(self::meta or self::script or self::a or self::li or self::button)]",
    smart_strings=False,
)


def description_claims(view: View) -> Iterator[Claim]:
    """The block that the page names its description, where the markup has none."""
    for element in _DESCRIPTIONS(view.body)[:20]:
        if view.region(element) & (Region.ELSEWHERE | Region.REVIEW):
            continue
        text = seen_text(element)[:MAX_DESCRIPTION]
        if len(text) >= MIN_DESCRIPTION:
            name = element.get("itemprop") or element.get("id") or element.get("class") or ""
            yield Claim("description", text, "text", f"{element.tag} {name}", SHOWN_DESCRIPTION)
            return
