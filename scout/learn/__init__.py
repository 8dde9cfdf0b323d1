"""Learn rules from known offers: occurrences, candidates, cuts, scoring, selection, diagnosis."""

from scout.learn.learning import learn

__all__ = ["learn"]
