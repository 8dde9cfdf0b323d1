"""Variants: the sizes and colours of a product that the page lists, each with what is its own.

Several places may list the same variants, and none all that is known: markup has the stock, a script the EAN. The longest list is
taken, and what the others say of the same numbers is added.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import islice
from typing import Any
from urllib.parse import unquote, urlsplit

from lxml.html import HtmlElement

from scout.extraction.embedded_state import StateProduct, data_signs, plain_value, values, variants_of
from scout.extraction.labels import label_weights
from scout.extraction.lexicon import Lexicon, data_key
from scout.extraction.markup import each_offer, prices, scalar
from scout.extraction.prices import machine_amount
from scout.extraction.queries import query
from scout.extraction.script_data import lenient_json
from scout.extraction.structured_data import MarkupItem, Node, as_list, prop
from scout.extraction.view import Region, View
from scout.values import NumberLocale, normal_gtin, parse_availability
from scout.values.numbers import format_amount
from scout.values.tables import table
from scout.values.text import clean_text, single_spaced, text_key
from scout.values.words import is_no_option

Variant = dict[str, Any]

MAX_VARIANTS = 200
MAX_TABLES = 30  # of one page that are asked whether they list variants
_KEYS = table("page_data")["variants"]
_OPTION_KEYS = ("attributes", "options", "selectedOptions", "attributes_values")
_ATTRIBUTE_PREFIXES = ("attribute_pa_", "attribute_")  # WooCommerce: attribute_pa_color
_HOLDERS = {name: query(f"descendant::*/@{name}/..") for name in _KEYS["attributes"]}
_OPTION_NUMBERS = ("data-sku", "data-ean")
_MATRIX = "optionPrices"  # Magento's configurable products: prices, numbers and options, each by the variant's id
_TAGS = str.maketrans("<>", "  ")


@dataclass(frozen=True)
class Sources:
    """Where the variants of a page may be listed."""

    subjects: Sequence[MarkupItem]
    states: Sequence[StateProduct]
    view: View
    title: str | None

    @property
    def words(self) -> Lexicon:
        """The template."""
        return self.view.template


def variants(sources: Sources, locale: NumberLocale, shown: Iterable[Decimal]) -> list[Variant]:
    """The variants that the page lists: title, sku, ean, han, price, list_price, availability, url, options (name -> value)."""
    amounts = set(shown)
    found = [_read(list(islice(one, MAX_VARIANTS)), locale, amounts) for source in _SOURCES for one in source(sources)]
    lists = [one for listed in found if len(one := _distinct(listed)) > 1 and _are_told_apart(one)]
    if not lists:
        return []
    longest = max(lists, key=len)
    for other in lists:
        _fill_in(longest, other)
    return [_named(variant, sources) for variant in longest]


def _fill_in(known: Sequence[Variant], others: Iterable[Variant]) -> None:
    by_code = {code: v for v in others for code in (v.get("sku"), v.get("ean")) if code}
    for variant in known:
        other = by_code.get(variant.get("sku")) or by_code.get(variant.get("ean")) or {}
        for name, value in other.items():
            variant.setdefault(name, value)


def _identity(variant: Variant) -> Any:
    return variant.get("ean") or variant.get("sku") or tuple(variant.get("options", {}).items()) or variant.get("url")


def _distinct(found: Iterable[Variant]) -> list[Variant]:
    """Each once; where all share the number of their product, it is no number of theirs."""
    listed = list(found)
    for code in ("sku", "ean", "han"):
        if len(listed) > 1 and len({v.get(code) for v in listed}) == 1:
            listed = [{name: value for name, value in v.items() if name != code} for v in listed]
    return list({identity: v for v in listed if (identity := _identity(v))}.values())


def _are_told_apart(found: Sequence[Variant]) -> bool:
    """By a number of their own, or by options and something that is not the same for all."""
    if len({v.get("ean") or v.get("sku") for v in found} - {None}) > 1:
        return True
    return any(len({str(v.get(name)) for v in found}) > 1 for name in ("price", "availability", "url"))


def _named(variant: Variant, sources: Sources) -> Variant:
    """The variant under a name that says which product it is of, with an absolute address on the same site."""
    said, title = variant.pop("title", None), sources.title
    if said and title and text_key(title) not in text_key(said):
        said = f"{title} - {said}" if text_key(said) not in text_key(title) else None
    page = sources.view.page
    url = page.absolute(variant.pop("url", ""))
    is_own = url.startswith("http") and urlsplit(url).netloc == urlsplit(page.url).netloc
    is_other = is_own and url.partition("#")[0] != page.url.partition("#")[0]
    return ({"title": said} if said else {}) | variant | ({"url": url} if is_other else {})


# --- reading what a list holds ---


def _read(raw: Sequence[Variant], locale: NumberLocale, shown: set[Decimal]) -> list[Variant]:
    """The variants with their values normalised. Where one price counts cents, all of the list do."""
    in_cents = _are_cents([v["price"] for v in raw if v.get("price")], shown)
    for variant in raw:
        for name in ("price", "list_price"):
            amount = machine_amount(variant.pop(name, None) or "", locale, shown)
            if amount:
                variant[name] = format_amount(amount.scaleb(-2) if in_cents else amount)
        if "price" in variant and Decimal(variant.get("list_price", 0)) <= Decimal(variant["price"]):
            variant.pop("list_price", None)
    return list(raw)


def _are_cents(written: Sequence[str], shown: set[Decimal]) -> bool:
    whole = [Decimal(w) for w in written if w.isascii() and w.isdigit()]
    return len(whole) == len(written) and not shown & set(whole) and any(amount / 100 in shown for amount in whole)


def _made(
    node: Mapping[str, Any], amount: str | None, before: str | None, status: str | None, options: Mapping[str, str]
) -> Variant:
    said = {name: scalar(prop(dict(node), *keys)) for name, keys in _KEYS["fields"].items()}
    amounts = {"price": amount, "list_price": before}
    found = {
        **said,
        **{name: clean_text(raw) for name, raw in amounts.items() if raw and any(map(str.isdigit, raw))},
        "title": None if is_no_option(said.get("title") or "") else said.get("title"),
        "ean": normal_gtin(said.get("ean") or ""),
        "availability": parse_availability(status) if status else None,
        "options": {name: value for name, value in options.items() if not is_no_option(value)},
    }
    return {name: value for name, value in found.items() if value}


# --- markup ---


def _marked(sources: Sources) -> Iterator[Iterable[Variant]]:
    """schema.org: hasVariant of a ProductGroup, products that are isVariantOf it, or the offers of one product."""
    for thing in sources.subjects:
        listed = [v for v in as_list(prop(thing.data, "hasvariant")) if isinstance(v, dict)]
        yield (_marked_variant(v) for v in listed or each_offer(thing.data))
    yield [_marked_variant(thing.data) for thing in sources.subjects if prop(thing.data, "isvariantof") is not None]


def _marked_variant(node: Node) -> Variant:
    offer = next(each_offer(node), node)
    item = prop(offer, "itemoffered")
    whole = {**offer, **(item if isinstance(item, dict) else {}), **(node if offer is not node else {})}
    said = list(prices(offer))
    amount, before = (next((raw for name, raw, _ in said if name == f), None) for f in ("price", "list_price"))
    return _made(whole, amount, before, scalar(offer.get("availability")), dict(_marked_options(whole)))


def _marked_options(node: Node) -> Iterator[tuple[str, str]]:
    for name in _KEYS["options"]:
        value = scalar(node.get(name))
        if value:
            yield name, value
    for more in as_list(prop(node, "additionalproperty")):
        said = scalar(prop(more, "name")) if isinstance(more, dict) else None
        if said and (value := scalar(prop(more, "value"))):
            yield said, value


# --- scripts ---


def _stated(sources: Sources) -> Iterator[Iterable[Variant]]:
    """The variants in the product's objects in scripts."""
    for product in sources.states:
        names = [scalar(option) or "" for option in as_list(product.data.get("options"))]
        yield [_state_variant(v, sources, names) for v in variants_of(product.data)]


def _state_variant(node: Mapping[str, Any], sources: Sources, names: Sequence[str] = ()) -> Variant:
    keyed = {data_key(key): value for key, value in node.items()}
    amount, before = (_amount(keyed, sources.words, name) for name in ("price", "list_price"))
    variant = _made(keyed, amount, before, _status(keyed), dict(_state_options(node, names)))
    number, page = scalar(node.get("id")), sources.view.page
    if "url" not in variant and number and "option1" in node and "/products/" in page.url:  # Shopify
        variant["url"] = f"{page.url.partition('?')[0].partition('#')[0]}?variant={number}"
    return variant


def _state_options(node: Mapping[str, Any], names: Sequence[str]) -> Iterator[tuple[str, str]]:
    """option1, option2 ... under the names that the product gives them, or an object of names and values."""
    numbered = ((name, node.get(f"option{number}")) for number, name in enumerate(names, 1) if name)
    for name, value in (*numbered, *(pair for key in _OPTION_KEYS for pair in _pairs(node.get(key)))):
        if isinstance(name, str) and (said := plain_value(value)):
            yield name, said


def _pairs(listed: Any) -> Iterator[tuple[Any, Any]]:
    if isinstance(listed, list):
        yield from ((option.get("name"), option.get("value")) for option in listed if isinstance(option, dict))
    for name, value in _as_dict(listed).items():
        prefix = next(filter(name.startswith, _ATTRIBUTE_PREFIXES), "")
        yield unquote(name.removeprefix(prefix)), value


def _amount(keyed: Mapping[str, Any], words: Lexicon, field: str) -> str | None:
    """The value of the key that speaks most of a price."""
    said = [(w, key) for key in keyed for name, w in words.by_key.get(key, ()) if name == field and keyed[key]]
    return plain_value(keyed[max(said)[1]]) if said else None


def _status(keyed: Mapping[str, Any]) -> str | None:
    for said in map(keyed.get, _KEYS["stock"]):
        if isinstance(said, bool):
            return "InStock" if said else "OutOfStock"
        if isinstance(said, str) and said:
            return _text(said)
    counts = (keyed[key] for key in _KEYS["counts"] if isinstance(keyed.get(key), int))
    count = next(counts, True)
    return None if isinstance(count, bool) else "InStock" if count > 0 else "OutOfStock"


def _text(value: str) -> str:
    if "<" not in value:
        return value
    return " ".join(part.partition(">")[2] for part in value.split("<")).translate(_TAGS)


def _combined(sources: Sources) -> Iterator[Iterable[Variant]]:
    """Magento's matrix of a configurable product."""
    page = sources.view.page
    for _, value in values(page, _MATRIX) if _MATRIX in page.html else ():
        for matrix in _matrices(value):
            yield list(_matrix_variants(matrix))


def _matrices(value: Any, depth: int = 0) -> Iterator[Mapping[str, Any]]:
    if isinstance(value, dict) and isinstance(value.get(_MATRIX), dict) and isinstance(value.get("index"), dict):
        yield value
    elif isinstance(value, (dict, list)) and depth < 8:
        for inner in value.values() if isinstance(value, dict) else value:
            yield from _matrices(inner, depth + 1)


def _as_dict(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _matrix_variants(matrix: Mapping[str, Any]) -> Iterator[Variant]:
    labels = dict(_matrix_labels(_as_dict(matrix.get("attributes"))))
    skus = _as_dict(matrix.get("sku") or matrix.get("skus"))
    for number, chosen in matrix["index"].items():
        of_it = _as_dict(matrix[_MATRIX].get(number))
        amount, before = (plain_value(of_it.get(key)) for key in ("finalPrice", "oldPrice"))
        options = dict(filter(None, (labels.get((str(k), str(v))) for k, v in _as_dict(chosen).items())))
        yield _made({"sku": skus.get(number)}, amount, before, None, options)


def _matrix_labels(attributes: Mapping[str, Any]) -> Iterator[tuple[tuple[str, str], tuple[str, str]]]:
    """(numbers of an attribute and of its option) -> what these are called."""
    for number, attribute in attributes.items():
        own = _as_dict(attribute)
        called = own.get("label") or own.get("code")
        for option in map(_as_dict, as_list(own.get("options"))):
            if called and option.get("label"):
                yield (str(number), str(option.get("id"))), (str(called), str(option["label"]))


# --- the visible page ---


def _attributed(sources: Sources) -> Iterator[Iterable[Variant]]:
    """Lists of variants in a data attribute, as WooCommerce and Squarespace have them: of several, the one nearest to the title."""
    view = sources.view
    for name in _HOLDERS if "variants" in data_signs(view.page) else ():
        holders = [e for e in _HOLDERS[name](view.body) if not view.region(e) & Region.ELSEWHERE]
        listed = lenient_json(min(holders, key=view.distance).get(name)) if holders else None
        if isinstance(listed, list):
            yield [_state_variant(v, sources) for v in listed if isinstance(v, dict)]


def _chosen(sources: Sources) -> Iterator[Iterable[Variant]]:
    """Choices with numbers in their attributes: <option data-sku="A1" data-price="9.90">Red</option>."""
    by_parent: dict[HtmlElement, list[HtmlElement]] = {}
    for choice in sources.view.body.iter("option", "input"):
        if any(map(choice.get, _OPTION_NUMBERS)) and not sources.view.region(choice) & Region.ELSEWHERE:
            by_parent.setdefault(choice.getparent() if choice.tag == "option" else sources.view.body, []).append(choice)
    for choices in by_parent.values():
        yield [_choice(choice, sources) for choice in choices]


def _choice(choice: HtmlElement, sources: Sources) -> Variant:
    data = {name.removeprefix("data-"): value for name, value in choice.attrib.items() if name.startswith("data-")}
    return _state_variant({**data, "title": single_spaced(choice.text_content())}, sources)


def _tabled(sources: Sources) -> Iterator[Iterable[Variant]]:
    """A table whose head names a number and a price: one row a variant, unless the rows lead to pages of their own."""
    view = sources.view
    for grid in islice(view.body.iter("table"), MAX_TABLES):
        is_own = not view.region(grid) & (Region.ELSEWHERE | Region.REVIEW)
        if is_own and len([*islice(grid.iter("table"), 2)]) == 1:
            head, *rows = [_cells(row) for row in islice(grid.iter("tr"), MAX_VARIANTS + 1)] or [[]]
            names = [_column(cell, sources.words) for cell in head] if len(rows) > 1 else []
            if "price" in names and not {"sku", "ean", "han"}.isdisjoint(names):
                yield filter(None, (_row(names, cells) for cells in rows if len(cells) == len(names)))


def _cells(row: HtmlElement) -> list[HtmlElement]:
    return [cell for cell in row if cell.tag in ("td", "th")]


def _column(cell: HtmlElement, words: Lexicon) -> str:
    """The field that a head names, or its own words: an option's name."""
    said = single_spaced(cell.text_content())
    known = max(label_weights(words, said), key=lambda pair: pair[1], default=(said, 0.0))
    return known[0]


def _row(names: Sequence[str], cells: Sequence[HtmlElement]) -> Variant | None:
    links = (a.get("href") or "#" for cell in cells for a in cell.iter("a"))
    if not all(link.startswith(("#", "javascript:")) for link in links):
        return None
    said = {name: single_spaced(cell.text_content()) for name, cell in zip(names, cells, strict=True)}
    options = {name: value for name, value in said.items() if name not in _ROW_FIELDS and name and value}
    node = {**said, "mpn": said.get("han")}
    return _made(node, said.get("price"), said.get("list_price"), said.get("availability"), options)


_ROW_FIELDS = frozenset({"sku", "ean", "han", "title", "price", "list_price", "availability"})

Source = Callable[[Sources], Iterable[Iterable[Variant]]]
_SOURCES: tuple[Source, ...] = (_marked, _stated, _attributed, _combined, _chosen, _tabled)
