"""Images and description: what a product looks like, in pictures and in words."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from urllib.parse import urlsplit

from lxml.html import HtmlElement
from rapidfuzz import fuzz

from scout.extraction.ballot import Claim
from scout.extraction.titles import seen_text
from scout.extraction.view import Region, View
from scout.values.numbers import whole_number
from scout.values.text import text_key

MAX_IMAGES = 20
MIN_SIDE = 60  # pixels: what says that it is smaller is an icon
_NOT_A_PRODUCT = re.compile(
    r"logo|placeholder|sprite|icon|blank|spacer|pixel|loading|no[-_]?image|1x1|badge|payment|flag", re.IGNORECASE
)
_SOURCES = ("data-zoom-image", "data-large", "data-src", "data-original", "data-lazy", "src")
_PICTURE = re.compile(r"\.(?:jpe?g|png|gif|webp|avif)$", re.IGNORECASE)


def images(view: View, said: Iterable[str], title: str | None) -> list[str]:
    """The product's pictures: those that markup and meta elements name, then those that the page shows under its title's name."""
    addresses = [*said, *(_shown_images(view, title) if title else ())]
    found: dict[str, str] = {}
    for address in addresses:
        url = view.page.absolute(address)
        if url.startswith(("http://", "https://")) and not _NOT_A_PRODUCT.search(urlsplit(url).path.rsplit("/", 1)[-1]):
            found.setdefault(urlsplit(url).path, url)
    return list(found.values())[:MAX_IMAGES]


def _shown_images(view: View, title: str) -> Iterator[str]:
    for image in view.body.iter("img"):
        said = (image.get("alt") or image.get("title") or "").strip()
        if _is_named(said, title) and not _is_small(image) and not _is_elsewhere(view, image, said, title):
            sources = filter(None, map(image.get, _SOURCES))
            yield next((source for source in sources if not source.startswith("data:")), "")


def _is_named(said: str, title: str) -> bool:
    """Whether a picture is called as the product is, or nearly."""
    if len(said) <= 3 or said[:3].casefold() != title[:3].casefold():
        return False
    key, own = text_key(said), text_key(title)
    return key.startswith(own) or own.startswith(key + " ") or fuzz.ratio(key, own) > 85


def _is_elsewhere(view: View, image: HtmlElement, said: str, title: str) -> bool:
    """Whether a picture stands in a box of other products; one of the very same name only does where a click leads away."""
    is_same = text_key(said) == text_key(title)
    return bool(view.region(image) & Region.ELSEWHERE) and not (is_same and not _leads_away(image))


def _leads_away(image: HtmlElement) -> bool:
    """Whether a click leads to another page, as in a box of other products; the product's own carousel enlarges it at most."""
    links = [link.get("href") or "#" for link in image.iterancestors("a")]
    return any(not link.startswith(("#", "javascript:")) and not _PICTURE.search(_path(link)) for link in links)


def _path(link: str) -> str:
    """The path of a link as the page writes it; not by urlsplit, which raises where it is none."""
    return re.split(r"[?#]", link, maxsplit=1)[0]


def _is_small(image: HtmlElement) -> bool:
    sides = map(whole_number, (image.get("width"), image.get("height")))
    return any(side is not None and side < MIN_SIDE for side in sides)


MIN_DESCRIPTION = 40  # characters: less is a caption
MAX_DESCRIPTION = 5_000
SHOWN_DESCRIPTION = 3.0
_NAMES = ("escription", "eschreibung", "escripcion", "escrizione", "opis")
_BLOCKS = frozenset("div section article td p span".split())


def description_claims(view: View) -> Iterator[Claim]:
    """The block that the page names its description, where the markup has none."""
    shown = (e for e in _called_description(view) if not view.region(e) & (Region.ELSEWHERE | Region.REVIEW))
    for element in shown:
        text = seen_text(element)[:MAX_DESCRIPTION]
        if len(text) >= MIN_DESCRIPTION:
            name = element.get("itemprop") or element.get("id") or element.get("class") or ""
            yield Claim("description", text, "text", f"{element.tag} {name}", SHOWN_DESCRIPTION, element)
            return


def _called_description(view: View) -> Iterator[HtmlElement]:
    called = {name for name in view.page.names if any(part in name for part in _NAMES)}
    marked = (element for element, name in view.item_names.items() if name == "description")
    wanted = {row[0] for row in view.page.rows_named(called)}.union(marked)
    return (row[0] for row in view.rows if row[0] in wanted and row[1] in _BLOCKS) if wanted else iter(())
