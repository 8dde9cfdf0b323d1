"""Learn rules from known offers: occurrences, candidates, cuts, scoring, selection, diagnosis."""

from scout.learning.learner import learn

__all__ = ["learn"]
