"""Parse HEL rules, with errors that say where and what was expected."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from decimal import Decimal, InvalidOperation
from functools import lru_cache
from typing import Any

import re2
from lark import Lark, Token, Transformer, v_args
from lark.exceptions import UnexpectedCharacters, UnexpectedEOF, UnexpectedInput, UnexpectedToken, VisitError
from lark.lexer import PatternStr

from scout.hel.ast import ALL, FIRST, Axis, Branch, Condition, HelRule, Operation, Path, PathStep, Places, Value
from scout.hel.errors import HelError, HelSyntaxError

ROOT = "html"
MAX_RULE = 10_000  # characters; anyone may write a rule into their pages
MAX_PATTERN = 1_000
MAX_PROGRAM = 60_000  # instructions of RE2: fifty letters of any script
REGEX_MEMORY = 8 << 20  # bytes for RE2's states: if they do not fit, each instruction may cost one step per character
MAX_NESTING = 20  # forks in forks
MAX_STEPS = 200  # of a path: no page is that deep

_MISPRINTS = {"pdata": "pcdata"}  # a misprint in the paper, in the example that everyone copies
# tokens with a name that says nothing to a user; signs such as "[" stand for themselves, words such as WHERE are written in lower case
_TOKEN_NAMES: Mapping[str, str] = {
    "NAME": "a name",
    "INT": "a number",
    "STRING": "a text in quotes",
    "REGEX": "a regular expression between slashes",
    "SIGNED_NUMBER": "a number",
    "COMPARATOR": "a comparison (=, !=, <, >, <=, >=, =~, !~, contains)",
    "GETATTR": "getAttr",
    "NUMBEROF": "numberOf",
    "$END": "the end of the rule",
}


@lru_cache(maxsize=1)
def _grammar() -> Lark:
    return Lark.open("grammar.lark", rel_to=__file__, start="rule", parser="lalr", propagate_positions=True)


@lru_cache(maxsize=1024)
def parse(text: str, base: str = "") -> HelRule:
    """Parse a rule. Raises HelSyntaxError if it cannot be parsed, HelError if it makes no sense.

    `base` is the common beginning of paths (`DB.Result` in the paper): paths that do not begin with html, also in conditions,
    continue from there.

    >>> parse("html.body->a[*].getAttr(href)").path.steps[-1].tag
    'a'
    """
    path, operations, conditions = _parse_tree(text)
    paths = [path, *(condition.path for condition in conditions)]
    if any(not one.is_absolute for one in paths):
        steps = _parse_base(base)
        path = _rebase(path, steps)
        conditions = [replace(condition, path=_rebase(condition.path, steps)) for condition in conditions]
    return HelRule(path, operations, _assign_conditions(path, conditions))


def _parse_tree(text: str) -> tuple[Path, tuple[Operation, ...], list[Condition]]:
    """The path, operations and conditions of a rule, not yet connected."""
    if len(text) > MAX_RULE:
        raise HelError(f"the rule has {len(text)} characters; at most {MAX_RULE} are allowed")
    if text.count("(") > MAX_NESTING:
        raise HelError(f"the rule has more than {MAX_NESTING} brackets")
    try:
        return _RuleBuilder().transform(_grammar().parse(text))  # type: ignore[no-any-return]
    except UnexpectedInput as error:
        raise _syntax_error(text, error) from None
    except VisitError as error:
        if isinstance(error.orig_exc, HelError):
            raise error.orig_exc from None
        raise


def _syntax_error(text: str, error: UnexpectedInput) -> HelSyntaxError:
    """Lark's error with line, column, what was expected and what was found."""
    if isinstance(error, UnexpectedToken) and error.token.type != "$END":
        found, names = repr(str(error.token)), error.accepts or error.expected
    elif isinstance(error, UnexpectedCharacters):
        at = error.pos_in_stream or 0
        found, names = repr(text[at : at + 1]), _accepted_after(text[:at])
    else:
        found = "the end of the rule"
        names = getattr(error, "accepts", None) or getattr(error, "expected", None) or set()
    at_end = isinstance(error, UnexpectedEOF) or found == "the end of the rule"
    line = text.count("\n") + 1 if at_end else error.line
    column = len(text.rpartition("\n")[2]) + 1 if at_end else error.column
    wanted = sorted(map(_token_name, names))
    return HelSyntaxError(line, column, f"expected {_join_alternatives(wanted)}, found {found}")


def _token_name(name: str) -> str:
    """A token as the user writes it, or described in words."""
    sign = next((one.pattern for one in _grammar().terminals if one.name == name), None)
    return sign.value if isinstance(sign, PatternStr) else _TOKEN_NAMES.get(name, name.lower())


def _accepted_after(beginning: str) -> set[str]:
    """The tokens that may follow the beginning of a rule."""
    parser = _grammar().parse_interactive(beginning)
    parser.exhaust_lexer()
    return set(parser.accepts())  # type: ignore[no-untyped-call]


def _join_alternatives(words: Sequence[str]) -> str:
    return " or ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words or ["something else"])


def _parse_base(base: str) -> tuple[PathStep, ...]:
    if not base.strip():
        raise HelError(
            f"the path does not begin with {ROOT}, and there is no common beginning that it could go on from"
        )
    common, operations, conditions = _parse_tree(base.strip().removesuffix(".").removesuffix("->"))
    if operations or conditions or common.value or common.branches or common.variables or not common.is_absolute:
        raise HelError(
            f"the common beginning {base!r} has to be a path from {ROOT}, without variables, values or conditions"
        )
    return common.steps


def _rebase(path: Path, steps: tuple[PathStep, ...]) -> Path:
    return path if path.is_absolute else Path((*steps, *path.steps), path.value, path.branches)


def _assign_conditions(path: Path, conditions: Sequence[Condition]) -> dict[str, Condition]:
    """The condition that decides each variable: one whose other variables are already decided. Exactly one per variable."""
    decided: dict[str, Condition] = {}
    waiting = list(conditions)
    while waiting:
        sure = next((one for one in waiting if len(one.path.variables - decided.keys()) == 1), None)
        if sure is None:
            raise HelError("each condition has to decide one variable, and no two the same")
        decided[next(iter(sure.path.variables - decided.keys()))] = sure
        waiting.remove(sure)
    for name in sorted(path.variables - decided.keys()):
        raise HelError(f"the variable {name} has no condition: add where ... [{name}] ...")
    for name in sorted(decided.keys() - path.variables):
        raise HelError(f"the variable {name} of a condition is not in the path")
    return decided


def _compile_pattern(token: Token) -> Any:
    """Compile a regular expression with RE2, which takes linear time and has no back references or look-around."""
    text = str(token)
    body, _, flags = text[1:].rpartition("/")
    line, column = token.line or 1, token.column or 1
    if len(body) > MAX_PATTERN:
        raise HelSyntaxError(line, column, f"the regular expression is longer than {MAX_PATTERN} characters")
    options = re2.Options()
    options.case_sensitive = "i" not in flags
    options.log_errors = False
    options.max_mem = REGEX_MEMORY
    try:
        compiled = re2.compile(body.replace("\\/", "/"), options)
        if compiled.programsize <= MAX_PROGRAM:
            return compiled
        said: Any = "it repeats too much"
    except re2.error as error:
        said = error.args[0] if error.args else "it cannot be used"
    reason = said.decode("utf-8", "replace") if isinstance(said, bytes) else str(said)
    raise HelSyntaxError(line, column, f"the regular expression /{body}/ cannot be used: {reason}")


def _tag_name(token: Token) -> str:
    name = str(token).lower()
    return _MISPRINTS.get(name, name)


class _RuleBuilder(Transformer[Token, Any]):
    """Builds a HelRule from lark's parse tree."""

    def rule(self, parts: list[Any]) -> tuple[Path, tuple[Operation, ...], list[Condition]]:
        operations = tuple(part for part in parts if isinstance(part, Operation))
        conditions = next((part for part in parts if isinstance(part, list)), [])
        return parts[0], operations, conditions

    def path(self, parts: list[Any]) -> Path:
        return _build_path(parts)

    def branch(self, parts: list[Any]) -> Branch:
        operations = tuple(part for part in parts if isinstance(part, Operation))
        return Branch(_build_path(parts, is_branch=True), operations)

    fork = list

    def child(self, parts: list[Any]) -> PathStep:
        return _build_step(Axis.CHILD, parts)

    start = bare_step = child

    def flow(self, parts: list[Any]) -> PathStep:
        return _build_step(Axis.FLOW, parts)

    def text(self, parts: list[Any]) -> Value:
        return Value("text")

    def source(self, parts: list[Any]) -> Value:
        return Value("source")

    def attribute(self, parts: list[Any]) -> Value:
        return Value("attribute", str(parts[1]).strip("'\"").lower())

    def count(self, parts: list[Any]) -> Value:
        return Value("count", _tag_name(parts[1]))

    @v_args(inline=True)
    def index(self, index: Any) -> Any:
        return index

    def variable(self, parts: list[Any]) -> tuple[str, Places]:
        return str(parts[0]), parts[1] if len(parts) > 1 else FIRST

    def all(self, parts: list[Any]) -> Places:
        return ALL

    def places(self, parts: list[Any]) -> Places:
        return Places(tuple(parts))

    def one(self, parts: list[Any]) -> tuple[int, int]:
        return int(parts[0]), int(parts[0])

    def range(self, parts: list[Any]) -> tuple[int, int]:
        return int(parts[0]), int(parts[1])

    def onwards(self, parts: list[Any]) -> tuple[int, None]:
        return int(parts[0]), None

    def match(self, parts: list[Any]) -> Operation:
        return Operation("match", _compile_pattern(parts[-1]))

    def split(self, parts: list[Any]) -> Operation:
        return Operation("split", _compile_pattern(parts[-1]))

    def where(self, parts: list[Any]) -> list[Condition]:
        return [part for part in parts if isinstance(part, Condition)]

    def condition(self, parts: list[Any]) -> Condition:
        path, comparator, literal = parts
        if path.branches:
            raise HelError("a condition compares one value: it has no fork")
        return Condition(path, str(comparator).lower(), literal)

    def string(self, parts: list[Any]) -> str:
        return str(parts[0])[1:-1]

    def number(self, parts: list[Any]) -> Decimal:
        try:
            return Decimal(str(parts[0]))
        except InvalidOperation:
            raise HelSyntaxError(parts[0].line, parts[0].column, f"{parts[0]} is too large a number") from None

    def regex(self, parts: list[Any]) -> Any:
        return _compile_pattern(parts[0])


def _build_step(axis: Axis, parts: list[Any]) -> PathStep:
    index = parts[1] if len(parts) > 1 else FIRST
    if isinstance(index, tuple):
        return PathStep(axis, _tag_name(parts[0]), index[1], index[0])
    return PathStep(axis, _tag_name(parts[0]), index)


def _build_path(parts: list[Any], *, is_branch: bool = False) -> Path:
    steps = tuple(part for part in parts if isinstance(part, PathStep))
    if len(steps) > MAX_STEPS:
        raise HelError(f"the path has {len(steps)} steps; at most {MAX_STEPS} are allowed")
    value = next((part for part in parts if isinstance(part, Value)), None)
    branches = next((tuple(part) for part in parts if isinstance(part, list)), ())
    is_absolute = not is_branch and bool(steps) and steps[0].tag == ROOT
    return Path(steps, value, branches, is_absolute)
