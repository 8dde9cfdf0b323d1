"""Evaluate HEL rules on pages."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Mapping, Sequence
from decimal import Decimal, InvalidOperation
from typing import Any, TypeAlias

from scout.hel.ast import Axis, Branch, Condition, HelRule, Operation, Path, PathStep, Value
from scout.hel.document import HelDocument, HelNode, TextLeaf, hel_document
from scout.hel.errors import HelError
from scout.hel.parser import parse
from scout.page import Page

MAX_NODES = 300_000  # nodes visited per rule: nested variables multiply, and anyone may write a rule

MAX_REGEX_STEPS = 400_000_000  # per page, seconds at worst: characters of text times the size of the expression
MAX_SUBJECT = 100_000  # characters: longer texts are whole documents, and even RE2 is not free

Result: TypeAlias = str | tuple[Any, ...]
Bindings: TypeAlias = Mapping[str, int]
BoundNodes: TypeAlias = Iterator[tuple[HelNode, Bindings]]


def evaluate(rule: HelRule | str, page: Page) -> list[Result]:
    """The values that a rule finds, in document order; a fork gives a tuple for each node.

    >>> evaluate("html.body->b[*].txt", Page("http://shop.example/", "<p><b>one</b> and <b>two</b></p>"))
    ['one', 'two']
    """
    return _Evaluation(parse(rule) if isinstance(rule, str) else rule, hel_document(page)).results()


class _Evaluation:
    """The evaluation of one rule on one document, with limits on its work."""

    def __init__(self, rule: HelRule, tree: HelDocument) -> None:
        self.rule, self.tree, self.nodes_visited, self.regex_steps = rule, tree, 0, 0

    def results(self) -> list[Result]:
        return list(self._results(self.rule.path, self.tree.root, {}, self.rule.operations))

    def _results(
        self, path: Path, start: HelNode, bound: Bindings, operations: Sequence[Operation]
    ) -> Iterator[Result]:
        steps = path.steps[1:] if path.is_absolute else path.steps  # an absolute path begins with the root itself
        for node, bindings in self._follow_steps(steps, start, bound):
            if path.branches:
                yield tuple(self._branch_value(branch, node, bindings) for branch in path.branches)
            elif (value := self._node_value(node, path.value)) is not None:
                yield from self._apply_operations(value, operations)

    def _branch_value(self, branch: Branch, node: HelNode, bound: Bindings) -> Any:
        """One value of a record: a text, None if there is none, or a list if the branch asks for several."""
        found = list(self._results(branch.path, node, bound, branch.operations))
        is_single = all(step.selects_one for step in branch.path.steps)
        if is_single and not any(operation.kind == "split" for operation in branch.operations):
            return found[0] if found else None
        return found

    def _follow_steps(self, steps: Sequence[PathStep], node: HelNode, bound: Bindings) -> BoundNodes:
        if not steps:
            yield node, bound
            return
        for child, bindings in self._take_step(steps[0], node, bound):
            yield from self._follow_steps(steps[1:], child, bindings)

    def _take_step(self, step: PathStep, node: HelNode, bound: Bindings) -> BoundNodes:
        nodes = self.tree.children(node, step.tag) if step.axis is Axis.CHILD else self.tree.following(node, step.tag)
        if step.variable is None:
            for place in step.places.of(len(nodes)):
                self._count_node()
                yield nodes[place], bound
        elif step.variable in bound:
            if bound[step.variable] < len(nodes):
                self._count_node()
                yield nodes[bound[step.variable]], bound
        else:
            yield from self._nodes_satisfying(step, nodes, bound)

    def _nodes_satisfying(self, step: PathStep, nodes: Sequence[HelNode], bound: Bindings) -> BoundNodes:
        """Of the nodes that satisfy the variable's condition, those that the step asks for."""
        assert step.variable is not None
        wanted = step.places
        last = max((last if last is not None else len(nodes) for _, last in wanted.ranges), default=0)
        found: list[tuple[HelNode, Bindings]] = []
        for index, node in enumerate(nodes):
            self._count_node()
            bindings = {**bound, step.variable: index}
            if self._is_satisfied(self.rule.conditions[step.variable], bindings):
                found.append((node, bindings))
                if len(found) > last:
                    break
        for place in wanted.of(len(found)):
            yield found[place]

    def _is_satisfied(self, condition: Condition, bound: Bindings) -> bool:
        compare, literal = COMPARISONS[condition.comparator], condition.literal
        nodes = self._follow_steps(condition.path.steps[1:], self.tree.root, bound)
        values = (self._node_value(node, condition.path.value) for node, _ in nodes)
        if condition.comparator in SEARCHING and hasattr(literal, "search"):
            return any(value is not None and compare(self._limited_text(value, literal), literal) for value in values)
        return any(value is not None and compare(value, literal) for value in values)

    def _node_value(self, node: HelNode, value: Value | None) -> str | None:
        kind = value.kind if value else "text"
        if kind == "text":
            return self.tree.text(node)
        if kind == "source":
            return self.tree.source(node)
        if kind == "position":
            return str(self.tree.position(node))
        if value is None or isinstance(node, TextLeaf):
            return None
        if kind == "count":
            return str(len(self.tree.children(node, value.argument)))
        found = node.get(value.argument)
        return None if found is None else str(found)

    def _apply_operations(self, value: str, operations: Sequence[Operation]) -> Iterator[Result]:
        """Apply match and split operations to a text, one after the other."""
        if not operations:
            yield value
            return
        pattern = operations[0].pattern
        for part in OPERATIONS[operations[0].kind](self._limited_text(value, pattern), pattern):
            if isinstance(part, tuple) and len(operations) > 1:
                raise HelError("a match with several groups gives a record, to which no further operation applies")
            yield from self._apply_operations(part, operations[1:]) if isinstance(part, str) else [part]

    def _limited_text(self, value: str, pattern: Any) -> str:
        """The text, cut to what a regular expression may see, after counting the work against the limit."""
        text = value[:MAX_SUBJECT]
        self.regex_steps += len(text) * pattern.programsize
        if self.regex_steps > MAX_REGEX_STEPS:
            raise HelError(
                f"the expression /{pattern.pattern}/ is too large for this much text: let it repeat less, or apply it to fewer nodes"
            )
        return text

    def _count_node(self) -> None:
        self.nodes_visited += 1
        if self.nodes_visited > MAX_NODES:
            raise HelError(
                f"the rule visits more than {MAX_NODES} nodes of this page: use fewer variables or wildcards"
            )


def _match(value: str, pattern: Any) -> list[Result]:
    """The first match: its only group, a tuple of its groups, or, without groups, the whole match."""
    found = pattern.search(value)
    if found is None:
        return []
    groups = found.groups()
    if not groups:
        return [found[0]]
    return ([] if groups[0] is None else [groups[0]]) if len(groups) == 1 else [tuple(groups)]


def _split(value: str, pattern: Any) -> list[Result]:
    """The non-blank parts between the matches."""
    parts, at = [], 0
    for found in pattern.finditer(value):
        if found.end() > found.start():
            parts.append(value[at : found.start()])
            at = found.end()
    return [part.strip() for part in [*parts, value[at:]] if part.strip()]


OPERATIONS: Mapping[str, Callable[[str, Any], list[Result]]] = {"match": _match, "split": _split}


def _to_number(value: str) -> Decimal | None:
    try:
        number = Decimal(value.strip())
    except InvalidOperation:
        return None
    return number if number.is_finite() else None


def _comparison(compare: Callable[[Any, Any], bool]) -> Callable[[str, Any], bool]:
    """A comparison of numbers if both sides are numbers, otherwise of texts."""

    def holds(value: str, literal: Any) -> bool:
        number = _to_number(value)
        wanted = literal if isinstance(literal, Decimal) else _to_number(_literal_text(literal))
        if number is not None and wanted is not None:
            return compare(number, wanted)
        return not isinstance(literal, Decimal) and compare(value, _literal_text(literal))

    return holds


def _literal_text(literal: Any) -> str:
    return literal if isinstance(literal, str) else str(getattr(literal, "pattern", literal))


def _matches(value: str, literal: Any) -> bool:
    return literal.search(value) is not None if hasattr(literal, "search") else _literal_text(literal) in value


def _differs(value: str, literal: Any) -> bool:
    return not COMPARISONS["="](value, literal)


COMPARISONS: Mapping[str, Callable[[str, Any], bool]] = {
    "=": _comparison(operator.eq),
    "==": _comparison(operator.eq),
    "!=": _differs,
    "<>": _differs,
    "<": _comparison(operator.lt),
    "<=": _comparison(operator.le),
    ">": _comparison(operator.gt),
    ">=": _comparison(operator.ge),
    "=~": _matches,
    "!~": lambda value, literal: not _matches(value, literal),
    "contains": lambda value, literal: _literal_text(literal) in value,
}
SEARCHING = frozenset({"=~", "!~"})
