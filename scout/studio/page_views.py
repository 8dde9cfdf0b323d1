"""A kept page with every value's place, and its correction by pointing."""

from __future__ import annotations

import json
import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from importlib.resources import files
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from starlette.responses import HTMLResponse, Response

from scout.correction import (
    PointedPlace,
    StatedPlace,
    Suggestion,
    numbered_element,
    place_readings,
    safe_page,
    suggest_data_rule,
    suggest_rule,
    value_places,
    with_locked_rule,
)
from scout.correction.page_structure import page_structure
from scout.errors import RuleError
from scout.fields import field
from scout.page import Page
from scout.rules import Rule, ShopRules
from scout.rules.cuts import Cut
from scout.rules.files import rule_path, rule_versions
from scout.rules.selectors import as_dict, from_dict
from scout.spiders.rules_store import save_rules
from scout.store import browsing, overrides
from scout.store.shops import shop_id
from scout.studio.evidence import explained_fields, hue_of
from scout.studio.jobs import Job
from scout.studio.reextracting import reextract_pages
from scout.studio.shop_study import PageStudy, ShopEffect
from scout.studio.workshop import Asked, Refused, Workshop, see_other

FRAME_POLICY = (
    "default-src 'none'; script-src 'nonce-{nonce}'; style-src 'unsafe-inline'; form-action 'none'; base-uri 'none'; "
    "frame-ancestors 'self'; sandbox allow-scripts"
)  # allow-scripts is for the studio's own, which alone has the nonce; the origin is opaque, so that it reaches nothing
SHOWN_READINGS = 8
STALE = "The rules of this shop have changed since you looked. Load the page again: nothing was saved."


@dataclass(frozen=True)
class _Pointing:
    """What the person points at: the field, the readings of the element, the chosen one, and the rule that follows.

    Or what the person says: the value that the page should have, and the places that say it.
    """

    name: str
    readings: Sequence[PointedPlace] = ()
    chosen: PointedPlace | None = None
    part: str = ""
    suggestion: Suggestion | None = None
    wanted: str = ""
    places: Sequence[StatedPlace] = ()
    is_in_data: bool = False  # the page's scripts say it as well

    @property
    def rule_data(self) -> str:
        """The rule as the form carries it, so that what was shown is what is saved."""
        return _rule_as_text(self.suggestion.rule) if self.suggestion else ""


def show_page(workshop: Workshop, asked: Asked) -> Response:
    """The page beside its values; with ?pick=FIELD what follows from the place that is pointed at."""
    study = find_study(workshop, asked)
    pointing = _pointing(workshop, asked, study)
    shop = study.pointer.page.shop or ""
    saved = workshop.jobs.find(("reextract", shop)) if "saved" in asked.query else None
    fields = explained_fields(study.offer)
    return workshop.show(
        "page.html",
        asked,
        study=study,
        shop=shop,
        fields=fields,
        pointing=pointing,
        picked=next((one for one in fields if pointing and one.name == pointing.name), None),
        roles=_roles(study),
        frame=f"/pages/{study.pointer.id}/frame?"
        + urlencode({name: value for name, value in asked.query.items() if name in ("pick", "n", "field")}),
        saved=saved,
        undo=_version_before(workshop, shop),
        values=study.offer,
        override_seen=_override_seen(workshop, study, pointing),
    )


def _override_seen(workshop: Workshop, study: PageStudy, pointing: _Pointing | None) -> str:
    """When the value in question was set by a person, for the form to say what it builds on; empty where it was not."""
    if pointing is None or study.pointer.offer is None:
        return ""
    with workshop.store.reading() as connection:
        id_ = shop_id(connection, study.pointer.page.shop or "") or 0
        urls = browsing.addresses_of_offer(connection, study.pointer.offer)
        record = overrides.overrides(connection, id_, urls).get(field(pointing.name).name)
    return record.decided_at.isoformat() if record else ""


def show_frame(workshop: Workshop, asked: Asked) -> Response:
    """The page itself, rewritten, for the sandboxed frame."""
    study = find_study(workshop, asked)
    nonce = secrets.token_urlsafe(16)
    static = files("scout.studio") / "static"
    style, script = ((static / name).read_text(encoding="utf-8") for name in ("frame.css", "frame.js"))
    state = json.dumps(
        {"pick": asked.query.get("pick", ""), "number": asked.number("n"), "field": asked.query.get("field", "")}
    )
    state = state.replace("<", "\\u003c")
    head = f'<style>{style}</style><script nonce="{nonce}">const STATE = {state};\n{script}</script>'
    with workshop.studies.lock:
        marks = page_structure(study.page).marks if "structure" in asked.query else study.marks
        hues = {mark.field: hue_of(mark.field) for mark in marks}
        text = safe_page(study.page, marks, hues, head=head)
    return HTMLResponse(text, headers={"Content-Security-Policy": FRAME_POLICY.format(nonce=nonce)})


def find_study(workshop: Workshop, asked: Asked) -> PageStudy:
    """The study of the page that the address names."""
    with workshop.store.reading() as connection:
        pointer = browsing.studied_page(connection, asked.names["page"])
    if pointer is None:
        raise Refused(404, "The text of this page is not kept (SCOUT_KEEP_PAGES), or was deleted to make room.")
    return workshop.studies.page(pointer)


def _roles(study: PageStudy) -> dict[str, set[str]]:
    """Field -> what is marked of it on the page."""
    found: dict[str, set[str]] = {}
    for mark in study.marks:
        found.setdefault(mark.field, set()).add(mark.role)
    return found


# --- pointing ---------------------------------------------------------------------------------------------------------
def _pointing(workshop: Workshop, asked: Asked, study: PageStudy) -> _Pointing | None:
    name = asked.query.get("pick", "")[:60].strip()
    if not name:
        return None
    number, wanted = asked.number("n"), " ".join(asked.query.get("find", "")[:1_000].split())
    element = None if number is None else numbered_element(study.page, number)
    locale = study.rules.locale if study.rules else None
    if element is None and wanted:
        return _looked_up(workshop, asked, study, name, wanted)
    if element is None:
        return _Pointing(name)
    with workshop.studies.lock:
        readings = place_readings(study.page, element, name, locale)
        wanted = asked.query.get("how", "")
        chosen = next((one for one in readings if one.key == wanted), readings[0] if readings else None)
        part = " ".join(asked.query.get("part", "").split())
        suggestion = _suggestion(workshop, study, name, chosen, part) if chosen else None
    shown = [one for number, one in enumerate(readings) if number < SHOWN_READINGS or one is chosen]
    return _Pointing(name, shown, chosen, part, suggestion)


def _looked_up(workshop: Workshop, asked: Asked, study: PageStudy, name: str, wanted: str) -> _Pointing:
    """The places that say what the person wants to read; with ?data=1 the rule for the page's data."""
    locale = study.rules.locale if study.rules else None
    known, others = _judges(workshop, study, name)
    with workshop.studies.lock:
        places = value_places(study.page, name, wanted, locale)
        rule = suggest_data_rule(study.page, name, wanted, others, locale=locale, known=known)
    chosen = rule if asked.query.get("data") == "1" else None
    return _Pointing(name, suggestion=chosen, wanted=wanted, places=places, is_in_data=rule is not None)


def _suggestion(workshop: Workshop, study: PageStudy, name: str, chosen: PointedPlace, part: str) -> Suggestion | None:
    locale = study.rules.locale if study.rules else None
    known, others = _judges(workshop, study, name)
    return suggest_rule(study.page, chosen, name, others, part=part, locale=locale, known=known)


def _judges(workshop: Workshop, study: PageStudy, name: str) -> tuple[Mapping[str, str], Sequence[Page]]:
    """What a rule is judged by: values that the catalogue knows, by address, and other pages of the shop."""
    shop = study.pointer.page.shop or ""
    return workshop.studies.sampled_values(shop, field(name).name), workshop.studies.sample(shop)


def _rule_as_text(rule: Rule) -> str:
    cut = {key: value for key, value in asdict(rule.cut).items() if value}
    return json.dumps({"selector": as_dict(rule.selector), "cut": cut, "learned": rule.learned, "check": rule.check})


def rule_from_text(text: str) -> Rule:
    """The rule that a form carries. Refused where it is none."""
    try:
        data = json.loads(text)
        cut = Cut(**data["cut"])
        return Rule(from_dict(data["selector"]), cut, learned=data["learned"], check=bool(data["check"]), locked=True)
    except (ValueError, KeyError, TypeError, AttributeError, RuleError) as error:
        raise Refused(400, f"This is no rule: {error}") from error


# --- the effect -------------------------------------------------------------------------------------------------------
def show_effect(workshop: Workshop, asked: Asked) -> Response:
    """What a rule changes on all kept pages, as far as that is known yet."""
    study = find_study(workshop, asked)
    shop, name = study.pointer.page.shop or "", asked.query.get("pick", "")
    text = asked.query.get("rule", "")
    rule = rule_from_text(text)

    def work(job: Job) -> ShopEffect:
        job.result = ShopEffect()
        rules = workshop.studies.rules_with(shop, name, rule)
        return workshop.studies.effect(shop, rules, name, study.pointer.id, job)

    job = workshop.jobs.begin(("effect", shop, study.version, name, text), work)
    return workshop.show("effect.html", asked, job=job, effect=job.result or ShopEffect(), name=name)


# --- saving -----------------------------------------------------------------------------------------------------------
def save_rule(workshop: Workshop, asked: Asked) -> Response:
    """Save the rule that was shown as a locked one, and correct what is stored."""
    study = find_study(workshop, asked)
    shop, name = study.pointer.page.shop or "", field(asked.form.get("field", "")).name
    if not name:
        raise Refused(400, "Which field?")
    rule = rule_from_text(asked.form.get("rule", ""))
    change_rules(workshop, asked, shop, lambda rules: with_locked_rule(rules, shop, name, rule))
    correct_offers(workshop, shop)
    return see_other(f"{_page_address(study)}?{urlencode({'saved': name, 'field': name})}")


def change_rules(workshop: Workshop, asked: Asked, shop: str, change: Callable[[ShopRules], ShopRules]) -> None:
    """Save what `change` makes of the shop's rules, unless somebody has changed them since the form was made."""
    with workshop.writing:
        rules, version = workshop.studies.rules(shop)
        if version != asked.form.get("version"):
            raise Refused(409, STALE)
        if rules is None:
            rules = workshop.studies.base_rules(shop)
            save_rules(rules, workshop.rules_directory, workshop.store)  # what undo leads back to
        save_rules(change(rules), workshop.rules_directory, workshop.store)


def restore_rules(workshop: Workshop, asked: Asked) -> Response:
    """Make an earlier version of the rules the current one, and read the kept pages by it."""
    shop = asked.form.get("shop", "")

    def version_wanted(_: ShopRules) -> ShopRules:
        kept = {file.stem.lstrip("0"): file for file in rule_versions(rule_path(workshop.rules_directory, shop))}
        file = kept.get(asked.form.get("restore", ""))
        if file is None:
            raise Refused(404, "There is no such version of the rules.")
        return replace(ShopRules.load(file), shop=shop)

    change_rules(workshop, asked, shop, version_wanted)
    correct_offers(workshop, shop)
    back = asked.form.get("page", "")
    return see_other(
        f"/pages/{int(back)}?saved=rules"
        if back.isascii() and back.isdigit()
        else f"/rules?{urlencode({'shop': shop})}"
    )


def correct_offers(workshop: Workshop, shop: str) -> None:
    """Begin to read the shop's kept pages by its present rules."""

    def work(job: Job) -> Any:
        job.total = workshop.store.page_counts().get(shop, (0, 0))[0]
        return reextract_pages(workshop, shop, workshop.store.pages(shop), job)

    workshop.jobs.restart(("reextract", shop), work)


def show_correction(workshop: Workshop, asked: Asked) -> Response:
    """How far the correction of a shop's offers is."""
    job = workshop.jobs.find(("reextract", asked.query.get("shop", "")))
    return workshop.show("correction.html", asked, job=job, shop=asked.query.get("shop", ""))


def _version_before(workshop: Workshop, shop: str) -> int | None:
    kept = rule_versions(rule_path(Path(workshop.rules_directory), shop))
    return int(kept[-2].stem) if len(kept) > 1 else None


def save_override(workshop: Workshop, asked: Asked) -> Response:
    """Set one value of this offer alone, or believe the page again."""
    study = find_study(workshop, asked)
    if study.pointer.offer is None:
        raise Refused(400, "There is no offer of this page whose value could be set.")
    page, form = study.pointer.page, asked.form
    kind = field(form.get("field", "")[:60])
    urls = _offer_addresses(workshop, study.pointer.offer)
    with workshop.writing, workshop.store.writing() as connection:
        id_ = shop_id(connection, page.shop or "") or 0
        _check_override(overrides.overrides(connection, id_, urls), kind.name, form)
        overrides.remove_override(connection, id_, urls, kind.name)
        if form.get("what") != "forget":
            value = _override_value(form, kind.name, study)
            overrides.save_override(connection, id_, urls[0], kind.name, value, workshop.person)
    reextract_pages(workshop, page.shop or "", [page], Job())
    return see_other(f"{_page_address(study)}?{urlencode({'field': kind.name})}")


def _offer_addresses(workshop: Workshop, offer: int) -> list[str]:
    with workshop.store.reading() as connection:
        return browsing.addresses_of_offer(connection, offer)


def _check_override(found: Mapping[str, overrides.OverrideRecord], name: str, form: Mapping[str, str]) -> None:
    """Refuse where somebody else has set the value since this form was made."""
    record = found.get(name)
    if form.get("seen", "") != (record.decided_at.isoformat() if record else ""):
        who = f" ({record.person})" if record else ""
        raise Refused(
            409, f"Somebody has changed this value since you looked{who}. Load the page again: nothing was saved."
        )


def _override_value(form: Mapping[str, str], name: str, study: PageStudy) -> str | None:
    """The value as the field stores it; None for "it has none". Refused where the text cannot be read."""
    text = " ".join(form.get("value", "").split())
    if form.get("what") == "none":
        return None
    locale = study.rules.locale if study.rules else None
    kind, base = field(name), study.pointer.page.url
    value = kind.read(text, locale=locale, base_url=base) or kind.read(text, base_url=base, check=False)
    if not text or value is None:
        raise Refused(400, f"{text!r} cannot be read as {name}: nothing was saved.")
    return value


def _page_address(study: PageStudy) -> str:
    return f"/pages/{study.pointer.id}"
