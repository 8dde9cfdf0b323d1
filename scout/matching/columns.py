"""What a catalogue's column means: the names that exports, feeds and shop programs usually give."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from typing import Any

# field -> names met in exports and feeds (English, German, French, Spanish), without case, space and punctuation
NAMES: Mapping[str, str] = {
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
STANDARD: Mapping[str, str] = {name: field for field, names in NAMES.items() for name in names.split()}
PREFIX = re.compile(
    r"^(g|c|product|offer|item|left|right|ltable|rtable)[:.]", re.IGNORECASE
)  # namespaces of feeds and of joined tables


TITLE_LIKE = re.compile(r"(name|title|titel|bezeichnung)$")  # song_name, where no column has a usual name


def without_accents(text: str) -> str:
    """The text with its letters' marks taken off.

    >>> without_accents("Währung")
    'Wahrung'
    """
    return "".join(c for c in unicodedata.normalize("NFKD", text) if not unicodedata.combining(c))


def standard_name(column: str) -> str:
    """The field a column holds; a name that nobody knows stays, in lower case with underscores.

    >>> standard_name("Hersteller-Artikelnummer"), standard_name("g:gtin"), standard_name("Energy class"), standard_name("id")
    ('han', 'ean', 'energy_class', 'id')
    """
    plain = without_accents(PREFIX.sub("", column.strip()).casefold())
    known = STANDARD.get(re.sub(r"[\W_]+", "", plain))
    return known or re.sub(r"\W+", "_", plain).strip("_")


def renaming(columns: list[str], mapping: Mapping[str, str | None] | None = None) -> dict[str, str]:
    """For each column the field it becomes; of two that mean the same field the exactly named one keeps it, then the first.

    `mapping` is the user's word (column to field, None or "" to leave the column out) and goes before every guess.
    """
    said = {column: (mapping or {})[column] for column in columns if column in (mapping or {})}
    names = {column: target for column, target in said.items() if target}
    guesses = sorted((c for c in columns if c not in said), key=lambda c: standard_name(c) != c.strip().casefold())
    taken = set(names.values())
    for column in guesses:
        name = standard_name(column)
        if name in taken or not name:
            name = re.sub(r"\W+", "_", column.casefold()).strip("_")
        if name and name not in taken:
            names[column] = name
            taken.add(name)
    if "title" not in taken:
        named = next((column for column in columns if TITLE_LIKE.search(names.get(column, ""))), None)
        names |= {named: "title"} if named else {}
    return {column: names[column] for column in columns if column in names}


def standard_rows(rows: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The rows with the fields' own names, empty values left out."""
    columns = list(dict.fromkeys(column for row in rows for column in row if isinstance(column, str)))
    names = renaming(columns)
    return [{names[c]: v for c, v in row.items() if c in names and v not in (None, "", [], {})} for row in rows]
