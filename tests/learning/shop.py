"""A small shop made up for tests: pages of one template, and the catalogue that knows their offers."""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Any

from scout.page import Page

WORDS = "oak ash elm red blue tall wide small round soft bright dark old fine plain grand light quiet warm calm".split()
BRANDS = ("Acme", "Bolt & Co", "Cedar", "Dünn")

TEMPLATE = """<html><head><title>{title} | The shop</title>
<script type="application/ld+json">{{"@type": "Product", "sku": "{sku}", "offers": {{"price": {cents}}}}}</script></head>
<body><div class="nav"><a>Home</a><a>Acme</a><a>Cedar</a></div>
<div id="product"><h1 class="name">{title}</h1>{banner}
<div class="{box}"><span class="amount">{price} €</span>{old}</div>
<p>EAN: {ean}</p>
<table><tr><td>Maker</td><td>{brand}</td></tr><tr><td>Colour</td><td>{colour}</td></tr></table></div>
<div class="others"><h2>Others bought</h2><span class="amount">{other} €</span></div></body></html>"""


def gtin(number: int) -> str:
    """A GTIN-13 with a right check digit."""
    digits = f"400638{number:06d}"
    total = sum(int(digit) * (3 if position % 2 else 1) for position, digit in enumerate(digits))
    return digits + str(-total % 10)


def offers(count: int, seed: int = 1) -> list[dict[str, Any]]:
    """Offers that differ from each other."""
    rnd = random.Random(seed)
    return [
        {
            "title": f"{rnd.choice(WORDS).title()} {rnd.choice(WORDS)} chair no. {number}",
            "price": f"{rnd.randint(10, 1999)}.{rnd.randint(10, 99)}",
            "ean": gtin(number),
            "brand": rnd.choice(BRANDS),
            "sku": f"C-{number}",
            "colour": rnd.choice(WORDS),
        }
        for number in range(count)
    ]


def html(offer: Mapping[str, Any], number: int) -> str:
    """The offer's page; every third has a banner more, every fourth an old price more."""
    return TEMPLATE.format(
        **{name: str(value).replace("&", "&amp;") for name, value in offer.items() if name != "price"},
        price=offer["price"].replace(".", ","),
        cents=offer["price"].replace(".", ""),
        banner="<p>Now with a banner</p>" if number % 3 == 0 else "",
        box="price" if number % 4 else "price reduced",
        old="<s>2999,99 €</s>" if number % 4 == 0 else "",
        other=f"{number + 5},50",
    )


def samples(count: int = 20, seed: int = 1) -> list[tuple[Page, dict[str, Any]]]:
    """Pages with their known offers."""
    known = offers(count, seed)
    return [(Page(f"http://shop.example/p{n}", html(offer, n)), offer) for n, offer in enumerate(known)]
