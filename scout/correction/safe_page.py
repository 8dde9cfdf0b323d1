"""A kept page rewritten so that a browser can show it and nothing on it acts.

The page is written anew from its tree: elements and attributes of a short list, texts escaped, everything else left out or turned into
plain boxes. Scripts, frames, forms, links, media, base and meta elements are none of them; styles lose whatever loads. The sandbox and the
Content-Security-Policy of the answer forbid the same once more.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from html import escape

from lxml import etree
from lxml.html import HtmlElement

from scout.correction.marks import Mark
from scout.correction.numbering import MAX_ELEMENTS, element_number
from scout.page import Page

MAX_STYLE = 400_000  # characters
KEPT = frozenset(
    """abbr address article aside b bdi bdo blockquote br caption center cite code col colgroup data dd del dfn div dl dt em figcaption
    figure font footer h1 h2 h3 h4 h5 h6 header hgroup hr i ins kbd li main mark menu nav ol p pre q rp rt ruby s samp section small span
    strike strong sub sup table tbody td tfoot th thead time tr tt u ul var wbr""".split()
)
BOXES = frozenset(
    "form fieldset dialog select optgroup option textarea details summary legend body center search".split()
)
LEFT_OUT = frozenset(
    """script style template noscript iframe frame frameset noframes object embed applet param svg math audio video source track canvas
    map area head title meta link base portal plaintext xmp listing noembed""".split()
)
VOID = frozenset("br col hr wbr".split())
ATTRIBUTES = frozenset("class id dir lang colspan rowspan start value align valign width height hidden".split())
_REST = f"<p class='scout--cut'>The rest of this page is not shown: it has more than {MAX_ELEMENTS:,} elements.</p>"
_LOADS = re.compile(
    r"@import[^;]*;?|(?:url|src|image|image-set|-webkit-image-set|expression)\s*\(|@font-face|@charset|behavior\s*:|-moz-binding",
    re.I,
)
_STICKS = re.compile(r"position\s*:\s*(?:fixed|sticky|-webkit-sticky)", re.I)
_UNSAFE = re.compile(r"[\\<>]")


def safe_page(page: Page, marks: Iterable[Mark], hues: Mapping[str, int], *, head: str) -> str:
    """The page as HTML that is safe to show. Every element carries its number, marked ones their fields and roles.

    `head` is what the studio itself puts into the head: its style and script.
    """
    by_number: dict[int, list[Mark]] = {}
    for mark in marks:
        by_number.setdefault(mark.number, []).append(mark)
    body = page.root.find("body")
    writer = _HarmlessWriter(page, by_number, hues)
    if body is not None:
        writer.write(body)
    root = page.root
    about = "".join(f' {name}="{escape(value)}"' for name in ("lang", "dir", "class") if (value := root.get(name)))
    styles = "".join(f"<style>{safe_style(style.text)}</style>" for style in root.iter("style") if style.text)
    own = "" if body is None else writer.attributes(body)
    return f"<!DOCTYPE html><html{about}><head><meta charset=utf-8>{styles}{head}</head><body{own}>{''.join(writer.parts)}</body></html>"


def safe_style(text: str) -> str:
    """A style sheet that loads nothing and cannot end its element.

    >>> safe_style("p { color: red; background: url(http://a.example/x) } @import 'y'; .bar { position: fixed }")
    'p { color: red; background: none(http://a.example/x) }  .bar { position: static }'
    """
    text = _UNSAFE.sub(" ", text[:MAX_STYLE])  # escapes could hide what is looked for
    text = _LOADS.sub(lambda found: "none(" if found[0].endswith("(") else "", text)
    return _STICKS.sub("position: static", text)


class _HarmlessWriter:
    """Writes the body of a page."""

    def __init__(self, page: Page, marks: Mapping[int, list[Mark]], hues: Mapping[str, int]) -> None:
        self.parts: list[str] = []
        self._page, self._marks, self._hues = page, marks, hues

    def write(self, body: HtmlElement) -> None:
        """What is in the body, without its own tags."""
        written = 0
        walker = etree.iterwalk(body, events=("start", "end", "comment", "pi"))
        for event, element in walker:
            if event == "start":
                written += 1
                if element.tag in LEFT_OUT:
                    walker.skip_subtree()
                else:
                    self._open(element, is_body=element is body)
            elif element is not body:
                self._close(element, event)
            if written > MAX_ELEMENTS:
                self.parts.append(_REST)
                return

    def _open(self, element: HtmlElement, *, is_body: bool) -> None:
        if not is_body:
            self.parts.append(self._opening(element))
        self.parts.append(escape(element.text or ""))

    def _close(self, element: HtmlElement, event: str) -> None:
        if event == "end" and element.tag not in LEFT_OUT and (tag := self._written_tag(element)) not in VOID:
            self.parts.append(f"</{tag}>")
        self.parts.append(escape(element.tail or ""))

    def _written_tag(self, element: HtmlElement) -> str:
        tag = str(element.tag)
        return tag if tag in KEPT else "div" if tag in BOXES else "span"

    def _opening(self, element: HtmlElement) -> str:
        inner = ""
        if element.tag == "img":
            inner = escape(element.get("alt") or "picture")
        elif element.tag == "input" and (element.get("type") or "text").lower() not in ("hidden", "password"):
            inner = escape(element.get("value") or element.get("placeholder") or "")
        return f"<{self._written_tag(element)}{self.attributes(element)}>{inner}"

    def attributes(self, element: HtmlElement) -> str:
        """The attributes of an element: its own harmless ones, its number, its marks."""
        found = {name: value for name, value in element.items() if name in ATTRIBUTES and element.tag != "input"}
        if style := element.get("style"):
            found["style"] = safe_style(style)
        if element.tag not in KEPT:
            found["data-scout-tag"] = str(element.tag)
        number = element_number(self._page, element)
        found["data-scout"] = str(number)
        if marks := self._marks.get(-1 if number is None else number):
            best = min(
                marks, key=lambda mark: (("value", "echo", "rival").index(mark.role), self._hues.get(mark.field, 0))
            )
            found["data-scout-fields"] = " ".join(mark.field for mark in marks)
            found["data-scout-role"] = best.role
            found["data-scout-hue"] = str(self._hues.get(best.field, 0))
        return "".join(f' {name}="{escape(value)}"' for name, value in found.items())
