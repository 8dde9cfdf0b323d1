"""An offer from one product page, or rules induced from several, with nothing known of the shop."""

from scout.extraction.extractor import extract
from scout.extraction.induction import induce
from scout.extraction.zero_shot import zero_shot

__all__ = ["extract", "induce", "zero_shot"]
