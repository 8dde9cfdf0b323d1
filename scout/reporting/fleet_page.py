"""The fleet on one page: no network, no script, and a shop's text is never markup."""

from __future__ import annotations

from collections.abc import Mapping

from jinja2 import Environment, StrictUndefined
from markupsafe import Markup

from scout.reporting.fleet_figures import FleetFigures
from scout.reporting.frame import content_policy, template_source, web_link


def fleet_page(figures: FleetFigures, links: Mapping[str, str]) -> str:
    """The page; `links` has the address of each shop's own report."""
    style = template_source("fleet.css")
    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    template = environment.from_string(template_source("fleet.html"))
    policy = content_policy(style)
    return template.render(
        f=figures, links=links, link=web_link, policy=policy, style=Markup(style), age=describe_hours
    )


def describe_hours(hours: float | None) -> str:
    """A time in hours as a person says it.

    >>> describe_hours(0.3), describe_hours(30.2), describe_hours(75), describe_hours(None)
    ('18 min', '30 h', '3 d', '–')
    """
    if hours is None:
        return "–"
    if hours < 1:
        return f"{60 * hours:.0f} min"
    return f"{hours:.0f} h" if hours < 48 else f"{hours / 24:.0f} d"
