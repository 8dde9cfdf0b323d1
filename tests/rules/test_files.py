"""Rule files: what is saved is what is loaded; what cannot be used is refused with file, line and reason."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scout.errors import RuleSyntaxError
from scout.rules import (
    AttributeSelector,
    Cut,
    DataSelector,
    FieldRules,
    LabelSelector,
    Rule,
    ShopRules,
    TextSelector,
    TrailSelector,
)
from scout.rules.files import MAX_BYTES, rule_path, rule_versions, shop_slug
from scout.rules.selectors import HelSelector, OrderSelector
from scout.values import NumberLocale

text = st.text(st.characters(exclude_categories=("Cs",)), min_size=1, max_size=20)
small = st.integers(1, 9)
selectors = st.one_of(
    st.builds(TextSelector, st.just('div#a > p[class="b c"]'), st.none() | small, match=small),
    st.builds(AttributeSelector, st.just("meta.x"), st.sampled_from(["content", "data-x"]), match=small),
    st.builds(
        LabelSelector,
        text.filter(lambda t: t.isprintable()),
        st.sampled_from(["td", "b"]),
        st.just("../x"),
        st.booleans(),
    ),
    st.builds(TrailSelector, st.just("ol.way"), st.integers(0, 3), st.integers(0, 3), match=small),
    st.builds(OrderSelector, small),
    st.builds(HelSelector, st.just("html.body->b[0].txt")),
    st.builds(DataSelector, st.just("script"), st.just("$['a'][*]"), text, small),
)
cuts = st.builds(Cut, st.just("") | text, st.just("") | text, st.integers(0, 9), st.integers(0, 9), st.booleans())
rules = st.builds(
    Rule,
    selectors,
    cuts,
    st.floats(0, 1),
    small,
    small,
    st.none() | text,
    st.none() | st.dates().map(lambda day: day.isoformat()),
    st.sampled_from(["learned", "induced", "manual"]),
    st.booleans(),
    reserve=st.booleans(),
)
field_rules = st.builds(
    FieldRules, st.lists(rules, max_size=3).map(tuple), st.none() | st.floats(0, 1), diagnosis=st.none() | text
)
plain = st.recursive(
    st.booleans() | st.integers() | text,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(text, inner, max_size=3),
    max_leaves=6,
)
shops = st.builds(
    ShopRules,
    shop=text,
    fields=st.dictionaries(text, field_rules, max_size=3),
    locale=st.none()
    | st.builds(NumberLocale, st.sampled_from([".", ",", None]), st.sampled_from([".", ",", None]), st.booleans()),
    currency=st.none() | st.just("EUR"),
    pages=small,
    structure=plain,
    levels=plain,
    specs=plain,
    urls=plain,
)


@settings(deadline=None, derandomize=True, max_examples=80)  # the same every time, however busy the machine
@given(shops)
def test_what_is_saved_is_what_is_loaded(rules: ShopRules):
    assert ShopRules.from_yaml(rules.to_yaml()) == rules


@pytest.mark.parametrize(
    ("content", "line", "what"),
    [
        ("shop: a\nfields: [", 2, "not YAML"),
        ("shop: a\nfields: 3\n", 2, "fields"),
        ("shop: a\nfeilds: {}\n", 2, "feilds"),
        (
            "shop: a\nfields:\n  price:\n    selectors:\n      - kind: text\n        css: 'div >'\n",
            5,
            "not a CSS selector",
        ),
        (
            "shop: a\nfields:\n  price:\n    selectors:\n      - kind: text\n        css: p\n        quality: 7\n",
            7,
            "quality",
        ),
        ("a: &x [1]\nb: *x\n", 2, "aliases"),
        ("- 1\n- 2\n", 1, "dictionary"),
        ("shop: !!python/object:os.system x\n", 1, "not YAML"),
        ("learned: 2026-13-45\n", None, "not YAML"),
    ],
)
def test_an_error_names_file_line_and_what(tmp_path: Path, content: str, line: int | None, what: str):
    path = tmp_path / "a.yaml"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(RuleSyntaxError, match=what) as caught:
        ShopRules.load(path)
    assert (caught.value.file, caught.value.line) == (str(path), line)


def test_a_file_beyond_a_megabyte_is_refused(tmp_path: Path):
    path = tmp_path / "a.yaml"
    path.write_text("#" * (MAX_BYTES + 1))
    with pytest.raises(RuleSyntaxError, match="larger than"):
        ShopRules.load(path)


def test_a_file_that_is_not_there_or_not_text_is_an_error_with_its_name(tmp_path: Path):
    (tmp_path / "b.yaml").write_bytes(b"\xff\xfe\x00")
    for name, what in (("a.yaml", "cannot be read"), ("b.yaml", "not UTF-8")):
        with pytest.raises(RuleSyntaxError, match=what):
            ShopRules.load(tmp_path / name)


def test_a_label_without_its_tag_is_refused_with_what_it_needs():
    with pytest.raises(RuleSyntaxError, match="a label selector has label, tag, to, inside"):
        ShopRules.from_yaml("fields:\n  ean:\n    selectors:\n      - {kind: label, label: EAN}\n")


def test_an_empty_file_is_rules_without_fields():
    assert ShopRules.from_yaml("") == ShopRules()


NAMES = [
    "shop", "Shop", "SHOP", "../../etc/passwd", "..", ".", "", "/abs", "a/b", "a\\b", "C:\\x", "nul\x00byte", "CON", "con.txt", "aux",
    "x" * 300, "x" * 301, "\u202egnp.exe", "ünïcode", "日本", "a b", "a:b", "a*b?", "-rf", "~", "a\nb", "shop.example:8080", ".hidden",
    "shop-000000000000", "e\u0301", "\u00e9", "\ud800",
]  # fmt: skip


def test_no_name_leads_outside_the_rules_directory_and_no_two_share_a_file(tmp_path: Path):
    slugs = {shop_slug(name).lower() for name in NAMES}
    assert len(slugs) == len(NAMES)
    for name in NAMES:
        path = rule_path(tmp_path, name)
        assert path.parent == tmp_path and len(path.name) < 100 and path.name.isascii()
        ShopRules(shop="x").save(path)
    assert {path.name for path in tmp_path.iterdir()} == {
        ".versions",
        *(rule_path(tmp_path, name).name for name in NAMES),
    }


def test_a_slug_that_looks_like_another_names_slug_is_changed():
    assert shop_slug(shop_slug("../x")) != shop_slug("../x")


def test_every_version_is_kept_also_what_a_person_edited(tmp_path: Path):
    path = tmp_path / "shop.yaml"
    first, second = ShopRules(shop="shop", pages=1), ShopRules(shop="shop", pages=2)
    first.save(path)
    first.save(path)
    path.write_text(first.to_yaml().replace("pages: 1", "pages: 77"), encoding="utf-8")
    second.save(path)
    assert [ShopRules.load(version).pages for version in rule_versions(path)] == [1, 77, 2]
    assert ShopRules.load(path) == second
