"""What `scout doctor` looks at: each check says what it found and, where something is not right, what to do."""

from __future__ import annotations

import os
import platform
import re
import shutil
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from importlib.metadata import PackageNotFoundError, requires, version
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from packaging.requirements import Requirement

import scout.settings
from scout._version import __version__
from scout.crawl.configuration import pages_to_keep, read_setting
from scout.errors import ScoutError, StoreError

if TYPE_CHECKING:
    from scrapy.settings import BaseSettings
    from sqlalchemy.engine import URL

DISTRIBUTION = "scout-offers"
OLDEST_PYTHON = (3, 10)
# megabytes: what the database keeps of pages by default, and as much again to work with
ENOUGH_DISK = 2 * scout.settings.SCOUT_PAGE_BUDGET
_EXTRA = re.compile(r"""extra\s*==\s*['"]([\w-]+)['"]""")
EXTRAS = {
    "matching": "offers without a common identifier, in `scout report`",
    "postgresql": "a database that several machines share",
    "fleet": "`scout fleet work`, several machines on one PostgreSQL",
    "parquet": "kept pages and offers as Parquet",
    "mcp": "`scout mcp`, for agents",
    "studio": "`scout studio`, in the browser",
    "poet": "offers as Product of zyte-common-items; a page object for scrapy-poet",
    "spark": "extraction on a cluster",
}  # what each is for

State = Literal["ok", "note", "problem"]


@dataclass(frozen=True)
class Check:
    """One thing that was looked at. A note limits what Scout can do, a problem stops it."""

    name: str
    state: State
    found: str
    advice: str = ""


def checkup(settings: BaseSettings) -> Iterator[Check]:
    """Look at everything that a crawl needs; nothing is changed and nothing is fetched."""
    yield python_check(sys.version_info[:3])
    requirements = _requirements()
    yield packages_check(requirements)
    yield from _guarded("settings", lambda: settings_checks(settings))
    yield from _guarded("rules", lambda: [rules_check(Path(read_setting(settings, "SCOUT_RULES_DIR")))])
    yield from _guarded("database", lambda: [database_check(read_setting(settings, "SCOUT_DATABASE"))])
    yield disk_check(_database_folder(read_setting(settings, "SCOUT_DATABASE")))
    yield browser_check(read_setting(settings, "SCOUT_BROWSER"))
    yield from extras_checks(requirements)


def _requirements() -> list[str]:
    """What Scout's package says it needs; nothing where Scout runs without having been installed (an egg, a zip file)."""
    try:
        return requires(DISTRIBUTION) or []
    except PackageNotFoundError:
        return []


def _guarded(name: str, checks: Callable[[], Iterable[Check]]) -> Iterator[Check]:
    """The checks; an error of Scout's is a problem with its own words."""
    try:
        yield from checks()
    except (ScoutError, OSError, ValueError) as error:
        yield Check(name, "problem", str(error), "Change this, then run `scout doctor` again.")


def python_check(running: tuple[int, ...]) -> Check:
    """Whether this Python is new enough."""
    shown = f"{'.'.join(map(str, running))} ({platform.machine()})"
    if running < OLDEST_PYTHON:
        return Check(
            "Python", "problem", shown, "Scout needs Python 3.10 or newer: install it and make a new environment."
        )
    return Check("Python", "ok", shown)


def packages_check(requirements: Iterable[str]) -> Check:
    """Whether all that Scout needs is installed, in the versions that it was tried with."""
    wrong = [fault for text in requirements if not _EXTRA.search(text) and (fault := _fault(Requirement(text)))]
    if wrong:
        return Check("packages", "problem", "; ".join(wrong), f"pip install --upgrade '{DISTRIBUTION}=={__version__}'")
    return Check("packages", "ok", f"Scout {__version__}, Scrapy {version('scrapy')}, and all that they need")


def _fault(requirement: Requirement) -> str | None:
    """What is wrong with one requirement; None where it is met, or is not for this Python."""
    if requirement.marker is not None and not requirement.marker.evaluate({"extra": ""}):
        return None
    try:
        found = version(requirement.name)
    except PackageNotFoundError:
        return f"{requirement.name} is not installed"
    if requirement.specifier.contains(found, prereleases=True):
        return None
    return f"{requirement.name} is {found}, and has to be {requirement.specifier}"


def settings_checks(settings: BaseSettings) -> Iterator[Check]:
    """Names that Scout does not have, values it cannot use, and what a polite crawler should say."""
    declared = {name for name in vars(scout.settings) if name.startswith("SCOUT_")}
    given = {name for name in settings if name.startswith("SCOUT_")}
    unknown = sorted(given - declared)
    for name in unknown:
        similar = get_close_matches(name, declared, 1)
        advice = f"Did you mean {similar[0]}?" if similar else "Remove it: see docs/settings.md for those there are."
        yield Check("settings", "problem", f"{name} is no setting of Scout's", advice)
    for name in sorted(given & declared):
        try:
            read_setting(settings, name)
        except (TypeError, ValueError) as error:
            yield Check("settings", "problem", f"{name}: {error}", f"Its default is {getattr(scout.settings, name)!r}.")
    pages_to_keep(settings)
    if not unknown:
        changed = sum(1 for name in given & declared if settings.get(name) != getattr(scout.settings, name))
        yield Check("settings", "ok", f"{changed} of {len(declared)} SCOUT_* settings differ from their defaults")
    if not read_setting(settings, "SCOUT_CONTACT"):
        advice = "Set SCOUT_CONTACT to an address at which a shop's operator can reach you."
        yield Check("contact", "note", "shops are not told who is asking", advice)
    if not settings.getbool("ROBOTSTXT_OBEY"):
        yield Check("robots.txt", "note", "it is not obeyed", "Set ROBOTSTXT_OBEY to True, unless the shop is yours.")


def rules_check(folder: Path) -> Check:
    """Whether the rule files can be read, and new ones written."""
    from scout.rules import ShopRules

    if not folder.exists():
        return _writable_check("rules", folder.absolute(), f"{folder}: will be made by the first crawl")
    files = sorted(path for path in folder.glob("*.yaml") if not path.name.endswith(".overlay.yaml"))
    for path in files:
        ShopRules.load(path)
    count = len(files)
    return _writable_check("rules", folder.absolute(), f"{count} rule {'file' if count == 1 else 'files'} in {folder}")


def _writable_check(name: str, folder: Path, found: str) -> Check:
    place = _existing(folder)
    if not place.is_dir() or not os.access(place, os.W_OK | os.X_OK):
        return Check(
            name,
            "problem",
            f"nothing can be written into {place}",
            "Change its permissions, or work in another directory.",
        )
    return Check(name, "ok", found)


def _existing(folder: Path) -> Path:
    """The folder, or the nearest one above it that there is."""
    return next(place for place in (folder, *folder.parents) if place.exists())


def _database_folder(text: str) -> Path:
    from scout.store.engine import database_url, sqlite_file

    try:
        file = sqlite_file(database_url(text))
    except StoreError:
        file = None
    return file.absolute().parent if file else Path.cwd()


def database_check(text: str) -> Check:
    """Whether the database can be reached and written, and has the tables of this version. One that is not there is not made."""
    from scout.store.engine import database_url, sqlite_file, url_without_password

    name, url = url_without_password(text), database_url(text)
    file = sqlite_file(url)
    if file is not None and not file.exists():
        return _writable_check(
            "database", file.absolute().parent, f"{name}: will be made by the first command that needs it"
        )
    if file is not None and not os.access(file, os.W_OK):
        return Check(
            "database", "problem", f"{file} cannot be written", "Change its permissions, or set SCOUT_DATABASE."
        )
    return _schema_check(name, url)


def _schema_check(name: str, url: URL) -> Check:
    from sqlalchemy.exc import SQLAlchemyError

    from scout.store.engine import engine
    from scout.store.failures import store_error
    from scout.store.schema import HEAD, current_revision

    connected = engine(url.render_as_string(hide_password=False))
    try:
        with connected.connect() as connection:
            revision = current_revision(connection)
    except SQLAlchemyError as error:
        advice = "Start the database, or set SCOUT_DATABASE to one that can be reached."
        return Check("database", "problem", str(store_error(error, name)), advice)
    finally:
        connected.dispose()
    if revision is None:
        return Check("database", "ok", f"{name}: empty, the first command that needs it makes the tables")
    if revision == HEAD:
        return Check("database", "ok", f"{name}, schema {revision}")
    if revision > HEAD:
        return Check("database", "problem", f"{name} has schema {revision}, newer than {HEAD}", "Update Scout.")
    advice = "The next command migrates it; of an SQLite file it keeps a copy."
    return Check("database", "note", f"{name} has schema {revision}, this version has {HEAD}", advice)


def disk_check(folder: Path, free: int | None = None) -> Check:
    """Whether there is room for what a crawl keeps."""
    place = _existing(folder)
    megabytes = (shutil.disk_usage(place).free if free is None else free) / 1e6
    found = f"{megabytes / 1000:,.1f} GB free at {place}"
    if megabytes < ENOUGH_DISK:
        return Check("disk", "note", found, "Make room, or lower SCOUT_PAGE_BUDGET: a full disk ends a crawl.")
    return Check("disk", "ok", found)


def browser_check(configured: str) -> Check:
    """Whether there is a browser for the pages that need one."""
    from scout.rendering.browsers import HOW_TO_INSTALL, find_browser

    path = find_browser(configured)
    if path is not None:
        return Check("browser", "ok", path)
    if configured:
        return Check(
            "browser",
            "problem",
            f"SCOUT_BROWSER is {configured}, which cannot be run",
            "Set it to the path of a Chromium.",
        )
    advice = "python -m playwright install --with-deps --only-shell chromium"
    return Check(
        "browser", "note", HOW_TO_INSTALL.partition(":")[0], f"Pages that need one are read without it. {advice}"
    )


def extras_checks(requirements: Iterable[str]) -> Iterator[Check]:
    """Which of Scout's extras are installed, and what for."""
    for extra, needed in _by_extra(requirements).items():
        faults = [fault for requirement in needed if (fault := _fault(requirement))]
        found = EXTRAS.get(extra, "")
        advice = f"{'; '.join(faults)}. If you need it: pip install '{DISTRIBUTION}[{extra}]'"
        yield Check(f"[{extra}]", "note" if faults else "ok", found, advice if faults else "")


def _by_extra(requirements: Iterable[str]) -> Mapping[str, list[Requirement]]:
    needed: dict[str, list[Requirement]] = {}
    for text in requirements:
        if found := _EXTRA.search(text):
            requirement = Requirement(text)
            requirement.marker = None  # it names the extra
            needed.setdefault(found[1], []).append(requirement)
    return needed


def as_json(check: Check) -> dict[str, Any]:
    """The check for programs."""
    return {"name": check.name, "state": check.state, "found": check.found, "advice": check.advice or None}
