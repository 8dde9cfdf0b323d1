"""From nothing: an offer from one page, rules from a few, and a shop's structure. Only re-exports live here."""

from scout.induce.induction import induce
from scout.induce.zero_shot import zero_shot

__all__ = ["induce", "zero_shot"]
