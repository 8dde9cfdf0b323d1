"""Products that have no page of their own: repeated cards with a name, a price and a way to buy, and no link."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from html import escape
from urllib.parse import quote

import lxml.html
from lxml.html import HtmlElement

from scout.extraction.buying import is_product_button
from scout.extraction.link_targets import address
from scout.extraction.structured_data import things
from scout.extraction.view import names_of
from scout.page import Page
from scout.values import parse_availability
from scout.values.currency import amount_pattern
from scout.values.text import single_spaced, text_key

MIN_CARDS = 3  # two of a kind happen by chance
MAX_LABEL = 40  # characters of a button
_IDS = ("data-id", "data-product-id", "data-sku", "id")
_HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")


@dataclass(frozen=True, eq=False)
class Card:
    """One product of a list, where it stands."""

    element: HtmlElement
    name: str
    page: Page

    @property
    def url(self) -> str:
        """The address of its list, with its id or else its name as fragment."""
        named = next((value for key in _IDS if (value := self.element.get(key))), self.name)
        return f"{self.page.url.partition('#')[0]}#{quote(named)}"

    def own_page(self) -> Page:
        """The card as a page of its own, with what the list's markup says of a product of this name."""
        marked = next(
            (item.data for item in things(self.page) if text_key(str(item.data.get("name"))) == text_key(self.name)),
            None,
        )
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
        named = [Card(block, name, page) for block in alike if (name := _name(block))]
        page.memo["cards"] = named if len({card.name for card in named}) == len(alike) else []
    found: list[Card] = page.memo["cards"]
    return found


def _blocks(page: Page) -> list[HtmlElement]:
    """The largest element around each button that buys in which there is no other, if it shows a price and leads nowhere."""
    buttons = [element for element in page.root.iter("button", "input", "a") if _buys(element, page)]
    if len(buttons) < MIN_CARDS:
        return []
    held = Counter(ancestor for button in buttons for ancestor in (button, *button.iterancestors()))
    blocks = [[e for e in (button, *button.iterancestors()) if held[e] == 1][-1] for button in buttons]
    return [b for b in blocks if amount_pattern().search(b.text_content()) and not any(_leads(b, page))]


def _buys(element: HtmlElement, page: Page) -> bool:
    label = single_spaced(element.get("value") if element.tag == "input" else element.text_content())
    sells = is_product_button(label) or (element.tag != "a" and parse_availability(label) == "OutOfStock")
    return len(label) <= MAX_LABEL and sells and address(element, page) is None


def _leads(block: HtmlElement, page: Page) -> Iterator[bool]:
    return (address(link, page) is not None for link in block.iter("a"))


def _name(block: HtmlElement) -> str | None:
    """What a card is called: its heading, else its first text that is no price and no button."""
    headings = (single_spaced(e.text_content()) for e in block.iter(*_HEADINGS))
    texts = (
        single_spaced(e.text)
        for e in block.iter()
        if isinstance(e.tag, str) and e.tag not in ("button", "script", "style")
    )
    shown = (text for text in (*headings, *texts) if any(map(str.isalpha, text)))
    return next((text for text in shown if not amount_pattern().search(text) and not is_product_button(text)), None)
