"""The URL cleaner: tables of addresses, and what holds for every address."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from scout.urls import clean_url, cleaned

TABLE = yaml.safe_load((Path(__file__).parent / "values" / "urls.yaml").read_text(encoding="utf-8"))
SHOP = "https://www.shop.example/"


@pytest.mark.parametrize(("url", "clean"), TABLE["redirects"])
def test_a_redirect_is_cut_down_to_its_target(url: str, clean: str) -> None:
    assert clean_url(url) == clean


@pytest.mark.parametrize("url", TABLE["not_redirects"])
def test_an_address_that_acts_on_another_or_returns_to_it_is_no_redirect(url: str) -> None:
    assert cleaned(url).url == url


@pytest.mark.parametrize(("url", "clean"), TABLE["tracking"])
def test_what_is_known_to_track_is_removed_and_nothing_else(url: str, clean: str) -> None:
    assert clean_url(url) == clean


@pytest.mark.parametrize("url", TABLE["untouched"])
def test_an_address_without_tracking_stays_as_it_is(url: str) -> None:
    assert clean_url(url) == url
    assert cleaned(url).removed == ()


@pytest.mark.parametrize("url", TABLE["opaque"])
def test_a_redirect_with_only_an_id_is_said_to_be_opaque_and_not_changed(url: str) -> None:
    result = cleaned(url)
    assert result.opaque
    assert result.url == url


@pytest.mark.parametrize("root", [SHOP, "www.shop.example", "shop.example", "http://shop.example"])
def test_with_the_shops_root_a_target_without_scheme_is_found(root: str) -> None:
    """The first paper's table 1: everything before the shop's address goes, whatever the redirecting host is called."""
    assert clean_url("http://cp.example/?redir=www.shop.example/product1", root).endswith(
        "://www.shop.example/product1"
    )


def test_with_the_shops_root_any_parameter_of_any_host_may_hold_the_target() -> None:
    url = "https://unknown.example.net/x?zzz=https%3A%2F%2Fwww.shop.example%2Fp%2F1%3Fcolor%3Dred%26gclid%3Dabc"
    assert clean_url(url, SHOP) == "https://www.shop.example/p/1?color=red"


def test_with_the_shops_root_a_way_that_does_not_name_the_shop_is_opaque() -> None:
    """The first paper recognises an id by the absence of the shop's address."""
    result = cleaned("https://clicks.example.net/7Hx2?utm_source=a", SHOP)
    assert result.opaque
    assert result.url == "https://clicks.example.net/7Hx2?utm_source=a"


def test_the_shops_own_return_address_is_not_unwrapped() -> None:
    url = "https://www.shop.example/customer/login?url=https%3A%2F%2Fwww.shop.example%2Fcheckout"
    assert clean_url(url, SHOP) == url


def test_a_shop_may_have_tracking_parameters_of_its_own() -> None:
    assert (
        cleaned("https://shop.example/p?mytrk=1&mk_a=2&id=3", extra=["mytrk", "mk_*"]).url
        == "https://shop.example/p?id=3"
    )


def test_what_was_removed_is_said() -> None:
    result = cleaned("https://t.example/click?url=https%3A%2F%2Fshop.example%2Fp%3Fgclid%3D1%26a%3D2")
    assert result.removed == ("redirect t.example", "gclid=1")


def test_a_rule_of_the_discarder_package_that_chooses_what_is_shown_is_not_applied() -> None:
    """Its rules for single sites also drop page, q, currency: those say what a page shows."""
    from scout.values.tracking import discarder_rules, tracking_lists

    shown = {"page", "q", "s", "currency", "category", "keyword", "limit", "type", "country", "size", "color", "id"}
    assert {name for _, names in discarder_rules() for name in names} & shown
    assert not any(name in names for names in tracking_lists().sites.values() for name in shown - {"s"})


# --- what holds for every address -------------------------------------------------------------------------------------
WORD = st.text("abcdefghijklmnop0123456789-._~%2F+", min_size=0, max_size=8)
PLAIN_NAMES = st.sampled_from(["id", "q", "page", "variant", "color", "a", "keyword", "source", "x", "lang", ""])
TRACKING_NAMES = st.sampled_from(
    ["utm_source", "UTM_Medium", "gclid", "fbclid", "msclkid", "mc_eid", "srsltid", "wt_mc"]
)
PAIRS = st.builds("{}={}".format, PLAIN_NAMES, WORD)
TRACKERS = st.builds("{}={}".format, TRACKING_NAMES, st.text("abc123", max_size=6))
PATHS = st.lists(st.text("abcxyz123-_%C3A4", max_size=6), max_size=4).map(lambda steps: "/" + "/".join(steps))


@settings(derandomize=True)
@given(PATHS, st.lists(PAIRS, max_size=5), st.sampled_from(["", "#top", "#/route", "#!/x?y=1"]))
def test_any_address_without_tracking_is_unchanged(path: str, pairs: list[str], fragment: str) -> None:
    url = "https://shop.example" + path + ("?" + "&".join(pairs) if pairs else "") + fragment
    assert clean_url(url) == url


@settings(derandomize=True)
@given(PATHS, st.lists(st.one_of(PAIRS, TRACKERS), min_size=1, max_size=6))
def test_exactly_the_tracking_parameters_go_and_the_rest_keeps_its_order(path: str, pairs: list[str]) -> None:
    plain = [pair for pair in pairs if pair.split("=")[0].lower() not in _TRACKERS]
    expected = "https://shop.example" + path + ("?" + "&".join(plain) if plain else "")
    assert clean_url("https://shop.example" + path + "?" + "&".join(pairs)) == expected


_TRACKERS = {"utm_source", "utm_medium", "gclid", "fbclid", "msclkid", "mc_eid", "srsltid", "wt_mc"}


@settings(derandomize=True)
@given(st.text(max_size=60))
def test_cleaning_never_fails_and_is_idempotent(tail: str) -> None:
    for head in ("", "http://shop.example/", "https://click.example/?url=", "https://www.google.com/url?q="):
        once = clean_url(head + tail)
        assert clean_url(once) == once


@settings(derandomize=True)
@given(st.sampled_from(["https://shop.example/p?a=1&b=2", "http://shop.example/x%20y"]), st.integers(1, 4))
def test_a_target_is_found_under_any_nesting_of_percent_encoding(target: str, layers: int) -> None:
    from urllib.parse import quote

    value = target
    for _ in range(layers):
        value = quote(value, safe="")
    assert clean_url(f"https://click.example/?url={value}") == target


@pytest.mark.parametrize(
    ("url", "clean"),
    [
        ("cptrack.com/?redir=www.shop.de/product1", "https://www.shop.de/product1"),  # the paper's table 1
        ("http://track.x.de/c/99/www.shop.de/p1?id=7", "https://www.shop.de/p1?id=7"),
        ("http://track.x.de/?www.shop.de/p", "https://www.shop.de/p"),
        ("http://track.x.de/go/www.shop.de%2Fp%3Fid%3D7/campaign", "https://www.shop.de/p?id=7"),
        ("http://track.x.de/go/www.shop.de%252Fp", "https://www.shop.de/p"),
        ("http://track.x.de/go%2Fwww.shop.de%2Fp", "https://www.shop.de/p"),
        ("http://track.x.de/?id=3&www.shop.de/p", "https://www.shop.de/p"),
        ("http://track.x.de/c/99/m.shop.de:8443/p1", "https://m.shop.de:8443/p1"),
    ],
)
def test_section_2_7_the_shops_root_is_found_anywhere_in_the_encoded_address(url: str, clean: str) -> None:
    assert clean_url(url, "https://www.shop.de") == clean


@pytest.mark.parametrize(
    "url",
    [
        "http://track.x.de/c/99/othershop.de/p1",
        "http://track.x.de/c/www.shop.de.x.net/p1",
        "http://track.x.de/?merchant=shop.de&id=7",
        "http://track.x.de/?mail=info@shop.de/p",
    ],
)
def test_section_2_7_an_address_that_only_resembles_or_names_the_shop_is_opaque(url: str) -> None:
    assert cleaned(url, "https://www.shop.de").opaque
