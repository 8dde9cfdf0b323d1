"""The parts of a query form: action, method, and its elements with labels, types, internal names and domains.

A form is a set of pairs (element, domain), as in Weber (2001), section 3.1: the domain of a list, of radio buttons or of check boxes is
in the page, that of a text field is not.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property
from typing import Any
from urllib.parse import urlsplit

from form2request import form2request
from lxml.html import FormElement, HtmlElement

from scout.forms.errors import FormError
from scout.forms.layout import BUTTONS_FIRST, FIELDS_FIRST, form_layout
from scout.page import Page
from scout.values.text import single_spaced

MAX_FORMS = 100  # per page; people do not fill in more
MAX_LABEL = 200  # characters; longer texts are not labels
FINITE_KINDS = frozenset({"select", "radio", "checkbox"})
BUTTONS = frozenset({"radio", "checkbox"})
TEXT_KINDS = frozenset({"text", "search", "textarea"})
BUTTON_KINDS = frozenset({"submit", "image", "reset", "button"})
ENCODED = "application/x-www-form-urlencoded"


@dataclass(frozen=True)
class DomainChoice:
    """One value of a domain: what is sent, and what is shown."""

    value: str
    label: str = ""


@dataclass(frozen=True)
class Element:
    """An element to fill in. `default` is what the untouched form sends for it, () if nothing."""

    name: str
    kind: str  # as in HTML: select, radio, checkbox, hidden, password, text, search, textarea, number ...
    label: str = ""
    domain: tuple[DomainChoice, ...] = ()
    default: tuple[str, ...] = ()
    is_required: bool = False

    @property
    def is_finite(self) -> bool:
        return self.kind in FINITE_KINDS

    @property
    def is_text(self) -> bool:
        return self.kind in TEXT_KINDS

    @cached_property
    def values(self) -> tuple[str, ...]:
        """The domain without blank values, which stand for "please choose"."""
        return tuple(choice.value for choice in self.domain if choice.value.strip())

    def value_named(self, text: str) -> str | None:
        """The value of the domain with this value or label; exact matches first, then in any case."""
        wanted = text.strip().casefold()
        exact = (one.value for one in self.domain if text == one.value)
        similar = (one.value for one in self.domain if wanted in (one.value.casefold(), one.label.casefold()))
        return next(exact, next(similar, None))


@dataclass(frozen=True)
class FormRequest:
    """A query as an HTTP request."""

    url: str
    method: str = "GET"
    body: bytes = b""

    @property
    def headers(self) -> dict[str, str]:
        return {"Content-Type": ENCODED} if self.method == "POST" else {}


@dataclass(frozen=True, eq=False)
class Form:
    """A form in a page."""

    root: FormElement
    url: str  # of the page
    action: str
    method: str
    elements: tuple[Element, ...] = field(default=())

    @property
    def names(self) -> frozenset[str]:
        """The internal names of its elements."""
        return frozenset(element.name for element in self.elements)

    def described_elements(self) -> list[dict[str, Any]]:
        """The elements to fill in as plain data: name, kind, label, and the domain where the page has it."""
        shown = (element for element in self.elements if element.kind not in ("hidden", "password"))
        return [
            {
                "name": one.name,
                "kind": one.kind,
                "label": one.label,
                "domain": [asdict(choice) for choice in one.domain],
            }
            for one in shown
        ]

    def element(self, name: str) -> Element | None:
        """The element with this internal name."""
        return next((element for element in self.elements if element.name == name), None)

    def request(
        self, values: Sequence[tuple[str, str]], *, script: str | None = None, method: str | None = None
    ) -> FormRequest:
        """The request that fills in `values` and leaves all else as in the page, sent to `script` if given, else to the action."""
        action = self.root.get("action")
        if script is not None:
            self.root.set("action", script)
        disabled = set(self.root.xpath(".//*[@disabled]/@name")) - self.names
        sent: list[tuple[str, Any]] = [*((name, None) for name in disabled), *values]
        method, click = method or self.method, _button_to_click(self.root)
        try:
            built = form2request(self.root, sent, method=method, enctype=ENCODED, click=click)
        except (NotImplementedError, ValueError) as error:
            raise FormError(f"the form of {self.url} cannot be sent: {error}") from error
        finally:
            _restore(self.root, "action", action)
        return FormRequest(built.url, built.method, built.body)


def _button_to_click(root: FormElement) -> bool | None:
    """form2request's `click`: None for the first button, False for none if a button sends the form elsewhere."""
    return False if root.xpath(".//*[@formaction or @formmethod]") else None


def _restore(element: HtmlElement, name: str, value: str | None) -> None:
    if value is None:
        element.attrib.pop(name, None)
    else:
        element.set(name, value)


def page_forms(page: Page) -> list[Form]:
    """The forms of the page that can be sent by HTTP, in document order."""
    page.root.getroottree().docinfo.URL = page.base_url  # form2request resolves actions against it
    found = [_form(element, page) for element in list(page.root.iter("form"))[:MAX_FORMS]]
    return [form for form in found if urlsplit(form.action).scheme in ("http", "https")]


def needs_layout(page: Page) -> bool:
    """Whether a form has radio buttons or check boxes of whose labels the markup does not tell."""
    controls = (control for form in page_forms(page) for control in form.root.iter("input"))
    return any(_kind(control) in BUTTONS and not _declared_label(control, page) for control in controls)


def _form(root: FormElement, page: Page) -> Form:
    _lay_out(root, page)
    action = page.absolute(root.get("action") or "") or page.url
    method = "POST" if (root.get("method") or "").strip().upper() == "POST" else "GET"
    return Form(root, page.url, action, method, tuple(_elements(root, page)))


def _lay_out(root: FormElement, page: Page) -> None:
    """Give the elements without a label in the markup the texts that stand beside them, where a browser has laid the form out."""
    layout = form_layout(page)
    if layout is None or root in layout.forms:
        return
    layout.forms.add(root)
    kinds: dict[str, list[HtmlElement]] = {}
    for control in root.iter("input", "select", "textarea"):
        kind = _kind(control)
        if kind not in BUTTON_KINDS and not _declared_label(control, page):
            group = f"radio {control.get('name')}" if kind == "radio" else kind if kind == "checkbox" else "field"
            kinds.setdefault(group, []).append(control)
    for group in sorted(kinds, key="field".__eq__):  # buttons first: their texts are nearer
        layout.assign(kinds[group], FIELDS_FIRST if group == "field" else BUTTONS_FIRST)


def _elements(root: FormElement, page: Page) -> Iterator[Element]:
    groups: dict[str, list[HtmlElement]] = {}
    for control in root.iter("input", "select", "textarea"):
        name, kind = control.get("name"), _kind(control)
        if name and kind not in BUTTON_KINDS and control.get("disabled") is None:
            groups.setdefault(name, []).append(control)
    for name, controls in groups.items():
        yield _element(name, controls, page)


def _element(name: str, controls: list[HtmlElement], page: Page) -> Element:
    kind = _kind(controls[0])
    is_group = kind in BUTTONS
    label = _group_label(controls, page) if is_group else _label_of(controls[0], page)
    domain, default = _domain(kind, [one for one in controls if _kind(one) == kind], page)
    required = any(control.get("required") is not None for control in controls)
    return Element(name, kind, label, domain, default, required)


def _kind(control: HtmlElement) -> str:
    return (control.get("type") or "text").strip().lower() if control.tag == "input" else str(control.tag)


def _domain(kind: str, controls: list[HtmlElement], page: Page) -> tuple[tuple[DomainChoice, ...], tuple[str, ...]]:
    """The values in the page, and those that the untouched form sends."""
    if kind == "select":
        return _options(controls[0])
    if kind in BUTTONS:
        choices = tuple(DomainChoice(_sent_value(one), _label_of(one, page)) for one in controls)
        return choices, tuple(_sent_value(one) for one in controls if one.get("checked") is not None)
    if kind == "textarea":
        return (), (controls[0].text or "",)
    return (), tuple(control.get("value") or "" for control in controls)


def _sent_value(control: HtmlElement) -> str:
    return "on" if control.get("value") is None else str(control.get("value"))


def _options(select: HtmlElement) -> tuple[tuple[DomainChoice, ...], tuple[str, ...]]:
    options = [option for option in select.iter("option") if option.get("disabled") is None]
    choices = tuple(DomainChoice(_option_value(option), single_spaced(option.text_content())) for option in options)
    chosen = tuple(_option_value(option) for option in options if option.get("selected") is not None)
    if chosen or select.get("multiple") is not None:
        return choices, chosen
    return choices, tuple(choice.value for choice in choices[:1])


def _option_value(option: HtmlElement) -> str:
    value = option.get("value")
    return single_spaced(option.text_content()) if value is None else str(value)


# --- labels -----------------------------------------------------------------------------------------------------------


def _label_of(control: HtmlElement, page: Page) -> str:
    """The label of an element: its <label>, else one of its attributes, else the text next to it.

    What is next to it is seen where the form is laid out. In the markup, the text after the element comes first for radio buttons and
    check boxes, for other elements the text before it.
    """
    own = _declared_label(control, page)
    if own:
        return own
    layout = form_layout(page)
    if layout is not None and layout.has(control):
        return layout.labels.get(control, "")
    sides = (_text_after, _text_before) if _kind(control) in BUTTONS else (_text_before, _text_after)
    return next((text for side in sides if (text := side(control))), "")


def _declared_label(control: HtmlElement, page: Page) -> str:
    around = next(control.iterancestors("label"), None)
    named = page.elements_by_attribute("label", "for").get(control.get("id") or "", []) if control.get("id") else []
    labels = [*named, *([around] if around is not None else [])]
    texts = [single_spaced("".join(_own_texts(label))) for label in labels]
    attributes = (control.get(name) or "" for name in ("aria-label", "placeholder", "title"))
    return next((text[:MAX_LABEL] for text in (*texts, *map(single_spaced, attributes)) if text), "")


def _own_texts(label: HtmlElement) -> Iterator[str]:
    """The text of a label without that of the elements inside it."""
    yield label.text or ""
    for child in label:
        if child.tag not in ("select", "textarea", "script", "style"):
            yield from _own_texts(child)
        yield child.tail or ""


def _text_after(control: HtmlElement) -> str:
    following = control.getnext()
    near = control.tail or (_content(following) if following is not None and not _has_control(following) else "")
    return single_spaced(near or "")[:MAX_LABEL]


def _text_before(control: HtmlElement) -> str:
    """The text just before the element or one of its three nearest ancestors."""
    here: HtmlElement | None = control
    for _ in range(3):
        if here is None or here.tag == "form":
            return ""
        previous, parent = here.getprevious(), here.getparent()
        near = (previous.tail if previous is not None else parent.text if parent is not None else "") or ""
        if not near.strip() and previous is not None and not _has_control(previous):
            near = _content(previous)
        if near.strip():
            return single_spaced(near)[-MAX_LABEL:]
        here = parent
    return ""


def _group_label(controls: list[HtmlElement], page: Page) -> str:
    """The label of a group of radio buttons or check boxes: its legend, else the text before the first one."""
    fieldset = next(controls[0].iterancestors("fieldset"), None)
    legend = fieldset.find(".//legend") if fieldset is not None else None
    if legend is not None:
        return single_spaced(legend.text_content())[:MAX_LABEL]
    layout = form_layout(page)
    if layout is not None and layout.has(controls[0]):
        return layout.group_label(controls) if len(controls) > 1 else ""
    around = next(controls[0].iterancestors("label"), None)
    return _text_before(around if around is not None else controls[0])


def _content(element: HtmlElement) -> str:
    return str(element.text_content()) if isinstance(element.tag, str) else ""


def _has_control(element: HtmlElement) -> bool:
    return next(element.iter("input", "select", "textarea", "button"), None) is not None
