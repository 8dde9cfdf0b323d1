"""explain: where each value of a page comes from."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from math import exp
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scout.command_line import DONE, FAILED
from scout.command_line.base import AddArgument, FetchingCommand, is_web_address
from scout.command_line.files import read_bytes
from scout.errors import UsageError

if TYPE_CHECKING:
    from scout.offer import Evidence, Offer
    from scout.page import Page
    from scout.rendering.policy import RenderPolicy

MIN_REASON = 0.1  # log-odds: what adds less decides nothing
MAX_VALUE = 300  # characters of a value that are shown


class Command(FetchingCommand):
    """Explain the offer on a page."""

    usage = "URL [--shop SHOP] [--html FILE] [--json], or --shop URL"
    description = (
        "Fetch the page and extract its offer as a crawl does, with the shop's rules or, without rules, from the page alone. "
        "Print first whether a crawl takes the page as a product, and why. Then for each field: the value, the selector, the raw text, "
        "what was cut off, the votes and the runner-up; or why there is no value. Then print "
        "how the shop's pages are fetched (plainly, with a browser, or from the JSON behind the page), "
        "since when and on what evidence. With --shop URL and no page, ask the shop with this front page how far it cooperates: "
        "a database that its pages describe, a catalogue for any client, a manifest for agents, a search form, or pages only."
    )

    def add_arguments(self, add: AddArgument) -> None:
        add("url", metavar="URL", nargs="?", help="the URL of a product page")
        add(
            "--shop",
            help="use the rules of this shop (default: the one registered with this address, or named like the host); "
            "without a page, the address of the shop to describe",
        )
        add("--html", metavar="FILE", help="read the page from this file instead of fetching it")
        add("--json", action="store_true", help="print JSON, for programs")

    def process_options(self, args: list[str], opts: argparse.Namespace) -> None:
        super().process_options(args, opts)
        self.requires_crawler_process = not opts.html

    def work(self, opts: argparse.Namespace) -> int:
        from scout.extraction.lexicon import lexicon
        from scout.extraction.process_page import ProductKnowledge, process_page
        from scout.page import Page
        from scout.rendering.policy import RenderPolicy

        if opts.url is None and is_web_address(opts.shop or ""):
            return self._explain_shop(opts.shop)
        if not is_web_address(opts.url or ""):
            raise UsageError(f"{opts.url!r} is not the URL of a page: it must start with http:// or https://")
        shop = opts.shop or self._registered_shop(opts.url)
        rules = self.load_rules(shop) if opts.shop else self.find_rules(shop)
        basis = f"with the rules of {shop}" if rules else "without rules, from this page alone"
        print(f"{opts.url}, {basis}", file=sys.stderr)
        if self.crawler_process:
            from scout.command_line.page_spider import fetch_page

            page, seen = fetch_page(self.crawler_process, opts.url, rules)
        else:
            page, seen = Page(opts.url, read_bytes(opts.html)), None
        result = process_page(
            page, rules, ProductKnowledge(shop), template=lexicon(Path(self.setting("SCOUT_RULES_DIR")))
        )
        offer = result.offer
        marks = RenderPolicy.load(rules.levels or {}) if rules else RenderPolicy()
        if opts.json:
            levels = marks.dump() if marks.decided else None
            more = {"page": _verdict(page), "levels": levels, "dropped": result.reason}
            explained = _as_json(offer) | {name: value for name, value in more.items() if value}
            print(json.dumps(explained, ensure_ascii=False, indent=1))
        else:
            print(
                "\n".join([*_verdict_lines(page, result.reason), *_field_lines(offer), *_fetching_lines(marks, seen)])
            )
        return DONE if offer.evidence else FAILED

    def _explain_shop(self, url: str) -> int:
        """Say which ways lead to the shop's offers."""
        from scout.command_line.cooperation import ask_shop, cooperation_lines

        print(f"{url}: how far the shop cooperates, as its front page tells and as it answers", file=sys.stderr)
        assert self.crawler_process
        print("\n".join(cooperation_lines(*ask_shop(self.crawler_process, url))))
        return DONE

    def _registered_shop(self, url: str) -> str:
        """The shop with the address that is most like the page's, on the same host; else the name that the host gives it."""
        from scout.urls import shop_name

        with self.open_store() as store:
            shops = [shop for shop in store.shops() if shop.url and shop_name(shop.url) == shop_name(url)]
        best = max(shops, key=lambda shop: (url.startswith(shop.url or ""), len(shop.url or "")), default=None)
        return best.name if best else shop_name(url)


def _as_json(offer: Offer) -> dict[str, Any]:
    """Field -> value and evidence."""
    return {name: {"value": offer.get(name), **why.as_dict()} for name, why in offer.evidence.items()}


def _field_lines(offer: Offer) -> Iterator[str]:
    """The offer for a person: a paragraph per field."""
    for name, why in offer.evidence.items():
        value = offer.get(name)
        yield f"{name}: {_shortened('no value' if value in (None, '', []) else str(value))}"
        yield from (f"    {line}" for line in _evidence_lines(why))


def _verdict(page: Page) -> dict[str, Any]:
    """Whether the page is a product's, how likely, and what each sign adds to the log-odds."""
    from scout.extraction.product_page import evidence, is_detail

    signs = evidence(page)
    reasons = {name: round(weight, 2) for name, weight in signs.reasons().items() if abs(weight) >= MIN_REASON}
    return {"is_product": is_detail(page), "likelihood": round(1 / (1 + exp(-signs.score)), 3), "reasons": reasons}


def _verdict_lines(page: Page, reason: str | None) -> Iterator[str]:
    """Whether a crawl takes the page, why, and the scale of what follows."""
    from scout.extraction.offer_checks import DROP_REASONS

    verdict = _verdict(page)
    said = "a product's page" if verdict["is_product"] else "no product's page"
    if reason is not None:
        yield f"a crawl drops this page ({reason}): {DROP_REASONS[reason]}"
    elif verdict["is_product"]:
        yield "a crawl takes this page as a product"
    else:
        yield "a crawl takes this page as a product only if its list or its template says so"
    reasons = ", ".join(f"{name} {weight:+}" for name, weight in verdict["reasons"].items())
    yield f"    by itself  {said}, {verdict['likelihood']:.0%} likely; in log-odds: {reasons or 'nothing speaks for it'}"
    yield "    scores     rules: the summed quality (0 to 1 each) of the places that agree; the page alone: summed weights"


def _fetching_lines(marks: RenderPolicy, seen: str | None) -> Iterator[str]:
    """How the shop's pages are fetched and why, level by level; `seen` is what the comparison of this page showed."""
    if marks.decided or seen:
        yield "how it is fetched"
    if seen:
        yield f"    {seen}"
    for mark in marks.decided.values():
        first, *reasons = mark.describe()
        yield f"    {first}"
        yield from (f"        {reason}" for reason in reasons)


def _evidence_lines(why: Evidence) -> Iterator[str]:
    if why.selector:
        yield f"selector   {why.selector} ({why.origin})"
    if why.raw is not None:
        yield f"raw        {_shortened(' '.join(str(why.raw).split()))}"
    if why.cuts:
        yield f"cut        {why.cuts}"
    if why.score is not None:
        yield f"score      {why.score}"
    for vote in why.votes:
        yield f"vote       {vote[:MAX_VALUE]}"
    if why.runner_up is not None:
        yield f"runner-up  {why.runner_up}"
    if why.note:
        yield f"note       {why.note}"


def _shortened(text: str) -> str:
    return text if len(text) <= MAX_VALUE else f"{text[:MAX_VALUE]}…"
