"""The records of an XML product feed as rows: shops' feeds and the user's catalogue alike."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from lxml import etree

_RECORD_TAGS = ("item", "entry", "product", "offer", "artikel", "produkt", "shopitem")


def xml_rows(data: bytes, report: Callable[[int, str], None]) -> Iterator[tuple[int, dict[str, Any]]]:
    """Line and row of each record: RSS items, Atom entries, or else the most frequent element with children.

    What is no valid XML is reported by its line, and the rest is read; a record in which the file breaks off is left out. ValueError where
    there is no XML at all.
    """
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, recover=True, huge_tree=True)
    try:
        root = etree.fromstring(data.lstrip(), parser)
    except etree.XMLSyntaxError as error:
        raise ValueError(str(error)) from error
    if root is None:
        raise ValueError("no XML")
    records = _record_elements(root)
    if records and _breaks_off(data, records[-1]):
        records.pop()
    for problem in parser.error_log:
        if (
            problem.type != etree.ErrorTypes.NS_ERR_UNDEFINED_NAMESPACE
        ):  # costs nothing: names are read without prefixes
            report(problem.line, f"is not valid XML: {problem.message}")
    for record in records:
        yield int(record.sourceline or 0), _row(record)  # type: ignore[call-overload]


def _record_elements(root: etree._Element) -> list[etree._Element]:
    """The elements that hold one offer each."""
    groups: dict[tuple[int, str], list[etree._Element]] = {}
    for element in root.iter(etree.Element):
        if len(element) and element.getparent() is not None:
            groups.setdefault((id(element.getparent()), _local_name(str(element.tag))), []).append(element)
    known = [group for (_, tag), group in groups.items() if tag in _RECORD_TAGS]
    return max(known or groups.values(), key=len, default=[])


def _breaks_off(data: bytes, last: etree._Element) -> bool:
    """Whether the file ends inside its last record."""
    name = str(last.tag).rpartition("}")[2]
    tag = (f"{last.prefix}:{name}" if last.prefix else name).encode()
    return data.rfind(b"<" + tag) > data.rfind(b"</" + tag)


def _row(record: etree._Element) -> dict[str, Any]:
    """An element's children by their local names, then its attributes; a repeated child is a list."""
    row: dict[str, Any] = {}
    for child in record.iterchildren(etree.Element):
        key = _local_name(str(child.tag))
        text = "".join(str(part) for part in child.itertext()).strip() if len(child) == 0 else ""
        text = text or str(child.get("href", ""))
        if text:
            row.setdefault(key, []).append(text)
    row = {key: texts if len(texts) > 1 else texts[0] for key, texts in row.items()}
    for name, attribute in record.attrib.items():
        row.setdefault(_local_name(str(name)), str(attribute))
    return row


def _local_name(name: str) -> str:
    """The name of an element or attribute without its namespace, in lower case; etree.QName refuses a prefix that nothing declares.

    >>> _local_name("{http://base.google.com/ns/1.0}ID"), _local_name("g:id")
    ('id', 'id')
    """
    return name.rpartition("}")[2].rpartition(":")[2].lower()
