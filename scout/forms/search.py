"""Finds the search form of a page without metadata, among logins and newsletters, and what its elements ask for."""

from __future__ import annotations

from dataclasses import dataclass

from lxml.html import HtmlElement

from scout.forms.analysis import Element, Form, page_forms
from scout.forms.errors import FormError
from scout.forms.words import field_named, form_words, label_words
from scout.page import Page
from scout.values.tracking import registrable_domain

PRIVATE_KINDS = frozenset({"password", "email", "tel", "file", "credit-card", "url", "color", "datetime-local"})
MAX_DOMAIN = 2_000  # values of an element to enumerate; longer lists are not meant for people
WEIGHTS = {"named": 3, "button": 2, "text": 2, "asks": 1}  # signs of a search form


@dataclass(frozen=True)
class Question:
    """An element that selects offers, and the field of an offer that it is about, if known."""

    element: Element
    attribute: str | None = None

    @property
    def name(self) -> str:
        return self.element.name


@dataclass(frozen=True)
class SearchForm:
    """A search form: the elements to ask by, and the values to send along with every query."""

    form: Form
    choices: tuple[Question, ...]  # have a domain; those about a known field first, then by the size of the domain
    texts: tuple[Question, ...]
    presets: tuple[tuple[str, str], ...] = ()  # the largest number of results per page


def search_form(page: Page) -> SearchForm:
    """The page's search form, sent to its own site by GET; FormError if there is none."""
    site = registrable_domain(page.url)
    found = [form for form in page_forms(page) if not _is_private(form) and registrable_domain(form.action) == site]
    scored = sorted(((_search_score(form), -at, form) for at, form in enumerate(found)), key=lambda entry: entry[:2])
    searching = [form for points, _, form in reversed(scored) if points > 0]
    sendable = [form for form in searching if form.method == "GET"]
    if not sendable and searching:
        needed = "which needs the provider's permission (DB.QueryScript)"
        raise FormError(f"the search form of {page.url} is sent by POST, {needed}")
    if not sendable:
        raise FormError(f"{page.url} has no search form")
    return _as_search_form(sendable[0])


def _is_private(form: Form) -> bool:
    """Whether a form is for personal data: a login, a newsletter, an order. Such a form is never sent."""
    if any(element.kind in PRIVATE_KINDS for element in form.elements):
        return True
    path_words = label_words(form.action.partition("?")[0])
    return bool((_own_words(form.root) | _button_words(form) | path_words) & form_words("private"))


def _search_score(form: Form) -> int:
    """How much a form looks like a search; 0 if it has nothing to fill in."""
    texts = [element for element in form.elements if element.is_text]
    choices = [element for element in form.elements if element.is_finite and element.values]
    if not texts and not choices:
        return 0
    named = _own_words(form.root) | label_words(form.action) | frozenset().union(*(label_words(e.name) for e in texts))
    shown = _button_words(form) | frozenset().union(*(label_words(e.label) for e in texts))
    signs = {
        "named": bool(named & form_words("search")) or form.root.get("role") == "search",
        "button": bool(shown & form_words("search")),
        "text": any(e.kind == "search" or field_named(e.name, e.label) for e in texts),
        "asks": any(field_named(e.name, e.label) for e in choices),
    }
    return sum(weight for sign, weight in WEIGHTS.items() if signs[sign])


def _own_words(root: HtmlElement) -> frozenset[str]:
    return label_words(" ".join(root.get(name) or "" for name in ("id", "name", "class", "aria-label")))


def _button_words(form: Form) -> frozenset[str]:
    buttons = form.root.xpath(".//button | .//input[@type='submit' or @type='image']")
    return label_words(" ".join(f"{b.text_content()} {b.get('value') or ''} {b.get('alt') or ''}" for b in buttons))


def _as_search_form(form: Form) -> SearchForm:
    selecting = [element for element in form.elements if not _arranges_results(element)]
    questions = [Question(element, field_named(element.label, element.name)) for element in selecting]
    choices = [one for one in questions if one.element.is_finite and 1 < len(one.element.values) <= MAX_DOMAIN]
    choices.sort(key=lambda one: (one.attribute is None, -len(one.element.values)))
    texts = sorted((one for one in questions if one.element.is_text), key=lambda one: not _is_search(one.element))
    return SearchForm(form, tuple(choices), tuple(texts), tuple(_presets(form)))


def _element_words(element: Element) -> frozenset[str]:
    return label_words(element.name) | label_words(element.label)


def _is_search(element: Element) -> bool:
    return element.kind == "search" or bool(_element_words(element) & form_words("search"))


def _arranges_results(element: Element) -> bool:
    """Whether an element arranges the results (order, language, page) instead of selecting them."""
    is_page_number = label_words(element.name) <= form_words("page_number")
    return is_page_number or _is_page_size(element) or bool(_element_words(element) & form_words("arranging"))


def _is_page_size(element: Element) -> bool:
    """Whether an element sets the number of results per page."""
    is_numeric = element.is_finite and all(value.isdecimal() for value in element.values)
    return is_numeric and bool(_element_words(element) & form_words("page_size"))


def _presets(form: Form) -> list[tuple[str, str]]:
    sizes = [element for element in form.elements if _is_page_size(element) and element.values]
    return [(element.name, max(element.values, key=int)) for element in sizes]
