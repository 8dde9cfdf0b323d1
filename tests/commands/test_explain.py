"""explain on a page of an unknown shop: the words and weights that decided, the user's own among them."""

from __future__ import annotations

import subprocess
from pathlib import Path

from tests.crawl.commands import scrapy

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
    assert "energy_label: A++" in ran.stdout and "label 'Energy label', 5 in the template" in ran.stdout
    assert "label 'SKU: FR-100', 6 in the template" in ran.stdout
    assert "shown in p.price: near +" in ran.stdout and "named +" in ran.stdout


def test_explain_says_why_a_crawl_would_drop_the_page(tmp_path: Path) -> None:
    ran = explained(tmp_path, "<p>199.00 €</p><button>Add to cart</button>")
    assert "a crawl drops this page (NoTitle): the page names no product" in ran.stdout
