"""The queries that a described form stands for: the cartesian product of its domains, counted before the first one is made."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from urllib.parse import urlencode, urlsplit, urlunsplit

import re2

from scout.forms.analysis import Element, Form, FormRequest, forms
from scout.forms.errors import ExpansionError, FormError, MetadataError
from scout.forms.expansion import MAX_VALUES, expanded
from scout.forms.metadata import Domain, Metadata
from scout.page import Page
from scout.values.tracking import registrable_domain

MAX_PATTERN_MEMORY = 1 << 20  # bytes that RE2 may use for an expression of a stranger


@dataclass(frozen=True)
class Described:
    """A form together with what its provider says of it; `form` is None where a script alone is described."""

    page_url: str
    metadata: Metadata
    form: Form | None
    domains: tuple[tuple[str, tuple[str, ...]], ...]

    @property
    def count(self) -> int:
        """How many queries it takes: |D1| · |D2| · …"""
        return math.prod(len(values) for _, values in self.domains)

    def requests(self) -> Iterator[FormRequest]:
        """The queries, one after the other; more than one element in the order in which the provider names them."""
        names = [name for name, _ in self.domains]
        for values in itertools.product(*(values for _, values in self.domains)):
            yield self._request(list(zip(names, values, strict=True)))

    def _request(self, values: Sequence[tuple[str, str]]) -> FormRequest:
        said = self.metadata
        if self.form is not None:
            return self.form.request(values, script=said.script, method=said.method)
        assert said.script is not None
        query = urlencode(values)
        if said.method == "POST":
            return FormRequest(said.script, "POST", query.encode())
        return FormRequest(urlunsplit(urlsplit(said.script)._replace(query=query)))


def described(page: Page, metadata: Metadata, *, limit: int = MAX_VALUES) -> Described:
    """The form of the page that the metadata describe, with the values to ask for; an error where that cannot be asked."""
    form = _form(page, metadata)
    if form is not None and form.method == "POST" and metadata.script is None:
        raise MetadataError(
            f"the form of {page.url} is sent by POST, which changes things: "
            "it is asked only where DB.QueryScript says so"
        )
    if form is not None and metadata.script is None and registrable_domain(form.action) != registrable_domain(page.url):
        raise MetadataError(f"the form of {page.url} asks {registrable_domain(form.action)}, which is another site")
    domains = tuple((name, _values(name, form, metadata)) for name in metadata.elements)
    found = Described(page.url, metadata, form, domains)
    if found.count > limit:
        sizes = " · ".join(f"{len(values):,} ({name})" for name, values in domains)
        raise ExpansionError(
            f"the form of {page.url} stands for {sizes} = {found.count:,} queries, and {limit:,} is the most: "
            "name fewer elements, or more general values"
        )
    return found


def _form(page: Page, metadata: Metadata) -> Form | None:
    """The form that has the most of the elements; None where there is none, but a script that can be asked without."""
    found = forms(page)
    wanted = set(metadata.elements)
    best = max(found, key=lambda form: len(wanted & {element.name for element in form.elements}), default=None)
    known = {element.name for element in best.elements} if best else set()
    missing = sorted(wanted - known - (metadata.domains.keys() if metadata.script else set()))
    if missing:
        raise MetadataError(f"no form of {page.url} has the element {', '.join(missing)} that DB.QueryElement names")
    if best is None and metadata.script is None:
        raise FormError(f"{page.url} has no form, and no DB.QueryScript says what to ask instead")
    return best if wanted & known or not wanted else None


def _values(name: str, form: Form | None, metadata: Metadata) -> tuple[str, ...]:
    element = form.element(name) if form else None
    said = metadata.domains.get(name)
    if said is None:
        if element is None or not element.is_finite:
            raise MetadataError(
                f"the element {name} can take any value: say in DB.QueryElement.{name} which ones to ask for"
            )
        found = element.values
    elif element is not None and element.is_finite:
        found = _of_domain(element, said)
    else:
        found = said.values or tuple(expanded(said.pattern or ""))
    if not found:
        raise MetadataError(f"there is no value to ask for in the element {name}")
    return tuple(dict.fromkeys(found))


def _of_domain(element: Element, said: Domain) -> tuple[str, ...]:
    """The values of a list or of buttons that are meant; one that is not among them is asked as it stands."""
    if said.pattern is None:
        return tuple(element.value_of(value) or value for value in said.values)
    pattern = _compiled(said.pattern)
    return tuple(value for value in element.values if pattern.fullmatch(value))


def _compiled(pattern: str) -> re2._Regexp[str]:
    options = re2.Options()
    options.log_errors = False
    options.max_mem = MAX_PATTERN_MEMORY
    try:
        return re2.compile(pattern, options)
    except re2.error as error:
        said = error.args[0] if error.args else "it cannot be read"
        reason = said.decode("utf-8", "replace") if isinstance(said, bytes) else str(said)
        raise MetadataError(f"the regular expression /{pattern[:60]}/ cannot be used: {reason}") from None
