"""What a specification says about fields of the offer."""

from scout.specs import Pair, field_candidates


def test_finds_brand_numbers_weight_and_colour_in_any_language() -> None:
    pairs = [
        ("Marke", "Luna"),
        ("EAN-Nummer", "4006381333931"),
        ("Herstellernummer", "LU-40"),
        ("Gewicht", "1,5 kg"),
        ("Farbe", "weiß"),
    ]
    assert field_candidates(pairs) == {
        "brand": "Luna",
        "ean": "4006381333931",
        "han": "LU-40",
        "weight": "1,5 kg",
        "colour": "weiß",
    }


def test_a_brand_goes_before_a_manufacturer_and_the_first_of_two_before_the_second() -> None:
    pairs = [Pair("Manufacturer", "Works Ltd", concept="manufacturer"), ("Brand", "Luna"), ("Brand name", "Sol")]
    assert field_candidates(pairs) == {"brand": "Luna"}


def test_a_wrong_check_digit_and_words_for_no_value_are_no_candidates() -> None:
    assert (
        field_candidates(
            [("EAN", "4006381333932"), ("Brand", "Unbranded"), ("MPN", "Does Not Apply"), ("Colour", "x" * 101)]
        )
        == {}
    )
