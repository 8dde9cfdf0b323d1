"""Prices as shops write them, read with and without the shop's locale."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scout.values import NumberLocale, page_locale, parse_base_price, parse_price

COMMA = NumberLocale(decimal=",", thousands=".")
POINT = NumberLocale(decimal=".", thousands=",")

AMOUNTS = [  # as written, amount, currency
    ("1.299,00 €", "1299.00", "EUR"),
    ("1,299.00", "1299.00", None),
    ("1 299,-", "1299", None),
    ("CHF 1'299.—", "1299", "CHF"),
    ("CHF 1’299.50", "1299.50", "CHF"),
    ("¥1,388", "1388", None),
    ("1,388円（税込）", "1388", "JPY"),
    ("ab 12,99 €", "12.99", "EUR"),
    (",89 €", "0.89", "EUR"),
    ("$.75", "0.75", None),
    ("£1·99", "1.99", "GBP"),
    ("0,00", "0.00", None),
    ("12€99", "12.99", "EUR"),
    ("35€ 99", "35.99", "EUR"),
    ("12⁹⁹ €", "12.99", "EUR"),
    ("$12 99", "12.99", None),
    ("R$ 1.234,56", "1234.56", "BRL"),
    ("kr 1 299:-", "1299", None),
    ("1.299,00 kr.", "1299.00", None),
    ("Rs. 1,23,456.00", "123456.00", None),
    ("₹1,29,999", "129999", "INR"),
    ("Rp 1.250.000", "1250000", "IDR"),
    ("8 990 ₽", "8990", "RUB"),
    ("12\u202f345,50\xa0€", "12345.50", "EUR"),
    ("١٬٢٩٩٫٥٠ ر.س", "1299.50", "SAR"),
    ("۱۲۳۴ تومان", "1234", "IRT"),
    ("१२३.५० ₹", "123.50", "INR"),
    ("１，２９９円", "1299", "JPY"),
    ("3.350 KWD", "3.350", "KWD"),
    ("3.350 €", "3350", "EUR"),
    ("$1,600 COP", "1600", "COP"),
    ("EUR12.50", "12.50", "EUR"),
    ("12,50EUR", "12.50", "EUR"),
    ("Price (EUR): 12.99", "12.99", "EUR"),
    ("R899.00", "899.00", "ZAR"),
    ("12.9900", "12.9900", None),
    ("2 12,99 €", "12.99", "EUR"),
    ("RM49", "49", "MYR"),
    ("Only R1299 each", "1299", "ZAR"),
    ("Price: INR2499", "2499", "INR"),
    ("299kr", "299", None),
    ("TRY 45", "45", "TRY"),
    ("Price US$12each", "12", "USD"),
    ("599Kč s DPH", "599", "CZK"),
    ("Stückpreis 20EUR", "20", "EUR"),
    ("20EUR im Angebot", "20", "EUR"),
    ("EUR20 im Angebot", "20", "EUR"),
    ("149kr styck", "149", None),
    ("1500DA livraison", "1500", "DZD"),
    ("499SEK i lager", "499", "SEK"),
    ("Rs. 1,999only", "1999", None),
    ("USD 20ea", "20", "USD"),
    ("EUR-12.90", "12.90", "EUR"),
]

CHOSEN = [  # of several numbers, the one that is the price
    ("Nikon D300 $98.00", "98.00"),
    ('Cinema 30" $122', "122"),
    ("12 € 15 €", "12"),
    ("statt 19,99 € jetzt 12,99 €", "12.99"),
    ("Was $20.00 Now $15.00", "15.00"),
    ("De: R$ 100,00 por R$ 80,00", "80.00"),
    ("Now: $ 1,299.00 (Save $200)", "1299.00"),
    ("R$ 120,00 ou 12x de R$ 10,00 sem juros", "120.00"),
    ("299 € oder 49,99 €/Monat", "299"),
    ("12 Monate 15,00 €", "15.00"),
    ("5 x 12,99 €", "12.99"),
    ("20% off $15", "15"),
    ("£1,299.99 inc. VAT £1,083.33 ex. VAT", "1299.99"),
    ("12,99 € (25,98 € / l)", "12.99"),
    ("+ $4.99 shipping, price $12.00", "12.00"),
    ("Pris 499kr frakt 0kr", "499"),
    ("CHF 20statt 30", "20"),
]

NO_PRICE = [
    "",
    "Red",
    "12.05.2024",
    "-20%",
    "20 % Rabatt",
    "-5,00 €",
    "iPhone 15 Pro",
    "Sony 55 inch",
    "12.5 MP",
    "4006381333931",
    "4,99 € / 100 ml",
    "1 l = 12,99 €",
    "25,98 €/kg",
    "KES-496A Laser Lens",
    "CAD-123",
    "RP2040 NS chip",
    "Board with RP2040",
    "Extension cable 20Ft",
    "20Ft extension cable",
    "TOP 10 products",
    "Laser KES496",
    "KES 496A Laser Lens",
    "AUD 3.5mm jack",
    "RS232 cable",
    "Hook 3412dt",
    "Range 20km trail",
    "price " * 60 + "12.99",
]


@pytest.mark.parametrize(("text", "amount", "currency"), AMOUNTS)
def test_an_amount_and_its_currency_are_read(text: str, amount: str, currency: str | None) -> None:
    price = parse_price(text)
    assert price is not None
    assert (price.amount, price.currency, price.other) == (Decimal(amount), currency, None)


@pytest.mark.parametrize(("text", "amount"), CHOSEN)
def test_of_several_numbers_the_price_is_chosen(text: str, amount: str) -> None:
    price = parse_price(text)
    assert price is not None
    assert price.amount == Decimal(amount)


@pytest.mark.parametrize("text", NO_PRICE)
def test_a_text_without_a_price_has_none(text: str) -> None:
    assert parse_price(text) is None


def test_a_lone_group_of_three_has_two_readings_until_the_locale_tells() -> None:
    price = parse_price("3.350")
    assert price is not None
    assert set(price.readings) == {Decimal("3350"), Decimal("3.350")}
    assert parse_price("3.350", COMMA).readings == (Decimal("3350"),)  # type: ignore[union-attr]
    assert parse_price("3.350", POINT).readings == (Decimal("3.350"),)  # type: ignore[union-attr]


def test_a_currency_without_decimals_settles_what_a_group_of_three_is() -> None:
    assert parse_price("3.350", currency="CLP").readings == (Decimal("3350"),)  # type: ignore[union-attr]
    assert parse_price("3.350", currency="KWD").readings == (Decimal("3.350"),)  # type: ignore[union-attr]


def test_amounts_in_cents_are_integers() -> None:
    cents = NumberLocale(cents=True)
    assert parse_price("129900", cents).amount == Decimal("1299.00")  # type: ignore[union-attr]
    assert parse_price("1299.00", cents).amount == Decimal("1299.00")  # type: ignore[union-attr]


@pytest.mark.parametrize("text", ["10,00 € - 20,00 €", "10 – 20 €", "$10.00 to $20.00", "10,- - 20,-", "10.00-20.00"])
def test_a_range_has_a_low_and_a_high_end(text: str) -> None:
    price = parse_price(text)
    assert price is not None
    assert (price.amount, price.high) == (Decimal(10), Decimal(20))


@pytest.mark.parametrize(
    ("text", "is_from"), [("ab 5 €", True), ("From $5", True), ("¥100起", True), ("5 € da Rossi", False)]
)
def test_a_price_that_only_begins_there_is_marked(text: str, is_from: bool) -> None:
    assert parse_price(text).is_from is is_from  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("text", "hint", "currency"),
    [
        ("$5", None, None),
        ("$5", "CAD", "CAD"),
        ("$5", "EUR", None),
        ("5 kr", "NOK", "NOK"),
        ("¥5", "CNY", "CNY"),
        ("5 €", "USD", "EUR"),
        ("5.00", "USD", "USD"),
        ("5,00 $ CA", "CAD", "CAD"),
    ],
)
def test_a_shared_symbol_is_decided_by_the_pages_currency_or_not_at_all(
    text: str, hint: str | None, currency: str | None
) -> None:
    assert parse_price(text, currency=hint).currency == currency  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("text", "amount", "quantity", "unit"),
    [
        ("4,99 € / 100 ml", "4.99", "100", "ml"),
        ("12,99 € (25,98 € / l)", "25.98", "1", "l"),
        ("1 l = 12,99 €", "12.99", "1", "l"),
        ("Grundpreis: 3,33 € pro kg", "3.33", "1", "kg"),
        ("0,12 €/10 Stück", "0.12", "10", "stück"),
    ],
)
def test_a_base_price_is_read_as_such(text: str, amount: str, quantity: str, unit: str) -> None:
    base = parse_base_price(text)
    assert base is not None
    assert (base.amount, base.quantity, base.unit) == (Decimal(amount), Decimal(quantity), unit)


@pytest.mark.parametrize(
    "text",
    [
        "Niedrigster Preis der letzten 30 Tage: 19,99 €",
        "Najniższa cena z 30 dni przed obniżką 19,99 zł",
        "Az elmúlt 30 nap legalacsonyabb ára: 1 999 Ft",
        "19,99 € (prix le plus bas des 30 derniers jours)",
        "Lowest price in the last 30 days: €19.99",
    ],
)
def test_the_lowest_price_of_thirty_days_is_an_amount_of_its_own_kind(text: str) -> None:
    price = parse_price(text)
    assert price is not None
    assert price.role == "prior"


@pytest.mark.parametrize(
    "text", ["Delbetala från 566 kr/mån", "9 x 23,22 TL taksit", "1 290 Kč měsíčně", "23,22 TL x 9 taksit"]
)
def test_a_rate_is_no_price_in_these_languages_either(text: str) -> None:
    price = parse_price(text)
    assert price is not None
    assert price.role == "part"


def test_the_price_is_read_beside_the_lowest_of_thirty_days() -> None:
    price = parse_price("24,99 € Niedrigster Preis der letzten 30 Tage: 19,99 €")
    assert price is not None
    assert (price.amount, price.old, price.role) == (Decimal("24.99"), None, "price")


def test_an_old_price_in_the_same_text_is_kept_apart() -> None:
    assert parse_price("UVP 19,99 € 12,99 €").old == Decimal("19.99")  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("texts", "lang", "currency", "decimal"),
    [
        (["12,99 €", "3.350 €"], None, None, ","),
        (["$12.99", "$3,350"], "de", None, "."),
        (["$1,600", "$22,000"], "es-CO", "COP", "."),
        (["34.000"], "es-CL", None, ","),
        (["34.000"], "en-GB", None, "."),
        (["34.000"], "de-CH", None, "."),
        (["3.350", "12.750"], "ar", "KWD", "."),
        (["1.299.000 đ"], None, None, ","),
        (["34.000"], None, None, None),
        ([], "fr", None, ","),
        ([], None, None, None),
    ],
)
def test_a_shops_locale_is_guessed_from_its_amounts_then_its_language(
    texts: list[str], lang: str | None, currency: str | None, decimal: str | None
) -> None:
    assert page_locale(texts, lang, currency).decimal == decimal


# --- whatever the locale, what is written is what is read --------------------------------------------------------------
FORMATS = {  # decimal, thousands, pattern
    "de": (",", ".", "{} €"),
    "en": (".", ",", "£{}"),
    "fr": (",", "\u202f", "{} €"),
    "ch": (".", "’", "CHF {}"),
    "se": (",", "\xa0", "{} kr"),
}


def _written(amount: Decimal, decimal: str, thousands: str) -> str:
    return f"{amount:,.2f}".replace(",", "T").replace(".", decimal).replace("T", thousands)


@settings(derandomize=True)
@given(st.decimals(min_value=0, max_value=9_999_999, places=2), st.sampled_from(sorted(FORMATS)), st.booleans())
def test_a_formatted_amount_is_read_back(amount: Decimal, name: str, bare: bool) -> None:
    decimal, thousands, pattern = FORMATS[name]
    text = _written(amount, decimal, thousands)
    price = parse_price(text if bare else pattern.format(text))
    assert price is not None
    assert price.readings == (amount,)


@settings(derandomize=True)
@given(st.integers(0, 9_999_999), st.sampled_from([COMMA, POINT]))
def test_a_whole_amount_is_read_back_in_its_locale(amount: int, locale: NumberLocale) -> None:
    text = f"{amount:,}".replace(",", str(locale.thousands))
    assert parse_price(text, locale).readings == (Decimal(amount),)  # type: ignore[union-attr]


@settings(derandomize=True)
@given(st.text(max_size=40))
def test_reading_never_fails(text: str) -> None:
    parse_price(text)
    parse_base_price(text)
    page_locale([text])


@pytest.mark.parametrize(
    ("text", "role"),
    [
        ("Preço de venda R$ 79,00", "price"),
        ("Precio con descuento: 79 €", "price"),
        ("Price before discount $99", "old"),
    ],
)
def test_the_longest_phrase_before_an_amount_says_what_it_is(text: str, role: str) -> None:
    price = parse_price(text)
    assert price is not None
    assert price.role == role
