"""The error rate of prices, as the paper on the structuring crawler measures it."""

from __future__ import annotations

from scout.offer import Evidence, Offer
from scout.store.price_errors import price_errors


def _offer(price: str | None, raw: str | None = None) -> Offer:
    evidence = {"price": Evidence("p", raw=raw)} if raw is not None else {}
    return Offer({"price": price} if price else {}, evidence=evidence)


def test_section_5_2_a_price_that_is_empty_garbled_or_no_number_is_an_error() -> None:
    offers = [
        _offer("2149.00", "￥2149.00"),
        _offer("12.90"),
        _offer(None),
        _offer("9.00", "9,00 \ufffd"),
        _offer(None, "暂无报价"),
    ]
    result = price_errors("jd", offers)
    assert result == ("jd", 5, 1, 1, 1)
    assert result.error_rate == 0.6
