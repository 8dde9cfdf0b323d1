"""Pages that answer 200 but say that they are none: not found, prove that you are human, the shop's own program broke."""

from __future__ import annotations

import re
from collections.abc import Mapping
from hashlib import blake2b

from scout.extraction.view import DIGIT
from scout.page import Page

SHORT = 4_000  # characters of text: a page with more than that has something else to say
HEADINGS = "//title | //h1"

# In the title or main heading, in the languages of the shops that Scout knows.
_NOT_FOUND = (
    r"\b404\b|not found|no longer (?:available|exists)|does ?n[o']t exist|nicht gefunden|existiert nicht|introuvable|n'existe pas|"
    r"no encontrad[ao]|non trovat[ao]|niet gevonden|nie znaleziono|ikke fundet|hittades inte|não encontrad[ao]|nenalezena|не найден|"
    r"未找到|不存在|見つかりません"
)
_CAPTCHA = (
    r"captcha|are you (?:a )?(?:human|robot)|just a moment|attention required|access denied|verify you are human|security check|"
    r"unusual traffic|bist du ein (?:mensch|roboter)|êtes-vous (?:un )?(?:humain|robot)|验证码"
)
# Anywhere in a short page: what programs print when they break.
_BROKEN = (
    r"(?:Fatal error|Parse error|Warning|Uncaught \w*(?:Error|Exception)): .{1,300} (?:in|on) .{1,200} (?:on )?line \d|"
    r"Traceback \(most recent call last\)|SQLSTATE\[|You have an error in your SQL syntax|Error establishing a database connection|"
    r"Whoops, looks like something went wrong|Internal Server Error"
)
EXCUSES: Mapping[str, re.Pattern[str]] = {
    "captcha": re.compile(_CAPTCHA, re.IGNORECASE),
    "soft_404": re.compile(_NOT_FOUND, re.IGNORECASE),
}
_PRINTED = re.compile(_BROKEN)


def error_page_reason(page: Page) -> str | None:
    """The word for a page that is none; asked only of pages that are no product's: a shirt may well say 404.

    >>> error_page_reason(Page("http://s.example/x", "<title>404 - Seite nicht gefunden</title><p>Zur Startseite"))
    'soft_404'
    """
    text = " ".join(page.root.text_content().split())
    if not text:
        return "empty"
    if len(text) > SHORT:
        return None
    headings = " ".join(str(found.text_content()) for found in page.root.xpath(HEADINGS))
    told = next((word for word, pattern in EXCUSES.items() if pattern.search(headings)), None)
    return told or ("server_error" if _PRINTED.search(text) else None)


def text_digest(page: Page) -> str:
    """What a page says, apart from words with digits (a request's number, the time): one wall gives the same for all addresses."""
    shown = " ".join(page.root.itertext())  # not text_content(): the texts of compact HTML have no space between them
    words = (word for word in shown.split() if not DIGIT.search(word))
    return blake2b(" ".join(words).encode(errors="replace"), digest_size=16).hexdigest()
