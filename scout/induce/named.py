"""Values in elements that are named for their field: class="product-brand", id="sku" (Zhang, Lin and Liao 2018, section 3.2.2)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from lxml.html import HtmlElement

from scout.induce.ballot import Claim
from scout.induce.labels import label_weights
from scout.induce.view import Region, View

TAGS = ("span", "div", "a", "p", "td", "li", "strong", "b", "h2", "h3", "dd", "em", "img")
MIN_SCORE = 5.0  # a whole word of the lexicon in the class or id
WEIGHT = 3.0  # a name is less than a label that everybody reads, more than nothing
MAX_VALUE = 60  # characters
_NOT_ITS_OWN = Region.ELSEWHERE | Region.REVIEW | Region.SKIP | Region.LIST
_SCREEN = re.compile(
    r"rand|anufactur|arke|ersteller|arque|arca|roducent|endor|esigner|sku|SKU|Sku|ean|gtin|mpn|rtnr|rtikel|ref",
    re.ASCII,
)
_LABEL = re.compile(r"^[^:：]{1,30}[:：]\s*")


def named_claims(view: View, fields: Sequence[str]) -> Iterator[Claim]:
    """What elements named for one of the fields say, by the template's words."""
    for element in view.body.iter(*TAGS):
        attributes = element.attrib
        names = f"{attributes.get('class', '')} {attributes.get('id', '')}"
        if names == " " or not _SCREEN.search(names):
            continue
        for field in fields:
            if view.template.word_score(field, names) >= MIN_SCORE and not view.region(element) & _NOT_ITS_OWN:
                value = _value(element, view)
                if value:
                    yield Claim(field, value, "name", f"{element.tag} {names.strip()[:60]}", WEIGHT)


def _value(element: HtmlElement, view: View) -> str | None:
    """The element's own short text without its label; for a logo what it stands for."""
    text = " ".join(" ".join(element.itertext()).split())
    if not text:
        image = element if element.tag == "img" else element.find(".//img")
        text = ((image.get("alt") or image.get("title") or "") if image is not None else "").strip()
    if label_weights(view.template, text):  # the label itself
        return None
    text = _LABEL.sub("", text)
    return text if 1 < len(text) <= MAX_VALUE else None
