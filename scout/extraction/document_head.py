"""What a page's <head> says: meta elements, <title>, canonical address, the shop's own name."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property
from urllib.parse import urlsplit

from lxml.html import HtmlElement

from scout.extraction.ballot import Claim
from scout.extraction.lexicon import Lexicon
from scout.learning.index import SITE_METAS
from scout.page import Page
from scout.values.text import alphanumeric_key, clean_text

_SEPARATORS = re.compile(r"\s+[|·•»«›‹—–:/-]+\s+|\s*[|│｜»«›]\s*|\s+[@:]\s+|:\s+|\s+[-–—]\s*$")


class DocumentHead:
    """The head of a page, read once."""

    def __init__(self, page: Page, template: Lexicon) -> None:
        self.root, self.url, self.template = page.root, page.url, template  # not the page, which may keep its head

    @cached_property
    def metas(self) -> list[tuple[str, str, HtmlElement]]:
        """(lower-case name, content, element) of every named meta element."""
        found = []
        for meta in self.root.iter("meta"):
            content = (meta.get("content") or "").strip()
            for attribute in ("property", "name", "itemprop"):
                name = meta.get(attribute)
                if name and content and (attribute != "itemprop" or not _is_owned(meta)):
                    found.append((name.strip().lower(), content, meta))
        return found

    def meta(self, *names: str) -> str | None:
        """The content of the first of these meta elements that the page has."""
        for wanted in names:
            for name, content, _ in self.metas:
                if name == wanted:
                    return clean_text(content)
        return None

    @cached_property
    def title(self) -> str:
        """The <title>, whole."""
        found = next(self.root.iter("title"), None)  # the first: later ones belong to drawings
        return clean_text(found.text_content()) if found is not None else ""

    @cached_property
    def lang(self) -> str:
        """The page's language as it says itself ("de-AT"), or empty."""
        said = self.root.get("lang") or self.meta("og:locale", "content-language", "language") or ""
        return said.strip().replace("_", "-") or script_language(self.title)

    @cached_property
    def site_names(self) -> frozenset[str]:
        """What the shop calls itself, as keys: its meta names and its host's labels."""
        said = map(self.meta, SITE_METAS)
        host = (urlsplit(self.url).hostname or "").removeprefix("www.")
        labels = [host, *(label for label in host.split(".")[:-1] if len(label) > 2)]
        whole = alphanumeric_key(self.title)  # some shops call themselves by whatever the page shows
        names = {alphanumeric_key(name) for name in said if name} - {whole}
        return frozenset((names | {alphanumeric_key(label) for label in labels}) - {""})

    def is_site_name(self, text: str) -> bool:
        """Whether a text only names the shop."""
        key = alphanumeric_key(text)
        return bool(key) and any(
            key == name or (len(name) > 4 and key.startswith(name) and len(key) < len(name) + 6)
            for name in self.site_names
        )

    def without_site(self, text: str) -> str:
        """A heading without the shop's name at its end or its start.

        What is cut must be the shop's name (or come with it): a product may have dashes and bars of its own.
        """
        parts, separators = _split(text)
        while len(parts) > 1 and self.is_site_name(parts[-1]):
            parts, separators = parts[:-1], separators[:-1]
        while len(parts) > 1 and self.is_site_name(parts[0]):
            parts, separators = parts[1:], separators[1:]
        return "".join(p + s for p, s in zip(parts, [*separators, ""], strict=True)).strip()

    def segments(self, text: str) -> list[str]:
        """The parts of a heading between separators."""
        return [p for p in _split(text)[0] if p]

    def beginnings(self, text: str) -> list[str]:
        """What stands before each separator of a heading."""
        parts, separators = _split(text)
        whole = [p + s for p, s in zip(parts, [*separators, ""], strict=True)]
        return ["".join([*whole[: n - 1], parts[n - 1]]).strip() for n in range(1, len(parts))]

    def claims(self) -> Iterator[Claim]:
        """What the meta elements say about each field of the template."""
        for name, content, meta in self.metas:
            for field, weight in self.template.by_meta.get(name, ()):
                yield Claim(field, clean_text(content), "meta", f"meta[{name}]", weight, meta)


def _is_owned(meta: HtmlElement) -> bool:
    """Whether a meta element belongs to a microdata item, which speaks for it."""
    return any("itemscope" in above.attrib for above in meta.iterancestors())


_SCRIPTS = (
    ("ja", re.compile("[\u3040-\u30ff]")),
    ("ko", re.compile("[\uac00-\ud7af]")),
    ("zh", re.compile("[\u4e00-\u9fff]")),
)


def script_language(text: str) -> str:
    """The language that a text's script alone tells: Japanese, Korean, Chinese; empty for the many that share a script."""
    return next((lang for lang, letters in _SCRIPTS if letters.search(text)), "")


def canonical_url(page: Page) -> str | None:
    """The page's own claim about its address; it may point to a page that nobody links."""
    for link in page.root.iter("link"):
        if "canonical" in (link.get("rel") or "").lower().split() and (link.get("href") or "").strip():
            return page.absolute(link.get("href")) or None
    return None


def _split(text: str) -> tuple[list[str], list[str]]:
    parts, separators, start = [], [], 0
    for found in _SEPARATORS.finditer(text):
        parts.append(text[start : found.start()])
        separators.append(found[0])
        start = found.end()
    return [*parts, text[start:]], separators
