"""The analysis of a shop as XPaths, shown, stored and used again (Zhang, Lin and Liao 2018, sections 4.2 and 5.1, figure 8)."""

from __future__ import annotations

from scout.page import Page
from scout.rules import ShopRules
from scout.rules.files import dump_rules, parse_rules
from scout.rules.xpaths import analysed_paths
from scout.walking.steps import PageVerdict, Step
from scout.walking.walk import Walk
from scout.walking.xpaths import CategoryPaths, elements_at
from tests.walking.walking import HOST, Defaults

CATEGORIES = ("cameras", "phones", "tablets", "radios", "lamps", "clocks")


def _front_page() -> str:
    """As in figure 8: the categories are below an element whose id is a number, and nothing is called a menu."""
    items = [f"<li><div><a href=/{name}>{name}</a><a href=/help/{name}>?</a></div></li>" for name in CATEGORIES]
    lists = f"<ul>{''.join(items[:3])}</ul><ul>{''.join(items[3:])}</ul>"
    about = "<div><p><a href=/about>About us</a></p><p><a href=/press>Press</a></p></div>"
    return f"<html><head><title>Shop</title></head><body><div id=0>{lists}</div>{about}</body></html>"


def _list_page(name: str) -> str:
    item = '<li class="product-item"><div><div><p><img src=/{0}.jpg></p><p><a href=/p/{0}>The {0}</a></p><p>{1},90 €</p></div></div></li>'
    items = "".join(item.format(f"{name}-{number}", 10 + number) for number in range(5))
    return f"<html><head><title>{name}</title></head><body><h1>{name}</h1><ul>{items}</ul></body></html>"


def _other_page(name: str) -> str:
    return f"<html><head><title>{name}</title></head><body><h1>{name}</h1><p>Some words about {name}.</p></body></html>"


def _walk_begun(structure: object = None) -> tuple[Walk, PageVerdict]:
    decide = Defaults()
    walk = decide.walk = Walk(f"{HOST}/", decide, structure=structure)
    return walk, walk.read(Page(f"{HOST}/", _front_page()), Step(f"{HOST}/", "menu"))


def _walked() -> Walk:
    walk, front = _walk_begun()
    for step in front.steps:
        name = step.url.removeprefix(f"{HOST}/")
        walk.read(Page(step.url, _list_page(name) if name in CATEGORIES else _other_page(name)), step)
    return walk


def test_figure_8_shows_the_paths_of_categories_and_of_products_in_lists() -> None:
    rules = ShopRules(structure=_walked().structure())
    paths = dict(analysed_paths(parse_rules(dump_rules(rules))))
    assert paths["sort-name"] == '//*[@id="0"]/ul[N]/li[N]/div/a[1]//text()'
    assert paths["sort-href"] == '//*[@id="0"]/ul[N]/li[N]/div/a[1]/@href'
    assert paths["list-href"].endswith(" product-item ')][N]/div/div/p[2]/a/@href")


def test_figure_8_the_paths_select_the_names_and_addresses_of_all_categories() -> None:
    page = Page(f"{HOST}/", _front_page())
    rules = ShopRules(structure=_walked().structure())
    found = {name: page.root.xpath(path.replace("[N]", "")) for name, path in analysed_paths(rules)}
    assert found["sort-name"] == list(CATEGORIES) and found["sort-href"] == [f"/{name}" for name in CATEGORIES]


def test_section_4_2_the_next_walk_takes_what_is_at_these_paths_for_categories_at_once() -> None:
    structure = _walked().structure()
    _, before = _walk_begun()
    _, again = _walk_begun(structure)
    roles = {step.url.removeprefix(f"{HOST}/"): step.role for step in again.steps}
    assert {step.role for step in before.steps if step.url.endswith(".example/cameras")} == {"tile"}
    assert {name for name, role in roles.items() if role == "menu"} == set(CATEGORIES)


def test_section_4_2_a_walk_that_finds_no_categories_keeps_the_paths_of_the_one_before() -> None:
    walk, _ = _walk_begun(_walked().structure())
    assert walk.structure()["categories"] == _walked().structure()["categories"]


def test_a_path_that_leads_to_other_pages_as_often_is_none_of_categories() -> None:
    paths = CategoryPaths()
    paths.see(Page(f"{HOST}/", _front_page()))
    for number, name in enumerate(CATEGORIES):
        paths.judge(f"{HOST}/{name}", is_category=number % 2 == 0)
    assert paths.dump() == []
    paths.judge(f"{HOST}/{CATEGORIES[1]}", is_category=True)
    assert [len(elements_at(Page(f"{HOST}/", _front_page()), path)) for path in paths.dump()] == [6]
