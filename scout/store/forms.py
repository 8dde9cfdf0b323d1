"""Query forms with their metadata, and the attribute index: every distinct value of each attribute behind a form."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import IO, Any

from sqlalchemy import Connection, delete, select

from scout.forms.soif import SUMMARY, descriptive_attributes, write_object
from scout.store.batched import batched
from scout.store.columns import now
from scout.store.identity import digest
from scout.store.models import AttributeValue, QueryForm
from scout.store.upsert import BATCH, upsert
from scout.values.storable import storable

DESCRIPTIVE_COLUMNS = ("cooperation", "title", "description", "keywords", "elements")


@dataclass(frozen=True)
class FormRecord:
    """A query form: its URL, how much its provider cooperates (full, limited or none), its description and its elements.

    An element has a name, a kind, a label and a domain: the values that the page offers, each with its label.
    """

    url: str
    cooperation: str
    title: str | None = None
    description: str | None = None
    keywords: str | None = None
    elements: Sequence[Mapping[str, Any]] = ()
    id: int | None = None
    gathered_at: datetime | None = None


def save_form(connection: Connection, shop: int, form: FormRecord, values: Mapping[str, Iterable[str]]) -> int:
    """Store the form and its index in place of earlier ones; returns the number of values."""
    row = {name: storable(getattr(form, name)) for name in ("url", *DESCRIPTIVE_COLUMNS)} | {"gathered_at": now()}
    key = digest(form.url)
    upsert(connection, QueryForm, [{"shop_id": shop, "key": key, **row}], key=("shop_id", "key"), update=row)
    id_ = connection.execute(select(QueryForm.id).where(QueryForm.shop_id == shop, QueryForm.key == key)).scalar_one()
    connection.execute(delete(AttributeValue).where(AttributeValue.form_id == id_))
    count = 0
    for batch in batched(_rows(id_, values), BATCH):
        upsert(connection, AttributeValue, batch, key=("form_id", "key"))
        count += len(batch)
    return count


def _rows(form: int, values: Mapping[str, Iterable[str]]) -> Iterator[dict[str, Any]]:
    for attribute, attribute_values in values.items():
        for value in attribute_values:
            row = {"attribute": storable(attribute), "value": storable(value)}
            yield {"form_id": form, "key": digest([attribute, value]), **row}


def forms(connection: Connection, shop: int) -> list[FormRecord]:
    """The shop's forms, by URL."""
    columns = QueryForm.__table__.c
    query = select(*(columns[name] for name in ("id", "url", "gathered_at", *DESCRIPTIVE_COLUMNS)))
    query = query.where(QueryForm.shop_id == shop).order_by(QueryForm.url)
    return [FormRecord(**row._mapping) for row in connection.execute(query)]


def attribute_names(connection: Connection, form: int) -> list[str]:
    """The names of the attributes in a form's index, sorted."""
    query = select(AttributeValue.attribute).where(AttributeValue.form_id == form).distinct()
    return sorted(connection.execute(query).scalars())


def attribute_values(connection: Connection, form: int, attribute: str) -> Iterator[str]:
    """The distinct values of an attribute in the order of their storing, read in batches."""
    last = 0
    while True:
        query = select(AttributeValue.id, AttributeValue.value).where(AttributeValue.form_id == form)
        query = query.where(AttributeValue.attribute == attribute, AttributeValue.id > last)
        rows = connection.execute(query.order_by(AttributeValue.id).limit(BATCH)).all()
        if not rows:
            return
        yield from (row.value for row in rows)
        last = rows[-1].id


def write_index(connection: Connection, shop: int, file: IO[bytes]) -> int:
    """Write the shop's index as SOIF, one object for each form; returns the number of forms."""
    shop_forms = forms(connection, shop)
    for form in shop_forms:
        assert form.id is not None
        values = {name: attribute_values(connection, form.id, name) for name in attribute_names(connection, form.id)}
        write_object(file, SUMMARY, form.url, descriptive_attributes(form) | values)
    return len(shop_forms)
