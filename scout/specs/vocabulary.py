"""Names of attributes in many languages: to recognise specifications, and to map different names to one concept."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path

from scout.errors import UsageError
from scout.values.tables import data_text

_UNSURE = "~"  # marks a concept that helps to recognise specifications but is too mixed to map names to
_BRACKETS_OR_UNIT = re.compile(r"\s*(?:\([^()]*\)|\[[^\[\]]*\]|,\s*\S{1,8})$")
_AROUND_NAMES = " :：*•·-–.‐\u200b\u200e\u200f"  # colons, bullets, and direction marks beside them
_ACCENTS = re.compile("[\u0300-\u036f]")
_BEGINS_NUMBERING = frozenset("0123456789(")
_NUMBERING = re.compile(r"^\(?\d{1,2}[.)]\s*")  # "3. Size": some laws number the attributes that they require


@lru_cache(maxsize=8192)  # a shop's pages share their names
def normal_name(name: str) -> str:
    """The normal form of a name, for comparing: without case, accents, numbering and final colon.

    >>> normal_name(" 3. Größe (cm) : ")
    'grosse (cm)'
    """
    text = name.strip()
    if text[:1] in _BEGINS_NUMBERING:
        text = _NUMBERING.sub("", text)
    text = text.casefold()
    if not text.isascii():
        text = unicodedata.normalize("NFC", _ACCENTS.sub("", unicodedata.normalize("NFKD", text)))
    return " ".join(text.split()).strip(_AROUND_NAMES)


@lru_cache(maxsize=8192)
def bare_name(name: str) -> str:
    """The normal form of a name, without a unit or remark after it.

    >>> bare_name("Größe (cm):")
    'grosse'
    """
    return _BRACKETS_OR_UNIT.sub("", normal_name(name)).strip()


@dataclass(frozen=True)
class SpecVocabulary:
    """Known names, and the concept of each (None if it has none)."""

    concepts: Mapping[str, str | None]

    def __contains__(self, name: str) -> bool:
        return self._known_form(name) is not None

    def concept(self, name: str) -> str | None:
        """The concept of a name as printed; None if it has none.

        >>> vocabulary().concept("Gewicht (kg):")
        'weight'
        """
        found = self._known_form(name)
        return self.concepts[found] if found is not None else None

    def _known_form(self, name: str) -> str | None:
        text = normal_name(name)
        if text in self.concepts:
            return text
        short = bare_name(name)
        return short if short in self.concepts else None

    def extended(self, lines: Iterable[str], source: str = "lines") -> SpecVocabulary:
        """This vocabulary with more names; a name that it already has moves to the new concept."""
        return SpecVocabulary({**self.concepts, **_index_names(_parse_entries(lines, source))})


def _index_names(entries: Iterable[tuple[str, list[str]]]) -> dict[str, str | None]:
    concepts: dict[str, str | None] = {}
    for concept, names in entries:
        for name in names:
            concepts.setdefault(normal_name(name), None if concept.startswith(_UNSURE) else concept)
    return concepts


def _parse_entries(lines: Iterable[str], source: str) -> Iterable[tuple[str, list[str]]]:
    for number, line in enumerate(lines, 1):
        if not line.strip() or line.startswith("#"):
            continue
        concept, equals, names = line.partition("=")
        if not equals:
            raise UsageError(f'{source}, line {number}: expected "concept = name; name", found {line.strip()!r}')
        yield concept.strip(), [name.strip() for name in names.split(";") if name.strip()]


def built_in_entries(name: str) -> Iterable[tuple[str, list[str]]]:
    """The entries of one of the built-in tables: key, and what it stands for."""
    return _parse_entries(data_text(f"specs/{name}").splitlines(), name)


@cache
def vocabulary(extension: Path | None = None) -> SpecVocabulary:
    """The built-in vocabulary, extended by a user's own file if given."""
    built_in = SpecVocabulary(_index_names(built_in_entries("names.txt")))
    if extension is None:
        return built_in
    return built_in.extended(extension.read_text(encoding="utf-8").splitlines(), str(extension))


MAX_WORDS = 5  # a longer name is a sentence


@lru_cache(maxsize=8192)
def is_partly_known(name: str) -> bool:
    """True if the first or last of several words of a normal name is known."""
    words = name.split()
    return 1 < len(words) <= MAX_WORDS and (words[0] in vocabulary() or words[-1] in vocabulary())


def known_points(name: str) -> float:
    """1 for a normal name that is known, a half where only its first or last word is, else 0."""
    return 1.0 if name in vocabulary() else 0.5 if is_partly_known(name) else 0.0


@cache
def context_words() -> Mapping[str, tuple[str, ...]]:
    """Words of headings: {"specification": ..., "other": ...}, and names of commerce."""
    words: dict[str, list[str]] = {}
    for kind, names in built_in_entries("contexts.txt"):
        words.setdefault(kind, []).extend(map(normal_name, names))
    return {kind: tuple(dict.fromkeys(names)) for kind, names in words.items()}
