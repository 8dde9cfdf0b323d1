"""The net under refactorings: records everything Scout says about every kept page, and lists what a change makes different.

usage: python -m bench.differ record DIR [--only COLLECTION ...] [--data DATA]
       python -m bench.differ compare DIR [--only COLLECTION ...] [--data DATA] [--examples N] [--json]

`record` writes one file per collection to DIR: for each page its offer with evidence, page type, records, next link and specifications;
for each site the rules that are learned and induced, and what they read from other pages. `compare` asks Scout again and prints each
kind of difference with examples: exit code 0 for none, 1 for some, 2 for wrong usage. A page that raises has the error as its outcome.
Collections are in ../shared/data, or in DATA; `own` are pages of our own (the tests' and bench/sample.py's), kept in DIR, so that
rewriting the tests changes nothing. Collections that are not there are named.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import takewhile
from pathlib import Path
from typing import Any

from bench.differ_answers import ERROR, Answer, Row, attempt, site_answers
from bench.differ_own import own_pages
from bench.differ_sites import COLLECTIONS, OWN_PAGES, Unit, load_site, units, write_rows
from bench.known_offers import rows

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"
HASH_SEED = "0"  # of the processes that ask Scout; see --hash-seed
MAX_SHOWN = 160  # characters of a value in an example
CONTEXT = 20  # characters before the first difference of two long values

Answers = dict[str, Answer]


# --- asking Scout -----------------------------------------------------------------------------------------------------
def unit_answers(unit: Unit) -> tuple[Unit, list[Row]]:
    """What Scout says about one unit; a unit that cannot be read is one row with the error."""
    found: list[Row] = []
    problem = attempt(lambda: found.extend(site_answers(load_site(unit))))
    return unit, [*found, (f"{unit.collection} {unit.part}", {"site": problem})] if problem else found


def ask_scout(work: Sequence[Unit], workers: int) -> Iterator[tuple[Unit, list[Row]]]:
    """The answers to all units, as they come; with 0 workers in this process, for a debugger."""
    if not workers:
        yield from map(unit_answers, work)
        return
    with multiprocessing.get_context("spawn").Pool(
        workers
    ) as pool:  # spawned: they take PYTHONHASHSEED from the environment
        yield from pool.imap_unordered(unit_answers, work)


def collect_answers(work: Sequence[Unit], workers: int) -> dict[str, Answers]:
    """Collection -> page -> answer, with the progress on stderr."""
    found: dict[str, Answers] = defaultdict(dict)
    start, seconds = time.monotonic(), 0.0
    for number, (unit, answers) in enumerate(ask_scout(work, workers), start=1):
        found[unit.collection].update(json.loads(json.dumps(answers)))  # as it will be read back
        seconds = time.monotonic() - start
        print(f"\r{number} of {len(work)} parts, {seconds:.0f} s ", end="", file=sys.stderr, flush=True)
    print(f"\r{sum(map(len, found.values()))} answers in {seconds:.0f} s{' ' * 20}", file=sys.stderr)
    return found


# --- recording --------------------------------------------------------------------------------------------------------
def recording(directory: Path, collection: str) -> Path:
    """The file with the answers of a collection."""
    return directory / f"{collection}.jsonl.gz"


def save_answers(file: Path, answers: Mapping[str, Answer]) -> None:
    """One line per page, sorted."""
    write_rows(file, ({"id": name, **answers[name]} for name in sorted(answers)))


def load_answers(file: Path) -> Answers:
    """What `save_answers` wrote."""
    return {row.pop("id"): row for row in rows(file)}


def record(options: argparse.Namespace) -> int:
    """Write a recording of each collection that is there."""
    options.directory.mkdir(parents=True, exist_ok=True)
    if "own" in options.only:
        write_rows(options.directory / OWN_PAGES, own_pages())
    work = find_work(options, options.only)
    for collection, answers in sorted(collect_answers(work, options.workers).items()):
        save_answers(recording(options.directory, collection), answers)
        errors = [name for name, answer in answers.items() if any(map(is_error, answer.values()))]
        print(f"{collection}: recorded {len(answers)} answers, {len(errors)} with errors {errors[:3] or ''}".rstrip())
    return 0


def find_work(options: argparse.Namespace, collections: Sequence[str]) -> list[Unit]:
    """The units of all collections; names those that are not there."""
    work = {name: units(name, options.data, options.directory) for name in collections}
    for name in (name for name, found in work.items() if not found):
        print(f"left out {name}: it is not in {options.data}", file=sys.stderr)
    return [unit for found in work.values() for unit in found]


# --- comparing --------------------------------------------------------------------------------------------------------
@dataclass(frozen=True)
class Difference:
    """One value of one page that is not what it was."""

    kind: str
    page: str
    before: Any
    after: Any


def differences(before: Mapping[str, Answer], after: Mapping[str, Answer]) -> Iterator[Difference]:
    """Everything that differs between two sets of answers."""
    for page in sorted({*before, *after}):
        if page not in after:
            yield Difference("page gone", page, "recorded", None)
        elif page not in before:
            yield Difference("page new", page, None, "not recorded")
        elif before[page] != after[page]:
            yield from _page_differences(page, before[page], after[page])


def _page_differences(page: str, before: Answer, after: Answer) -> Iterator[Difference]:
    has_failed = any(is_error(value) for value in (*before.values(), *after.values()))
    for part in sorted({*before, *after}):
        if has_failed and not (part in before and part in after):
            continue  # missing because the call failed that would have given it: the error is the difference
        old, new = before.get(part), after.get(part)
        if is_error(old) or is_error(new):
            if old != new:
                yield Difference(f"error in {part}", page, old, new)
        elif isinstance(old, Mapping) and isinstance(new, Mapping):
            for name in (name for name in sorted({*old, *new}) if old.get(name) != new.get(name)):
                yield _difference(f"{part}.{name}", page, old.get(name), new.get(name))
        elif old != new:
            yield _difference(part, page, old, new)


def _difference(name: str, page: str, before: Any, after: Any) -> Difference:
    change = "new" if before in (None, []) else "lost" if after in (None, []) else "changed"
    return Difference(f"{name} {change}", page, before, after)


def is_error(value: Any) -> bool:
    """Whether a part is an error instead of a result."""
    return isinstance(value, str) and value.startswith(ERROR)


def is_evidence(kind: str) -> bool:
    """Whether a kind of difference leaves all values as they were."""
    return kind.startswith("evidence")


def count_parts(before: Mapping[str, Answer], after: Mapping[str, Answer]) -> Counter[str]:
    """Part -> how many pages have it, before or after."""
    pages = {*before, *after}
    return Counter(part for page in pages for part in {*before.get(page, ()), *after.get(page, ())})


@dataclass(frozen=True)
class Kind:
    """All differences of one kind in a collection."""

    collection: str
    kind: str
    pages: int
    of: int
    examples: list[Difference]


def group_kinds(collection: str, before: Answers, after: Answers, examples: int) -> list[Kind]:
    """The differences of a collection by kind: values first, evidence after them, the most frequent first."""
    groups: dict[str, list[Difference]] = defaultdict(list)
    for difference in differences(before, after):
        groups[difference.kind].append(difference)
    parts, total = count_parts(before, after), len({*before, *after})
    kinds = [Kind(collection, kind, len(g), _asked(kind, parts, total), g[:examples]) for kind, g in groups.items()]
    return sorted(kinds, key=lambda kind: (is_evidence(kind.kind), -kind.pages, kind.kind))


def _asked(kind: str, parts: Mapping[str, int], total: int) -> int:
    """Of how many pages a difference of this kind could be: those that have the part."""
    name = kind.removeprefix("error in ")
    found = [part for part in parts if name == part or name.startswith((f"{part}.", f"{part} "))]
    return parts[max(found, key=len)] if found else total


def compare(options: argparse.Namespace) -> int:
    """Print what differs from the recordings."""
    recorded = [name for name in options.only if recording(options.directory, name).exists()]
    if not recorded:
        print(f"there is no recording of {', '.join(options.only)} in {options.directory}", file=sys.stderr)
        return 2
    for name in (name for name in options.only if name not in recorded):
        print(f"left out {name}: it was not recorded", file=sys.stderr)
    work = find_work(options, recorded)
    if not work:
        print(f"nothing to compare: of {', '.join(recorded)} there are recordings, but no pages", file=sys.stderr)
        return 2
    answers = collect_answers(work, options.workers)
    kinds = [
        kind
        for name, after in sorted(answers.items())
        for kind in group_kinds(name, load_answers(recording(options.directory, name)), after, options.examples)
    ]
    print(json.dumps([asdict(kind) for kind in kinds]) if options.json else report(kinds, answers))
    return int(bool(kinds))


# --- the report -------------------------------------------------------------------------------------------------------
def report(kinds: Sequence[Kind], answers: Mapping[str, Answers]) -> str:
    """A table of the kinds, then their examples."""
    asked = ", ".join(f"{name} {len(found)}" for name, found in sorted(answers.items()))
    if not kinds:
        return f"no differences ({asked})"
    width = max(len(kind.kind) for kind in kinds)
    table = [f"{kind.collection:21s} {kind.kind:{width}s} {kind.pages:6d} of {kind.of}" for kind in kinds]
    values = sum(kind.pages for kind in kinds if not is_evidence(kind.kind))
    evidence = sum(kind.pages for kind in kinds if is_evidence(kind.kind))
    summary = f"{values} differences in values, {evidence} in evidence only ({asked})"
    return "\n".join([*table, summary, *_example_lines(kinds)])


def _example_lines(kinds: Iterable[Kind]) -> Iterator[str]:
    for kind in kinds:
        if kind.examples:
            yield f"\n{kind.collection}: {kind.kind}"
        for example in kind.examples:
            before, after = shortened(example.before, example.after)
            yield f"  {example.page}\n    before {before}\n    after  {after}"


def shortened(before: Any, after: Any) -> tuple[str, str]:
    """Two values as short texts that begin shortly before their first difference."""
    texts = [json.dumps(value, ensure_ascii=False) for value in (before, after)]
    same = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(*texts, strict=False)))
    start = max(0, same - CONTEXT) if max(map(len, texts)) > MAX_SHOWN else 0
    first, second = (_cut(text, start) for text in texts)
    return first, second


def _cut(text: str, start: int) -> str:
    end = start + MAX_SHOWN
    return ("…" if start else "") + text[start:end] + ("…" if len(text) > end else "")


# --- the command ------------------------------------------------------------------------------------------------------
def main(arguments: Sequence[str] | None = None) -> int:
    """0 where nothing differs, 1 where something does, 2 for wrong usage."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command", choices=("record", "compare"))
    parser.add_argument("directory", metavar="DIR", type=Path, help="folder of the recordings")
    parser.add_argument("--only", metavar="COLLECTION", nargs="+", choices=COLLECTIONS, default=list(COLLECTIONS))
    parser.add_argument("--data", type=Path, default=DATA, help="folder of the collections (default: %(default)s)")
    parser.add_argument("--workers", type=int, default=os.cpu_count(), help="processes; 0: none but this one")
    parser.add_argument("--examples", metavar="N", type=int, default=3, help="examples of each kind of difference")
    parser.add_argument("--json", action="store_true", help="print the differences as JSON")
    parser.add_argument("--hash-seed", default=HASH_SEED, help="another one shows what depends on the order of sets")
    options = parser.parse_args(arguments)
    os.environ["PYTHONHASHSEED"] = options.hash_seed
    return record(options) if options.command == "record" else compare(options)


if __name__ == "__main__":
    raise SystemExit(main())
