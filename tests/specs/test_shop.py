"""A shop's regions: what several pages agree on, kept as plain data."""

import yaml

from scout.page import Page
from scout.specs import spec_regions, specifications

PRODUCTS = [("Luna", "1.5 kg", "white"), ("Sol", "2 kg", "black"), ("Nox", "2.5 kg", "red"), ("Vox", "3 kg", "blue")]


def rows(pairs: list[tuple[str, str]]) -> str:
    return "".join(f"<tr><td>{name}</td><td>{value}</td></tr>" for name, value in pairs)


DELIVERY = f"<table class=service>{rows([('Type', 'parcel'), ('Weight', 'up to 30 kg'), ('Country', 'Italy')])}</table>"


def page(name: str, weight: str, colour: str, *, delivery: str = "") -> Page:
    table = f"<table class=specs>{rows([('Brand', name), ('Weight', weight), ('Colour', colour)])}</table>"
    return Page(
        f"http://shop.example/{name}", f"<title>{name}</title><h1>{name}</h1><p>{'A lamp. ' * 40}</p>{table}{delivery}"
    )


def test_the_regions_of_a_shop_are_plain_data_that_a_rule_file_can_hold() -> None:
    rules = spec_regions(page(*product) for product in PRODUCTS)
    assert yaml.safe_load(yaml.safe_dump(rules)) == rules
    assert [(rule["container"], rule["kind"], rule["pages"]) for rule in rules] == [("table.specs", "tr", 4)]


def test_the_regions_of_a_shop_are_used_again_on_its_pages() -> None:
    rules = spec_regions(page(*product) for product in PRODUCTS)
    assert specifications(page("Lux", "4 kg", "green"), rules) == [
        ("Brand", "Lux"),
        ("Weight", "4 kg"),
        ("Colour", "green"),
    ]


def test_a_table_that_is_the_same_on_all_pages_is_the_shops_own() -> None:
    pages = [page(*product, delivery=DELIVERY) for product in PRODUCTS]
    rules = spec_regions(pages)
    assert {rule["container"]: rule.get("use", True) for rule in rules} == {"table.specs": True, "table.service": False}
    assert ("Type", "parcel") in specifications(pages[0])
    assert ("Type", "parcel") not in specifications(pages[0], rules)


def test_pages_agree_on_a_region_that_no_single_page_is_sure_of() -> None:
    def unsure(name: str, first: str, second: str) -> Page:
        rows = "".join(
            f"<div><span>{label}</span><span>{value}</span></div>"
            for label, value in (("Blip", first), ("Qux", second), ("Zap", name), ("Zork", second))
        )
        return Page(
            f"http://shop.example/{name}",
            f"<title>{name}</title><h1>{name}</h1><p>{'A lamp. ' * 40}</p><div class=box>{rows}</div>",
        )

    pages = [unsure(name, weight, colour) for name, weight, colour in PRODUCTS]
    assert specifications(pages[0]) == []
    pairs = [("Blip", "1.5 kg"), ("Qux", "white"), ("Zap", "Luna"), ("Zork", "white")]
    assert specifications(pages[0], spec_regions(pages)) == pairs


def test_a_page_without_the_shops_regions_is_judged_by_itself() -> None:
    rules = [{"container": "div.elsewhere", "kind": "cells", "row": "div", "name": "span"}, "no rule at all"]
    assert len(specifications(page("Luna", "1 kg", "red"), rules)) == 3  # type: ignore[arg-type]
