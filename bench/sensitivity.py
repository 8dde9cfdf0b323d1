"""Which numbers in code decide nothing: moves each by -30 % and +40 %, and asks Scout again about pages that run the code that reads it.

usage: python -m bench.sensitivity [--room ROOM ...] [--recorded DIR] [--data DATA] [--pages N] [--tried N] [--json]

A number is one that a module of the room names at its top, or one value of a table or tuple there; numbers of LIMIT and more bound work
and decide nothing. Pages are those that the tests build (of DIR, where bench.differ has recorded them there; else the tests run first),
the shops of bench/sample.py, whose rules are induced, and the collections of single pages in ../shared/data, where they are. Listed are the
numbers that change no offer, page type, list, specification or rule ("changes nothing"), and those that no page needs ("not reached":
only a crawl or a test can defend them). Evidence does not count: a score that decides nothing is no reason for a number.
Exit code 1 where a number changes nothing. Numbers that are used while a module is imported are not moved.
"""

from __future__ import annotations

import argparse
import ast
import json
import multiprocessing
import pkgutil
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from types import CodeType, FrameType, ModuleType
from typing import Any

import scout
from bench.differ import DATA
from bench.differ_answers import attempt, plain, record_parts, rules_text
from bench.differ_own import SAMPLE_INDUCED, PageRow, own_pages
from bench.differ_sites import OWN_PAGES, chosen
from bench.known_offers import rows

ROOMS = ("extraction", "walking", "specs", "rendering")
MOVES = (0.7, 1.4)
LIMIT = 1_000
COLLECTIONS = ("product-pages-modern", "product-pages", "lists")
PARTS: Mapping[str, Callable[[scout.Page], Any]] = {
    "offer": lambda page: plain(dict(scout.extract(page))),
    "page type": scout.page_type,
    "records": record_parts,
    "specifications": lambda page: [list(pair) for pair in scout.specifications(page)],
}

Place = tuple[str, str]  # a module and a name in it
Ask = Callable[[], Any]


# --- the numbers ------------------------------------------------------------------------------------------------------
@dataclass(frozen=True)
class Number:
    """A number that a module names: itself, or the value at `key` of the table or tuple that it names."""

    module: str
    name: str
    value: float
    key: str | int | None = None

    def __str__(self) -> str:
        return f"{self.module}.{self.name}{'' if self.key is None else f'[{self.key!r}]'} = {self.value:g}"

    def moved(self, factor: float) -> float:
        """The number times `factor`; a whole number stays one, and moves by one at least."""
        if isinstance(self.value, float):
            return self.value * factor
        away = 1 if (factor > 1) == (self.value >= 0) else -1
        return round(self.value * factor) if round(self.value * factor) != self.value else self.value + away


def numbers(module: ModuleType) -> Iterator[Number]:
    """The numbers that a module names at its top."""
    for node in _tree(module).body:
        targets = (
            node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
        )
        names = [part.id for target in targets for part in ast.walk(target) if isinstance(part, ast.Name)]
        written = getattr(node, "value", None)
        for name in names if written is not None and _is_written_out(written) else ():
            yield from _numbers_in(module.__name__, name, getattr(module, name))


def _numbers_in(module: str, name: str, value: Any) -> Iterator[Number]:
    inner = (
        value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, tuple) else [(None, value)]
    )
    for key, number in inner:
        if isinstance(number, int | float) and not isinstance(number, bool) and 0 < abs(number) < LIMIT:
            yield Number(module, name, number, key)


def _is_written_out(node: ast.AST) -> bool:
    """Whether an expression is a number, or a tuple or table of numbers: not flags, or what is computed from other names."""
    if isinstance(node, ast.Tuple | ast.Dict):
        return all(map(_is_written_out, node.elts if isinstance(node, ast.Tuple) else node.values))
    return isinstance(node.operand if isinstance(node, ast.UnaryOp) else node, ast.Constant)


@cache
def _tree(module: ModuleType) -> ast.Module:
    return ast.parse(Path(module.__file__ or "").read_text(encoding="utf-8"))


def modules(room: str) -> list[ModuleType]:
    """The modules of a room."""
    package = import_module(f"scout.{room}")
    return [import_module(f"{package.__name__}.{found.name}") for found in pkgutil.iter_modules(package.__path__)]


@cache
def places(module: str, name: str) -> frozenset[Place]:
    """Where a name of a module is known: there, and where it is imported."""
    found = {(module, name)}
    for other in [m for key, m in sys.modules.items() if key.startswith("scout.") and getattr(m, "__file__", None)]:
        for node in ast.walk(_tree(other)):
            if isinstance(node, ast.ImportFrom) and node.module == module:
                found |= {(other.__name__, part.asname or part.name) for part in node.names if part.name == name}
    return frozenset(found)


@contextmanager
def moved(number: Number, factor: float) -> Iterator[None]:
    """The number has another value meanwhile, wherever it is known; what was remembered is forgotten, before and after."""
    original = getattr(sys.modules[number.module], number.name)
    replaced: Any = number.moved(factor)
    if isinstance(original, dict):
        replaced = {**original, number.key: replaced}
    elif isinstance(original, tuple):
        replaced = tuple(replaced if index == number.key else value for index, value in enumerate(original))
    try:
        _replace(number, replaced)
        yield
    finally:
        _replace(number, original)


def _replace(number: Number, value: Any) -> None:
    for module, name in places(number.module, number.name):
        setattr(sys.modules[module], name, value)
    for remember in _caches():
        remember.cache_clear()


@cache
def _caches() -> list[Any]:
    """What the rooms remember of texts and names; tables that are read from files stay."""
    loaded = [m for key, m in sys.modules.items() if key.startswith(tuple(f"scout.{room}." for room in ROOMS))]
    found = {id(value): value for module in loaded for value in vars(module).values() if hasattr(value, "cache_clear")}
    return [value for value in found.values() if getattr(value, "__wrapped__", None) and _takes_arguments(value)]


def _takes_arguments(function: Any) -> bool:
    code = getattr(function.__wrapped__, "__code__", None)
    return code is None or code.co_argcount > 0


# --- the pages --------------------------------------------------------------------------------------------------------
def questions(recorded: Path | None, data: Path, count: int) -> list[Ask]:
    """What Scout is asked: about single pages, the short ones first, and about the shops whose rules are induced."""
    own = rows(recorded / OWN_PAGES) if recorded else own_pages()
    single = {f"{row['site']} {row['id']}": row for row in own}
    pages = [single[key] for key in chosen(single, 10 * count)]
    for collection in COLLECTIONS:
        file = data / collection / "pages.jsonl.gz"
        stored = {row["id"]: row for row in rows(file)} if file.exists() else {}
        pages += [stored[key] for key in chosen(stored, count)]
    shops: dict[str, list[PageRow]] = {}
    for row in own:
        if row["site"].startswith("sample-") and "known" not in row:
            shops.setdefault(row["site"], []).append(row)
    short_first = sorted(pages, key=lambda row: len(row["html"]))
    asked = [_page_question(row, part) for row in short_first for part in PARTS]
    return [*asked, *(_shop_question(shop[:SAMPLE_INDUCED]) for shop in shops.values())]


def _page(row: PageRow) -> scout.Page:
    return scout.Page(row["url"] or "http://list.example/", row["html"])


def _page_question(row: PageRow, part: str) -> Ask:
    return lambda: attempt(lambda: PARTS[part](_page(row)))


def _shop_question(shop: Sequence[PageRow]) -> Ask:
    return lambda: attempt(lambda: rules_text(scout.induce([_page(row) for row in shop])))


def names_read(ask: Ask) -> frozenset[Place]:
    """The names of their modules that the functions read which an answer needs."""
    ran: set[tuple[str, CodeType]] = set()

    def note(frame: FrameType, event: str, _: Any) -> None:
        if event == "call":
            ran.add((frame.f_globals.get("__name__", ""), frame.f_code))

    for remember in _caches():
        remember.cache_clear()
    sys.setprofile(note)
    try:
        ask()
    finally:
        sys.setprofile(None)
    return frozenset((module, name) for module, code in ran if module.startswith("scout.") for name in code.co_names)


# --- trying -----------------------------------------------------------------------------------------------------------
@dataclass(frozen=True)
class Outcome:
    """What became of a number: how many questions needed it, and whether one of those that were asked was answered otherwise."""

    number: Number
    needed: int
    changes: bool

    @property
    def kind(self) -> str:
        return "changes something" if self.changes else "changes nothing" if self.needed else "not reached"


class Trial:
    """The questions with their answers, and what each of them needs."""

    def __init__(self, asked: Sequence[Ask], tried: int) -> None:
        self.asked, self.tried = asked, tried
        self._needs = [names_read(ask) for ask in asked]
        self._before: dict[int, Any] = {}

    def outcome(self, number: Number) -> Outcome:
        """Whether the number decides anything, by the first questions that need it, spread over all of them."""
        known = places(number.module, number.name)
        needing = [index for index, needed in enumerate(self._needs) if not known.isdisjoint(needed)]
        chosen_ones = needing[:: 1 + len(needing) // self.tried]
        for index in chosen_ones:
            if index not in self._before:
                self._before[index] = self.asked[index]()
        return Outcome(number, len(needing), any(self._differs(number, factor, chosen_ones) for factor in MOVES))

    def _differs(self, number: Number, factor: float, indices: Sequence[int]) -> bool:
        with moved(number, factor):
            return any(self.asked[index]() != self._before[index] for index in indices)


_trial: Trial | None = None  # for the processes that are forked


def _outcome(number: Number) -> Outcome:
    assert _trial is not None
    return _trial.outcome(number)


def outcomes(trial: Trial, tried: Sequence[Number], workers: int) -> Iterator[Outcome]:
    """What becomes of each number, in their order; with one worker in this process."""
    global _trial
    _trial = trial
    if workers == 1:
        yield from map(_outcome, tried)
        return
    with multiprocessing.get_context("fork").Pool(workers) as pool:
        yield from pool.imap(_outcome, tried)


def report(found: Sequence[Outcome]) -> str:
    """The numbers that decide nothing, by kind, and how many there are of each."""
    lines = []
    for kind in ("changes nothing", "not reached"):
        listed = [outcome for outcome in found if outcome.kind == kind]
        lines += [f"{kind}: {len(listed)} of {len(found)}"]
        lines += [f"  {outcome.number}  (needed by {outcome.needed})" for outcome in listed]
    return "\n".join(lines)


def as_json(found: Sequence[Outcome]) -> list[Mapping[str, Any]]:
    """The same as plain data, with the numbers that change something too."""
    return [{"number": str(outcome.number), "needed": outcome.needed, "kind": outcome.kind} for outcome in found]


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.sensitivity", description=__doc__.partition("\n")[0])
    parser.add_argument("--room", nargs="+", choices=ROOMS, default=ROOMS, help="rooms whose numbers are moved")
    parser.add_argument(
        "--recorded", type=Path, metavar="DIR", help="take the tests' pages from this recording of bench.differ"
    )
    parser.add_argument("--data", type=Path, default=DATA, help="collections of single pages")
    parser.add_argument(
        "--pages", type=int, default=20, metavar="N", help="pages of each collection, and 10 N of our own"
    )
    parser.add_argument("--tried", type=int, default=40, metavar="N", help="questions on which one number is tried")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args(arguments)
    trial = Trial(questions(options.recorded, options.data, options.pages), options.tried)
    tried = [number for room in options.room for module in modules(room) for number in numbers(module)]
    found: list[Outcome] = []
    for outcome in outcomes(trial, tried, options.workers):
        found.append(outcome)
        print(f"\r{len(found)} of {len(tried)} numbers ", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    print(json.dumps(as_json(found), indent=1) if options.json else report(found))
    return int(any(outcome.kind == "changes nothing" for outcome in found))


if __name__ == "__main__":
    with suppress(KeyboardInterrupt):
        sys.exit(main())
