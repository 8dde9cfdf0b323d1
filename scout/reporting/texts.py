"""The words of a report in English and German, and how numbers, money and dates are written in each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal

LANGUAGES = ("en", "de")

# key -> (English, German)
TEXTS: Mapping[str, tuple[str, str]] = {
    "title": ("Missing offers: {shop}", "Fehlende Angebote: {shop}"),
    "all_title": ("Missing offers: all shops", "Fehlende Angebote: alle Shops"),
    "answer": (
        "{missing} of {offers} offers of {shop} are missing from the catalogue; {coverage} are covered.",
        "{missing} von {offers} Angeboten von {shop} fehlen im Katalog; {coverage} sind abgedeckt.",
    ),
    "answer_none": (
        "All {offers} offers of {shop} are in the catalogue.",
        "Alle {offers} Angebote von {shop} sind im Katalog.",
    ),
    "answer_empty": ("No offer of {shop} has been found yet.", "Von {shop} wurde noch kein Angebot gefunden."),
    "answer_no_catalogue": (
        "{offers} offers of {shop} were found, but there is no catalogue to compare them with.",
        "{offers} Angebote von {shop} wurden gefunden, aber es gibt keinen Katalog zum Vergleich.",
    ),
    "answer_all": (
        "{missing} of {offers} offers of {shops} shops are missing from the catalogue; {coverage} are covered.",
        "{missing} von {offers} Angeboten von {shops} Shops fehlen im Katalog; {coverage} sind abgedeckt.",
    ),
    "trust_complete": (
        "The last crawl was complete ({date}): what it did not find, the shop does not show.",
        "Der letzte Crawl war vollständig ({date}): Was er nicht fand, zeigt der Shop nicht.",
    ),
    "trust_incomplete": (
        "The last crawl was not complete ({date}, {reason}): more offers may be missing, and none can be called gone.",
        "Der letzte Crawl war nicht vollständig ({date}, {reason}): Es können mehr Angebote fehlen, und keines gilt als verschwunden.",
    ),
    "trust_running": (
        "The last crawl has not ended ({date}): the figures are provisional.",
        "Der letzte Crawl ist nicht beendet ({date}): Die Zahlen sind vorläufig.",
    ),
    "trust_never": ("The shop has not been crawled yet.", "Der Shop wurde noch nicht gecrawlt."),
    "made_at": ("Made {date}", "Erstellt {date}"),
    "skip": ("To the missing offers", "Zu den fehlenden Angeboten"),
    "sections": ("Sections", "Abschnitte"),
    "matched": ("matched", "zugeordnet"),
    "missing": ("missing", "fehlen"),
    "accepted": ("accepted", "akzeptiert"),
    "gone": ("gone", "verschwunden"),
    "changed": ("changed", "geändert"),
    "offers": ("offers", "Angebote"),
    "known_series": ("in the catalogue", "im Katalog"),
    "shop_series": ("in the shop", "im Shop"),
    "coverage": ("Coverage", "Abdeckung"),
    "causes": ("Likely causes", "Wahrscheinliche Ursachen"),
    "categories": ("By category", "Nach Kategorie"),
    "prices": ("By price", "Nach Preis"),
    "prices_alt": (
        "Histogram of prices: how many offers the shop has and how many the catalogue has",
        "Histogramm der Preise: wie viele Angebote der Shop und wie viele der Katalog hat",
    ),
    "price_range": ("Price range", "Preisbereich"),
    "brands": ("By brand", "Nach Marke"),
    "by_first_seen": ("By first seen", "Nach erstem Fund"),
    "first_seen": ("First seen", "Erster Fund"),
    "missing_offers": ("Missing offers", "Fehlende Angebote"),
    "changed_offers": ("Changed offers", "Geänderte Angebote"),
    "gone_offers": ("Gone from the shop", "Aus dem Shop verschwunden"),
    "accepted_offers": ("Accepted as missing", "Als fehlend akzeptiert"),
    "quality": ("Extraction quality", "Qualität der Extraktion"),
    "crawl": ("The crawl", "Der Crawl"),
    "since_last": ("Since the crawl before", "Seit dem Crawl davor"),
    "history": ("Price history", "Preisverlauf"),
    "matching": ("How offers were matched", "Wie zugeordnet wurde"),
    "none": ("none", "keine"),
    "no_category": ("without a category", "ohne Kategorie"),
    "no_brand": ("without a brand", "ohne Marke"),
    "no_price": ("without a price", "ohne Preis"),
    "offer": ("Offer", "Angebot"),
    "category": ("Category", "Kategorie"),
    "price": ("Price", "Preis"),
    "brand": ("Brand", "Marke"),
    "sku": ("SKU", "Artikelnr."),
    "ean": ("EAN", "EAN"),
    "han": ("Manufacturer number", "Herstellernummer"),
    "availability": ("Availability", "Verfügbarkeit"),
    "currency": ("Currency", "Währung"),
    "description": ("Description", "Beschreibung"),
    "images": ("Images", "Bilder"),
    "specs": ("Specifications", "Merkmale"),
    "titles": ("Title", "Titel"),
    "cause": ("Cause", "Ursache"),
    "reason": ("Reason", "Grund"),
    "field": ("Field", "Feld"),
    "filled": ("filled", "gefüllt"),
    "abstained": ("abstained", "verzichtet"),
    "sources": ("sources", "Quellen"),
    "value_known": ("Catalogue", "Katalog"),
    "value_found": ("Shop", "Shop"),
    "count": ("Number", "Anzahl"),
    "rate": ("missing", "fehlt"),
    "examples": ("Examples", "Beispiele"),
    "search": ("Search", "Suchen"),
    "all_categories": ("all categories", "alle Kategorien"),
    "all_brands": ("all brands", "alle Marken"),
    "all_causes": ("all causes", "alle Ursachen"),
    "all_prices": ("all prices", "alle Preise"),
    "show": ("show its missing offers", "fehlende zeigen"),
    "reset": ("Reset", "Zurücksetzen"),
    "previous": ("Previous", "Zurück"),
    "next": ("Next", "Weiter"),
    "page_of": ("Page {page} of {pages}", "Seite {page} von {pages}"),
    "showing": ("{shown} of {total}", "{shown} von {total}"),
    "nothing_found": ("Nothing fits these filters.", "Nichts passt zu diesen Filtern."),
    "no_script": (
        "The table needs scripts; the same offers are in missing.csv beside this file.",
        "Die Tabelle braucht Skripte; dieselben Angebote stehen in missing.csv neben dieser Datei.",
    ),
    "print_note": (
        "Printed: the rows shown. All of them are in missing.csv.",
        "Gedruckt: die gezeigten Zeilen. Alle stehen in missing.csv.",
    ),
    "day": ("Day", "Tag"),
    "started": ("Started", "Begonnen"),
    "finished": ("Finished", "Beendet"),
    "ended_with": ("Ended with", "Endete mit"),
    "pages": ("Pages fetched", "Seiten geholt"),
    "estimate": ("Estimate", "Schätzung"),
    "failures": ("Failures", "Fehlschläge"),
    "rendered": ("Rendering", "Rendern"),
    "completeness": ("Completeness", "Vollständigkeit"),
    "completeness_note": (
        "{complete} of {categories} categories are complete: every page of their lists was read, and nothing of it was lost.",
        "{complete} von {categories} Kategorien sind vollständig: Jede Seite ihrer Listen wurde gelesen, nichts davon ging verloren.",
    ),
    "completeness_unknown": (
        "The crawl did not note its categories: one by an older version, or of a shop that has none.",
        "Der Crawl hat keine Kategorien vermerkt: Er ist von einer älteren Version, oder der Shop hat keine.",
    ),
    "stated": ("stated by the shop", "laut Shop"),
    "in_sitemap": ("in the sitemap", "in der Sitemap"),
    "seen": ("in its lists", "in den Listen"),
    "crawled": ("crawled", "gecrawlt"),
    "state": ("State", "Stand"),
    "levels": ("Static or dynamic", "Statisch oder dynamisch"),
    "level home": ("front page", "Startseite"),
    "level category": ("categories", "Kategorien"),
    "level list": ("lists", "Listen"),
    "level detail": ("products", "Produkte"),
    "mode plain": ("plainly", "direkt"),
    "mode browser": ("by a browser", "mit Browser"),
    "mode endpoint": ("from the JSON behind it", "aus dem JSON dahinter"),
    "similarity": ("alike", "ähnlich"),
    "gained": ("gained by rendering", "durch Rendern gewonnen"),
    "plain_rate": ("pages/s plainly", "Seiten/s direkt"),
    "rendered_rate": ("pages/s rendered", "Seiten/s gerendert"),
    "evidence": ("Evidence", "Belege"),
    "lacking": (
        "{level}: {pages} pages need a browser, and none is installed; what they show may be missing here. {reason}",
        "{level}: {pages} Seiten brauchen einen Browser, und keiner ist installiert; was sie zeigen, kann hier fehlen. {reason}",
    ),
    "levels_unknown": (
        "Every page was taken as the server sent it; nothing spoke for a browser.",
        "Jede Seite wurde genommen, wie der Server sie sandte; nichts sprach für einen Browser.",
    ),
    "refused": ("Refused, by reason", "Verworfen, nach Grund"),
    "refused offer": ("offers", "Angebote"),
    "refused answer": ("answers", "Antworten"),
    "refused target": ("targets", "Ziele"),
    "refused link": ("links not followed", "nicht verfolgte Links"),
    "variants_note": (
        "The {offers} offers are variants of {products} products; of {missing} products no variant is in the catalogue.",
        "Die {offers} Angebote sind Varianten von {products} Produkten; von {missing} Produkten ist keine Variante im Katalog.",
    ),
    "gone_partly": (
        "The crawl was not complete: only offers of the categories that were are listed.",
        "Der Crawl war nicht vollständig: Gelistet sind nur Angebote der Kategorien, die es waren.",
    ),
    "gone_unknown": (
        "Not said: only a complete crawl can tell what is gone.",
        "Keine Aussage: Nur ein vollständiger Crawl kann das sagen.",
    ),
    "new_offers": ("new", "neu"),
    "vanished": ("vanished", "verschwunden"),
    "repriced": ("with a new price", "mit neuem Preis"),
    "more": ("and {count} more", "und {count} weitere"),
    "shop": ("Shop", "Shop"),
    "last_crawl": ("Last crawl", "Letzter Crawl"),
    "complete": ("complete", "vollständig"),
    "incomplete": ("not complete", "nicht vollständig"),
    "from": ("from {low}", "ab {low}"),
    "below": ("below {high}", "unter {high}"),
    "cause duplicate": ("Duplicate of an offer that is known", "Doppelt: ein bekanntes Angebot"),
    "cause newer than the import": (
        "Newer than the import of {detail}",
        "Neuer als der Import vom {detail}",
    ),
    "cause category": ("Category missing as a whole: {detail}", "Ganze Kategorie fehlt: {detail}"),
    "cause brand": ("Brand missing as a whole: {detail}", "Ganze Marke fehlt: {detail}"),
    "cause price range": ("Price range cut off: {detail}", "Preisbereich abgeschnitten: {detail}"),
    "cause variant": ("Variant of a known product", "Variante eines bekannten Produkts"),
    "cause no EAN": ("No EAN", "Keine EAN"),
    "cause out of stock": ("Out of stock", "Nicht lieferbar"),
    "cause no price": ("No price", "Kein Preis"),
    "cause no pattern": ("No pattern (withheld?)", "Kein Muster (zurückgehalten?)"),
}


@dataclass(frozen=True)
class Language:
    """How one language says things."""

    code: str

    def __call__(self, key: str, **values: object) -> str:
        """The text of a key with its values filled in."""
        return TEXTS[key][LANGUAGES.index(self.code)].format(**values)

    def has(self, key: str) -> bool:
        """Whether there is a text for the key."""
        return key in TEXTS

    def number(self, value: int | Decimal, decimals: int = 0) -> str:
        """A number with the separators of the language.

        >>> Language("de").number(1234567), Language("en").number(Decimal("1299.5"), 2)
        ('1.234.567', '1,299.50')
        """
        text = f"{value:,.{decimals}f}"
        return text.translate(str.maketrans(",.", ".,")) if self.code == "de" else text

    def percent(self, rate: float) -> str:
        """A rate as a percentage that never rounds to all or nothing where it is neither.

        >>> Language("en").percent(0.9996), Language("en").percent(1.0), Language("de").percent(0.824)
        ('99.9 %', '100 %', '82,4 %')
        """
        if rate in (0.0, 1.0):
            return f"{round(rate * 100)} %"
        return f"{self.number(Decimal(str(min(99.9, max(0.1, round(rate * 100, 1))))), 1)} %"

    def money(self, amount: Decimal | None, currency: str | None) -> str:
        """An amount with its currency; empty where there is none."""
        return "" if amount is None else f"{self.number(amount, 2)} {currency or ''}".strip()

    def moment(self, at: datetime | None) -> str:
        """A time to the minute, in UTC.

        >>> Language("de").moment(None)
        ''
        """
        pattern = "%d.%m.%Y %H:%M UTC" if self.code == "de" else "%Y-%m-%d %H:%M UTC"
        return at.strftime(pattern) if at else ""

    def price_range(self, low: Decimal | None, high: Decimal | None) -> str:
        """A price range in words.

        >>> Language("en").price_range(Decimal(10), Decimal(20)), Language("de").price_range(None, Decimal("0.5"))
        ('10 – 20', 'unter 0,50')
        """
        texts = [
            None if edge is None else self.number(edge, 0 if edge == edge.to_integral() else 2) for edge in (low, high)
        ]
        if texts[0] and texts[1]:
            return f"{texts[0]} – {texts[1]}"
        return self("from", low=texts[0]) if texts[0] else self("below", high=texts[1]) if texts[1] else ""
