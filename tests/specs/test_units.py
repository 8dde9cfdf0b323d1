"""Quantities: one number with its unit, or nothing."""

from decimal import Decimal

import pytest

from scout.specs.units import quantity


@pytest.mark.parametrize(
    ("name", "value", "number", "unit"),
    [
        ("Weight", "1.5 kg", "1.5", "kg"),
        ("Gewicht", "1,5 kg", "1.5", "kg"),
        ("Gewicht", "ca. 0,125 kg", "0.125", "kg"),
        ("Width (cm)", "40", "40", "cm"),
        ("Общий объем, л", "300", "300", "l"),
        ("容量", "6公升", "6", "l"),
        ("Screen", '5,7"', "5.7", "in"),
        ("Power", "2,000.5 W", "2000.5", "w"),
        ("Power", "1 200 Watt", "1200", "w"),
        ("Distance", "1.200.300 m", "1200300", "m"),
        ("Temperature", "-5 °C", "-5", "°c"),
        ("Alcohol", "40 % vol", "40", "% vol"),
    ],
)
def test_reads_a_number_and_its_unit(name: str, value: str, number: str, unit: str) -> None:
    assert quantity(name, value) == (Decimal(number), unit)


@pytest.mark.parametrize("value", ["3 x 4 cm", "red", "", "1.500 g", "10-20 kg", "5 foo", "1.2.3 kg", "kg"])
def test_what_is_not_one_sure_quantity_is_none(value: str) -> None:
    assert quantity("Size", value) is None
