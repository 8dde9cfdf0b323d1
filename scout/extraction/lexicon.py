"""The preset matching template: the words by which shops name the parts of an offer, as data.

The built-in one is `scout/data/template.yaml`; a `template.yaml` in the rules directory extends or overrides it, so that words
and fields are added without touching Python (Zhang, Lin and Liao 2018, section 4.1).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache, cached_property, lru_cache
from itertools import pairwise
from pathlib import Path
from typing import Any, cast

import yaml
from lxml import etree

from scout.errors import RuleSyntaxError
from scout.extraction.list_template import ANY, NUMBERS, ListTemplate, flaw_of, is_path
from scout.values.tables import table
from scout.values.text import text_key

FILE_NAME, XML_FILE_NAME = "template.yaml", "template.xml"
XML_SECTIONS = ("list-match-sort", "node-similarity", "fields")
FIRST_LIST, LAST_LIST = (
    1.2,
    1.0,
)  # what the first kind of list in an XML template counts, and the least; each further one 0.1 less
NAMED = 4.0  # the score from which an element is named for a field
MIN_NAMED = 5.0  # the score of a name in XML that stands for a built-in field: one sure word, or two
MAX_BYTES = 1_000_000  # a template is written by hand; what is larger is something else
KINDS = ("words", "labels", "meta", "keys")
PARTIAL = 0.5  # the paper's share for a partial match; also the part of a word that an abbreviation must keep
MAX_PHRASE = 45  # characters of a label, an amount, a phrase about stock, and what a button says
MIN_ABBREVIATION = 4  # "prod" for "product"; anything shorter abbreviates too much

_WORD_BREAK = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|[^0-9A-Za-z\u00c0-\uffff]+")
_LABEL_NOISE = re.compile(r"[\s:：#.°*()\[\]_–—?？|•·>»-]+")
_KEY_NOISE = re.compile(r"[^0-9a-z]+")


@dataclass(frozen=True)
class FieldWords:
    """One field's lexicon: words in attributes, labels, meta names and data keys, each with its weight."""

    words: Mapping[str, float] = field(default_factory=dict)
    labels: Mapping[str, float] = field(default_factory=dict)
    meta: Mapping[str, float] = field(default_factory=dict)
    keys: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class Lexicon:
    """The whole template; look-up tables by label, meta name and key are made once."""

    fields: Mapping[str, FieldWords]
    attributes: Mapping[str, float]
    lists: ListTemplate
    regions: Mapping[str, frozenset[str]]
    struck_words: frozenset[str]
    sale_words: frozenset[str]
    normal_words: frozenset[str]
    full_words: frozenset[str]
    cart_phrases: tuple[str, ...]
    cart_labels: frozenset[str]
    no_price_phrases: tuple[str, ...]
    free_phrases: frozenset[str]
    title_prefixes: tuple[str, ...]
    page_words: frozenset[str]

    @cached_property
    def full_names(self) -> frozenset[str]:
        """Of the words for a price that was asked before, those that name it wholly: "regularprice", and not "standard"."""
        return frozenset(word for word in self.full_words if word.endswith("price"))

    @cached_property
    def own_fields(self) -> tuple[str, ...]:
        """The fields that the user added to the built-in ones."""
        return tuple(name for name in self.fields if name not in table("template")["fields"])

    @cached_property
    def by_label(self) -> dict[str, list[tuple[str, float]]]:
        """normalised label -> [(field, weight)]"""
        return self._inverted("labels", label_key)

    @cached_property
    def label_beginnings(self) -> frozenset[str]:
        """The first two letters of every label: nearly all texts of a page begin otherwise."""
        written = (label for lexicon in self.fields.values() for label in lexicon.labels)
        return frozenset(label[:2].casefold() for label in (*self.by_label, *written))

    @cached_property
    def by_meta(self) -> dict[str, list[tuple[str, float]]]:
        """lower-case meta name -> [(field, weight)]"""
        return self._inverted("meta", str.lower)

    @cached_property
    def by_key(self) -> dict[str, list[tuple[str, float]]]:
        """data key without case and separators -> [(field, weight)]"""
        return self._inverted("keys", data_key)

    def _inverted(self, kind: str, key: Any) -> dict[str, list[tuple[str, float]]]:
        found: dict[str, list[tuple[str, float]]] = {}
        for name, words in self.fields.items():
            for word, weight in getattr(words, kind).items():
                found.setdefault(key(word), []).append((name, weight))
        return found

    def word_score(self, name: str, text: str) -> float:
        """The lexicon score of an attribute's text for a field: full matches whole, partial ones half, each word once.

        >>> lexicon().word_score("title", "prodName") > lexicon().word_score("title", "product-item")
        True
        """
        return _word_score(self, name, text)

    def token_score(self, name: str, token: str) -> float:
        """The score of one word: what the field's lexicon has for it, or half of that for its abbreviation."""
        full = self.fields[name].words.get(token)
        if full is not None or len(token) < MIN_ABBREVIATION:
            return full or 0.0
        begun_alike = self._by_beginning.get((name, token[:MIN_ABBREVIATION]), ())
        return max((weight * PARTIAL for word, weight in begun_alike if _abbreviates(token, word)), default=0.0)

    @cached_property
    def _by_beginning(self) -> dict[tuple[str, str], list[tuple[str, float]]]:
        found: dict[tuple[str, str], list[tuple[str, float]]] = {}
        for name, lexicon in self.fields.items():
            for word, weight in lexicon.words.items():
                found.setdefault((name, word[:MIN_ABBREVIATION]), []).append((word, weight))
        return found


@lru_cache(maxsize=50_000)  # a shop uses the same few hundred class names on all pages
def _word_score(words: Lexicon, name: str, text: str) -> float:
    return sum(words.token_score(name, token) for token in set(attribute_words(text)))


def _abbreviates(token: str, word: str) -> bool:
    short, long = sorted((token, word), key=len)
    return len(short) >= MIN_ABBREVIATION and len(short) >= PARTIAL * len(long) and long.startswith(short)


def attribute_words(text: str) -> list[str]:
    """The lower-case words of an id, class or name, with neighbours joined as well.

    >>> attribute_words("prodName sale-price")
    ['prod', 'name', 'sale', 'price', 'prodname', 'saleprice']
    """
    parts = [[w.lower() for w in _WORD_BREAK.split(name) if w] for name in text.split()]
    joined = [a + b for words in parts for a, b in pairwise(words)]
    return [w for words in parts for w in words] + joined


@lru_cache(maxsize=16_384)
def label_key(text: str) -> str:
    """A label as it is compared: 'Art.-Nr.:' and 'art nr' are the same."""
    return _LABEL_NOISE.sub(" ", text_key(text)).strip()


@lru_cache(maxsize=20_000)
def data_key(text: str) -> str:
    """A data key as it is compared: 'sale_price', 'salePrice' and 'sale-price' are the same."""
    return _KEY_NOISE.sub("", text.lower())


@cache
def _built_in_lexicon() -> Lexicon:
    return _made(_built_in())


def _built_in() -> dict[str, Any]:
    buying = {name: table("buying")[name] for name in ("cart_phrases", "cart_labels")}
    return {**table("template"), "regions": table("regions")["by_name"], **buying}


@cache
def lexicon(rules_dir: Path | None = None) -> Lexicon:
    """The built-in template, extended by `rules_dir`/template.yaml where there is one.

    Without one it is the same object for all: what is read of a page is kept by the lexicon that it was read with.
    """
    files = [rules_dir / name for name in (FILE_NAME, XML_FILE_NAME)] if rules_dir else []
    file = next((file for file in files if file.is_file()), None)
    return extended_lexicon(file) if file is not None else _built_in_lexicon()


def extended_lexicon(file: Path) -> Lexicon:
    """The built-in template, extended by this file; RuleSyntaxError says what is wrong with it."""
    return _made(_merged(_built_in(), overlay(file)))


def overlay(file: Path) -> dict[str, Any]:
    """What a file of the user says, checked: YAML, or the paper's own XML (figure 6)."""
    if file.stat().st_size > MAX_BYTES:
        raise RuleSyntaxError(str(file), None, f"a template is at most {MAX_BYTES} bytes")
    data = _from_xml(file) if file.suffix.lower() == ".xml" else _from_yaml(file)
    _check(data, file)
    return data


def _from_xml(file: Path) -> dict[str, Any]:
    """Figure 6: the order of lists as paths, the weights of attributes, and the fields with their weighted words."""
    try:
        root = etree.fromstring(file.read_bytes(), etree.XMLParser(resolve_entities=False, no_network=True))
    except etree.XMLSyntaxError as error:
        raise RuleSyntaxError(str(file), int(error.position[0]), str(error)) from error
    unknown = next((child for child in root if isinstance(child.tag, str) and child.tag not in XML_SECTIONS), None)
    if unknown is not None:
        there_are = f"<{unknown.tag}>: there are {', '.join(XML_SECTIONS)}"
        raise RuleSyntaxError(str(file), cast("int | None", unknown.sourceline), there_are)
    similarity = _xml_similarity(root.find("node-similarity"), file)
    sections = {"lists": _xml_lists(root, file), "node_similarity": similarity, "fields": _xml_fields(root, file)}
    return {name: section for name, section in sections.items() if section}


def _xml_lists(root: Any, file: Path) -> dict[float, list[str]]:
    found: dict[float, list[str]] = {}
    kinds = sorted(root.iterfind("list-match-sort/item"), key=lambda item: _xml_number(item, "sort", file))
    for at, item in enumerate(kinds):
        found.setdefault(round(max(LAST_LIST, FIRST_LIST - at / 10), 1), []).append(_xml_text(item))
    return found


def _xml_fields(root: Any, file: Path) -> dict[str, Any]:
    fields: dict[str, Any] = {}
    for element in root.iterfind("fields/field"):
        words = fields.setdefault(_field_called(element.get("name") or ""), {"words": {}})["words"]
        for word in element.iterfind("word"):
            words.setdefault(_xml_number(word, "weight", file), []).append(_xml_text(word))
    return fields


def _xml_text(element: Any) -> str:
    return (element.text or "").strip()


def _xml_similarity(element: Any, file: Path) -> dict[str, Any]:
    """The weights of attributes; alpha, beta and the others are attributes of the element itself."""
    if element is None:
        return {}
    weights: dict[float, list[str]] = {}
    for item in element.iterfind("item"):
        weights.setdefault(_xml_number(item, "weight", file), []).append(_xml_text(item))
    names = [name for name in NUMBERS if element.get(name) is not None]
    return {name: _xml_number(element, name, file) for name in names} | ({"weights": weights} if weights else {})


def _xml_number(element: Any, name: str, file: Path) -> float:
    try:
        return float(element.get(name))
    except (TypeError, ValueError):
        raise RuleSyntaxError(str(file), element.sourceline, f"<{element.tag}> needs a number in {name}") from None


def _field_called(name: str) -> str:
    """The built-in field that the words of a name stand for (prodName: title), or else the user's own."""
    built_in = _made(_built_in())
    scores = {known: built_in.word_score(known, name) for known in built_in.fields}
    best = max(scores, key=lambda known: scores[known])
    return name if name in scores or scores[best] < MIN_NAMED else best


def _from_yaml(file: Path) -> dict[str, Any]:
    try:
        text = file.read_text(encoding="utf-8")
        if any(isinstance(token, yaml.AliasToken) for token in yaml.scan(text, Loader=yaml.SafeLoader)):
            raise RuleSyntaxError(str(file), None, "aliases (*name) are not allowed: write the words out")
        data = yaml.safe_load(text) or {}
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        raise RuleSyntaxError(
            str(file), mark.line + 1 if mark else None, getattr(error, "problem", str(error))
        ) from error
    except UnicodeDecodeError as error:
        raise RuleSyntaxError(str(file), None, "not UTF-8") from error
    if not isinstance(data, dict):
        raise RuleSyntaxError(str(file), None, "expected sections such as fields:")
    return data


def _check(data: Mapping[str, Any], file: Path) -> None:
    flaw = next(_flaws(data), None)
    if flaw:
        raise RuleSyntaxError(str(file), None, flaw)


def _flaws(data: Mapping[str, Any]) -> Iterator[str]:
    known = set(_built_in())
    if surplus := sorted(map(str, set(data) - known)):
        yield f"unknown section {surplus}; there are {sorted(known)}"
    if "node_similarity" in data:
        yield from _similarity_flaws(data["node_similarity"])
    yield from _list_flaws(data.get("lists") or {})
    for name, kinds in (data.get("fields") or {}).items():
        for kind, words in (kinds or {}).items():
            if kind not in KINDS:
                yield f"fields.{name}.{kind}: only {', '.join(KINDS)} are known"
            if not _is_weighted(words):
                yield f"fields.{name}.{kind}: expected a weight and its words, as in 5: [price, cost]"


def _similarity_flaws(similarity: Any) -> Iterator[str]:
    if flaw := flaw_of(similarity):
        yield f"node_similarity: {flaw}"
    elif not _is_weighted(similarity.get("weights") or {}):
        yield "node_similarity: weights: expected a weight and its attributes, as in 15: [id]"


def _list_flaws(lists: Any) -> Iterator[str]:
    if not _is_weighted(lists):
        yield "lists: expected a weight and its paths, as in 1.2: [div/ul/li]"
    elif wrong := next((path for path in _weights(lists) if not is_path(path)), None):
        yield f"lists: {wrong!r} is no path of tags such as div/ul/li"


def _is_weighted(words: Any) -> bool:
    return isinstance(words, dict) and all(
        isinstance(weight, (int, float)) and isinstance(listed, list) for weight, listed in words.items()
    )


def _merged(base: dict[str, Any], over: dict[str, Any]) -> dict[str, Any]:
    fields = dict(base["fields"])
    for name, kinds in (over.get("fields") or {}).items():
        own = fields.get(name, {})
        fields[name] = {kind: _weights(own.get(kind)) | _weights((kinds or {}).get(kind)) for kind in KINDS}
    regions = {
        name: " ".join([base["regions"].get(name, ""), over.get("regions", {}).get(name, "")])
        for name in base["regions"].keys() | over.get("regions", {}).keys()
    }
    merged = {key: over.get(key, value) for key, value in base.items()}
    return merged | {
        "fields": fields,
        "regions": regions,
        "attributes": base["attributes"] | over.get("attributes", {}),
        "lists": _merged_lists(base["lists"], over.get("lists")),
        "node_similarity": _merged_similarity(base["node_similarity"], over.get("node_similarity") or {}),
    }


def _merged_lists(base: Mapping[Any, Any], over: Mapping[Any, Any] | None) -> dict[str, float]:
    """An order of lists replaces the built-in one, but for what all other kinds count."""
    own = _weights(base)
    return own if over is None else {ANY: own[ANY]} | _weights(over)


def _merged_similarity(base: Mapping[str, Any], over: Mapping[str, Any]) -> dict[str, Any]:
    return {**base, **over, "weights": _weights(base["weights"]) | _weights(over.get("weights"))}


def _weights(by_weight: Mapping[Any, Any] | None) -> dict[str, float]:
    """{5: [a, b]} or {a: 5, b: 5} -> {a: 5, b: 5}"""
    weights: dict[str, float] = {}
    for key, value in (by_weight or {}).items():
        weights |= {str(word).lower(): float(key) for word in value} if isinstance(value, list) else {key: value}
    return weights


def _made(data: Mapping[str, Any]) -> Lexicon:
    plain_words = ("struck_words", "sale_words", "normal_words", "full_words", "page_words")
    return Lexicon(
        fields={name: _field_words(kinds or {}) for name, kinds in data["fields"].items()},
        attributes=data["attributes"],
        lists=_list_template(data["lists"], data["node_similarity"]),
        regions={name: frozenset(words.split()) for name, words in data["regions"].items()},
        **{name: frozenset(data[name].split()) for name in plain_words},
        cart_phrases=tuple(map(label_key, data["cart_phrases"])),
        cart_labels=frozenset(map(label_key, data["cart_labels"])),
        no_price_phrases=tuple(map(label_key, data["no_price_phrases"])),
        free_phrases=frozenset(map(label_key, data["free_phrases"])),
        title_prefixes=tuple(data["title_prefixes"]),
    )


def _field_words(kinds: Mapping[str, Any]) -> FieldWords:
    weights = {kind: _weights(kinds.get(kind)) for kind in KINDS}
    return FieldWords(**{kind: {w: n for w, n in words.items() if n} for kind, words in weights.items()})


def _list_template(lists: Mapping[Any, Any], similarity: Mapping[str, Any]) -> ListTemplate:
    weights = {name: weight for name, weight in _weights(similarity["weights"]).items() if weight}
    numbers = {name: float(similarity[name]) for name in NUMBERS}
    return ListTemplate(paths=_weights(lists), weights=weights, **numbers)
