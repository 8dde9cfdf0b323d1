"""Which conditions in code decide nothing: leaves out each part of an `if`, `and` or `or`, and asks Scout again about labelled pages.

usage: python -m bench.conditions [--room ROOM ...] [--per-site N] [--tried N] [--json]

Every condition of the rooms is watched while Scout reads the labelled pages (bench/labelled_pages.py) and their twins without markup. One
that was never asked, or always came out the same, decides nothing there. One that came out both ways is left out, on pages where it came
out the rarer way: it decides nothing where no offer, kind of page, list or specification changes. What is listed is to be read, not
deleted blindly: a guard against a hostile page is never needed by an honest one, and a test may defend it.
"""

from __future__ import annotations

import argparse
import ast
import json
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

ROOMS = ("extraction", "walking", "specs")
WATCH = "_watched_condition"
ROOT = Path(__file__).resolve().parents[1]


@dataclass(eq=False)
class Condition:
    """A part of a condition in code: where it stands, what leaving it out means, and the pages on which it came out true and false."""

    file: str
    line: int
    text: str
    left_out: bool  # its value where it is left out: True in `and`, False in `or`; a whole `if` is never entered
    pages: dict[bool, set[int]] = field(default_factory=lambda: {True: set(), False: set()})

    def __str__(self) -> str:
        return f"{self.file}:{self.line}  {self.text}"


conditions: list[Condition] = []
_state: dict[str, Any] = {"page": 0, "active": -1}


def watched(number: int, value: Any) -> Any:
    """The value of a condition, noted; that of leaving it out where it is the one that is tried."""
    condition = conditions[number]
    if number == _state["active"]:
        return condition.left_out
    condition.pages[bool(value)].add(_state["page"])
    return value


class _Watcher(ast.NodeTransformer):
    """Wraps every part of a condition into a call that notes how it comes out."""

    def __init__(self, file: str) -> None:
        self.file = file

    def _wrapped(self, node: ast.expr, left_out: bool) -> ast.expr:
        conditions.append(Condition(self.file, node.lineno, ast.unparse(node)[:110], left_out))
        number = ast.Constant(len(conditions) - 1)
        call = ast.Call(ast.Name(WATCH, ast.Load()), [number, self.visit(node)], [])
        return ast.copy_location(call, node)

    def _test(self, node: ast.expr) -> ast.expr:
        """A whole test; the parts of `and` and `or` are wrapped one by one."""
        return self.visit(node) if isinstance(node, ast.BoolOp) else self._wrapped(node, left_out=False)

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.AST:
        is_and = isinstance(node.op, ast.And)
        node.values = [
            self.visit(part) if isinstance(part, ast.BoolOp) else self._wrapped(part, is_and) for part in node.values
        ]
        return node

    def visit_If(self, node: ast.If) -> ast.AST:
        node.test = self._test(node.test)
        node.body = [self.visit(part) for part in node.body]
        node.orelse = [self.visit(part) for part in node.orelse]
        return node

    def visit_IfExp(self, node: ast.IfExp) -> ast.AST:
        node.test = self._test(node.test)
        node.body, node.orelse = self.visit(node.body), self.visit(node.orelse)
        return node

    def visit_comprehension(self, node: ast.comprehension) -> ast.AST:
        node.iter = self.visit(node.iter)
        node.ifs = [self.visit(t) if isinstance(t, ast.BoolOp) else self._wrapped(t, left_out=True) for t in node.ifs]
        return node


class _WatchedLoader(SourceFileLoader):
    def get_code(self, fullname: str) -> CodeType | None:
        path = self.get_filename(fullname)
        tree = ast.parse(self.get_data(path), path)
        _Watcher(str(Path(path).relative_to(ROOT))).visit(tree)
        return compile(ast.fix_missing_locations(tree), path, "exec", dont_inherit=True)

    def exec_module(self, module: ModuleType) -> None:
        setattr(module, WATCH, watched)
        super().exec_module(module)


class _Finder:
    def __init__(self, rooms: Sequence[str]) -> None:
        self.packages = tuple(f"scout.{room}." for room in rooms)

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        spec = PathFinder.find_spec(name, path, target) if name.startswith(self.packages) else None
        if spec is not None and isinstance(spec.loader, SourceFileLoader):
            spec.loader = _WatchedLoader(spec.loader.name, spec.loader.path)
        return spec


def watch(rooms: Sequence[str]) -> None:
    """Watch the conditions of these rooms; before anything of Scout is imported."""
    if any(name.startswith("scout.") for name in sys.modules):
        raise RuntimeError("Scout is imported already")
    sys.meta_path.insert(0, _Finder(rooms))  # type: ignore[arg-type]


# --- asking -----------------------------------------------------------------------------------------------------------
Ask = Callable[[], Any]


def questions(per_site: int) -> list[Ask]:
    """What Scout answers about each labelled page, and about product pages without their markup."""
    from bench.labelled_pages import labelled_pages, sampled_pages
    from bench.rewriting import TWINS

    asked = []
    for labelled in sampled_pages(labelled_pages(), per_site):
        asked.append((labelled.url, labelled.html))
        if labelled.is_product:
            asked.append((labelled.url, TWINS["no markup"](labelled.html, labelled.site)))
    asked.sort(key=lambda pair: len(pair[1]))
    return [_question(url, html) for url, html in asked]


def _question(url: str, html: str) -> Ask:
    def ask() -> Any:
        import scout
        from bench.differ_answers import attempt, plain, record_parts

        for remember in _caches():
            remember.cache_clear()
        page = scout.Page(url, html)
        specs = attempt(lambda: [list(pair) for pair in scout.specifications(page)]) if _state["specs"] else None
        records = attempt(lambda: record_parts(page)) if _state["records"] else None
        return attempt(lambda: plain(dict(scout.extract(page)))), attempt(lambda: scout.page_type(page)), specs, records

    return ask


def _caches() -> list[Any]:
    from bench.sensitivity import _caches as caches

    return caches()


def asked_answers(asked: Sequence[Ask]) -> list[Any]:
    """The answers, each noted as those of one page."""
    answers = []
    for number, ask in enumerate(asked):
        _state["page"] = number
        answers.append(ask())
        print(f"\r{number + 1} of {len(asked)} pages ", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    return answers


def decides_nothing(number: int, asked: Sequence[Ask], before: Sequence[Any], tried: int) -> bool:
    """Whether no answer changes where the condition is left out, on pages where it came out other than that."""
    condition = conditions[number]
    pages = sorted(condition.pages[not condition.left_out])
    _state["active"] = number
    try:
        return all(asked[page]() == before[page] for page in pages[:: 1 + len(pages) // tried])
    finally:
        _state["active"] = -1


def report(asked: Sequence[Ask], before: Sequence[Any], tried: int) -> Iterator[tuple[str, Condition]]:
    """(kind, condition) of what decides nothing, the cheap ones first."""
    both = []
    for number, condition in enumerate(conditions):
        outcomes = [value for value in (True, False) if condition.pages[value]]
        if not outcomes:
            yield "never asked", condition
        elif len(outcomes) == 1:
            yield f"always {str(outcomes[0]).lower()}", condition
        else:
            both.append(number)
    for number in sorted(both, key=lambda n: len(conditions[n].pages[not conditions[n].left_out])):
        if decides_nothing(number, asked, before, tried):
            yield (
                f"decides nothing ({len(conditions[number].pages[not conditions[number].left_out])} pages)",
                conditions[number],
            )


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.conditions", description=__doc__.partition("\n")[0])
    parser.add_argument("--room", nargs="+", choices=ROOMS, default=ROOMS)
    parser.add_argument("--per-site", type=int, default=3, metavar="N", help="labelled pages of one site")
    parser.add_argument("--tried", type=int, default=12, metavar="N", help="pages on which one condition is left out")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    watch(options.room)
    _state["specs"], _state["records"] = "specs" in options.room, "walking" in options.room
    asked = questions(options.per_site)
    before = asked_answers(asked)
    for kind, condition in report(asked, before, options.tried):
        line = {"kind": kind, "file": condition.file, "line": condition.line, "text": condition.text}
        print(json.dumps(line) if options.json else f"{kind}\t{condition}", flush=True)
    return 0


if __name__ == "__main__":
    import bench.conditions  # the one that the watched modules call

    sys.exit(bench.conditions.main())
