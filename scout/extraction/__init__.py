"""An offer from one product page, or rules induced from several, with nothing known of the shop.

process_page.py  process_page(): all that happens to a page before its offers are stored, with normalise.py, offer_checks.py and
               variant_offers.py
extractor.py   extract(): by rules, from the page alone, or both
zero_shot.py   PageExtraction: collects claims from all places of a page, then decides each field
induction.py   rules from several pages of a shop
ballot.py      claims, candidates, and the election among them

Places that make claims:  markup.py (with structured_data.py), document_head.py, embedded_state.py (with script_data.py),
                          single_product_data.py, labels.py, named_elements.py, url_codes.py, availability.py
Fields with a decision of their own:  prices.py (with shown_amounts.py), titles.py, breadcrumbs.py, images.py, reviews.py, variants.py
What they build on:  view.py (texts and regions), lexicon.py (the words), field_parsers.py, product_page.py (is it a product's page?)
"""

from scout.extraction.extractor import extract
from scout.extraction.induction import induce
from scout.extraction.zero_shot import zero_shot

__all__ = ["extract", "induce", "zero_shot"]
