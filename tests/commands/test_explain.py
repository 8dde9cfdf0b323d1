"""explain on a page of an unknown shop: the words and weights that decided, the user's own among them."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
LONGEST = 120  # seconds, on a machine that does other things as well
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
    command = ["explain", "https://shop.example/fridge-1", "--html", str(folder / "page.html"), *options]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("SCRAPY_")}
    return subprocess.run(
        [sys.executable, "-m", "scrapy", *command],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        timeout=LONGEST,
    )


def test_explain_says_which_words_decided_and_what_spoke_for_the_price(tmp_path: Path) -> None:
    ran = explained(tmp_path, PAGE)
    assert ran.returncode == 0, ran.stderr
    assert "energy_label: A++" in ran.stdout and "label 'Energy label', 5 in the template" in ran.stdout
    assert "label 'SKU: FR-100', 6 in the template" in ran.stdout
    assert "shown in p.price: near +" in ran.stdout and "named +" in ran.stdout
