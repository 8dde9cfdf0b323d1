"""Does a plain page look as if a browser would show more of it? Asked before a browser is started at all.

A page that nothing speaks against is taken as it is; one that is suspicious is rendered and compared. With
`SCOUT_RENDER = "compare"` the first pages of every level are rendered without asking this.
"""

from __future__ import annotations

import re
from types import MappingProxyType

from lxml.html import HtmlElement

from scout.page import Page
from scout.rendering.content import content_elements
from scout.rendering.levels import Facts

MIN_TEXT = 200  # characters of content: less is a frame that waits for its data
WANTED = ("title", "price")  # a product page without them is either none or not complete
WAITING = frozenset(
    "app root main content products product items list grid results catalog collection listing wrapper".split()
)
LOADING = frozenset("skeleton loading spinner placeholder shimmer".split())
_NEEDS_SCRIPT = re.compile(
    r"(?:enable|activate|requires?|aktivier|activer|activar|attiva)\S*\s+(?:\S+\s+){0,3}javascript", re.IGNORECASE
)
_WORD = re.compile(r"[a-z]+")
NO_FACTS: Facts = MappingProxyType({})


def suspicion(page: Page, level: str, facts: Facts = NO_FACTS) -> str | None:
    """What speaks for content that only a browser shows; None where nothing does. `facts` are those of a detail page."""
    if not _has_scripts(page):
        return None
    if level == "detail":
        lacking = [name for name in WANTED if not facts.get(name)]
        return f"it shows no {' and no '.join(lacking)}" if lacking else None
    return _frame(page)


def _has_scripts(page: Page) -> bool:
    return any("json" not in (script.get("type") or "") for script in page.root.iter("script"))


def _frame(page: Page) -> str | None:
    text = 0
    for element in content_elements(page):
        if _waits(element):
            return f"<{element.tag} {element.get('id') or element.get('class')}> is empty and waits for its content"
        text += len((element.text or "").strip()) + len((element.tail or "").strip())
    if any(_NEEDS_SCRIPT.search(hint.text_content()) for hint in page.root.iter("noscript")):
        return "it asks for JavaScript"
    return f"it has only {text} characters of content" if text < MIN_TEXT else None


def _waits(element: HtmlElement) -> bool:
    """An empty element that is named for what it will hold, or one that says it is loading."""
    if element.tag not in ("div", "section", "main", "ul", "ol", "article"):
        return False
    words = set(_WORD.findall(f"{element.get('id') or ''} {element.get('class') or ''}".lower()))
    if words & LOADING:
        return True
    return not len(element) and not (element.text or "").strip() and bool(words & WAITING)
