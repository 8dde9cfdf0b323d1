"""GTIN, EAN, UPC and ISBN."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from stdnum import ean

from scout.values import normal_gtin

VALID = [
    ("4006381333931", "4006381333931"),
    ("EAN: 4006381333931", "4006381333931"),
    ("4 006381 333931", "4006381333931"),
    ("036000291452", "0036000291452"),
    ("0036000291452", "0036000291452"),
    ("00036000291452", "0036000291452"),
    ("96385074", "96385074"),
    ("14006381333938", "14006381333938"),
    ("0-306-40615-2", "9780306406157"),
    ("ISBN 0306406152", "9780306406157"),
    ("ISBN-13: 978-0-306-40615-7", "9780306406157"),
    ("080442957X", "9780804429573"),
]

REFUSED = [
    ("4006381333932", "a wrong check digit"),
    ("0000000000000", "all zeros"),
    ("00000000", "all zeros"),
    ("1111111111116", "one digit over and over"),
    ("1234567890128", "a placeholder"),
    ("2012345678900", "reserved for use inside a shop"),
    ("0212345678909", "reserved for use inside a shop"),
    ("9901234567893", "a coupon"),
    ("20123451", "a short number reserved for use inside a shop"),
    ("400638133393", "one digit short"),
    ("12 of 4006381333931 sold", "a sentence"),
    ("+49 30 1234567", "a telephone number"),
    ("", "nothing"),
]


@pytest.mark.parametrize(("text", "number"), VALID)
def test_a_number_gets_its_normal_form(text: str, number: str) -> None:
    assert normal_gtin(text) == number


@pytest.mark.parametrize(("text", "reason"), REFUSED, ids=[reason for _, reason in REFUSED])
def test_what_is_no_products_number_is_refused(text: str, reason: str) -> None:
    assert normal_gtin(text) is None, reason


@settings(derandomize=True)
@given(st.integers(300_000_000_000, 499_999_999_999))
def test_every_number_with_its_check_digit_is_read_and_with_another_one_refused(body: int) -> None:
    digit = ean.calc_check_digit(str(body))
    assert normal_gtin(f"{body}{digit}") == f"{body}{digit}" or len(set(str(body))) == 1
    assert normal_gtin(f"{body}{(int(digit) + 1) % 10}") is None
