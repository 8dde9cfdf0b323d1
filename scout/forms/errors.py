"""Errors of query forms and of their descriptions."""

from __future__ import annotations

from scout.errors import ScoutError


class FormError(ScoutError):
    """A query form, or its description, cannot be used."""


class MetadataError(FormError):
    """DB.* metadata are malformed, contradictory or too large."""


class ExpansionError(FormError):
    """A regular expression or a form stands for too many values."""


class ContentError(FormError):
    """A DBContent document is invalid."""


class SoifError(FormError):
    """A text is not in the Summary Object Interchange Format."""
