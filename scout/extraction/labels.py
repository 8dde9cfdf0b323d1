"""Labels beside values: "SKU: 123", <dt>Brand</dt><dd>Ilco</dd>, and the template's words that make them labels."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import islice, takewhile
from typing import TypeAlias

from lxml.html import HtmlElement

from scout.extraction.ballot import Claim
from scout.extraction.lexicon import MAX_PHRASE, Lexicon, label_key
from scout.extraction.view import DIGIT, Text, View
from scout.specs import field_candidates, specifications
from scout.specs.embedded import embedded_pairs
from scout.specs.fields import field_names
from scout.specs.vocabulary import bare_name, normal_name
from scout.values.availability import labelled_availability, parse_availability

MAX_VALUE = 160
REACH = 3  # levels above a label in which its value is looked for: the row, its table row, its list

IN_PROSE = 3.0
SPECIFIED = 3.0  # less than a label of the template: the specification's words are more, and may name a part
_GTIN_IN_PROSE = re.compile(r"\b(?:ISBN|EAN|GTIN|UPC)(?:-?1[0-4])?\b\W{0,4}(\d[\d -]{6,16}[\dX])\b", re.IGNORECASE)
CODE_FIELDS = frozenset({"sku", "ean", "han"})
_COLON = re.compile(r"\s*[:：﹕=]\s*")
_CODE_BEHIND = re.compile(r"^(\D{2,30}?)[\s#.№°:]+([A-Z0-9][\w./-]*\d[\w./-]*)$", re.IGNORECASE)
_ANOTHER = re.compile(r"\s+[^\W\d_][\w.-]*(?: [^\W\d_][\w.-]*)?\s*[:：]")
_EXPLAINED = re.compile(r"([^()]+?)\s*\(([^()]+)\)\s*:?$")
_SEVERAL = re.compile(r"\s*\|\s*")
_PUNCTUATION = re.compile(r"^[\W_]*$")


def label_claims(view: View) -> Iterator[Claim]:
    """What labelled values say, for every field whose template has labels."""
    words, texts = view.template, view.texts
    for index, text in enumerate(texts):
        read = _known_labels if len(text.text) <= MAX_VALUE else _labels
        for label, found, own in read(words, text.text):
            value = _beside(texts, index) if own is None else own
            if not value or len(value) > MAX_VALUE or (value.endswith((":", "：")) and _known(words, value)):
                continue
            for field, weight in found:
                where = f"label {label[:MAX_PHRASE]!r}, {weight:g} in the template"
                yield Claim(field, _said(field, value), "label", where, weight, text.element)


# text, fields and weights, its value if it has one
_Label: TypeAlias = tuple[str, list[tuple[str, float]], "str | None"]


def _labels(words: Lexicon, line: str) -> tuple[_Label, ...]:
    """The labels that a text is or begins with."""
    beginnings = words.label_beginnings
    is_plain = line[0] not in "([" and "|" not in line
    if is_plain and line[:2].casefold() not in beginnings:  # nearly all texts of a page
        return ()
    parts = (line,) if is_plain else _parts(line, beginnings)
    return tuple(label for part in parts if (label := _label_of(words, part)))


_known_labels = lru_cache(maxsize=8192)(_labels)  # menus and footers are the same on all pages of a shop


def _parts(line: str, beginnings: Collection[str]) -> Iterator[str]:
    """A text without the brackets around it, or its parts where it says several things: "Brand: Sitwell | SKU: 12"."""
    line = line[1:].rstrip(")]") if line[0] in "([" else line
    for part in _SEVERAL.split(line) if len(line) <= MAX_VALUE else (line,):
        if part[:2].casefold() in beginnings:
            yield part


def prose_claims(texts: Mapping[str, str | None]) -> Iterator[Claim]:
    """GTINs that are named in running text, such as a page's <title> or description: place -> text."""
    for place, text in texts.items():
        for found in _GTIN_IN_PROSE.finditer(text or ""):
            yield Claim("ean", found[1], "prose", place, IN_PROSE)


def specification_claims(view: View, fields: frozenset[str]) -> Iterator[Claim]:
    """What the page's specification says about the fields. What it shows is read only where a text may be the name of one of them: to
    read it costs half as much as all the rest."""
    names = field_names(fields)
    may_be_shown = any(_may_name(text.text, names) for text in view.texts)
    pairs = specifications(view.page) if may_be_shown else embedded_pairs(view.page)
    for field, value in field_candidates(pairs).items():
        if field in fields:
            yield Claim(field, value, "specification", "the page's specification", SPECIFIED)


def _may_name(line: str, names: Collection[str]) -> bool:
    """Whether a text is one of the names, with a unit or colon behind it or not, or begins with one and a colon."""
    colon = _COLON.search(line, 0, MAX_PHRASE)
    label = line[: colon.start()] if colon else line
    return len(label) <= MAX_PHRASE and (normal_name(label) in names or bare_name(label) in names)


def _label_of(words: Lexicon, line: str) -> _Label | None:
    colon = _COLON.search(line, 0, MAX_PHRASE)
    value: str | None = None  # beside it
    if colon and colon.end() < len(line):
        found, value = _known(words, line[: colon.start()]), line[colon.end() :]
    elif not (found := _known(words, line) if len(line) <= MAX_PHRASE else None):
        found, value = _code_behind(words, line)
    return (line, found, value) if found else None


def _known(words: Lexicon, label: str) -> list[tuple[str, float]] | None:
    """[(field, weight)] of a label; "Item #" is "item no", which says more than "item"."""
    key = label_key(label)
    is_numbered = ("#" in label or "№" in label) and label.rstrip(" :.").endswith(("#", "№"))
    return (words.by_label.get(f"{key} no") if is_numbered else None) or words.by_label.get(key)


def _said(field: str, value: str) -> str:
    """What a label's value says of a field: plain words about stock, a code without what is said behind it ("44120 Model: X")."""
    if field == "availability":
        return value if parse_availability(value) else labelled_availability(value) or value
    another = _ANOTHER.search(value) if field in CODE_FIELDS else None
    return value[: another.start()] if another else value


def _code_behind(words: Lexicon, line: str) -> tuple[list[tuple[str, float]] | None, str]:
    label, code = _label_and_code(line) if len(line) <= MAX_PHRASE + 30 else ("", "")
    if not code:
        return None, ""
    found = _known(words, label) or []
    return [(field, weight) for field, weight in found if field in CODE_FIELDS], code.rstrip(")]")


@lru_cache(maxsize=4096)
def _label_and_code(line: str) -> tuple[str, str]:
    """What stands before the code at the end of a text, and the code; empty where there is none. A shop's menus are the same everywhere."""
    match = _CODE_BEHIND.match(line) if DIGIT.search(line) else None
    return (line[: match.start(2)], match[2]) if match else ("", "")


def label_weights(words: Lexicon, text: str) -> list[tuple[str, float]]:
    """[(field, weight)] for which a text is a label, or what it says in brackets or before them: "Original retail price (MSRP)"."""
    explained = _EXPLAINED.match(text)
    said = (text, explained[1], explained[2]) if explained else (text,)
    return next((known for label in said if (known := words.by_label.get(label_key(label)))), [])


def _beside(texts: Sequence[Text], index: int) -> str:
    """The next text that stands in the label's own row."""
    label = texts[index].element
    for text in texts[index + 1 : index + 3]:
        if _PUNCTUATION.match(text.text):
            continue
        value = text.text.lstrip(":：= ").strip()
        return value if value and _in_reach(label, text.element) else ""
    return ""


def _in_reach(label: HtmlElement, value: HtmlElement) -> bool:
    return not _row(label).isdisjoint(_row(value))


def _row(element: HtmlElement) -> set[HtmlElement]:
    """The element and those around it, as far as a label reaches."""
    around = islice((element, *element.iterancestors()), REACH + 1)
    return set(takewhile(lambda one: one.tag != "body", around))
