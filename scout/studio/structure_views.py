"""A kept page as the walk sees it: records, pager and template, and what a person says that its template is."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import chain
from typing import Any
from urllib.parse import urlencode

from starlette.responses import Response

from scout.correction.page_structure import BuiltAlike, page_structure, pages_built_alike, with_mark
from scout.crawl.page_limits import limit_broken
from scout.page import Page
from scout.store import browsing
from scout.studio.jobs import Job
from scout.studio.page_views import change_rules, find_study
from scout.studio.shop_study import PageStudy
from scout.studio.workshop import Asked, Refused, Workshop, see_other

MOST_COMPARED = 300  # kept pages of a shop that are compared with one
SHOWN_ALIKE = 8
ANSWERS = {"product": True, "no product": False, "nobody says": None}


def show_structure(workshop: Workshop, asked: Asked) -> Response:
    """The page with its records lit, and what Scout makes of them."""
    study = find_study(workshop, asked)
    shop = study.pointer.page.shop or ""
    with workshop.studies.lock:
        structure = page_structure(study.page)
    with workshop.store.reading() as connection:
        kept = browsing.kept_page_ids(
            connection, shop, [record.href for record in structure.shown_records if record.href]
        )
    return workshop.show("structure.html", asked, study=study, shop=shop, structure=structure, kept=kept)


def show_alike(workshop: Workshop, asked: Asked) -> Response:
    """The kept pages that are built like this one, once they are compared: the part of the page that comes later."""
    study = find_study(workshop, asked)
    job = _alike(workshop, study)
    shop = study.pointer.page.shop or ""
    found: BuiltAlike | None = job.result if job.is_over else None
    with workshop.studies.lock:
        structure = page_structure(study.page)
    with workshop.store.reading() as connection:
        levels = browsing.kept_levels(connection, shop, found.pages if found else [])
        shown = browsing.kept_page_ids(connection, shop, found.pages[:SHOWN_ALIKE] if found else [])
    return workshop.show(
        "alike.html", asked, study=study, structure=structure, job=job, alike=found, levels=levels, shown=shown
    )


def save_mark(workshop: Workshop, asked: Asked) -> Response:
    """Keep what the person says of the page's template, as a new version of the rules."""
    study = find_study(workshop, asked)
    shop, answer = study.pointer.page.shop or "", asked.form.get("answer", "")
    job = _alike(workshop, study)
    if answer not in ANSWERS or not job.is_over or job.result is None:
        raise Refused(409, "The shop's pages are still being compared, or that is no answer: nothing was saved.")
    row = job.result.row
    change_rules(workshop, asked, shop, lambda rules: replace(rules, structure=with_mark(rules, row, ANSWERS[answer])))
    return see_other(f"/pages/{study.pointer.id}/structure?{urlencode({'marked': answer})}")


def _alike(workshop: Workshop, study: PageStudy) -> Job:
    shop, id_ = study.pointer.page.shop or "", study.pointer.id

    def work(job: Job) -> BuiltAlike:
        return pages_built_alike(_some_pages(workshop, shop, id_, job), study.page, study.rules)

    return workshop.jobs.begin(("alike", shop, study.version, id_), work)


def _some_pages(workshop: Workshop, shop: str, own: int, job: Any) -> Iterator[Page]:
    """Kept pages of the shop, spread over all of them, this one among them."""
    with workshop.store.reading() as connection:
        ids = [id_ for id_, _, _ in browsing.listed_pages(connection, shop, 0, 100 * MOST_COMPARED)]
    chosen = sorted({own, *ids[:: -(-len(ids) // MOST_COMPARED) or 1]})
    job.total = len(chosen)
    for pointer in chain.from_iterable(workshop.studies.studied_pages(chosen)):
        job.done += 1
        if limit_broken(pointer.page.html) is None:
            yield Page(pointer.page.url, pointer.page.html)
