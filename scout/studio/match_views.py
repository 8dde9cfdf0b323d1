"""Undecided matches: an offer beside the rows of the catalogue that it may be, decided by a key press."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode

from starlette.responses import Response

from scout.store.matches import Decision
from scout.studio.guard import CSP
from scout.studio.jobs import Job
from scout.studio.undecided import UndecidedOffer, undecided_offers
from scout.studio.workshop import Asked, Refused, Workshop, see_other

COMPARED = ("title", "brand", "price", "ean", "han", "sku", "availability", "url")
# Pictures come from the shop, and only where a person asks for them; never without encryption, which keeps them out of local networks.
CSP_WITH_PICTURES = CSP.replace("img-src", "img-src https:")


def show_match(workshop: Workshop, asked: Asked) -> Response:
    """One undecided offer and its candidates."""
    shop = asked.shop
    job = _undecided(workshop, shop)
    if asked.is_fragment or not job.is_over:
        return workshop.show("matching.html" if asked.is_fragment else "matches_wait.html", asked, shop=shop, job=job)
    if job.error:
        raise Refused(500, job.error)
    found: list[UndecidedOffer] = job.result
    decided = workshop.store.decisions(shop)
    open_ = [number for number, one in enumerate(found) if not one.is_decided(decided)]
    wanted = asked.number("i")
    position = wanted if wanted is not None and wanted < len(found) else next(iter(open_), None)
    following = next((number for number in open_ if position is not None and number > position), None)
    with_pictures = bool(asked.query.get("pictures"))
    answer = workshop.show(
        "matches.html",
        asked,
        shop=shop,
        total=len(found),
        left=len(open_),
        position=position,
        following=following,
        one=None if position is None else found[position],
        is_decided=position is not None and position not in open_,
        compared=COMPARED,
        picture=_picture if with_pictures else None,
    )
    if with_pictures:
        answer.headers["Content-Security-Policy"] = CSP_WITH_PICTURES
    return answer


def _picture(values: Mapping[str, Any]) -> str:
    """The address of the first picture among an offer's or a row's values, if it may be shown."""
    found = values.get("images") or ""
    first = found if isinstance(found, str) else str(next(iter(found), ""))
    return first if first.startswith("https://") else ""


def decide_match(workshop: Workshop, asked: Asked) -> Response:
    """Keep what the person decided, and go on to the next one."""
    shop, form = asked.shop, asked.form
    job = workshop.jobs.find(("matches", shop))
    number = form.get("i", "")
    if job is None or not job.is_over or job.error or not number.isdigit() or int(number) >= len(job.result):
        raise Refused(409, "The matches were computed anew meanwhile. Load the list again: nothing was saved.")
    one: UndecidedOffer = job.result[int(number)]
    if one.url != form.get("url"):
        raise Refused(409, "The matches were computed anew meanwhile. Load the list again: nothing was saved.")
    answer = form.get("answer", "")
    if answer == "none":
        decisions = [Decision(one.url, candidate.key, False) for candidate in one.candidates]
    elif answer.isdigit() and int(answer) < len(one.candidates):
        decisions = [Decision(one.url, one.candidates[int(answer)].key, True)]
    else:
        raise Refused(400, "Decide for one of the rows, or for none.")
    workshop.store.save_decisions(shop, decisions)
    pictures = {"pictures": "1"} if form.get("pictures") else {}
    return see_other(f"/matches?{urlencode({'shop': shop, **pictures})}")


def compare_again(workshop: Workshop, asked: Asked) -> Response:
    """Compare the shop with its catalogue anew."""
    shop = asked.shop
    workshop.jobs.restart(("matches", shop), lambda job: undecided_offers(workshop.store, shop))
    return see_other(f"/matches?{urlencode({'shop': shop})}")


def _undecided(workshop: Workshop, shop: str) -> Job:
    workshop.store.shop(shop)  # raises for an unknown one
    return workshop.jobs.begin(("matches", shop), lambda job: undecided_offers(workshop.store, shop))
