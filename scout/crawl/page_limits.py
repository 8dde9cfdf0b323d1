"""Which pages a parser would choke on, told from their text: more tags than any shop writes, or one tag with thousands of attributes.

libxml2 walks along all attributes of a tag to add the next one: 100,000 of them take minutes. To find such a tag is to know where tags
begin and end, which is told here as https://html.spec.whatwg.org/multipage/parsing.html#tokenization has it: a quoted > ends nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from scout.page import MAX_DEPTH, Page

MAX_TAGS = 300_000  # of a page: the longest lists have a tenth; each costs every analysis some microseconds
MAX_LINKS = 50_000
SMALL_PAGE = 100_000  # characters: all attributes that fit into a smaller one take two seconds at most
LONG_TAG = 15_000  # characters: the attributes that fit into a shorter one cost milliseconds
MAX_ATTRIBUTES = 5_000  # of one tag

_S = r" \t\n\f\r"  # HTML's white space, which is less than \s
_ATTRIBUTE = rf"""[^{_S}/>][^{_S}/>=]*(?:[{_S}]*=[{_S}]*(?:"[^"]*"?|'[^']*'?|[^{_S}>"'][^{_S}>]*)?)?"""
# As most attributes are written: tried first, because it is quick.
_USUAL = rf"""(?:[{_S}/]+[^{_S}/>"'=]+="[^"]*"){{0,{MAX_ATTRIBUTES}}}"""
# A tag up to its >, or what a parser skips up to the next one. No end is asked for, so it never fails and never goes back. But re keeps
# where it could go back to, 500 bytes an attribute: so a tag is followed only until it is long, and has too many, for certain.
_REST = rf"(?:[{_S}/]+|{_ATTRIBUTE}){{0,{max(LONG_TAG, 2 * MAX_ATTRIBUTES)}}}"
_TAG = re.compile(rf"<(?:/?[a-zA-Z][^{_S}/>]*{_USUAL}{_REST}|(?:[!?]|/[^a-zA-Z])[^>]*)")
_NAME_END = re.compile(rf"[{_S}/>]")
_ATTRIBUTES = re.compile(_ATTRIBUTE)

# Elements whose content is text, whatever it looks like, and where each ends.
_TEXT_ENDS = {
    name: re.compile(rf"</{name}(?=[{_S}/>])", re.IGNORECASE)
    for name in ("style", "textarea", "title", "xmp", "iframe", "noembed", "noframes")
}
_COMMENT_END = re.compile(r"--!?>")
_IN_SCRIPT = re.compile(rf"<!---?>|<!--|-->|</?script(?=[{_S}/>])", re.IGNORECASE)
# What looks like a tag in a script and goes on behind the script's end
_ANY_END = re.compile(rf"</(?:script|{'|'.join(_TEXT_ENDS)})[{_S}/]*[^{_S}/]|--!?>", re.IGNORECASE)


def limit_broken(html: str) -> str | None:
    """The word for what makes this page dangerous to parse; None for any page that a shop would make."""
    text = html.replace("\x00", "") if "\x00" in html else html  # as Page does
    tags = text.count("<")
    if tags > MAX_TAGS:
        return "too_many_tags"
    if tags > MAX_LINKS and text.count("<a ") + text.count("<A ") > MAX_LINKS:
        return "too_many_links"
    return "too_many_attributes" if len(text) > SMALL_PAGE and _has_monstrous_tag(text) else None


def _has_monstrous_tag(html: str) -> bool:
    """Whether one tag has more attributes than anybody writes; their values may be as long as they like."""
    # those in scripts too, which is quick: few pages have anything there that looks like a long tag
    tags = _TAG.findall(html)
    if not _has_monster(tags) and not _may_hide(tags):
        return False
    return _has_monster(list(_real_tags(html)))


def _has_monster(tags: list[str]) -> bool:
    if max(map(len, tags), default=0) <= LONG_TAG:
        return False
    return any(len(tag) > LONG_TAG and len(_ATTRIBUTES.findall(tag)) > MAX_ATTRIBUTES for tag in tags)


def _may_hide(tags: list[str]) -> bool:
    """Whether what looks like a tag in a script hides the script's end, and so where the next tag begins."""
    joined = "\x00".join(tags)  # one look at all, before a look at each
    ends = joined.count("\x00</") + joined.startswith("</")
    is_likely = joined.count("</") > ends or "-->" in joined or "--!>" in joined
    return is_likely and any(_ANY_END.search(tag, 2) for tag in tags)


def _real_tags(html: str) -> Iterator[str]:
    """The tags that a parser sees: the content of scripts and comments is jumped over."""
    at = 0
    while found := _TAG.search(html, at):
        tag, at = found.group(), found.end()
        name = _NAME_END.split(tag[1:50], maxsplit=1)[0].lower()
        if name.startswith("!--"):
            end = _COMMENT_END.search(html, found.start() + 2)
            at = end.end() if end else len(html)
        elif name == "script":
            at = _script_end(html, at)
        elif name in _TEXT_ENDS:
            end = _TEXT_ENDS[name].search(html, at)
            at = end.start() if end else len(html)
        yield tag


def _script_end(html: str, at: int) -> int:
    """Where the script ends: in a comment in it, a script within the script ends first."""
    is_comment = is_nested = False
    for found in _IN_SCRIPT.finditer(html, at):
        mark = found.group().lower()
        if mark == "</script" and not is_nested:
            return found.start()
        is_comment = (is_comment or mark == "<!--") and mark != "-->"
        is_nested = is_comment and mark != "</script" and (is_nested or mark == "<script")
    return len(html)


def is_cut_by_parser(page: Page) -> bool:
    """Whether the page is nested deeper than libxml2 follows: what lies deeper is missing from the tree without a word."""
    if page.html.count("<") < MAX_DEPTH:
        return False
    return bool(page.root.xpath(f"boolean(//*[ancestor::*[{MAX_DEPTH - 1}]])"))
