"""Values in elements that are named for their field: class="product-brand", id="sku" (Zhang, Lin and Liao 2018, section 3.2.2)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import combinations
from urllib.parse import unquote

from lxml.html import HtmlElement

from scout.extraction.ballot import Claim
from scout.extraction.field_parsers import MAX_VALUE
from scout.extraction.labels import label_weights
from scout.extraction.lexicon import Lexicon
from scout.extraction.queries import query
from scout.extraction.view import NEAR, Region, View, names_of
from scout.page import Page
from scout.values.tables import table
from scout.values.text import alphanumeric_key, text_key

TAGS = frozenset("span div a p td li strong b h2 h3 dd em img".split())
MIN_SCORE = 5.0  # a whole word of the lexicon in the class or id
BESIDE = 4  # texts before the title, and twice as many behind its beginning, in which its brand stands
WEIGHT = 3.0  # a name is less than a label that everybody reads, more than nothing
_NOT_ITS_OWN = Region.ELSEWHERE | Region.REVIEW | Region.SKIP
_SCREEN = re.compile(
    r"rand|anufactur|arke|ersteller|arque|arca|roducent|endor|esigner|sku|SKU|Sku|ean|gtin|mpn|rtnr|rtikel|ref",
    re.ASCII,
)
_BRAND_PAGE = re.compile(
    r"[/?&=](?:brands?|makers?|marken?|hersteller|manufacturers?|marques?|marcas?|fabricantes?|producen(?:t|ci)|brends?|vendors?|designers?|firms?|firm[ay]"
    r"|produttor[ei]|march[io]+|stores?)[/=_-]",
    re.IGNORECASE,
)
_DATA_NAMES, _DATA_SIGNS = (table("page_data")["attributes"][kind] for kind in ("names", "signs"))
_HOLDERS = {
    name: query(f"descendant::*/@{name}/.." if name.startswith("data-") else f"descendant::input[@name='{name}']")
    for names in _DATA_NAMES.values()
    for name in names
}
_ANY_NAME = re.compile(r"\w")
_LABEL = re.compile(r"^[^:：]{1,30}[:：]\s*")


def named_claims(view: View, fields: Sequence[str], screen: re.Pattern[str] = _SCREEN) -> Iterator[Claim]:
    """What elements named for one of the fields say, by the template's words; `screen` is what their names must have at least."""
    called = {name for name in view.page.names if screen.search(name)}
    for element, tag, *_ in view.page.rows_named(called):
        names = names_of(element)
        meant = _fields_meant(view.template, fields, names) if tag in TAGS else []
        value = _value(element, view) if meant and not view.region(element) & _NOT_ITS_OWN else None
        if value:
            yield from (Claim(field, value, "name", f"{tag} {names.strip()[:60]}", WEIGHT, element) for field in meant)


def _fields_meant(words: Lexicon, fields: Sequence[str], names: str) -> list[str]:
    return [field for field in fields if words.word_score(field, names) >= MIN_SCORE]


def is_called(page: Page, field: str, words: Lexicon) -> bool:
    """Whether any element of the page may be named for the field: a look at the names alone."""
    return any(_SCREEN.search(name) and words.word_score(field, name) >= MIN_SCORE for name in page.names)


def own_claims(view: View) -> Iterator[Claim]:
    """What elements named for the user's own fields say."""
    fields = [name for name in view.template.own_fields if view.template.fields[name].words]
    return named_claims(view, fields, _ANY_NAME) if fields else iter(())


def linked_brand_claims(view: View) -> Iterator[Claim]:
    """The brand that a link beside the title leads to: <a href="/brands/sitwell">Visit Sitwell</a>. Text and address must agree."""
    for link in view.by_tag("a"):
        href = link.get("href") or ""
        of_brand = _BRAND_PAGE.search(href)
        if of_brand is None or view.region(link) & _NOT_ITS_OWN or view.distance(link) > NEAR:
            continue
        name = _name_in(unquote(href[of_brand.end() :]), (_value(link, view) or "").split())
        if name:
            yield Claim("brand", name, "name", f"link {href[:60]}", WEIGHT, link)
            return


def _name_in(address: str, words: Sequence[str]) -> str:
    """The longest run of words that an address has."""
    key = alphanumeric_key(address)
    runs = (" ".join(words[i:j]) for i, j in combinations(range(len(words) + 1), 2))
    return max((run for run in runs if len(run) > 1 and alphanumeric_key(run) in key), key=len, default="")


def beside_title_claims(view: View, titles: Sequence[str]) -> Iterator[Claim]:
    """What stands right before or behind the title and begins it, or begins the <title>: a brand, whatever its element is called."""
    start = view.anchor_order
    for text in view.texts[max(0, start - BESIDE) : start + 2 * BESIDE] if start is not None else ():
        own = f"{text_key(text.text)} "
        if len(text.text) <= MAX_VALUE and any(text_key(title).startswith(own) for title in titles):
            yield Claim("brand", text.text, "beside", "beside the title", WEIGHT, text.element)


def data_claims(view: View, fields: Sequence[str]) -> Iterator[Claim]:
    """What data attributes and hidden inputs named for a field say: those nearest to the title, where they agree."""
    for field in fields:
        found = _nearest_holders(view, field)
        said = dict(reversed([_held(e, _DATA_NAMES[field]) for e in found]))  # the first says where
        if len(said) == 1 and (value := next(iter(said))):
            where, element = said[value]
            yield Claim(field, value, "name", where, WEIGHT, element)


def price_data_claims(view: View) -> Iterator[Claim]:
    """The amounts in data attributes nearest to the title; an element named for a former price has that."""
    for element in _nearest_holders(view, "price"):
        value, (where, _) = _held(element, _DATA_NAMES["price"])
        field = "list_price" if view.is_named_struck(element) else "price"
        yield Claim(field, value, "name", where, WEIGHT, element)


def _nearest_holders(view: View, field: str) -> list[HtmlElement]:
    """The elements nearest to the title that have an attribute named for the field, or are inputs of that name."""
    html = view.page.html
    if not any(sign in html for sign in _DATA_SIGNS[field]):
        return []
    found = [e for name in _DATA_NAMES[field] for e in _HOLDERS[name](view.body) if not view.region(e) & _NOT_ITS_OWN]
    nearest = min(map(view.distance, found), default=0)
    return [element for element in found if view.distance(element) == nearest]


def _held(element: HtmlElement, names: Sequence[str]) -> tuple[str, tuple[str, HtmlElement]]:
    """What an element says in an attribute named for the field, or as the input that is, and where that is."""
    name = next((name for name in names if element.get(name)), None)
    if name is not None:
        return (element.get(name) or "").strip(), (f"attribute {name}", element)
    return (element.get("value") or "").strip(), (f"input[name={element.get('name')}]", element)


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
