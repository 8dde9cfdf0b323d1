"""The fields of a catalogue's columns, by the names that exports, feeds and shop software usually give them."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from typing import Any

# field -> its names in exports and feeds (English, German, French, Spanish), without case, spaces and punctuation
_SYNONYMS: Mapping[str, str] = {
    "title": "title name productname producttitle itemname itemtitle offername offertitle titel bezeichnung produktname artikelname "
    "artikelbezeichnung produktbezeichnung produkttitel nom libelle nomproduit titre nombre titulo",
    "description": "description desc productdescription longdescription shortdescription beschreibung artikelbeschreibung "
    "produktbeschreibung descripcion",
    "price": "price currentprice saleprice finalprice sellingprice listprice preis verkaufspreis bruttopreis endpreis prix precio amount",
    "currency": "currency pricecurrency waehrung wahrung devise moneda",
    "availability": "availability stockstatus verfugbarkeit verfuegbarkeit lieferstatus disponibilite disponibilidad",
    "brand": "brand manufacturer brandname manufacturername maker vendor marke hersteller herstellername markenname marque fabricant marca "
    "fabricante",
    "sku": "sku articlenumber itemnumber productnumber productcode artikelnummer artikelnr artnr bestellnummer bestellnr produktnummer "
    "reference referencia",
    "ean": "ean gtin ean13 gtin13 gtin8 gtin12 gtin14 upc barcode isbn isbn13 eancode eannummer ean8 eangtin gtinean jan",
    "han": "han mpn manufacturernumber manufacturerpartnumber partnumber partno modelnumber modelno model herstellernummer "
    "herstellerartikelnummer herstellernr herstellerteilenummer modell modellnummer modele",
    "url": "url link producturl deeplink productlink offerurl itemurl produkturl produktlink lien enlace",
    "canonical": "canonical canonicalurl",
    "category": "category categories categorypath producttype categoryname kategorie kategorien produktkategorie warengruppe kategoriepfad "
    "googleproductcategory productcategory rubrique categorie categoria breadcrumb breadcrumbs",
    "images": "images image imagelink imageurl picture pictureurl bild bildurl bildlink photo thumbnail imagen",
    "specs": "specs specifications attributes eigenschaften merkmale",
    "shop": "shop shopname merchant haendler handler",
    "first_seen": "firstseen firstseenat createdat created added addedat datecreated",
}
_FIELD_BY_NAME: Mapping[str, str] = {name: field for field, names in _SYNONYMS.items() for name in names.split()}
# namespaces of feeds and of joined tables
_PREFIX = re.compile(r"^(g|c|product|offer|item|left|right|ltable|rtable)[:.]", re.IGNORECASE)
_TITLE_LIKE = re.compile(r"(name|title|titel|bezeichnung)$")  # song_name, where no column has a usual name


def without_accents(text: str) -> str:
    """The text without accents.

    >>> without_accents("Währung")
    'Wahrung'
    """
    return "".join(c for c in unicodedata.normalize("NFKD", text) if not unicodedata.combining(c))


def field_of_column(column: str) -> str:
    """The field of a column; an unknown name is kept, in lower case with underscores.

    >>> field_of_column("Hersteller-Artikelnummer"), field_of_column("g:gtin"), field_of_column("Energy class"), field_of_column("id")
    ('han', 'ean', 'energy_class', 'id')
    """
    plain = without_accents(_PREFIX.sub("", column.strip()).casefold())
    known = _FIELD_BY_NAME.get(re.sub(r"[\W_]+", "", plain))
    return known or re.sub(r"\W+", "_", plain).strip("_")


def column_fields(columns: list[str], mapping: Mapping[str, str | None] | None = None) -> dict[str, str]:
    """The field of each column; of two for the same field, the one with its exact name wins, then the first.

    `mapping` (column to field, None or "" to leave the column out) comes from the user and overrides every guess.
    """
    given = {column: (mapping or {})[column] for column in columns if column in (mapping or {})}
    names = {column: target for column, target in given.items() if target}
    guesses = sorted((c for c in columns if c not in given), key=lambda c: field_of_column(c) != c.strip().casefold())
    used = set(names.values())
    for column in guesses:
        name = field_of_column(column)
        if name in used or not name:
            name = re.sub(r"\W+", "_", column.casefold()).strip("_")
        if name and name not in used:
            names[column] = name
            used.add(name)
    if "title" not in used:
        named = next((column for column in columns if _TITLE_LIKE.search(names.get(column, ""))), None)
        names |= {named: "title"} if named else {}
    return {column: names[column] for column in columns if column in names}


def rows_by_field(rows: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The rows with fields for columns, without empty values."""
    columns = list(dict.fromkeys(column for row in rows for column in row if isinstance(column, str)))
    names = column_fields(columns)
    return [{names[c]: v for c, v in row.items() if c in names and v not in (None, "", [], {})} for row in rows]
