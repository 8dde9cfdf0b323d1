"""Values as shops write them, and their normal form: money, numbers, GTIN, availability, text."""

from scout.values.availability import parse_availability
from scout.values.currency import country_currency, parse_currency
from scout.values.gtin import normal_gtin
from scout.values.locales import page_locale
from scout.values.numbers import NumberLocale
from scout.values.price import Price, parse_base_price, parse_price
from scout.values.text import clean_text, text_key

__all__ = [
    "NumberLocale",
    "Price",
    "clean_text",
    "country_currency",
    "normal_gtin",
    "page_locale",
    "parse_availability",
    "parse_base_price",
    "parse_currency",
    "parse_price",
    "text_key",
]
