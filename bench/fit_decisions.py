"""The decisions that are fitted: for each the options on a page, with the features of their places, and which of them is right."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass, field

from bench.fit_model import Option
from bench.labelled_pages import LabelledPage
from scout.extraction.ballot import Candidate
from scout.extraction.field_parsers import READERS
from scout.extraction.lexicon import lexicon
from scout.extraction.product_page import ProductPageEvidence
from scout.extraction.zero_shot import PageExtraction
from scout.fields import field as schema_field
from scout.page import Page
from scout.values import parse_price

Place = tuple[str, Mapping[str, float]]
Options = Callable[[LabelledPage, PageExtraction], list[Option] | None]


@dataclass(frozen=True)
class Decision:
    """A decision by name; `options` gives None where the truth of a page is not known, as for what no single page decides."""

    name: str
    options: Options = lambda labelled, extraction: None
    bounds: Mapping[str, tuple[float | None, float | None]] = field(default_factory=dict)  # signs that are beyond doubt
    twins: tuple[str, ...] = ("no markup", "plain")
    hold: float = 1.0  # pull of the prior, as a multiple of --hold
    bias_hold: float = 0.05  # ... and on the bias
    page_features: frozenset[str] = frozenset()  # of the page as a whole: fitted on pages that are no product's as well


def options_of(labelled: LabelledPage, html: str) -> dict[str, list[Option] | None]:
    """The options of every decision on one page (or a twin of it), which is read once for all."""
    extraction = PageExtraction(Page(labelled.url, html), lexicon())
    extraction.collect()
    return {decision.name: decision.options(labelled, extraction) for decision in DECISIONS}


def is_accepted(page: LabelledPage, name: str, value: str) -> bool:
    """Whether a value is one of those that the truth of a field accepts."""
    return any(schema_field(name).same(value, wanted) for wanted in page.truth.get(name, ()))


def _by_value(candidates: Iterable[Candidate], page: LabelledPage, name: str) -> list[Option]:
    places: dict[Hashable, list[Place]] = {}
    written: dict[Hashable, str] = {}
    for candidate in candidates:
        features = {name: value for name, value in candidate.features.items() if value}
        places.setdefault(candidate.same, []).append((candidate.author or candidate.source, features))
        written.setdefault(candidate.same, candidate.value)
    return [Option(written[key], is_accepted(page, name, written[key]), found) for key, found in places.items()]


def field_options(name: str) -> Options:
    """The values that the page may mean for a field."""

    def options(labelled: LabelledPage, extraction: PageExtraction) -> list[Option] | None:
        is_judged = name in labelled.truth and (labelled.truth[name] or not labelled.optional.get(name))
        candidates = extraction.ballot.candidates(name, READERS[name]) if is_judged else []
        return _by_value(candidates, labelled, name) if is_judged else None

    return options


def price_options(labelled: LabelledPage, extraction: PageExtraction) -> list[Option] | None:
    """The amounts that the page or its markup may mean as the price."""
    if "price" not in labelled.truth:
        return None
    ballot = extraction.price_ballot
    options = _by_value(ballot.price_candidates(), labelled, "price")
    about_page = ("page", ballot.page_features)
    return [Option(option.answer, option.is_right, [*option.places, about_page]) for option in options]


def title_options(labelled: LabelledPage, extraction: PageExtraction) -> list[Option] | None:
    """The texts that may be the title, whole: one that holds the title is right, as what is not the name is cut in a second decision."""
    if not labelled.truth.get("title"):
        return None
    election = extraction.reading.title
    found = []
    for name, features in election.candidates:
        texts = (name.text, *(cut for cut, _ in election.cuts(name)))
        is_right = any(is_accepted(labelled, "title", text) for text in texts)
        found.append(Option(name.text, is_right, [("page", features)]))
    return found if any(option.is_right for option in found) else []  # every product has a name: no reason to abstain


def cut_options(labelled: LabelledPage, extraction: PageExtraction) -> list[Option] | None:
    """What the texts that are or hold the title may be cut to."""
    if not labelled.truth.get("title"):
        return None
    election = extraction.reading.title
    found = []
    for name, _ in election.candidates:
        cuts = [(text, features, is_accepted(labelled, "title", text)) for text, features in election.cuts(name)]
        is_right = is_accepted(labelled, "title", name.text)
        if is_right or any(right for _, _, right in cuts):
            found += [
                Option(text, right, [("page", features)]) for text, features, right in cuts if not (right and is_right)
            ]
    return found


def page_options(labelled: LabelledPage, extraction: PageExtraction) -> list[Option]:
    """One option: that the page is a product's own."""
    features = ProductPageEvidence.of(extraction.page).evidence().features
    return [Option("product", labelled.is_product, [("page", features)])]


def list_price_options(labelled: LabelledPage, extraction: PageExtraction) -> list[Option] | None:
    """The amounts above the true price that the page or its markup may mean as the list price."""
    prices = [price for text in labelled.truth.get("price", ()) if (price := parse_price(text)) is not None]
    if "list_price" not in labelled.truth or not prices:
        return None
    return _by_value(extraction.price_ballot.list_price_candidates(prices[0].amount), labelled, "list_price")


PRICE = Decision(
    "price",
    price_options,
    hold=3.0,
    # a page that says that it tells no price tells none, whatever amounts it shows
    bounds={
        "on_request": (None, -12.0),
        "zero": (None, -8.0),
        "no_product_page": (None, -2.5),
        "product_page": (0.5, None),
        "struck": (None, -2.0),
        "named_struck": (None, -1.0),
    },
    page_features=frozenset({"product_page", "no_product_page", "marked_price", "state_price"}),
)
LIST_PRICE = Decision(
    "list_price",
    list_price_options,
    hold=8.0,
    bias_hold=5.0,
    bounds={
        "of_another": (None, -5.0),
        "currency_word": (0.0, None),
        "struck": (2.0, None),
        "unsaid": (None, -1.0),
        "list_label": (2.5, None),
        "above_list_label": (1.5, None),
        "above_discount": (3.0, None),  # what says how much less is asked says that more was
    },
)
FIXED = 1e6  # a pull that nothing moves
TITLE_TWINS = ("no markup", "plain")
PAGE_SIGNS: Mapping[str, tuple[float | None, float | None]] = {
    **dict.fromkeys(("body", "data"), (3.5, None)),  # what a page says of itself is enough
    "markup": (0.5, None),
    "markup_named": (3.0, None),
    **dict.fromkeys(("price_and_buy", "title", "sells"), (0.0, None)),
    "price_alike": (None, 0.0),
    "price": (1.5, None),
    "buy": (2.0, None),
    "address_depth": (None, 0.5),
}
CLAIM: Mapping[str, tuple[float | None, float | None]] = {"claim": (0.7, 1.2)}  # the template counts, a user's as well
# nearly every labelled page says whether its product can be had, and mostly that it can: what else is possible is said here
STOCK_SIGNS: Mapping[str, tuple[float | None, float | None]] = {
    **CLAIM,
    **dict.fromkeys(("out", "out_text", "out_label"), (0.0, None)),
    "out_beside_button": (-0.3, None),
    "button": (None, 0.0),
    "text": (0.0, None),
    "broken_promise": (None, -4.5),
    "out_unsold": (10.0, None),  # a page without a button that says that it has none has none
    **dict.fromkeys(("out_json-ld", "out_microdata", "out_meta"), (2.0, None)),  # nobody writes this by mistake
}
# the number of a row in the shop's database is no article number, whatever the markup calls it
SKU_SIGNS: Mapping[str, tuple[float | None, float | None]] = {
    **CLAIM,
    "of_several": (None, -1.5),
    "row_number": (None, -6.0),
}
DECISIONS = (
    PRICE,
    LIST_PRICE,
    Decision("page", page_options, hold=2.0, bias_hold=5.0, bounds=PAGE_SIGNS),
    Decision(
        "title",
        title_options,
        twins=TITLE_TWINS,
        hold=5.0,
        bias_hold=FIXED,
        bounds={"alike": (None, -2.5), "says_state": (10.0, None), "shop_like": (None, -6.0)},
    ),
    Decision("title_cut", cut_options, twins=(), hold=6.0, bias_hold=FIXED),
    Decision("availability", field_options("availability"), bounds=STOCK_SIGNS, bias_hold=FIXED),
    Decision("brand", field_options("brand"), bounds={**CLAIM, "label_aside": (None, -2.5)}, hold=3.0, bias_hold=2.0),
    Decision("sku", field_options("sku"), bounds=SKU_SIGNS, hold=10.0, bias_hold=5.0),
    Decision("ean", field_options("ean"), bounds=CLAIM, bias_hold=2.0),
    Decision("han", field_options("han"), bounds=CLAIM, hold=5.0, bias_hold=5.0),
)
