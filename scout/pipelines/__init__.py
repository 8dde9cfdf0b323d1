"""Item pipelines, one per file, in this order: extract, normalise, validate, persist."""
