"""Names of shops become names of files: whatever the name, the file is in the rules directory, and no two shops share one."""

from __future__ import annotations

from pathlib import Path

import pytest

from scout.rules import ShopRules
from scout.rules.files import rule_path, shop_slug

NAMES = [
    *(
        "shop.example",
        "Shop.example",
        "SHOP.EXAMPLE",
        "shop",
        "Shop",
        "shop ",
        " shop",
        "shop.",
        ".shop",
        "..",
        ".",
        "",
        "-",
        "_",
    ),
    *(
        "../../etc/passwd",
        "..\\..\\windows",
        "/etc/passwd",
        "C:\\boot.ini",
        "a/b",
        "a\\b",
        "a:b",
        "a\x00b",
        "a\nb",
        "~root",
        "$HOME",
    ),
    *(
        "CON",
        "con",
        "nul.txt",
        "COM1",
        "lpt9",
        "x" * 300,
        "x" * 301,
        "é",
        "e\u0301",
        "商店",
        "\u202egro.elpmaxe",
        "\u200b",
        "\ud800",
    ),
    *("*.yaml", "shop.yaml", "%2e%2e%2f", "-rf", "'; rm -rf *", "<script>"),
]
FORBIDDEN = set('/\\:*?"<>|\x00\n') | {"\u202e", "\u200b"}


def test_no_two_shops_share_a_file_not_even_where_case_does_not_count() -> None:
    slugs = [shop_slug(name).casefold() for name in NAMES]
    assert len(NAMES) >= 30
    assert len(set(slugs)) == len(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_any_name_is_a_plain_file_in_the_rules_directory(name: str, tmp_path: Path) -> None:
    rules = tmp_path / "rules"
    path = rule_path(rules, name)
    assert path.parent == rules
    assert not FORBIDDEN & set(path.name)
    assert not path.name.startswith((".", "-"))
    assert len(path.name.encode()) < 128
    assert path.stem.partition(".")[0].lower() not in {"con", "nul", "com1", "lpt9"}


@pytest.mark.parametrize("name", ["../../etc/passwd", "a\x00b", "CON", "x" * 300, "\u202egro.elpmaxe"])
def test_saving_rules_writes_nothing_outside_of_the_rules_directory(name: str, tmp_path: Path) -> None:
    ShopRules(shop="any").save(rule_path(tmp_path / "rules", name))
    assert [path.name for path in tmp_path.iterdir()] == ["rules"]
