"""What a result page says, by the provider's HEL rules: rows of the database, and values for the index.

HEL gives a list of values for each attribute. Rows cannot be made by laying such lists side by side: where one row lacks a value, all
later values would move to the wrong row. So rules that go the same way down to the same repeated node become the branches of one
fork, and each of its records is a row, with gaps where there are gaps. Rules that reach the same nodes by another way, as under a
condition of their own, are joined to these rows by the markup of the node: where two nodes have the same, they say the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

from scout.forms.metadata import Metadata
from scout.forms.words import attribute
from scout.hel import HelRule, evaluate
from scout.hel.ast import Branch, Condition, Path, PathStep, Value
from scout.page import Page

Row: TypeAlias = dict[str, Any]  # attribute -> text, or a list of texts where the rule splits them


@dataclass(frozen=True)
class Fragment:
    """The contents of one result page: its rows, and every value of each attribute, whether or not it is part of a row."""

    rows: list[Row] = field(default_factory=list)
    values: dict[str, list[str]] = field(default_factory=dict)


@dataclass(frozen=True)
class ForkGroup:
    """Rules that go the same way: one fork, whose branches are these attributes."""

    names: tuple[str, ...]
    rule: HelRule


def fragment(page: Page, metadata: Metadata) -> Fragment:
    """What the rules find on the page; HelError where one of them costs too much there."""
    repeated, single = _split(metadata.rules)
    tables = [_table(group, evaluate(group.rule, page)) for group in _groups(repeated)]
    alone = {name: _texts(evaluate(rule, page)) for name, rule in single.items()}
    values = {name: found for name, found in (_values(tables) | alone).items() if found}
    common = {name: texts[0] for name, texts in alone.items() if len(texts) == 1}
    return Fragment([{**common, **row} for row in _joined(tables) if row], values)


def _split(rules: Mapping[str, HelRule]) -> tuple[dict[str, HelRule], dict[str, HelRule]]:
    """Rules that find one value for each of many nodes, and those that find one on the whole page."""
    repeated = {name: rule for name, rule in rules.items() if _repeats(rule.path) is not None}
    return repeated, {name: rule for name, rule in rules.items() if name not in repeated}


def _repeats(path: Path) -> int | None:
    """The first step that leads to several nodes."""
    return next((at for at, step in enumerate(path.steps) if _is_many(step)), None)


def _is_many(step: PathStep) -> bool:
    ranges = step.places.ranges
    return len(ranges) > 1 or ranges[0][0] != ranges[0][1]


# --- groups -----------------------------------------------------------------------------------------------------------


def _groups(rules: Mapping[str, HelRule]) -> list[ForkGroup]:
    ways: dict[Any, dict[str, tuple[HelRule, int]]] = {}
    for position, (name, rule) in enumerate(rules.items()):
        plain, length = _renamed(rule, position)
        ways.setdefault(_way(plain, length), {})[name] = (plain, length)
    return [_group(members) for members in ways.values()]


def _renamed(rule: HelRule, position: int) -> tuple[HelRule, int]:
    """The rule with its variables named by their order, and the length of the shared way: so that i and j can be the same."""
    length = (_repeats(rule.path) or 0) + 1
    shared = [step.variable for step in rule.path.steps[:length] if step.variable]
    names = {old: f"v{at}" for at, old in enumerate(dict.fromkeys(shared))}
    for at, old in enumerate(sorted(rule.conditions.keys() - names.keys())):
        names[old] = f"p{position}v{at}"
    conditions = {names[old]: _renamed_condition(one, names) for old, one in rule.conditions.items()}
    return HelRule(_renamed_path(rule.path, names), rule.operations, conditions), length


def _renamed_path(path: Path, names: Mapping[str, str]) -> Path:
    steps = tuple(replace(step, variable=names.get(step.variable or "")) for step in path.steps)
    branches = tuple(Branch(_renamed_path(one.path, names), one.operations) for one in path.branches)
    return replace(path, steps=steps, branches=branches)


def _renamed_condition(condition: Condition, names: Mapping[str, str]) -> Condition:
    return replace(condition, path=_renamed_path(condition.path, names))


def _way(rule: HelRule, length: int) -> Any:
    steps = rule.path.steps[:length]
    deciding = [_condition_key(rule.conditions[step.variable]) for step in steps if step.variable]
    return steps, tuple(deciding)


def _condition_key(condition: Condition) -> Any:
    literal = condition.literal
    return condition.path.steps, condition.path.value, condition.comparator, getattr(literal, "pattern", literal)


_WHOLE = Branch(Path((), Value("source"), is_absolute=False))  # the node itself, which tells it from others


def _group(members: Mapping[str, tuple[HelRule, int]]) -> ForkGroup:
    first, length = next(iter(members.values()))
    branches = (_WHOLE, *(_branch(rule, length) for rule, _ in members.values()))
    conditions = {name: one for rule, _ in members.values() for name, one in rule.conditions.items()}
    path = Path(first.path.steps[:length], None, branches, first.path.is_absolute)
    return ForkGroup(tuple(members), HelRule(path, (), conditions))


def _branch(rule: HelRule, length: int) -> Branch:
    path = rule.path
    return Branch(Path(path.steps[length:], path.value, path.branches, is_absolute=False), rule.operations)


# --- rows and values --------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class ResultTable:
    """The rows of one group, each with the markup of its node."""

    names: tuple[str, ...]
    rows: list[tuple[str, Row]]


def _table(group: ForkGroup, records: Iterable[Any]) -> ResultTable:
    return ResultTable(group.names, [(markup, _row(group.names, parts)) for markup, *parts in records])


def _row(names: Sequence[str], parts: Sequence[Any]) -> Row:
    found = {name: _value(part) for name, part in zip(names, parts, strict=True)}
    return {name: value for name, value in found.items() if value}


def _value(part: Any) -> str | list[str]:
    """A text; a list of texts; the values of a fork side by side."""
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


def _joined(tables: Sequence[ResultTable]) -> list[Row]:
    """The rows of the table that is about the offers, with what the other tables say of the same nodes."""
    if not tables:
        return []
    main = max(tables, key=_weight)
    said: dict[str, Row] = {}
    for table in tables:
        for markup, row in table.rows if table is not main else ():
            said.setdefault(markup, {}).update(row)
    return [{**said.get(markup, {}), **row} for markup, row in main.rows]


def _weight(table: ResultTable) -> tuple[bool, int]:
    """The table that names things is about them; else the one with the most attributes."""
    return any(attribute(name) == "title" for name in table.names), len(table.names)
