"""The decisions that are fitted: for each the options on a page, with the features of their places, and which of them is right."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from bench.fit_model import Option
from bench.labelled_pages import LabelledPage
from scout.extraction.ballot import Candidate
from scout.extraction.lexicon import lexicon
from scout.extraction.product_page import ProductPageEvidence
from scout.extraction.zero_shot import PageExtraction
from scout.fields import field as schema_field
from scout.page import Page
from scout.values import parse_price

Place = tuple[str, Mapping[str, float]]
Options = Callable[[LabelledPage, Page], list[Option] | None]


@dataclass(frozen=True)
class Decision:
    """A decision by name; `options` gives None where the truth of a page is not known."""

    name: str
    options: Options
    bounds: Mapping[str, tuple[float | None, float | None]] = field(default_factory=dict)  # signs that are beyond doubt
    twins: tuple[str, ...] = ("no markup", "renamed")
    hold: float = 1.0  # pull of the prior, as a multiple of --hold
    bias_hold: float = 0.05  # ... and on the bias
    page_features: frozenset[str] = frozenset()  # of the page as a whole: fitted on pages that are no product's as well


def is_accepted(page: LabelledPage, name: str, value: str) -> bool:
    """Whether a value is one of those that the truth of a field accepts."""
    return any(schema_field(name).same(value, wanted) for wanted in page.truth.get(name, ()))


def _by_value(candidates: Iterable[Candidate], page: LabelledPage, name: str) -> list[Option]:
    places: dict[str, list[Place]] = {}
    for candidate in candidates:
        places.setdefault(candidate.value, []).append((candidate.author or candidate.source, candidate.features))
    return [Option(value, is_accepted(page, name, value), found) for value, found in places.items()]


def price_options(labelled: LabelledPage, page: Page) -> list[Option] | None:
    """The amounts that the page or its markup may mean as the price."""
    if "price" not in labelled.truth:
        return None
    ballot = PageExtraction(page, lexicon()).price_ballot()
    options = _by_value(ballot.price_candidates(), labelled, "price")
    about_page = ("page", ballot.page_features)
    return [Option(option.answer, option.is_right, [*option.places, about_page]) for option in options]


def title_options(labelled: LabelledPage, page: Page) -> list[Option] | None:
    """The texts that may be the title, whole: one that holds the title is right, as what is not the name is cut in a second decision."""
    if not labelled.truth.get("title"):
        return None
    election = PageExtraction(page, lexicon()).title_election
    found = []
    for name, features in election.candidates:
        texts = (name.text, *(cut for cut, _ in election.cuts(name)))
        is_right = any(is_accepted(labelled, "title", text) for text in texts)
        found.append(Option(name.text, is_right, [("page", features)]))
    return found if any(option.is_right for option in found) else []  # every product has a name: no reason to abstain


def cut_options(labelled: LabelledPage, page: Page) -> list[Option] | None:
    """What the texts that are or hold the title may be cut to."""
    if not labelled.truth.get("title"):
        return None
    election = PageExtraction(page, lexicon()).title_election
    found = []
    for name, _ in election.candidates:
        cuts = [(text, features, is_accepted(labelled, "title", text)) for text, features in election.cuts(name)]
        is_right = is_accepted(labelled, "title", name.text)
        if is_right or any(right for _, _, right in cuts):
            found += [
                Option(text, right, [("page", features)]) for text, features, right in cuts if not (right and is_right)
            ]
    return found


def page_options(labelled: LabelledPage, page: Page) -> list[Option]:
    """One option: that the page is a product's own."""
    features = ProductPageEvidence.of(page).evidence().features
    return [Option("product", labelled.is_product, [("page", features)])]


def list_price_options(labelled: LabelledPage, page: Page) -> list[Option] | None:
    """The amounts above the true price that the page or its markup may mean as the list price."""
    prices = [price for text in labelled.truth.get("price", ()) if (price := parse_price(text)) is not None]
    if "list_price" not in labelled.truth or not prices:
        return None
    ballot = PageExtraction(page, lexicon()).price_ballot()
    return _by_value(ballot.list_price_candidates(prices[0].amount), labelled, "list_price")


PRICE = Decision(
    "price",
    price_options,
    hold=3.0,
    # a page that says that it tells no price tells none, whatever amounts it shows
    bounds={
        "on_request": (None, -12.0),
        "zero": (None, -8.0),
        "struck": (None, -2.0),
        "named_struck": (None, -1.0),
    },
    page_features=frozenset({"product_page", "marked_price", "state_price"}),
)
LIST_PRICE = Decision(
    "list_price",
    list_price_options,
    hold=3.0,
    # a name like "list-price" says something only beside another that has it not: `above_full_name`
    bounds={"of_another": (None, -5.0), "struck": (2.0, None), "full_word": (0.0, 0.0), "unsaid": (None, -1.0)},
)
FIXED = 1e6  # a pull that nothing moves
TITLE_TWINS = ("no markup", "renamed", "flattened")
PAGE_SIGNS: Mapping[str, tuple[float | None, float | None]] = {
    **dict.fromkeys(("markup", "body", "data"), (3.5, None)),  # what a page says of itself is enough
    **dict.fromkeys(("price_and_buy", "title", "title_crumb", "sells"), (0.0, None)),
    **dict.fromkeys(("prices", "prose", "price_alike"), (None, 0.0)),
    "price": (1.5, None),
    "buy": (2.0, None),
    "address_depth": (None, 0.5),
}
DECISIONS = (
    PRICE,
    LIST_PRICE,
    Decision("page", page_options, twins=("no markup",), hold=2.0, bounds=PAGE_SIGNS),
    Decision(
        "title",
        title_options,
        twins=TITLE_TWINS,
        hold=5.0,
        bias_hold=FIXED,
        bounds={"alike": (None, -2.5), "says_state": (10.0, None), "shop_like": (None, -6.0)},
    ),
    Decision("title_cut", cut_options, twins=(), hold=20.0, bias_hold=FIXED),
)
