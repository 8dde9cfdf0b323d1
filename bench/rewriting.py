"""Twins of a page: the same product and the same truth, written as another shop might write them.

Fitting on twins keeps any single name, tag or block of markup from carrying a field. What a shopper sees stays: an element that a class
hides or strikes out gets a style that does. `key` decides how names are renamed and which words and formats are chosen, so that a twin
is always the same one.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Mapping, Sequence, Set
from functools import cache

import lxml.html
from lxml.html import HtmlElement

from scout.extraction.lexicon import label_key, lexicon
from scout.extraction.view import naming_words
from scout.page import Page
from scout.values.regions import region_words

_JSON_LD = re.compile(r"<script[^>]*application/ld\+json[^>]*>.*?</script>", re.I | re.S)
_META = re.compile(r"<meta[^>]*(?:property|name)\s*=\s*[\"']?(?:og|product|twitter):[^>]*>", re.I)
_MICRODATA = re.compile(r"\s(?:itemprop|itemtype|itemscope)(?:\s*=\s*(?:\"[^\"]*\"|'[^']*'|[^\s>]+))?", re.I)
_BLOCKS = frozenset("table thead tbody tfoot tr td th ul ol li dl dt dd section article main".split())
_HEADINGS = frozenset("h1 h2 h3 h4 h5 h6".split())
_STRUCK_TAGS = frozenset({"del", "s", "strike"})
_NOT_SHOWN = frozenset({"script", "style", "noscript", "template", "textarea"})
_NAME_ATTRIBUTES = ("class", "id", "for", "data-testid", "data-test", "data-qa", "data-role")
_MOVABLE = frozenset("div section article table aside p ul".split())
_SYLLABLES = "ba do fi ga ke lu mo ni pa ru se ta vo zu".split()
_CODES = {"$": "USD", "€": "EUR", "£": "GBP", "¥": "JPY", "₹": "INR"}
_SIGNED = re.compile(r"^(?P<ahead>[$€£¥₹])\s?(?P<a>\d[\d,]*\.\d\d)$|^(?P<b>\d[\d.]*,\d\d)\s?(?P<behind>[$€£¥₹])$")

MAX_LABEL = 40  # characters of a text that is replaced

# Words that mean the same to a shopper; only whole texts are replaced, within one language.
SYNONYMS: Sequence[Sequence[str]] = (
    ("Price", "Our price", "Your price", "Sale price", "Current price"),
    ("List price", "RRP", "MSRP", "Was", "Regular price", "Retail price"),
    ("SKU", "Item no", "Article number", "Product code", "Item number", "Part code"),
    ("Brand", "Manufacturer", "Made by"),
    ("Availability", "Stock status", "Stock"),
    ("In stock", "Available", "In stock now", "Available now"),
    ("Out of stock", "Sold out", "Currently unavailable", "Temporarily out of stock"),
    ("Add to cart", "Add to basket", "Add to bag", "Buy now"),
    ("Preis", "Unser Preis", "Ihr Preis"),
    ("UVP", "Statt", "Bisher", "Listenpreis"),
    ("Artikelnummer", "Artikel-Nr", "Bestellnummer", "Art-Nr"),
    ("In den Warenkorb", "In den Einkaufswagen", "Jetzt kaufen"),
    ("Auf Lager", "Sofort lieferbar", "Lieferbar"),
    ("Nicht auf Lager", "Ausverkauft", "Derzeit nicht verfügbar"),
    ("Цена", "Наша цена"),
    ("Артикул", "Код товара"),
    ("В корзину", "Купить", "Добавить в корзину"),
    ("Ajouter au panier", "Acheter"),
    ("En stock", "Disponible"),
    ("Añadir al carrito", "Comprar", "Agregar al carrito"),
)


def without_markup(html: str, key: str = "") -> str:
    """The page without JSON-LD, microdata and Open Graph: what is left is what a shopper sees, and the page's own scripts."""
    return _MICRODATA.sub(" ", _META.sub("", _JSON_LD.sub("", html)))


def with_foreign_markup(html: str, donor: str) -> str:
    """The page with the JSON-LD of another product's page in place of its own markup."""
    return re.sub(r"(?i)</head>", lambda m: "".join(_JSON_LD.findall(donor)) + m[0], without_markup(html), count=1)


def renamed(html: str, key: str) -> str:
    """Classes, ids and test names replaced by others; the same name by the same one."""
    return _rewritten(html, lambda element: _rename(element, key))


def flattened(html: str, key: str = "") -> str:
    """Headings, lists and tables made of plain blocks."""
    return _rewritten(html, _flatten)


def reworded(html: str, key: str) -> str:
    """Labels and buttons said in other words, amounts written another way."""
    return _rewritten(html, lambda element: _reword(element, key))


def plain(html: str, key: str) -> str:
    """All at once: no markup, other names, plain blocks, other words."""

    def change(element: HtmlElement) -> None:
        _rename(element, key)
        _flatten(element)
        _reword(element, key)

    return _rewritten(without_markup(html), change)


def reordered(html: str, key: str) -> str:
    """Blocks that stand beside each other in another order, which follows from their tags and names and so is the same on every page."""

    def order(block: HtmlElement) -> int:
        return _draw(key, f"{block.tag} {block.get('class')} {block.get('id')}")

    def sort_blocks(element: HtmlElement) -> None:
        blocks = [child for child in element if _is_block(child)]
        if len(blocks) > 1 and not any((child.tail or "").strip() for child in element):
            moved = iter(sorted(blocks, key=order))
            element[:] = [next(moved) if child in blocks else child for child in element]

    return _rewritten(html, sort_blocks)


def translated(html: str, key: str, labels: Set[str]) -> str:
    """The `labels` of a shop in words of no language, also where they stand before a colon."""

    def translate(text: str | None) -> str | None:
        said = text.strip() if text else ""
        label = next((label for label in (said, f"{said.partition(':')[0]}:") if label in labels), None)
        if text is None or label is None:
            return text
        word = "".join(_SYLLABLES[_draw(key, f"{n} {label}") % len(_SYLLABLES)] for n in range(3))
        return text.replace(label, word + ":" * label.endswith(":"), 1)

    def change(element: HtmlElement) -> None:
        if element.tag not in _NOT_SHOWN and element.tag != "title":
            element.text, element.tail = translate(element.text), translate(element.tail)

    return _rewritten(html, change)


def repriced(html: str, key: str) -> str:
    """Amounts with the code of their currency in place of its sign."""

    def written(text: str | None) -> str | None:
        found = _SIGNED.match(text.strip()) if text else None
        if text is None or found is None:
            return text
        number, code = found["a"] or found["b"], _CODES[found["ahead"] or found["behind"]]
        return f"{code} {number}" if _draw(key, "code") % 2 else f"{number} {code}"

    def change(element: HtmlElement) -> None:
        if element.tag not in _NOT_SHOWN:
            element.text, element.tail = written(element.text), written(element.tail)

    return _rewritten(html, change)


def _is_block(element: HtmlElement) -> bool:
    return element.tag in _MOVABLE and len(element.text_content()) > MAX_LABEL


TWINS: Mapping[str, Callable[[str, str], str]] = {
    "no markup": without_markup,
    "renamed": lambda html, key: renamed(without_markup(html), key),
    "flattened": lambda html, key: flattened(without_markup(html)),
    "reworded": reworded,
    "plain": plain,
}


def _rewritten(html: str, change: Callable[[HtmlElement], None]) -> str:
    root = Page("http://rewritten.example/", html).root
    for element in list(root.iter()):
        if isinstance(element.tag, str):
            change(element)
    return lxml.html.tostring(root, encoding="unicode", doctype="<!DOCTYPE html>")


def _draw(key: str, text: str) -> int:
    return int.from_bytes(hashlib.sha256(f"{key} {text}".encode("utf-8", "replace")).digest()[:6], "big")


# --- names ------------------------------------------------------------------------------------------------------------
def _rename(element: HtmlElement, key: str) -> None:
    names = f"{element.get('class') or ''} {element.get('id') or ''}"
    if names.strip():
        if not region_words("hidden_classes").isdisjoint(names.lower().split()):
            _add_style(element, "display:none")
        if not lexicon().struck_words.isdisjoint(naming_words(names)):
            _add_style(element, "text-decoration:line-through")
    for attribute in _NAME_ATTRIBUTES:
        if value := element.get(attribute):
            element.set(attribute, " ".join(f"x{_draw(key, name):x}"[:9] for name in value.split()))


def _add_style(element: HtmlElement, style: str) -> None:
    element.set("style", f"{element.get('style') or ''};{style}".lstrip(";"))


# --- blocks -----------------------------------------------------------------------------------------------------------
def _flatten(element: HtmlElement) -> None:
    if element.tag in _HEADINGS or element.tag in _BLOCKS:
        element.tag = "div"
    elif element.tag in _STRUCK_TAGS:
        element.tag = "span"
        _add_style(element, "text-decoration:line-through")


# --- words ------------------------------------------------------------------------------------------------------------
@cache
def _synonyms() -> dict[str, Sequence[str]]:
    return {label_key(word): words for words in SYNONYMS for word in words}


def _reword(element: HtmlElement, key: str) -> None:
    if element.tag in _NOT_SHOWN or element.tag == "title":
        return
    if (said := _said_otherwise(element.text, key)) is not None:
        element.text = said
    if (said := _said_otherwise(element.tail, key)) is not None:
        element.tail = said
    if element.tag == "input" and (said := _said_otherwise(element.get("value"), key)) is not None:
        element.set("value", said)


def _said_otherwise(text: str | None, key: str) -> str | None:
    """The text in other words; None where it stays."""
    stripped = text.strip() if text else ""
    if text is None or not stripped or len(stripped) > MAX_LABEL:
        return None
    if signed := _SIGNED.match(stripped):
        return text.replace(stripped, _other_format(signed, key))
    words = _synonyms().get(label_key(stripped))
    if not words:
        return None
    ending = ":" if stripped.endswith(":") else ""
    return text.replace(stripped, words[_draw(key, words[0]) % len(words)] + ending)


def _other_format(found: re.Match[str], key: str) -> str:
    """The same amount with the other decimal sign, or its sign on the other side; the same way on the whole page."""
    sign = found["ahead"] or found["behind"]
    number = found["a"] or found["b"].translate(str.maketrans(".,", ",."))
    if _draw(key, "decimal") % 2:
        number = number.translate(str.maketrans(".,", ",."))
    return f"{sign}{number}" if _draw(key, "side") % 2 else f"{number} {sign}"
