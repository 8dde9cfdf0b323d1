"""Offers for the tests."""

from __future__ import annotations

from typing import Any

from scout.offer import Evidence, Offer


def offer(number: int = 1, **values: Any) -> Offer:
    """An offer with everything an offer can have."""
    url = f"https://shop.example/p/{number}"
    complete = {
        "url": url,
        "urls": [url],
        "shop": "lamps",
        "canonical": url,
        "title": f"Lamp {number}",
        "description": "A lamp.\nIt shines.",
        "price": "12.90",
        "currency": "EUR",
        "availability": "InStock",
        "brand": "Lumen",
        "sku": f"L-{number}",
        "ean": "4006381333931",
        "han": f"LUM{number}",
        "category": "Home > Lamps",
        "images": [f"https://shop.example/i/{number}.jpg", f"https://shop.example/i/{number}b.jpg"],
        "specs": [("Colour", "red"), ("Power", "5 W")],
        "reviews": [{"author": "Ann", "rating": "4.5", "date": "2026-01-02", "text": "Bright.", "helpful": 3}],
        "energy_class": "A",
    }
    evidence = {"price": Evidence("span.price", raw="12,90 €", score=1.5, votes=("span.price: 12.90",))}
    return Offer(complete | values, evidence=evidence)
