"""The texts of a report in English and German, and the notation of numbers, money and dates in each."""

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
    "answer_empty": ("No offers of {shop} have been found yet.", "Von {shop} wurde noch kein Angebot gefunden."),
    "answer_no_catalogue": (
        "{offers} offers of {shop} were found, but there is no catalogue to compare them with.",
        "{offers} Angebote von {shop} wurden gefunden, aber es gibt keinen Katalog zum Vergleich.",
    ),
    "answer_all": (
        "{missing} of {offers} offers of {shops} shops are missing from the catalogue; {coverage} are covered.",
        "{missing} von {offers} Angeboten von {shops} Shops fehlen im Katalog; {coverage} sind abgedeckt.",
    ),
    "trust_complete": (
        "The last crawl was complete ({date}): it found everything that the shop shows.",
        "Der letzte Crawl war vollständig ({date}): Er fand alles, was der Shop zeigt.",
    ),
    "trust_incomplete": (
        "The last crawl was incomplete ({date}, {reason}): more offers may be missing, and none is known to be gone.",
        "Der letzte Crawl war unvollständig ({date}, {reason}): Es können mehr Angebote fehlen, und keines gilt als verschwunden.",
    ),
    "trust_running": (
        "The last crawl has not finished ({date}): the figures are preliminary.",
        "Der letzte Crawl ist nicht abgeschlossen ({date}): Die Zahlen sind vorläufig.",
    ),
    "trust_never": ("The shop has not been crawled yet.", "Der Shop wurde noch nicht gecrawlt."),
    "made_at": ("Created {date}", "Erstellt {date}"),
    "skip": ("Skip to the missing offers", "Zu den fehlenden Angeboten"),
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
    "by_first_seen": ("By day first seen", "Nach erstem Fund"),
    "first_seen": ("First seen", "Erster Fund"),
    "missing_offers": ("Missing offers", "Fehlende Angebote"),
    "changed_offers": ("Changed offers", "Geänderte Angebote"),
    "gone_offers": ("No longer in the shop", "Nicht mehr im Shop"),
    "accepted_offers": ("Accepted as missing", "Als fehlend akzeptiert"),
    "quality": ("Extraction quality", "Qualität der Extraktion"),
    "crawl": ("The crawl", "Der Crawl"),
    "since_last": ("Since the previous crawl", "Seit dem vorigen Crawl"),
    "history": ("Price history", "Preisverlauf"),
    "matching": ("How offers were matched", "Wie zugeordnet wurde"),
    "none": ("none", "keine"),
    "no_category": ("without a category", "ohne Kategorie"),
    "no_brand": ("without a brand", "ohne Marke"),
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
    "abstained": ("abstained", "ausgelassen"),
    "sources": ("sources", "Quellen"),
    "value_known": ("Catalogue", "Katalog"),
    "value_found": ("Shop", "Shop"),
    "count": ("Number", "Anzahl"),
    "search": ("Search", "Suchen"),
    "all_categories": ("all categories", "alle Kategorien"),
    "all_brands": ("all brands", "alle Marken"),
    "all_causes": ("all causes", "alle Ursachen"),
    "all_prices": ("all prices", "alle Preise"),
    "show": ("show the missing offers", "fehlende zeigen"),
    "reset": ("Reset", "Zurücksetzen"),
    "previous": ("Previous", "Zurück"),
    "next": ("Next", "Weiter"),
    "page_of": ("Page {page} of {pages}", "Seite {page} von {pages}"),
    "showing": ("{shown} of {total}", "{shown} von {total}"),
    "nothing_found": ("Nothing matches these filters.", "Nichts passt zu diesen Filtern."),
    "no_script": (
        "The table needs JavaScript; the same offers are in missing.csv beside this file.",
        "Die Tabelle braucht JavaScript; dieselben Angebote stehen in missing.csv neben dieser Datei.",
    ),
    "print_note": (
        "Only the visible rows are printed. All rows are in missing.csv.",
        "Gedruckt werden nur die sichtbaren Zeilen. Alle stehen in missing.csv.",
    ),
    "day": ("Day", "Tag"),
    "started": ("Started", "Begonnen"),
    "finished": ("Finished", "Beendet"),
    "ended_with": ("Result", "Ergebnis"),
    "pages": ("Pages fetched", "Seiten geholt"),
    "estimate": ("Estimate", "Schätzung"),
    "failures": ("Failures", "Fehler"),
    "rendered": ("Rendering", "Rendern"),
    "completeness": ("Completeness", "Vollständigkeit"),
    "completeness_note": (
        "{complete} of {categories} categories are complete: every page of their lists was read without loss.",
        "{complete} von {categories} Kategorien sind vollständig: Jede Seite ihrer Listen wurde ohne Verlust gelesen.",
    ),
    "completeness_unknown": (
        "The crawl recorded no categories: the shop has none, or an older version of Scout made it.",
        "Der Crawl hat keine Kategorien vermerkt: Der Shop hat keine, oder eine ältere Version von Scout war am Werk.",
    ),
    "stated": ("stated by the shop", "laut Shop"),
    "in_sitemap": ("in the sitemap", "in der Sitemap"),
    "seen": ("in its lists", "in den Listen"),
    "crawled": ("crawled", "gecrawlt"),
    "state": ("Status", "Status"),
    "levels": ("Static or dynamic", "Statisch oder dynamisch"),
    "level home": ("front page", "Startseite"),
    "level category": ("categories", "Kategorien"),
    "level list": ("lists", "Listen"),
    "level detail": ("products", "Produkte"),
    "mode plain": ("without a browser", "ohne Browser"),
    "mode browser": ("with a browser", "mit Browser"),
    "mode endpoint": ("from the JSON behind it", "aus dem JSON dahinter"),
    "similarity": ("similarity", "Ähnlichkeit"),
    "gained": ("gained by rendering", "durch Rendern gewonnen"),
    "plain_rate": ("pages/s without a browser", "Seiten/s ohne Browser"),
    "rendered_rate": ("pages/s with a browser", "Seiten/s mit Browser"),
    "evidence": ("Evidence", "Belege"),
    "lacking": (
        "{level}: {pages} pages need a browser, and none is installed; what they show may be missing here. {reason}",
        "{level}: {pages} Seiten brauchen einen Browser, und keiner ist installiert; was sie zeigen, kann hier fehlen. {reason}",
    ),
    "levels_unknown": (
        "No page needed a browser.",
        "Keine Seite brauchte einen Browser.",
    ),
    "refused": ("Rejected, by reason", "Verworfen, nach Grund"),
    "refused offer": ("offers", "Angebote"),
    "refused answer": ("responses", "Antworten"),
    "refused target": ("blocked addresses", "gesperrte Adressen"),
    "refused link": ("links not followed", "nicht verfolgte Links"),
    "variants_note": (
        "The {offers} offers are variants of {products} products; {missing} products have no variant in the catalogue.",
        "Die {offers} Angebote sind Varianten von {products} Produkten; von {missing} Produkten ist keine Variante im Katalog.",
    ),
    "gone_partly": (
        "The crawl was incomplete: only offers of complete categories are listed.",
        "Der Crawl war unvollständig: Gelistet sind nur Angebote vollständiger Kategorien.",
    ),
    "gone_unknown": (
        "Unknown: only a complete crawl shows what is gone.",
        "Unbekannt: Nur ein vollständiger Crawl zeigt, was verschwunden ist.",
    ),
    "new_offers": ("new", "neu"),
    "vanished": ("vanished", "verschwunden"),
    "repriced": ("with a new price", "mit neuem Preis"),
    "more": ("and {count} more", "und {count} weitere"),
    "shop": ("Shop", "Shop"),
    "last_crawl": ("Last crawl", "Letzter Crawl"),
    "complete": ("complete", "vollständig"),
    "incomplete": ("incomplete", "unvollständig"),
    "from": ("from {low}", "ab {low}"),
    "below": ("below {high}", "unter {high}"),
    "cause duplicate": ("Duplicate of a known offer", "Doppelt: ein bekanntes Angebot"),
    "cause newer than the import": (
        "Newer than the import of {detail}",
        "Neuer als der Import vom {detail}",
    ),
    "cause category": ("Whole category missing: {detail}", "Ganze Kategorie fehlt: {detail}"),
    "cause brand": ("Whole brand missing: {detail}", "Ganze Marke fehlt: {detail}"),
    "cause price range": ("Price range cut off: {detail}", "Preisbereich abgeschnitten: {detail}"),
    "cause variant": ("Variant of a known product", "Variante eines bekannten Produkts"),
    "cause no EAN": ("No EAN", "Keine EAN"),
    "cause out of stock": ("Out of stock", "Nicht lieferbar"),
    "cause no price": ("No price", "Kein Preis"),
    "cause no pattern": ("No common cause found", "Keine gemeinsame Ursache gefunden"),
}


@dataclass(frozen=True)
class Language:
    """The texts and notation of one language."""

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
        """A rate as a percentage, which is 0 or 100 only if the rate is exactly that.

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
        """A time in UTC, to the minute.

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
