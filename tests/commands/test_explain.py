"""explain on a page of an unknown shop: the words and weights that decided, the user's own among them."""

from __future__ import annotations

import subprocess
from pathlib import Path

from scout.rules.files import rule_path
from scout.store import Store
from tests.crawl.commands import scrapy
from tests.crawl.serving import Answer
from tests.shops.catalogues import AgentShop, CatalogueShop, ShopifyShop

PAGE = (
    "<title>Fridge 100</title><h1>Fridge 100</h1><p class='price'>199.00 €</p><dl><dt>Energy label</dt><dd>A++</dd></dl>"
    "<p>SKU: FR-100</p>"
)
WORDS = "fields: {energy_label: {labels: {5: [Energy label]}}}"


def explained(folder: Path, page: str) -> subprocess.CompletedProcess[str]:
    (folder / "rules").mkdir()
    (folder / "rules" / "template.yaml").write_text(WORDS, encoding="utf-8")
    (folder / "page.html").write_text(page, encoding="utf-8")
    settings = {"SCOUT_DATABASE": f"sqlite:///{folder}/scout.db", "SCOUT_RULES_DIR": str(folder / "rules")}
    options = [part for name, value in settings.items() for part in ("-s", f"{name}={value}")]
    return scrapy("explain", "https://shop.example/fridge-1", "--html", str(folder / "page.html"), *options)


def test_explain_says_which_words_decided_and_what_spoke_for_the_price(tmp_path: Path) -> None:
    ran = explained(tmp_path, PAGE)
    assert ran.returncode == 0, ran.stderr
    first, why, scale, *_ = ran.stdout.splitlines()
    assert first.startswith("a crawl takes this page as a product")
    assert "% likely; in log-odds:" in why and "the summed quality (0 to 1 each)" in scale
    assert "energy_label: A++" in ran.stdout and "label 'Energy label', 5 in the template" in ran.stdout
    assert "label 'SKU: FR-100', 6 in the template" in ran.stdout
    assert "shown in p.price: near +" in ran.stdout and "named +" in ran.stdout


def test_explain_says_why_a_crawl_would_drop_the_page(tmp_path: Path) -> None:
    ran = explained(tmp_path, "<p>199.00 €</p><button>Add to cart</button>")
    assert ran.stdout.startswith("a crawl drops this page (NoTitle): the page names no product")


def test_explain_uses_the_rules_of_the_shop_that_is_registered_with_the_address(tmp_path: Path) -> None:
    """Of two shops on one host, those of the one whose address the page's begins with."""
    with Store.open(f"sqlite:///{tmp_path}/scout.db") as store:
        store.add_shop("fridges", "https://shop.example/")
        store.add_shop("cold things", "https://shop.example/fridge")
    (tmp_path / "rules").mkdir()
    manual = "fields: {title: {selectors: [{kind: text, css: h1}]}, price: {selectors: [{kind: text, css: h1}]}}"
    rule_path(tmp_path / "rules", "cold things").write_text(manual, encoding="utf-8")
    (tmp_path / "page.html").write_text(PAGE, encoding="utf-8")
    options = ["-s", f"SCOUT_DATABASE=sqlite:///{tmp_path}/scout.db", "-s", f"SCOUT_RULES_DIR={tmp_path}/rules"]
    ran = scrapy("explain", "https://shop.example/fridge-1", "--html", str(tmp_path / "page.html"), *options)
    assert "with the rules of cold things" in ran.stderr
    assert "abstained: 'Fridge 100' is not readable as price" in ran.stdout


FORM = '<form action="/search"><label>Search <input name="q"></label><button>Search</button></form>'


def explained_shop(shop: CatalogueShop) -> dict[str, str]:
    """What explain says of a shop: the kind of each line and its text."""
    with shop.serving() as server:
        ran = scrapy("explain", "--shop", server.url)
    assert ran.returncode == 0, ran.stderr
    return {
        line[:15].strip() + line[15:].partition(",")[0] * (line[:9] == "catalogue"): line
        for line in ran.stdout.splitlines()
    }


def test_explain_asks_a_shop_for_its_catalogue_and_says_what_it_gives() -> None:
    lines = explained_shop(ShopifyShop(30))
    assert lines["degree"].endswith("a catalogue endpoint")
    assert "30 products in its first answer, with variants" in lines["catalogueshopify"]
    assert "none (HTTP 404)" in lines["catalogueucp"]


def test_explain_follows_a_manifest_to_its_products() -> None:
    lines = explained_shop(AgentShop(70))
    assert lines["degree"].endswith("a manifest for agents")
    assert "50 products in its first answer, with variants; it states 70" in lines["catalogueucp"]


def test_explain_names_the_search_form_of_a_shop_whose_catalogue_is_switched_off() -> None:
    shop = ShopifyShop(
        5, answers={"/products.json": Answer("<html><p>Welcome"), "/": Answer(f"{ShopifyShop.sign}{FORM}")}
    )
    lines = explained_shop(shop)
    assert lines["degree"].endswith("a search form")
    assert "none (an answer is no catalogue)" in lines["catalogueshopify"] and "(q)" in lines["search form"]


def test_explain_says_pages_only_where_nothing_else_is_there() -> None:
    assert explained_shop(CatalogueShop(5))["degree"].endswith("pages only")
