"""Products that have no page of their own: repeated cards with a name, a price and a way to buy, and no link."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from itertools import chain
from urllib.parse import quote

import lxml.html
from lxml.html import HtmlElement

from scout.extraction.buying import is_product_button
from scout.extraction.link_targets import address
from scout.extraction.structured_data import things
from scout.extraction.view import names_of
from scout.page import Page
from scout.values import parse_availability
from scout.values.currency import shows_amount
from scout.values.text import single_spaced, text_key

MIN_CARDS = 3  # two of a kind happen by chance
MAX_LABEL = 40  # characters of a button
MAX_SAME = 0.34  # share of the cards with one text that may be the name of each: two of a list may be called the same
_IDS = ("data-id", "data-product-id", "data-sku", "id")
_HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")


@dataclass(frozen=True, eq=False)
class Card:
    """One product of a list, where it stands. `number` counts those of one name."""

    element: HtmlElement
    name: str
    page: Page
    number: int = 1

    @property
    def url(self) -> str:
        """The address of its list, with its id or else its name as fragment."""
        name = self.name if self.number == 1 else f"{self.name} {self.number}"
        named = next((value for key in _IDS if (value := self.element.get(key))), name)
        return f"{self.page.url.partition('#')[0]}#{quote(named)}"

    def own_page(self) -> Page:
        """The card as a page of its own, with what the list's markup says of the product of this name, if only one has it."""
        key = text_key(self.name)
        named = [item.data for item in things(self.page) if text_key(str(item.data.get("name"))) == key]
        marked = named[0] if len(named) == 1 else None
        state = json.dumps(marked, ensure_ascii=False).replace("<", "\\u003c")
        script = f'<script type="application/ld+json">{state}</script>' if marked else ""
        card = lxml.html.tostring(self.element, encoding="unicode", with_tail=False)
        name, lang = escape(self.name), escape(self.page.root.get("lang") or "")
        head = f'<html lang="{lang}"><head><title>{name}</title></head>'
        return Page(self.url, f"{head}<body><main><h1>{name}</h1>{card}</main>{script}</body></html>")


def cards(page: Page) -> list[Card]:
    """The products of a list that links to none of them; empty where there is no such list."""
    if "cards" not in page.memo:
        blocks = _blocks(page)
        makes = Counter((block.tag, names_of(block)) for block in blocks)
        alike = [block for block in blocks if makes[block.tag, names_of(block)] >= MIN_CARDS]
        page.memo["cards"] = list(_named_cards(alike, page))
    found: list[Card] = page.memo["cards"]
    return found


def _named_cards(blocks: Sequence[HtmlElement], page: Page) -> Iterator[Card]:
    """The blocks with their names: the first text of each that most others do not have, such as "Free shipping"."""
    texts = [list(dict.fromkeys(_texts(block))) for block in blocks]
    common = Counter(chain.from_iterable(texts))
    names = [next((t for t in own if common[t] <= len(blocks) * MAX_SAME), None) for own in texts]
    count: Counter[str] = Counter()
    for block, name in zip(blocks, names, strict=True) if None not in names else ():
        if name:
            count[name] += 1
            yield Card(block, name, page, count[name])


def _blocks(page: Page) -> list[HtmlElement]:
    """The largest element around each button that buys in which there is no other, if it shows a price and leads nowhere."""
    buttons = [element for element in page.root.iter("button", "input", "a") if _buys(element, page)]
    if len(buttons) < MIN_CARDS:
        return []
    held = Counter(ancestor for button in buttons for ancestor in (button, *button.iterancestors()))
    blocks = [[e for e in (button, *button.iterancestors()) if held[e] == 1][-1] for button in buttons]
    return [b for b in blocks if shows_amount(b.text_content()) and not any(_leads(b, page))]


def _buys(element: HtmlElement, page: Page) -> bool:
    label = single_spaced(element.get("value") if element.tag == "input" else element.text_content())
    sells = is_product_button(label) or (element.tag != "a" and parse_availability(label) == "OutOfStock")
    return len(label) <= MAX_LABEL and sells and address(element, page) is None


def _leads(block: HtmlElement, page: Page) -> Iterator[bool]:
    return (address(link, page) is not None for link in block.iter("a"))


def _texts(block: HtmlElement) -> Iterator[str]:
    """What a card may be called, best first: its headings, then its texts that are no price and no button."""
    elements = [e for e in block.iter() if isinstance(e.tag, str) and e.tag not in ("button", "script", "style")]
    headings = (single_spaced(e.text_content()) for e in elements if e.tag in _HEADINGS)
    for text in (*headings, *(single_spaced(e.text) for e in elements)):
        is_name = any(map(str.isalpha, text)) and not shows_amount(text)
        if is_name and not is_product_button(text):
            yield text
