"""The queries of a form with metadata: the cartesian product of its domains, counted before any is sent."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from urllib.parse import urlencode, urlsplit, urlunsplit

import re2

from scout.forms.analysis import Element, Form, FormRequest, page_forms
from scout.forms.errors import ExpansionError, FormError, MetadataError
from scout.forms.expansion import MAX_VALUES, expand
from scout.forms.metadata import Domain, Metadata
from scout.page import Page
from scout.values.tracking import registrable_domain

MAX_PATTERN_MEMORY = 1 << 20  # bytes that RE2 may use for a provider's expression


@dataclass(frozen=True)
class DescribedForm:
    """A form with its metadata; `form` is None if they describe a script alone."""

    page_url: str
    metadata: Metadata
    form: Form | None
    domains: tuple[tuple[str, tuple[str, ...]], ...]

    @property
    def count(self) -> int:
        """The number of queries: |D1| · |D2| · …"""
        return math.prod(len(values) for _, values in self.domains)

    def requests(self) -> Iterator[FormRequest]:
        """The queries, with the elements in the order of the metadata."""
        names = [name for name, _ in self.domains]
        for values in itertools.product(*(values for _, values in self.domains)):
            yield self._request(list(zip(names, values, strict=True)))

    def _request(self, values: Sequence[tuple[str, str]]) -> FormRequest:
        script, method = self.metadata.script, self.metadata.method
        if self.form is not None:
            return self.form.request(values, script=script, method=method)
        assert script is not None
        query = urlencode(values)
        if method == "POST":
            return FormRequest(script, "POST", query.encode())
        return FormRequest(urlunsplit(urlsplit(script)._replace(query=query)))


def describe_form(page: Page, metadata: Metadata, *, limit: int = MAX_VALUES) -> DescribedForm:
    """The form that the metadata describe, with the values to ask for; a FormError if it may not or cannot be queried."""
    form = _form(page, metadata)
    if form is not None and form.method == "POST" and metadata.script is None:
        raise MetadataError(
            f"the form of {page.url} is sent by POST, which may change something: "
            "it is only sent if DB.QueryScript says so"
        )
    if form is not None and metadata.script is None and registrable_domain(form.action) != registrable_domain(page.url):
        raise MetadataError(
            f"the form of {page.url} is sent to {registrable_domain(form.action)}, which is another site"
        )
    domains = tuple((name, _values_to_ask(name, form, metadata)) for name in metadata.elements)
    described = DescribedForm(page.url, metadata, form, domains)
    if described.count > limit:
        sizes = " · ".join(f"{len(values):,} ({name})" for name, values in domains)
        raise ExpansionError(
            f"the form of {page.url} stands for {sizes} = {described.count:,} queries; at most {limit:,} are allowed: "
            "name fewer elements, or more general values"
        )
    return described


def _form(page: Page, metadata: Metadata) -> Form | None:
    """The form that has the most of the elements; None if none has any, but there is a script to query."""
    wanted = set(metadata.elements)
    best = max(page_forms(page), key=lambda form: len(wanted & form.names), default=None)
    known = best.names if best else frozenset()
    missing = sorted(wanted - known - (metadata.domains.keys() if metadata.script else set()))
    if missing:
        raise MetadataError(f"no form of {page.url} has the element {', '.join(missing)} that DB.QueryElement names")
    if best is None and metadata.script is None:
        raise FormError(f"{page.url} has no form, and no DB.QueryScript says what to ask instead")
    return best if wanted & known or not wanted else None


def _values_to_ask(name: str, form: Form | None, metadata: Metadata) -> tuple[str, ...]:
    element = form.element(name) if form else None
    domain = metadata.domains.get(name)
    if domain is None:
        if element is None or not element.is_finite:
            advice = f"say in DB.QueryElement.{name} which ones to ask for"
            raise MetadataError(f"the element {name} can take any value: {advice}")
        values = element.values
    elif element is not None and element.is_finite:
        values = _values_in_domain(element, domain)
    else:
        values = domain.values or tuple(expand(domain.pattern or ""))
    if not values:
        raise MetadataError(f"there is no value to ask for in the element {name}")
    return tuple(dict.fromkeys(values))


def _values_in_domain(element: Element, domain: Domain) -> tuple[str, ...]:
    """The element's own values that the metadata mean; listed values that it lacks are used as they are."""
    if domain.pattern is None:
        return tuple(element.value_named(value) or value for value in domain.values)
    pattern = _compile(domain.pattern)
    return tuple(value for value in element.values if pattern.fullmatch(value))


def _compile(pattern: str) -> re2._Regexp[str]:
    options = re2.Options()
    options.log_errors = False
    options.max_mem = MAX_PATTERN_MEMORY
    try:
        return re2.compile(pattern, options)
    except re2.error as error:
        message = error.args[0] if error.args else "it cannot be read"
        reason = message.decode("utf-8", "replace") if isinstance(message, bytes) else str(message)
        raise MetadataError(f"the regular expression /{pattern[:60]}/ cannot be used: {reason}") from None
