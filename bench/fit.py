"""Fit the weights of extraction (scout/data/weights.yaml) to every page whose answers are known, and judge them on sites left out.

usage: python -m bench.fit [--fields price,...] [--data DIR] [--leave-out] [--write] [--per-site 8] [--folds 6] [--hold 1.0] [--errors]

Each decision begins with the weights in bench/fit_priors.yaml and is held to them (`--hold`): a hundred sites refine what a person would
say, and what they do not tell stays as it is. Never put fitted weights there: they have seen the sites that are to be left out.
Every site counts the same, and so do a page and its twins (bench/rewriting.py). The table has, per decision, the F1 of eval/pages.py with
the weights as they are, fitted on all sites, and with the site left out of the fit; only the last says how the next shop will do.
--leave-out also runs eval/pages.py and the fields of eval/nothing_known.py, each page with the weights of the fold that has not seen its
site. --write writes the file. Features are cached outside the tree by a digest of the code that computes them: a second fit takes seconds.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib.util
import json
import pickle
import sys
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import datetime, timezone
from functools import cache
from multiprocessing import get_context
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import yaml

import scout
from bench.fit_decisions import DECISIONS, Decision, is_accepted, options_of
from bench.fit_model import Example, Floats, Option, Problem, f1, verdict
from bench.fit_templates import TEMPLATE, template_examples
from bench.labelled_pages import DATA, LabelledPage, cache_folder, digest, labelled_pages, sampled_pages, site_folds
from bench.rewriting import TWINS
from scout.extraction.weights import replaced_weights
from scout.page import Page

ROOT = Path(__file__).resolve().parents[1]
FILE = ROOT / "scout" / "data" / "weights.yaml"
PRIORS = ROOT / "bench" / "fit_priors.yaml"
HEAD = """\
# How much each feature speaks for what stands at a place, per decision, in log-odds. Written by `python -m bench.fit --write`, which holds
# them to what bench/fit_priors.yaml says by hand. `left_out` are the figures on sites that the fit has not seen.
"""
AS_IS = "as served"
MODERN, KNOWN = "product-pages-modern", "known-offers"
HOLD = 1.0  # pull of the prior on a weight, in pages
FROZEN = 1e6  # the pull on a weight that is not fitted
CHUNK = 100  # pages after which what was computed is saved
PROCESSES = 2
Sections = dict[str, dict[str, Any]]


# --- examples ---------------------------------------------------------------------------------------------------------
@cache
def code_digest() -> str:
    """A hash of everything that features come from; the weights themselves are not among it."""
    total = hashlib.sha256()
    folders = [ROOT / "scout" / name for name in ("extraction", "values", "specs", "data")]
    files = [file for folder in folders for file in sorted(folder.rglob("*")) if file.suffix in (".py", ".yaml")]
    for file in [*files, ROOT / "bench" / "fit_decisions.py", ROOT / "bench" / "rewriting.py"]:
        if file != FILE:
            total.update(file.read_bytes())
    return total.hexdigest()[:16]


def twin_html(page: LabelledPage, twin: str) -> str:
    """The page as a twin of that kind."""
    return page.html if twin == AS_IS else TWINS[twin](page.html, page.site)


Job = tuple[LabelledPage, str]
_jobs: list[Job] = []  # what the worker processes inherit, in place of pages sent to them


def _job_options(number: int) -> dict[str, list[Option] | None]:
    page, twin = _jobs[number]
    return options_of(page, twin_html(page, twin))


def batched(numbers: Sequence[int], size: int) -> Iterator[Sequence[int]]:
    """The numbers in parts of that size."""
    return (numbers[start : start + size] for start in range(0, len(numbers), size))


def feature_file(pages: Sequence[LabelledPage]) -> Path:
    """Where the options of these pages are kept for this state of the code; those of older states are deleted."""
    file = cache_folder() / f"features-{code_digest()}-{digest(pages)}.pickle"
    for old in sorted(cache_folder().glob("features-*.pickle"), key=lambda f: f.stat().st_mtime)[:-2]:
        old.unlink()
    return file


def all_options(pages: Sequence[LabelledPage]) -> list[tuple[LabelledPage, str, dict[str, list[Option] | None]]]:
    """(page, twin, decision -> options) of every page and its twins, computed once for each state of the code."""
    twins = [AS_IS, *dict.fromkeys(twin for decision in DECISIONS for twin in decision.twins)]
    _jobs[:] = [(page, twin) for page in pages for twin in twins]
    file = feature_file(pages)
    found: dict[int, Any] = pickle.loads(file.read_bytes()) if file.exists() else {}
    missing = [number for number in range(len(_jobs)) if number not in found]
    with get_context("fork").Pool(PROCESSES) as pool:
        for chunk in batched(missing, CHUNK):
            found |= zip(chunk, pool.map(_job_options, chunk, chunksize=1), strict=True)
            file.write_bytes(pickle.dumps(found))
    return [(page, twin, found[number]) for number, (page, twin) in enumerate(_jobs)]


def examples(decision: Decision, found: Sequence[tuple[LabelledPage, str, Any]]) -> Iterator[Example]:
    """The options of one decision, weighed so that every site counts the same."""
    judged = [
        (page, twin, options[decision.name])
        for page, twin, options in found
        if twin in (AS_IS, *decision.twins) and options[decision.name] is not None
    ]
    sizes = Counter(page.site for page, _, _ in judged)
    for page, twin, options in judged:
        is_wanted = any(option.is_right for option in options) or bool(page.truth.get(decision.name))
        weight = len(judged) / len(sizes) / sizes[page.site]
        yield Example(page.site, f"{page.key} {twin}", options, is_wanted, weight, page.is_product)


class Tally:
    """Verdicts by kind of twin: how many, and how much they weigh when every site counts the same."""

    def __init__(self) -> None:
        self.counts: dict[tuple[str, str], int] = {}
        self.weights: dict[tuple[str, str], float] = {}

    def add(self, example: Example, judged: str) -> None:
        """Count one verdict."""
        key = _twin(example), judged
        self.counts[key] = self.counts.get(key, 0) + 1
        self.weights[key] = self.weights.get(key, 0.0) + example.weight

    def add_all(self, other: Tally) -> None:
        """Add the verdicts of another tally."""
        for key, count in other.counts.items():
            self.counts[key] = self.counts.get(key, 0) + count
            self.weights[key] = self.weights.get(key, 0.0) + other.weights[key]

    def __str__(self) -> str:
        """The F1 by sites and by pages of every kind of twin, with right/wrong/missing/invented pages."""
        parts = []
        for twin in dict.fromkeys(name for name, _ in sorted(self.counts)):
            counts = {judged: n for (name, judged), n in self.counts.items() if name == twin}
            weights = {judged: n for (name, judged), n in self.weights.items() if name == twin}
            numbers = "/".join(str(counts.get(name, 0)) for name in ("right", "wrong", "missing", "invented"))
            parts.append(f"{twin} {f1(weights):.3f} {f1(counts):.3f} ({numbers})")
        return "   ".join(parts)


# --- fitting ----------------------------------------------------------------------------------------------------------
class Fit:
    """One decision's examples and where its weights begin."""

    def __init__(self, decision: Decision, found: Sequence[Example], start: Mapping[str, Any], hold: float) -> None:
        self.decision, self.found = decision, found
        seen = {name for e in found for o in e.options for _, features in o.places for name in features}
        self.names = [
            *start.get("weights", {}),
            *sorted(seen - start.get("weights", {}).keys()),
        ]
        self.prior = np.array([*(start.get("weights", {}).get(n, 0.0) for n in self.names), start.get("bias", -2.0)])
        self.hold = np.array([*(hold * decision.hold for _ in self.names), decision.bias_hold])
        self.bounds = [*(decision.bounds.get(n, (None, None)) for n in self.names), (None, None)]

    def fitted(self, without: Collection[str] = (), start: Floats | None = None) -> Floats:
        """The parameters for the sites that are not left out.

        First on product pages alone; then only what is known of the page as a whole and the bias are fitted on all: whether a page is a
        product's is a decision of its own.
        """
        kept = [example for example in self.found if example.site not in without]
        products = [example for example in kept if example.is_product or not self.decision.page_features]
        found = Problem(products, self.names).fit(self.prior, self.hold, self.bounds, start)
        if not self.decision.page_features:
            return found
        is_free = np.array([*(name in self.decision.page_features for name in self.names), True])
        return Problem(kept, self.names).fit(found, np.where(is_free, self.hold, FROZEN), self.bounds)

    def section(self, parameters: Floats) -> dict[str, Any]:
        """The parameters as a section of the file."""
        weights = {name: round(float(value), 3) for name, value in zip(self.names, parameters, strict=False)}
        return {"bias": round(float(parameters[-1]), 3), "weights": weights}

    def verdicts(self, parameters: Floats, sites: Collection[str] | None = None) -> Tally:
        """The verdicts on the examples of these sites, or of all."""
        kept = [e for e in self.found if sites is None or e.site in sites]
        problem = Problem(kept, self.names)
        tally = Tally()
        for example, answer in zip(problem.examples, problem.answers(parameters), strict=True):
            tally.add(example, verdict(example, answer))
        for example in kept:
            if not example.options:
                tally.add(example, "missing" if example.is_wanted else "silent")
        return tally

    def mistakes(self, parameters: Floats, sites: Collection[str]) -> Iterator[str]:
        """A line for every wrong, missing or invented answer on these sites."""
        problem = Problem([e for e in self.found if e.site in sites], self.names)
        for example, answer in zip(problem.examples, problem.answers(parameters), strict=True):
            if (judged := verdict(example, answer)) in ("wrong", "missing", "invented"):
                right = [option.answer for option in example.options if option.is_right]
                yield f"{judged}\t{example.site}\t{example.name}\tgot {answer and answer.answer!r}\tright {right}"


def _twin(example: Example) -> str:
    return next(twin for twin in (AS_IS, *TWINS) if example.name.endswith(twin))


# --- the scripts in eval/, with sites left out ------------------------------------------------------------------------
def _script(data: Path, name: str) -> ModuleType:
    file = data.parent / "eval" / f"{name}.py"
    sys.path.insert(0, str(file.parent))
    spec = importlib.util.spec_from_file_location(f"eval_{name}", file)
    if spec is None or spec.loader is None:
        raise SystemExit(f"{file} is not there")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


_folds: list[tuple[Collection[str], Sections]] = []


def _job_answer(number: int) -> tuple[dict[str, Any], str]:
    """What Scout answers on a page with weights that have not seen its site: the offer, and the kind of page."""
    labelled, twin = _jobs[number]
    sections = next(sections for sites, sections in _folds if labelled.site in sites)
    with replaced_weights(sections):
        html = twin_html(labelled, twin)
        return dict(scout.extract(Page(labelled.url, html))), scout.page_type(Page(labelled.url, html))


def left_out_answers(jobs: Sequence[Job], folds: Sequence[tuple[Collection[str], Sections]]) -> list[Any]:
    """(offer, kind) for each page and twin, by weights that have not seen its site."""
    _jobs[:], _folds[:] = jobs, folds
    with get_context("fork").Pool(PROCESSES) as pool:
        return pool.map(_job_answer, range(len(jobs)), chunksize=4)


def print_left_out(
    data: Path, pages: Sequence[LabelledPage], folds: Sequence[tuple[Collection[str], Sections]]
) -> None:
    """The figures of eval/pages.py, with and without markup, and those of eval/nothing_known.py, page by page."""
    modern = labelled_pages(data, [MODERN])  # all of them, also where a site has more than the sample
    known = [page for page in pages if page.collection == KNOWN]
    jobs = [*((p, AS_IS) for p in modern), *((p, "no markup") for p in modern), *((p, AS_IS) for p in known)]
    answers = left_out_answers(jobs, folds)
    size = len(modern)
    script = _script(data, "pages")
    for name, part in (("", answers[:size]), (", no markup", answers[size : 2 * size])):
        by_id = {page.key: answer for page, answer in zip(modern, part, strict=True)}
        print(f"eval/pages.py, sites left out{name}: {json.dumps(_page_figures(script, data / MODERN, by_id))}")
    _print_known_figures(_script(data, "nothing_known"), known, answers[2 * size :])


def _page_figures(script: ModuleType, source: Path, found: Mapping[str, tuple[Any, str]]) -> dict[str, float]:
    truth, others = (json.loads((source / f"{name}.json").read_text(encoding="utf-8")) for name in ("truth", "others"))
    answers, kinds = ({key: pair[number] for key, pair in found.items()} for number in (0, 1))
    sold_out = [
        i for i, t in truth.items() if "OutOfStock" in t.get("availability", ()) and "InStock" not in t["availability"]
    ]
    not_to_be_had = sum(script.answer(answers[i], "availability") not in (None, "InStock") for i in sold_out)
    return {
        **{name: script.scores(truth, answers, name)["f1"] for name in script.FIELDS},
        "whole": round(script.whole(truth, answers) / len(truth), 4),
        "out_of_stock": round(not_to_be_had / max(1, len(sold_out)), 4),
        "known_as_detail": round(sum(kinds[i] == "detail" for i in truth) / len(truth), 4),
        "others_as_detail": sum(kinds[i] == "detail" for i in others),
        "others_with_price": sum(script.answer(answers[i], "price") is not None for i in others),
    }


def _print_known_figures(script: ModuleType, pages: Sequence[LabelledPage], answers: Sequence[tuple[Any, str]]) -> None:
    """F1 per site as eval/nothing_known.py has it: the mean over the fields of its kind of goods; the whole is the mean over sites."""
    by_site: dict[str, list[tuple[LabelledPage, Any]]] = {}
    for page, (offer, _) in zip(pages, answers, strict=True):
        by_site.setdefault(f"{page.kind_of_goods}-{page.site}", []).append((page, offer))
    figures = {}
    for site, found in by_site.items():
        fields = script.VERTICAL_FIELDS[site.partition("-")[0]]
        figures[site] = sum(_field_f1(script, found, name) for name in fields) / len(fields)
    detail = sum(kind == "detail" for _, kind in answers) / max(1, len(answers))
    sites = ", ".join(f"{site} {value:.2f}" for site, value in figures.items())
    mean = sum(figures.values()) / max(1, len(figures))
    print(f"eval/nothing_known.py, sites left out: F1 {mean:.4f}, known as detail {detail:.4f}; {sites}")


def _field_f1(script: ModuleType, found: Sequence[tuple[LabelledPage, Any]], name: str) -> float:
    right = sum(bool(offer.get(name)) and is_accepted(page, name, offer[name]) for page, offer in found)
    given, wanted = (
        sum(map(bool, said)) for said in zip(*((o.get(name), p.truth.get(name)) for p, o in found), strict=True)
    )
    return float(script.f1(right, given, wanted) or 0.0)


# --- the command ------------------------------------------------------------------------------------------------------
def current_sections() -> Sections:
    """The sections of the file."""
    sections: Sections = yaml.safe_load(FILE.read_text(encoding="utf-8"))["decisions"]
    return sections


def prior_section(decision: str) -> Mapping[str, Any]:
    """Where a decision begins: as a person would weigh it."""
    section: Mapping[str, Any] = yaml.safe_load(PRIORS.read_text(encoding="utf-8"))[decision]
    return section


def write(sections: Sections) -> None:
    """Write the file."""
    body = yaml.safe_dump({"decisions": sections}, sort_keys=False, allow_unicode=True, width=150)
    FILE.write_text(HEAD + body, encoding="utf-8")


def fit_decision(
    decision: Decision, found: Sequence[Example], folds: Sequence[frozenset[str]], options: argparse.Namespace
) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """The section fitted on all sites, and one for each fold left out; prints the figures."""
    fit = Fit(decision, found, prior_section(decision.name), options.hold)
    whole = fit.fitted()
    parts = [(fold, fit.fitted(without=fold, start=whole)) for fold in folds]
    left_out = Tally()
    for fold, parameters in parts:
        left_out.add_all(fit.verdicts(parameters, fold))
        if options.errors:
            print("\n".join(fit.mistakes(parameters, fold)), file=sys.stderr)
    print(f"{decision.name}: {len(found)} examples of {len({e.site for e in found})} sites")
    print(f"  as they are  {fit.verdicts(fit.prior)}")
    print(f"  fitted       {fit.verdicts(whole)}")
    print(f"  left out     {left_out}", flush=True)
    section = fit.section(whole)
    if options.weights:
        for name, before in zip(fit.names, fit.prior, strict=False):
            print(f"    {name}: {before:.2f} -> {section['weights'][name]:.2f}")
    about = {
        "fitted": datetime.now(timezone.utc).date().isoformat(),
        "left_out": str(left_out),
    }
    return {**about, **section}, [fit.section(parameters) for _, parameters in parts]


def main() -> int:
    """Fit, judge, and write where asked."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--fields", default="", help="decisions to fit (default: all)")
    parser.add_argument("--data", type=Path, default=DATA, metavar="DIR")
    parser.add_argument(
        "--leave-out", action="store_true", help="eval/pages.py, each page with its site left out of the fit"
    )
    parser.add_argument("--write", action="store_true", help="write scout/data/weights.yaml")
    parser.add_argument(
        "--per-site", type=int, default=8, metavar="N", help="product pages of one site, and as many others"
    )
    parser.add_argument("--folds", type=int, default=6)
    parser.add_argument("--hold", type=float, default=HOLD, help="how strongly weights are held to those in the file")
    parser.add_argument("--errors", action="store_true", help="list what is not right with the site left out")
    parser.add_argument("--weights", action="store_true", help="print the weights before and after")
    options = parser.parse_args()
    pages = sampled_pages(labelled_pages(options.data), options.per_site)
    folds = site_folds((page.site for page in pages), options.folds)
    wanted = options.fields.split(",") if options.fields else [d.name for d in (*DECISIONS, TEMPLATE)]
    sections = current_sections()
    by_fold: list[Sections] = [{} for _ in folds]
    found = all_options(pages) if set(wanted) - {TEMPLATE.name} else []
    for decision in (*DECISIONS, TEMPLATE):
        if decision.name in wanted:
            is_template = decision is TEMPLATE
            judged = template_examples(options.data) if is_template else [*examples(decision, found)]
            sections[decision.name], parts = fit_decision(decision, judged, folds, options)
            if not is_template:
                sections[decision.name]["data"] = digest(pages)
            for fold_sections, part in zip(by_fold, parts, strict=True):
                fold_sections[decision.name] = part
    if options.leave_out:
        print_left_out(options.data, pages, list(zip(folds, by_fold, strict=True)))
    if options.write:
        write(sections)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
