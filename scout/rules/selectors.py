"""Selectors: where on a page a value stands. Each finds one raw text on a page, or None."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any, ClassVar, Protocol

from scout.errors import RuleError
from scout.page import Page
from scout.rules import blocks, css

SAME_TEXT = "."  # the value stands in the same text as its label


class Selector(Protocol):
    """Anything that finds a raw text on a page."""

    kind: ClassVar[str]

    def find(self, page: Page) -> str | None:
        """The raw text, or None."""

    def describe(self) -> str:
        """The place, for a person."""

    def check(self) -> None:
        """RuleError where the selector cannot be used."""


class _ByXPath:
    """A selector that is one XPath expression which yields a string."""

    expression: str

    def find(self, page: Page) -> str | None:
        """The text at that place, stripped; None where there is none."""
        return str(css.compiled(self.expression)(page.root)).strip() or None

    def check(self) -> None:
        """RuleError where the path is not one."""
        css.compiled(self.expression)


def _nth(path: str, match: int) -> str:
    return path if match == 1 else f"({path})[{match}]"


@dataclass(frozen=True)
class TextSelector(_ByXPath):
    """The text of an element: of all of it, or of its n-th text node that is not blank."""

    kind: ClassVar[str] = "text"
    css: str
    node: int | None = None
    match: int = 1  # which of the elements that the path leads to

    @cached_property
    def expression(self) -> str:  # type: ignore[override]
        """The XPath of the text."""
        path = _nth(css.xpath(self.css), self.match)
        return (
            f"normalize-space({path})"
            if self.node is None
            else f"normalize-space({path}/text()[normalize-space()][{self.node}])"
        )

    def describe(self) -> str:
        """The CSS path, and which text of the element."""
        node = f", text {self.node}" if self.node else ""
        return f"{self.css}{f', match {self.match}' if self.match > 1 else ''}{node}"


@dataclass(frozen=True)
class AttributeSelector(_ByXPath):
    """An attribute of an element."""

    kind: ClassVar[str] = "attribute"
    css: str
    attribute: str
    match: int = 1

    @cached_property
    def expression(self) -> str:  # type: ignore[override]
        """The XPath of the attribute."""
        return f"normalize-space({_nth(css.xpath(self.css), self.match)}/@{self.attribute})"

    def describe(self) -> str:
        """The CSS path and the attribute's name."""
        return f"{self.css}{f', match {self.match}' if self.match > 1 else ''} @{self.attribute}"


@dataclass(frozen=True)
class LabelSelector(_ByXPath):
    """A value by its label: the text `label` in an element `tag`, and the way (XPath) from there to the value."""

    kind: ClassVar[str] = "label"
    label: str
    tag: str
    to: str = SAME_TEXT

    @cached_property
    def expression(self) -> str:  # type: ignore[override]
        """The XPath from the label to the value."""
        label = css.literal(self.label)
        if self.to == SAME_TEXT:
            return f"normalize-space(//{self.tag}/text()[starts-with(normalize-space(), {label})])"
        return f"normalize-space(//{self.tag}/text()[normalize-space()={label}]/{self.to})"

    def describe(self) -> str:
        """The label and the way from it."""
        way = "in the same text" if self.to == SAME_TEXT else self.to
        return f"label {self.label!r} in <{self.tag}>: {way}"


@dataclass(frozen=True)
class DataSelector:
    """A value in a script: the script's CSS path, the block in it, and the JSONPath in the block."""

    kind: ClassVar[str] = "data"
    css: str
    path: str
    block: str = blocks.WHOLE
    match: int = 1

    @cached_property
    def _scripts(self) -> str:
        return _nth(css.xpath(self.css), self.match)

    def find(self, page: Page) -> str | None:
        """The text or number at the JSONPath; of several scripts, the first that has it."""
        for script in css.elements(self._scripts, page):
            block = blocks.script_blocks(page, script).get(self.block)
            found = None if block is None else blocks.at(block, self.path)
            if found is not None and found.strip():
                return found.strip()
        return None

    def check(self) -> None:
        """RuleError where the CSS or the JSONPath is not one."""
        css.compiled(self._scripts)
        blocks.check_path(self.path)

    def describe(self) -> str:
        """Script, block, JSONPath."""
        block = f" block {self.block}" if self.block else ""
        return f"{self.css}{f', match {self.match}' if self.match > 1 else ''}{block} {self.path}"


KINDS: Mapping[str, type[Any]] = {
    kind.kind: kind for kind in (TextSelector, AttributeSelector, LabelSelector, DataSelector)
}


def as_dict(selector: Selector) -> dict[str, Any]:
    """Plain data for a rule file: the kind, and what is not the default."""
    data: dict[str, Any] = {"kind": selector.kind}
    for spec in fields(selector):  # type: ignore[arg-type]
        value = getattr(selector, spec.name)
        if value != spec.default:
            data[spec.name] = value
    return data


def from_dict(data: Mapping[str, Any]) -> Selector:
    """The selector that as_dict() wrote. RuleError where it is none or cannot be used."""
    options = {key: value for key, value in data.items() if key != "kind"}
    kind = KINDS.get(data.get("kind", ""))
    if kind is None:
        raise RuleError(f"unknown kind of selector {data.get('kind')!r}; known are {', '.join(KINDS)}")
    try:
        selector: Selector = kind(**options)
    except TypeError as error:
        raise RuleError(f"a {kind.kind} selector has {', '.join(f.name for f in fields(kind))}: {error}") from error
    selector.check()
    return selector
