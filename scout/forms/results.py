"""Reads a result page by the provider's HEL rules: rows of the database, and values for the index.

HEL gives a list of values for each attribute. Rows cannot be made by putting such lists side by side: if one row lacks a value, all
later values would move to the wrong row. So rules with the same path to the same repeated node become the branches of one fork,
and each of its records is a row, with gaps. Rules that reach the same nodes by another path, as with a condition of their own, are
joined to these rows by the place of the node in the document; those that reach other nodes of the same kind between them find
headings, such as the town above its hotels (figure 4), and their values are carried down to the rows below.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

from scout.forms.metadata import Metadata
from scout.forms.words import field_named
from scout.hel import HelRule, evaluate
from scout.hel.ast import Branch, Condition, Path, Value
from scout.page import Page

Row: TypeAlias = dict[str, Any]  # attribute -> text, or a list of texts if the rule splits them


@dataclass(frozen=True)
class Fragment:
    """The contents of one result page: its rows, and all values of each attribute, also outside of rows."""

    rows: list[Row] = field(default_factory=list)
    values: dict[str, list[str]] = field(default_factory=dict)


@dataclass(frozen=True)
class ForkGroup:
    """Rules with the same path to a repeated node: one fork, whose branches are these attributes."""

    names: tuple[str, ...]
    rule: HelRule


def read_result_page(page: Page, metadata: Metadata) -> Fragment:
    """The contents of a result page by its rules; HelError if one of them takes too long."""
    repeated, single = _split(metadata.rules)
    tables = [_table(group, evaluate(group.rule, page)) for group in _groups(repeated)]
    alone = {name: _texts(evaluate(rule, page)) for name, rule in single.items()}
    values = {name: found for name, found in (_values(tables) | alone).items() if found}
    common = {name: texts[0] for name, texts in alone.items() if len(texts) == 1}
    return Fragment([{**common, **row} for row in _join_tables(tables) if row], values)


def _split(rules: Mapping[str, HelRule]) -> tuple[dict[str, HelRule], dict[str, HelRule]]:
    """Rules with a value for each of several nodes, and rules with one for the whole page."""
    repeated = {name: rule for name, rule in rules.items() if _first_repeated_step(rule.path) is not None}
    return repeated, {name: rule for name, rule in rules.items() if name not in repeated}


def _first_repeated_step(path: Path) -> int | None:
    """The position of the first step that matches several nodes; None if there is none."""
    return next((at for at, step in enumerate(path.steps) if not step.selects_one), None)


# --- groups -----------------------------------------------------------------------------------------------------------


def _groups(rules: Mapping[str, HelRule]) -> list[ForkGroup]:
    ways: dict[Any, dict[str, tuple[HelRule, int]]] = {}
    for position, (name, rule) in enumerate(rules.items()):
        plain, length = _with_renamed_variables(rule, position)
        ways.setdefault(_group_key(plain, length), {})[name] = (plain, length)
    return [_group(members) for members in ways.values()]


def _with_renamed_variables(rule: HelRule, position: int) -> tuple[HelRule, int]:
    """The rule with variables named by position, so that i and j compare equal, and the length of its path to the repeated node."""
    length = (_first_repeated_step(rule.path) or 0) + 1
    shared = [step.variable for step in rule.path.steps[:length] if step.variable]
    names = {old: f"v{at}" for at, old in enumerate(dict.fromkeys(shared))}
    for at, old in enumerate(sorted(rule.conditions.keys() - names.keys())):
        names[old] = f"p{position}v{at}"
    conditions = {names[v]: replace(c, path=_renamed_path(c.path, names)) for v, c in rule.conditions.items()}
    return HelRule(_renamed_path(rule.path, names), rule.operations, conditions), length


def _renamed_path(path: Path, names: Mapping[str, str]) -> Path:
    steps = tuple(replace(step, variable=names.get(step.variable or "")) for step in path.steps)
    branches = tuple(Branch(_renamed_path(one.path, names), one.operations) for one in path.branches)
    return replace(path, steps=steps, branches=branches)


def _group_key(rule: HelRule, length: int) -> Any:
    steps = rule.path.steps[:length]
    deciding = [_condition_key(rule.conditions[step.variable]) for step in steps if step.variable]
    return steps, tuple(deciding)


def _condition_key(condition: Condition) -> Any:
    literal = condition.literal
    return condition.path.steps, condition.path.value, condition.comparator, getattr(literal, "pattern", literal)


_NODE_ITSELF = Branch(Path((), Value("position"), is_absolute=False))


def _group(members: Mapping[str, tuple[HelRule, int]]) -> ForkGroup:
    first, length = next(iter(members.values()))
    branches = (_NODE_ITSELF, *(_branch(rule, length) for rule, _ in members.values()))
    conditions = {name: one for rule, _ in members.values() for name, one in rule.conditions.items()}
    path = Path(first.path.steps[:length], None, branches, first.path.is_absolute)
    return ForkGroup(tuple(members), HelRule(path, (), conditions))


def _branch(rule: HelRule, length: int) -> Branch:
    path = rule.path
    return Branch(Path(path.steps[length:], path.value, path.branches, is_absolute=False), rule.operations)


# --- rows and values --------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class ResultTable:
    """The rows of one group, each with the position of its node; `way` is the path to them, whatever its conditions."""

    names: tuple[str, ...]
    way: Any
    rows: list[tuple[int, Row]]


def _table(group: ForkGroup, records: Iterable[Any]) -> ResultTable:
    rows = [(int(position), _row(group.names, parts)) for position, *parts in records]
    return ResultTable(group.names, tuple((step.axis, step.tag) for step in group.rule.path.steps), rows)


def _row(names: Sequence[str], parts: Sequence[Any]) -> Row:
    found = {name: _value(part) for name, part in zip(names, parts, strict=True)}
    return {name: value for name, value in found.items() if value}


def _value(part: Any) -> str | list[str]:
    """A text, a list of texts, or the values of a fork joined by spaces."""
    if isinstance(part, list):
        return _texts(part)
    return " ".join(_texts(part)) if isinstance(part, tuple) else str(part or "").strip()


def _texts(found: Iterable[Any]) -> list[str]:
    texts = (value if isinstance(value := _value(part), str) else " ".join(value) for part in found)
    return [text for text in texts if text]


def _values(tables: Sequence[ResultTable]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for table in tables:
        for name in table.names:
            parts = (row[name] for _, row in table.rows if name in row)
            found[name] = [text for part in parts for text in (part if isinstance(part, list) else [part])]
    return found


def _join_tables(tables: Sequence[ResultTable]) -> list[Row]:
    """The rows of the most relevant table, with the values of the other tables for the same nodes and of the headings above them."""
    if not tables:
        return []
    main = max(tables, key=_relevance)
    own = {position for position, _ in main.rows}
    same: dict[int, Row] = {}
    headings: list[list[tuple[int, Row]]] = []
    for table in tables:
        if table is not main:
            for position, row in table.rows:
                same.setdefault(position, {}).update(row)
            if table.way == main.way and own.isdisjoint(position for position, _ in table.rows):
                headings.append(table.rows)
    return [{**_heading_above(position, headings), **same.get(position, {}), **row} for position, row in main.rows]


def _heading_above(position: int, headings: Iterable[Sequence[tuple[int, Row]]]) -> Row:
    """The values of the last row of each table of headings before this position."""
    found: Row = {}
    for rows in headings:
        before = bisect_left(rows, position, key=lambda entry: entry[0])
        found |= rows[before - 1][1] if before else {}
    return found


def _relevance(table: ResultTable) -> tuple[bool, int]:
    """The sort key of tables: one with titles is about the offers; otherwise the one with the most attributes is."""
    return any(field_named(name) == "title" for name in table.names), len(table.names)
