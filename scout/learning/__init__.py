"""Learning rules from known offers: where values occur, which selectors find them, and which of those to keep."""

from scout.learning.learner import learn

__all__ = ["learn"]
