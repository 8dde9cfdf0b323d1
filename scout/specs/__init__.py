"""Specifications of product pages, found without training: TSAE (Zhao and Wang, 2017) and what today's pages need beyond it."""

from __future__ import annotations

from scout.specs.concepts import concept_of, learned_concepts
from scout.specs.fields import field_candidates
from scout.specs.pair import Pair, Specs
from scout.specs.shop import spec_regions
from scout.specs.specification import specifications

__all__ = ["Pair", "Specs", "concept_of", "field_candidates", "learned_concepts", "spec_regions", "specifications"]
