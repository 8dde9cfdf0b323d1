"""The offers that a user already knows: read from a file, a URL or a database query."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from sqlalchemy import create_engine, text
from sqlalchemy.exc import SQLAlchemyError

from scout.command_line.base import is_web_address
from scout.errors import CatalogueError
from scout.matching.catalogue import Catalogue, catalogue_of, read_catalogue, read_mapping
from scout.store import Store
from scout.store.engine import parse_url

SHOWN_PROBLEMS = 10  # bad rows that are named; the others are counted


def import_known_offers(
    store: Store,
    shop: str,
    source: str,
    mapping_file: str | None = None,
    *,
    query: str | None = None,
    replace: bool = True,
    dry_run: bool = False,
) -> str:
    """Import the catalogue into the database and describe the result: how each column was read, bad rows included."""
    catalogue = read_known_offers(source, mapping_file, query)
    if dry_run:
        summary = f"{len(catalogue):,} known offers of {shop} would be imported; nothing is changed"
        return "\n".join([*catalogue.readings(), *problem_lines(catalogue), summary])
    imported = store.import_catalogue(shop, catalogue.rows, replace=replace)
    summary = f"{imported.rows:,} known offers of {shop} imported, {imported.removed:,} removed"
    return "\n".join([*catalogue.readings(), *problem_lines(catalogue), summary])


def read_known_offers(source: str, mapping_file: str | None, query: str | None = None) -> Catalogue:
    """The catalogue in a file, at a URL, or in the database that `source` names."""
    mapping = read_mapping(mapping_file) if mapping_file else None
    if not query and "://" in source and not is_web_address(source):  # not shown: it may contain a password
        raise CatalogueError(
            "to import from a database, say what to read: catalogue import SHOP URL --query 'SELECT …'"
        )
    return _query_catalogue(source, query, mapping) if query else read_catalogue(source, mapping=mapping)


def problem_lines(catalogue: Catalogue) -> Iterator[str]:
    """The first rows that could not be read, and how many more there are."""
    yield from (f"left out: {problem}" for problem in catalogue.problems[:SHOWN_PROBLEMS])
    if len(catalogue.problems) > SHOWN_PROBLEMS:
        yield f"left out: {len(catalogue.problems) - SHOWN_PROBLEMS:,} more rows"


def _query_catalogue(database: str, query: str, mapping: Mapping[str, str | None] | None) -> Catalogue:
    try:
        engine = create_engine(parse_url(database))
        file = engine.url.database if engine.dialect.name == "sqlite" else None
        if file and file != ":memory:" and not Path(file).exists():  # connecting would create an empty one
            raise CatalogueError(f"there is no file {file}")
        with engine.connect() as connection:
            rows = [dict(row) for row in connection.execute(text(query)).mappings()]
        engine.dispose()
    except ValueError as error:
        raise CatalogueError(str(error)) from None
    except (SQLAlchemyError, ModuleNotFoundError) as error:
        raise CatalogueError(f"the catalogue's database refused: {str(error).splitlines()[0]}") from error
    return catalogue_of(enumerate(rows, 1), mapping=mapping, name="the query")
