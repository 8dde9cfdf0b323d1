"""extract: the one door to an offer, whether its rules were learned, induced, written by hand, or there are none."""

from __future__ import annotations
