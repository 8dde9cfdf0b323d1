"""The frame of every page: its style and script inlined, no network, and a shop's text is never markup."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from importlib.resources import files
from typing import Any

from jinja2 import Environment, FunctionLoader, StrictUndefined
from markupsafe import Markup

from scout.reporting.texts import Language

_MAX_CHILDREN = 40  # of a category that are shown: more would be no overview
_WEB = re.compile(r"https?://", re.IGNORECASE)
_UNSAFE_IN_SCRIPT = {ord(character): f"\\u{ord(character):04x}" for character in "<>&\u2028\u2029"}


def rendered(template: str, lang: Language, *, pictures: bool = False, **values: Any) -> str:
    """The template with its style and script inlined, and a content policy that allows only these two."""
    style, script = template_source("report.css"), template_source("report.js")
    policy = content_policy(style, script)
    if pictures:
        policy += "; img-src http: https:"
    environment = Environment(
        loader=FunctionLoader(template_source),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    frame = {"t": lang, "lang": lang.code, "policy": policy, "link": web_link, "max_children": _MAX_CHILDREN}
    return environment.get_template(template).render(**frame, style=Markup(style), script=Markup(script), **values)


def template_source(name: str) -> str:
    """The text of a file in `templates`."""
    return (files("scout.reporting") / "templates" / name).read_text("utf-8")


def content_policy(style: str, script: str = "") -> str:
    """A policy that allows the inlined style and script, and no request at all."""
    scripts = f"; script-src '{_policy_hash(script)}'" if script else ""
    return f"default-src 'none'; style-src '{_policy_hash(style)}'{scripts}; base-uri 'none'; form-action 'none'"


def _policy_hash(text: str) -> str:
    """The hash with which a content policy allows an inline style or script."""
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"


def script_json(data: Any) -> str:
    """JSON that is safe in a script element: nothing in it can end the element or start a comment."""
    return json.dumps(data, ensure_ascii=False, separators=(",", ":"), default=str).translate(_UNSAFE_IN_SCRIPT)


def web_link(address: str) -> str:
    """The address if it is http(s), else nothing: `javascript:` must not become a link."""
    return address if _WEB.match(address) else ""
