"""The conclusion of Zhang, Lin and Liao (2018): a preset template alone turns the crawler to another subject, here used cars."""

from __future__ import annotations

from pathlib import Path

import pytest

from scout.store import Store
from tests.crawl.commands import HASTY, scrapy
from tests.crawl.serving import serving

MAKES = ("Audi", "Opel", "Seat")
CARS = 20  # of each make
TEMPLATE = """<xml><fields>
<field name="mileage"><word weight="5">odometer</word></field>
<field name="first_registration"><word weight="5">registered</word></field>
</fields></xml>"""


def _page(title: str, body: str) -> str:
    menu = "".join(f"<li><a href='/{make}'>{make}</a></li>" for make in MAKES)
    return f"<html lang=en><head><title>{title}</title></head><body><ul class=nav>{menu}</ul><main>{body}</main></body></html>"


def _car(make: str, number: int) -> str:
    facts = f"<span class=odometer>{number + 10},500 km</span><span class=registered>{2000 + number}</span>"
    text = f"<p>A {make} with {number} earlier owners, kept in a garage in winter and well looked after.</p>"
    return _page(
        f"{make} {number}",
        f"<h1>{make} Model {number}</h1><p class=price>€{number + 50}00.00</p>{facts}{text}<button>Buy now</button>",
    )


def _list(make: str) -> str:
    cards = (
        f"<li class=card><a href='/{make}/{n}'><img src='/{make}{n}.jpg'><h3>{make} Model {n}</h3></a>"
        f"<span class=price>€{n + 50}00.00</span></li>"
        for n in range(CARS)
    )
    return _page(make, f"<h1>{make}</h1><ul class=cars>{''.join(cards)}</ul>")


@pytest.mark.long
def test_section_6_a_template_file_alone_reads_a_site_of_used_cars(tmp_path: Path) -> None:
    pages = {"/robots.txt": "", "/": _page("Cars", "<h1>Used cars</h1>"), **{f"/{make}": _list(make) for make in MAKES}}
    pages |= {f"/{make}/{number}": _car(make, number) for make in MAKES for number in range(CARS)}
    rules = tmp_path / "rules"
    rules.mkdir()
    (rules / "template.xml").write_text(TEMPLATE, encoding="utf-8")
    database = f"sqlite:///{tmp_path}/cars.db"
    with serving(pages) as site:
        settings = ("-s", f"SCOUT_DATABASE={database}", "-s", f"SCOUT_RULES_DIR={rules}")
        done = scrapy("crawl", "shop", "-a", f"url={site.url}", "-a", "shop=cars", *HASTY, *settings)
    assert done.returncode == 0, done.stderr
    with Store.open(database) as store:
        offers = {
            offer["title"]: (offer.get("mileage"), offer.get("first_registration")) for offer in store.offers("cars")
        }
    wanted = {f"{make} Model {n}": (f"{n + 10},500 km", str(2000 + n)) for make in MAKES for n in range(CARS)}
    assert offers == wanted
