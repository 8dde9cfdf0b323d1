"""What the studio's views share: the database, the templates, and what was asked."""

from __future__ import annotations

import getpass
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from typing import Any
from urllib.parse import parse_qsl, urlencode

from jinja2 import Environment, PackageLoader, StrictUndefined
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from scout.errors import ScoutError, UsageError
from scout.store import Store
from scout.studio.crawl_desk import CrawlDesk
from scout.studio.guard import StudioKeys
from scout.studio.jobs import JobBoard
from scout.studio.shop_study import StudyRoom

MAX_FORM = 100_000  # bytes


@dataclass(frozen=True)
class Asked:
    """A request: its path, what the path names, its query, and the form of a POST."""

    path: str
    names: Mapping[str, Any]
    query: Mapping[str, str]
    form: Mapping[str, str] = field(default_factory=dict)
    is_fragment: bool = False  # a script of the page asks for the changing part alone

    @property
    def shop(self) -> str:
        """The shop that the address or the form names."""
        name = self.query.get("shop") or self.form.get("shop") or ""
        if not name:
            raise Refused(404, "Which shop?")
        return name

    def number(self, name: str) -> int | None:
        """A number of the query; None where there is none, or something else."""
        text = self.query.get(name, "")
        return int(text) if text.isascii() and text.isdigit() and len(text) < 16 else None

    def address(self, **changes: Any) -> str:
        """This address with another query; None removes a name."""
        query = {**self.query, **changes}
        rest = urlencode({name: value for name, value in query.items() if value not in (None, "")})
        return f"{self.path}?{rest}" if rest else self.path


class Refused(Exception):
    """The view refuses, and says why."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status, self.message = status, message


@dataclass
class Workshop:
    """One running studio."""

    store: Store
    keys: StudioKeys
    rules_directory: str
    fleet_directory: str
    crawl_settings: tuple[str, ...] = ()  # what `scout crawl` gets with -s
    is_read_only: bool = False
    author_days: int = 0  # SCOUT_REVIEW_AUTHOR_DAYS
    jobs: JobBoard = field(default_factory=JobBoard)
    person: str = field(default_factory=lambda: _user_name())
    writing: threading.Lock = field(default_factory=threading.Lock)  # one change of rules or values at a time

    @cached_property
    def studies(self) -> StudyRoom:
        """The pages and shops that are worked on."""
        return StudyRoom(self.store, self.rules_directory)

    @cached_property
    def crawls(self) -> CrawlDesk:
        """The crawls that this studio starts."""
        return CrawlDesk(self.fleet_directory, self.crawl_settings)

    @cached_property
    def templates(self) -> Environment:
        """The templates of the studio; what shops wrote is escaped."""
        loader = PackageLoader("scout.studio", "templates")
        made = Environment(
            loader=loader, autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
        )
        made.filters.update(when=_shown_time, query=lambda values: urlencode(values))
        return made

    def show(self, template: str, asked: Asked, *, status: int = 200, **values: Any) -> Response:
        """The page that a template makes."""
        common = {"asked": asked, "csrf": self.keys.form, "is_read_only": self.is_read_only}
        return HTMLResponse(self.templates.get_template(template).render(**common, **values), status_code=status)

    def refuse(self, asked: Asked, status: int, message: str) -> Response:
        """A page that says what is wrong."""
        return self.show("refused.html", asked, status=status, message=message)


View = Callable[[Workshop, Asked], Response]


def answering(view: View, *, writes: bool = False) -> Callable[[Request], Any]:
    """The endpoint of a view: run in a thread, its errors as pages. One that writes asks for a form of the studio's own."""

    async def endpoint(request: Request) -> Response:
        workshop: Workshop = request.app.state.workshop
        form = await _read_form(request) if request.method == "POST" else {}
        is_fragment = request.headers.get("x-fragment") == "1"
        asked = Asked(request.url.path, request.path_params, dict(request.query_params), form or {}, is_fragment)
        if request.method == "POST":
            if form is None or not workshop.keys.is_own_form(form):
                return workshop.refuse(asked, 403, "This form is not of this run of the studio. Load the page again.")
            if writes and workshop.is_read_only:
                return workshop.refuse(asked, 403, "The studio was started with --read-only: nothing is changed.")
        try:
            return await run_in_threadpool(view, workshop, asked)
        except Refused as refused:
            return workshop.refuse(asked, refused.status, refused.message)
        except UsageError as error:
            return workshop.refuse(asked, 404, str(error))
        except ScoutError as error:
            return workshop.refuse(asked, 500, str(error))

    return endpoint


def see_other(address: str) -> Response:
    """What follows a form that was taken: the page to look at, so that loading it again sends nothing twice."""
    return RedirectResponse(address, status_code=303)


async def _read_form(request: Request) -> Mapping[str, str] | None:
    """The form's values; None where it is too large or no form."""
    body = b""
    async for chunk in request.stream():
        body += chunk
        if len(body) > MAX_FORM:
            return None
    return dict(parse_qsl(body.decode("utf-8", "replace"), keep_blank_values=True))


def _shown_time(at: datetime | None) -> str:
    return at.strftime("%Y-%m-%d %H:%M") if at else "–"


def _user_name() -> str:
    """Who works here, as overrides and rules name it."""
    try:
        return getpass.getuser()
    except (OSError, KeyError):
        return "somebody"
