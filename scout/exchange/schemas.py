"""The JSON Schemas of what Scout writes for programs. They are files of the package: `scout/data/schemas/NAME.schema.json`."""

from __future__ import annotations

import json
from typing import Any

from scout.values.tables import data_text

COVERAGE = "coverage"  # of one crawl: `scout crawls --json`, `coverage.json` beside a report
EVIDENCE = "evidence"  # of the values of one offer: `scout export --evidence`
NAMES = (COVERAGE, EVIDENCE)
FORMAT = {COVERAGE: "urn:scout:coverage:1", EVIDENCE: "urn:scout:evidence:1"}  # the number is the major version


def load_schema(name: str) -> dict[str, Any]:
    """The published schema of this name.

    >>> load_schema("coverage")["title"]
    'Coverage of a crawl'
    """
    schema: dict[str, Any] = json.loads(data_text(f"schemas/{name}.schema.json"))
    return schema
