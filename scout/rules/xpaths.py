"""The analysis of a shop as paths, one in each line (Zhang, Lin and Liao 2018, figure 8)."""

from __future__ import annotations

from collections.abc import Iterator

from scout.rules.model import ShopRules
from scout.rules.selectors import AttributeSelector, Selector, TextSelector


def analysed_paths(rules: ShopRules) -> Iterator[tuple[str, str]]:
    """sort-name, sort-href, list-href, and prod- with the name of each field: the best selector, as XPath where it is one."""
    structure = rules.structure if isinstance(rules.structure, dict) else {}
    for path in structure.get("categories") or ():
        yield "sort-name", f"{path}//text()"
        yield "sort-href", f"{path}/@href"
    links = structure.get("links") or {}
    for path in structure.get("lists") or ():
        yield "list-href", f"{path}[N]{links[path]}/@href" if path in links else path
    for name, field in rules.fields.items():
        if field.rules:
            yield f"prod-{name}", path_of(field.rules[0].selector)


def path_of(selector: Selector) -> str:
    """The XPath of a selector; what it says of itself where no XPath can say it."""
    return selector.xpath if isinstance(selector, (TextSelector, AttributeSelector)) else selector.describe()
