"""The texts of a report in English and German, and the notation of numbers, money and dates in each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal

from scout.values.tables import table

LANGUAGES = ("en", "de")


def _texts() -> Mapping[str, Mapping[str, str]]:
    """The texts by key and language."""
    texts: Mapping[str, Mapping[str, str]] = table("report_texts")
    return texts


@dataclass(frozen=True)
class Language:
    """The texts and notation of one language."""

    code: str

    def __call__(self, key: str, **values: object) -> str:
        """The text of a key with its values filled in."""
        text: str = _texts()[key][self.code]
        return text.format(**values)

    def has(self, key: str) -> bool:
        """Whether there is a text for the key."""
        return key in _texts()

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
        start, end = self._edge(low), self._edge(high)
        if start and end:
            return f"{start} – {end}"
        return self("from", low=start) if start else self("below", high=end) if end else ""

    def _edge(self, edge: Decimal | None) -> str:
        return "" if edge is None else self.number(edge, 0 if edge == edge.to_integral() else 2)
